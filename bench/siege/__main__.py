"""`python -m bench.siege` (make siege): attacks a site in every way that once stopped one; prints figures and goals.

Without --port it starts a site of its own in a temporary folder. A site that runs is besieged with the limits that it
has: raise its THROTTLE_* for all but the price book, and give a token and a user.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import django

from bench.report import table
from bench.siege import goals
from bench.siege.place import own_folder, running_at, started, with_account
from bench.siege.target import Target

PARTS = ("slow", "prices", "addresses", "memory", "lock", "crowd")
QUIET_SECONDS = 10


@dataclass
class Siege:
    options: argparse.Namespace
    target: Target
    user: str
    found: dict[str, Any] = field(default_factory=dict)

    def run(self) -> None:
        """In the order in which one part disturbs the next least."""
        parts: dict[str, Callable[[], None]] = {
            "slow": self.slow,
            "prices": self.prices,
            "addresses": self.heavy,
            "memory": self.heavy,
            "lock": self.lock,
            "crowd": self.crowd,
        }
        for part in dict.fromkeys(parts[name] for name in PARTS if name in self.options.only):
            part()
        self.found["server_errors"] = dict(self.target.server_errors)

    def slow(self) -> None:
        from bench.siege import slow

        _, quiet = slow.watched(self.target, min(self.options.seconds, QUIET_SECONDS))
        healthz, page = slow.besieged(self.target, self.options.bodies, self.options.headers, self.options.seconds)
        _say(f"quiet: {slow.PAGE} {quiet}")
        _say(f"slow clients: /healthz {healthz}\n              {slow.PAGE} {page}")
        self.found["slow"] = {"quiet": quiet.figures(), "healthz": healthz.figures(), "page": page.figures()}

    def prices(self) -> None:
        from bench.siege import prices

        self.found["prices"] = prices.besieged(self.target, self.options.seconds)
        _say(f"price book: {self.found['prices']}")

    def heavy(self) -> None:
        from bench.siege import addresses, heavy, memory

        if not self.target.token or not self.target.processes.python:
            _say("heavy results: not stored without a token, nor measured without the processes of the site")
            return
        results = heavy.stored(self.target, _say)
        self.wait_until_at_rest()
        if "memory" in self.options.only:
            self.found["memory"] = memory.measure(self.target, results)
            _say(f"six comparisons at once: {self.found['memory']}")
        if "addresses" in self.options.only:
            self.found["addresses"] = [
                {"name": each.name, "old_web_ms": each.old_web_ms, "old_postgres_ms": each.old_postgres_ms}
                | {"has_goal": each.has_goal, **addresses.measure(self.target, each)}
                for each in addresses.addresses(results)
            ]

    def wait_until_at_rest(self) -> None:
        from bench import site

        site.wait_until_at_rest(lambda: self.target.processes)

    def lock(self) -> None:
        from django.conf import settings

        from bench.siege import lock

        if not self.user:
            _say("lock of the sign-in: not tried without --user name:password")
            return
        results = json.loads(self.target.read("/api/v1/submissions/?page_size=1").plain)["results"]
        result = f"/submissions/{results[0]['id']}/" if results else "/value/"
        for memory in ("as it is", "full"):
            how = lock.fill(settings.CACHE_REDIS_URL) if memory == "full" else ""
            _say(f"lock, memory {memory} {how}")
            found = lock.survives(self.target, self.user, self.options.pages, result, _say)
            self.found.setdefault("lock", {})[memory] = {**found, "filled": how}

    def crowd(self) -> None:
        from bench.siege.crowd import crowd

        if not self.target.token:
            _say("crowd: nothing is uploaded without a token")
            return
        reads, posts = crowd(self.target, self.options.readers, self.options.uploaders, self.options.seconds)
        _say(f"crowd: {self.options.readers} readers: {reads}\n       {self.options.uploaders} uploaders: {posts}")
        self.found["crowd"] = {"reads": reads.figures(), "posts": posts.figures()}


def main() -> None:
    options = _options()
    found = _besieged_running(options) if options.port else _besieged_own(options)
    if options.json:
        options.json.write_text(json.dumps(found, indent=1))
    if "addresses" in found:
        print(f"\n{table(goals.address_rows(found['addresses']))}")
    print(f"\n{table([goals.HEAD, *goals.goals(found)])}")
    if found["server_errors"]:
        sys.exit(1)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.siege", description=__doc__)
    parser.add_argument("--port", type=int, help="of a site that runs; without it one is started")
    parser.add_argument("--token", default="", help="of staff that may submit: without it nothing is uploaded")
    parser.add_argument("--user", default="", metavar="NAME:PASSWORD", help="whose sign-in is locked by the siege")
    parser.add_argument("--only", type=_parts, default=PARTS, metavar="NAME,NAME", help=", ".join(PARTS))
    parser.add_argument("--json", type=Path, metavar="FILE", help="for the figures")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--bodies", type=int, default=48)
    parser.add_argument("--headers", type=int, default=300)
    parser.add_argument("--readers", type=int, default=100)
    parser.add_argument("--uploaders", type=int, default=100)
    parser.add_argument("--pages", type=int, default=5_000, help="that are to push out the lock")
    return parser.parse_args()


def _parts(text: str) -> list[str]:
    names = [part.strip() for part in text.split(",")]
    if unknown := [name for name in names if name not in PARTS]:
        raise argparse.ArgumentTypeError(f"{', '.join(unknown)}: choose from {', '.join(PARTS)}")
    return names


def _besieged_running(options: argparse.Namespace) -> dict[str, Any]:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
    django.setup()  # the documents that are uploaded need it
    siege = Siege(options, running_at(options.port, options.token), options.user)
    siege.run()
    return siege.found


def _besieged_own(options: argparse.Namespace) -> dict[str, Any]:
    """The price book first with the limits of a fresh site, then everything without any."""
    limited: dict[str, Any] = {}
    with own_folder():
        if "prices" in options.only:
            with started(has_limits=True) as target:
                first = Siege(argparse.Namespace(**{**vars(options), "only": ["prices"]}), target, "")
                first.run()
                limited = first.found
        with started(has_limits=False) as target:
            siege = Siege(options, *with_account(target))
            siege.run()
    if limited:
        siege.found["prices, limits of a fresh site"] = limited["prices"]
        siege.found["server_errors"] |= limited["server_errors"]
    return siege.found


def _say(words: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {words}", flush=True)


if __name__ == "__main__":
    main()

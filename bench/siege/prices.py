"""Twelve connections that ask for the whole price book again and again, and a reader of a page meanwhile."""

import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Any

from bench.siege.slow import PAGE
from bench.siege.target import STRANGER, Seen, Target

CONNECTIONS = 12
ADDRESS = "/api/v1/prices/?format=csv"
PAGE_SECONDS = 0.5
REFUSED_SECONDS = 0.1  # what is refused is asked again after so long: no client waits less for what it must not get
MEDIAN_SECONDS, SLOWEST_SECONDS = 0.2, 2.0


@dataclass
class Exports:
    seen: Seen = field(default_factory=Seen)
    server_errors: Counter[str] = field(default_factory=Counter)
    megabytes: float = 0.0


def besieged(target: Target, seconds: float) -> dict[str, Any]:
    """The exporters are another process, at another address: what they do costs the reader no time of its own."""
    page = Seen()
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as others:
        exporters = others.submit(exported, target.port, CONNECTIONS, seconds)
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            page.add(target.read(PAGE, {"Accept-Encoding": "gzip"}))
            time.sleep(PAGE_SECONDS)
        exports = exporters.result()
    target.server_errors += exports.server_errors
    return {"page": page.figures(), "exports": exports.seen.figures(), "megabytes": exports.megabytes}


def exported(port: int, connections: int, seconds: float) -> Exports:
    """Half of the connections take gzip."""
    target, exports, until = Target(port), Exports(), time.monotonic() + seconds

    def export(number: int) -> None:
        headers = {"Accept-Encoding": ("gzip", "identity")[number % 2]}
        while time.monotonic() < until:
            answer = target.read(ADDRESS, headers, sender=STRANGER)
            exports.seen.add(answer)
            exports.megabytes += len(answer.body) / 1e6
            if answer.status != 200:
                time.sleep(REFUSED_SECONDS)

    with ThreadPoolExecutor(connections) as pool:
        list(pool.map(export, range(connections)))
    exports.server_errors = target.server_errors
    return exports

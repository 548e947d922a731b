"""`python -m bench` (make bench): builds a site, fills it, measures it, prints tables and the goals.

Every run leaves its figures as JSON; --compare=FILE prints them beside those of a run before.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench import report, site
from bench.rows import row_count

SECTIONS = ("start", "pages", "uploads", "log", "export", "crowd")
OF_ROWS = SECTIONS[1:]  # what is measured at each number of rows


def main() -> None:
    options = _options()
    if options.data_dir:
        _run(options.data_dir.absolute(), options)
        return
    with tempfile.TemporaryDirectory(prefix="benchsite-bench-") as folder:
        _run(Path(folder), options)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "--rows", type=row_counts, default=[1_000, 100_000, 1_000_000], metavar="N,N", help="1k,100k,1M"
    )
    parser.add_argument(
        "--only", type=names_among(SECTIONS), default=SECTIONS, metavar="NAME,NAME", help=", ".join(SECTIONS)
    )
    parser.add_argument(
        "--pages", type=names_among(), default=[], metavar="NAME,NAME", help="these pages only: 'list,grid'"
    )
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="uploads, each with a first reader")
    parser.add_argument("--data-dir", type=Path, metavar="DIR", help="a folder to keep; without it a temporary one")
    parser.add_argument("--json", type=Path, metavar="FILE", help="for the figures; default: build/bench-TIME.json")
    parser.add_argument("--compare", type=Path, metavar="FILE", help="figures of a run before")
    parser.add_argument("--note", default="", help="kept with the figures: which code, which machine")
    options = parser.parse_args()
    if options.compare and not options.compare.is_file():
        parser.error(f"--compare: there is no {options.compare}")
    return options


def row_counts(text: str) -> list[int]:
    return sorted({row_count(part) for part in text.split(",")})


def names_among(known: tuple[str, ...] = ()) -> Any:
    def names(text: str) -> list[str]:
        chosen = [part.strip() for part in text.split(",")]
        if unknown := [name for name in chosen if known and name not in known]:
            raise argparse.ArgumentTypeError(f"{', '.join(unknown)}: choose from {', '.join(known)}")
        return chosen

    return names


def _run(data_dir: Path, options: argparse.Namespace) -> None:
    found: dict[str, Any] = {"about": _about(options), "start": None, "rows": {}}
    target = options.json or site.ROOT / f"build/bench-{time.strftime('%Y%m%d-%H%M%S')}.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    if "start" in options.only:
        found["start"] = _in_a_process("start", options)
    for rows in options.rows if set(options.only) & set(OF_ROWS) else []:
        _fill(data_dir, rows)
        found["rows"][str(rows)] = _measured(data_dir, rows, options)
        target.write_text(json.dumps(found, indent=1))  # what there is, should the next size fail
    target.write_text(json.dumps(found, indent=1))
    before = json.loads(options.compare.read_text()) if options.compare else None
    print(report.whole(found, before))
    print(f"\nThe figures: {target}")


def _about(options: argparse.Namespace) -> dict[str, Any]:
    git = ["git", "-C", str(site.ROOT), "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(git, capture_output=True, text=True, check=False).stdout.strip()
    return {"commit": commit, "note": options.note, "time": time.strftime("%Y-%m-%d %H:%M:%S"), **report.machine()}


def _fill(data_dir: Path, rows: int) -> None:
    """In a process of its own, whose PostgreSQL need not wait for the disk."""
    command = [sys.executable, "-m", "bench.rows", "--data-dir", str(data_dir), "--rows", str(rows)]
    began = time.monotonic()
    subprocess.run(command, cwd=site.ROOT, check=True)
    _say(f"{rows:,} rows after {time.monotonic() - began:.0f} s")


def _in_a_process(section: str, options: argparse.Namespace) -> Any:
    """Figures of a part that needs a site of its own."""
    command = [sys.executable, "-m", f"bench.measures.{section}"]
    done = subprocess.run(command, cwd=site.ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def _measured(data_dir: Path, rows: int, options: argparse.Namespace) -> dict[str, Any]:
    site.set_environment(data_dir)
    site.set_up()
    # only now: these need Django set up on the folder
    from django.db import connection

    from bench.measures.of_rows import measure
    from benchsite.processes import embedded

    try:
        with site.running() as running, site.floor() as (port, processes):
            return measure(running, (port, processes), options, say=lambda words: _say(f"{rows:,}: {words}"))
    finally:
        connection.close()
        embedded.leave(data_dir)


def _say(words: str) -> None:
    print(words, flush=True)


if __name__ == "__main__":
    main()

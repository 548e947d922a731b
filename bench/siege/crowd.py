"""Readers and uploaders who each ask again as soon as they were answered."""

import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench.measures.log import METADATA, MULTIPART, form
from bench.siege.target import Seen, Target
from tools.synthetic.documents import document

LOG = Path(__file__).resolve().parents[2] / "tests/data/cassandra-stress/cs50-01-write-n20000-t4.log"
READ_PAGES = ("/", "/submissions/", "/api/v1/submissions/", "/value/", "/data/")


def crowd(target: Target, readers: int, uploaders: int, seconds: float) -> tuple[Seen, Seen]:
    """Every other upload is a raw log."""
    reads, posts = Seen(), Seen()
    until, seed = time.monotonic() + seconds, time.time_ns()

    def read(number: int) -> None:
        while time.monotonic() < until:
            target.ask("GET", READ_PAGES[number % len(READ_PAGES)], reads)
            number += 1

    def upload(number: int) -> None:
        while time.monotonic() < until:
            sent = document(number, seed=seed)
            if number % 2:
                target.ask("POST", "/api/v1/submissions/", posts, json.dumps(sent).encode())
            else:
                target.ask("POST", "/api/v1/submissions/import/", posts, _with_log(number, seed), MULTIPART)
            number += uploaders + 1

    everybody: list[tuple[Callable[[int], None], int]] = [(read, n) for n in range(readers)]
    everybody += [(upload, n) for n in range(uploaders)]
    with ThreadPoolExecutor(len(everybody)) as pool:
        for done in [pool.submit(does, number) for does, number in everybody]:
            done.result()
    return reads, posts


def _with_log(number: int, seed: int) -> bytes:
    """A log with the facts that make it a new submission."""
    return form({**METADATA, "settings": {"siege": f"{seed} {number}"}}, LOG.read_bytes(), "stress.log")

"""Memory of the web processes while the heavy results are compared."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from typing import Any

import psutil

from bench.cpu import pss_mb, tree
from bench.siege.heavy import Results
from bench.siege.target import Seen, Target

AT_ONCE, REQUESTS = 6, 12
MOST_MIB, MOST_OF_ONE_MIB = 900, 30
WARM_TIMES = 8
LOOK_SECONDS = 0.05
_MIB = 2**20


@dataclass
class Peak:
    rss_mib: float = 0.0  # counts what several processes share once for each
    pss_mib: float = 0.0

    def look(self, roots: list[int]) -> None:
        pids = [pid for root in roots for pid in tree(root)]
        self.rss_mib = max(self.rss_mib, sum(map(_rss, pids)) / _MIB)
        self.pss_mib = max(self.pss_mib, pss_mb(pids))


def _rss(pid: int) -> int:
    with suppress(psutil.Error):
        return int(psutil.Process(pid).memory_info().rss)
    return 0


@contextmanager
def watched(roots: list[int]) -> Iterator[Peak]:
    peak, is_over = Peak(), threading.Event()

    def look() -> None:
        while not is_over.is_set():
            peak.look(roots)
            is_over.wait(LOOK_SECONDS)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield peak
    finally:
        is_over.set()
        thread.join()


def measure(target: Target, results: Results) -> dict[str, Any]:
    """One comparison of the heavy results, then twelve of them by six readers at once."""
    roots, number = target.processes.python, count()
    heavy, light = (
        "/compare/?" + "&".join(f"s={each}" for each in ids) + "&x=siege" for ids in (results.heavy, results.light)
    )
    seen = Seen()
    for _ in range(WARM_TIMES):  # the code of the page is loaded, by every process
        target.read(f"{light}{next(number)}")
    rest = Peak()
    rest.look(roots)
    with watched(roots) as growth:
        seen.add(target.read(f"{heavy}{next(number)}"))
    with watched(roots) as peak, ThreadPoolExecutor(AT_ONCE) as readers:
        for answer in readers.map(lambda each: target.read(f"{heavy}{each}"), [next(number) for _ in range(REQUESTS)]):
            seen.add(answer)
    return {
        "rest_rss_mib": rest.rss_mib,
        "rest_pss_mib": rest.pss_mib,
        "one_growth_mib": growth.rss_mib - rest.rss_mib,
        "peak_rss_mib": peak.rss_mib,
        "peak_pss_mib": peak.pss_mib,
        "comparisons": seen.figures(),
    }

"""What a request for each address cost last, in this process: it is charged beforehand, and chooses the threads."""

from collections.abc import Mapping
from dataclasses import dataclass
from time import monotonic, thread_time
from typing import Any

from django.conf import settings

from benchsite.http.from_data import match_of_path

SECONDS_A_UNIT = 0.25  # of a limit: as many more requests as the answer took quarters of a second
COSTLY_CPU_SECONDS = 0.25  # pages that take more are made two at a time (benchsite/web/lanes.py)


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds by the clock, the database's included, and of CPU in the thread itself."""

    seconds: float = 0.0
    cpu_seconds: float = 0.0

    @property
    def units(self) -> int:
        """Requests that it counts for, beside the request itself."""
        return int(self.seconds / SECONDS_A_UNIT)


class Stopwatch:
    def __init__(self) -> None:
        self._began = monotonic(), thread_time()

    def cost(self) -> Cost:
        """Since it was made, by the thread that has made it."""
        return Cost(monotonic() - self._began[0], thread_time() - self._began[1])


last_costs: dict[str, Cost] = {}  # by the name of the address


def last_cost(name: str) -> Cost:
    return last_costs.get(name, Cost())


def note(name: str, cost: Cost) -> None:
    """A cheap answer between two costly ones does not make the address cheap: its cost falls by half a request."""
    before = last_cost(name)
    last_costs[name] = Cost(max(cost.seconds, before.seconds / 2), max(cost.cpu_seconds, before.cpu_seconds / 2))


def is_costly(environ: Mapping[str, Any]) -> bool:
    """Whether the last answers of the address took long to compute; `environ` is that of WSGI."""
    if not last_costs:
        return False
    match = match_of_path(environ["PATH_INFO"], settings.ROOT_URLCONF)
    return match is not None and last_cost(match.view_name).cpu_seconds >= COSTLY_CPU_SECONDS

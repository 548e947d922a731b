"""Times requests and other calls: milliseconds, warmed up, one after the other, a floor beside each."""

import http.client
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

WARM_UP = 5


@dataclass(frozen=True, slots=True)
class Timing:
    median_ms: float
    p95_ms: float
    n: int

    @classmethod
    def of(cls, times_ms: Sequence[float]) -> "Timing":
        """Median and 95th percentile (nearest rank) of at least one time."""
        ordered = sorted(times_ms)
        rank = max(math.ceil(0.95 * len(ordered)), 1)
        return cls(median(ordered), ordered[rank - 1], len(ordered))

    def per(self, units: int) -> "Timing":
        """The share of one of the `units` that each call did."""
        return Timing(self.median_ms / units, self.p95_ms / units, self.n)


def timed_beside(
    call: Callable[[], object], floor: Callable[[], object], n: int, *, warm_up: int = WARM_UP
) -> tuple[Timing, Timing]:
    """`call` and `floor` n times each, in turns: what else the machine does slows both alike."""
    for _ in range(warm_up):
        call()
        floor()
    pairs = [(_milliseconds(call), _milliseconds(floor)) for _ in range(n)]
    of_calls, of_floors = zip(*pairs, strict=True)
    return Timing.of(of_calls), Timing.of(of_floors)


def _milliseconds(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return (time.perf_counter() - began) * 1000


class Client:
    """One connection that stays open, as a browser's does."""

    def __init__(self, port: int, token: str):
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self._authorization = {"Authorization": f"Bearer {token}"}

    def renew(self) -> None:
        """The next request opens a new connection: the server closes one that is silent for long."""
        self._connection.close()

    def get(self, address: str) -> bytes:
        return self._ask("GET", address, None, {}, expected=200)

    def post(self, address: str, body: bytes, *, content_type: str, expected: int) -> bytes:
        headers = {"Content-Type": content_type, **self._authorization}
        return self._ask("POST", address, body, headers, expected=expected)

    def _ask(self, method: str, address: str, body: bytes | None, headers: dict[str, str], *, expected: int) -> bytes:
        """The whole answer; a measurement of errors would be none, so any other status ends the run."""
        self._connection.request(method, address, body, headers)
        response = self._connection.getresponse()
        content = response.read()
        if response.status != expected:
            raise SystemExit(f"bench: {method} {address} answered {response.status}: {content[:500]!r}")
        return content

"""Many times as a few figures."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True, slots=True)
class Timing:
    median_ms: float
    p95_ms: float
    n: int
    p99_ms: float = 0.0

    @classmethod
    def of(cls, times_ms: Sequence[float]) -> "Timing":
        """Median, 95th and 99th percentile (nearest rank) of at least one time."""
        ordered = sorted(times_ms)
        return cls(median(ordered), _nearest(ordered, 0.95), len(ordered), _nearest(ordered, 0.99))


def _nearest(ordered: Sequence[float], share: float) -> float:
    return ordered[max(math.ceil(share * len(ordered)), 1) - 1]

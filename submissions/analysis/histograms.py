"""HdrHistograms: merged, never averaged; values are nanoseconds inside, milliseconds outside."""

from collections.abc import Sequence
from dataclasses import dataclass

from hdrh.histogram import HdrHistogram

NS_PER_MS = 1_000_000

# An hour at three significant digits: wider than what any load tool of ours records.
HIGHEST_NS = 3_600 * 1_000 * NS_PER_MS
SIGNIFICANT_DIGITS = 3


@dataclass(frozen=True, slots=True)
class Percentiles:
    """Milliseconds."""

    mean: float
    p50: float
    p95: float
    p99: float
    p999: float
    max: float


def merge(encoded: Sequence[str]) -> str:
    """The histogram of all recordings together (V2 compressed, base64)."""
    whole = HdrHistogram(1, HIGHEST_NS, SIGNIFICANT_DIGITS)
    for one in encoded:
        whole.decode_and_add(one)
    return whole.encode().decode()


def percentiles(encoded: str) -> Percentiles:
    histogram = HdrHistogram.decode(encoded)
    at = histogram.get_percentile_to_value_dict([50, 95, 99, 99.9])
    return Percentiles(
        mean=histogram.get_mean_value() / NS_PER_MS,
        p50=at[50] / NS_PER_MS,
        p95=at[95] / NS_PER_MS,
        p99=at[99] / NS_PER_MS,
        p999=at[99.9] / NS_PER_MS,
        max=histogram.get_max_value() / NS_PER_MS,
    )

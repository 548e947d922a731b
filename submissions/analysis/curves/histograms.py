"""Latency histograms: merged and read, never averaged. HdrHistogram, compressed (V2, or V1 of older tools), in ns."""

import base64
import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hdrh.codec import (
    HdrCookieException,
    HdrHistogramSettingsException,
    HdrLengthException,
    PayloadHeader,
    ext_header_size,
)
from hdrh.histogram import HdrHistogram

if TYPE_CHECKING:
    import numpy  # the functions import it: 15 MB that a process without histograms does not need

_NS_PER_MS = 1_000_000
_SIGNIFICANT_FIGURES = 3  # what cassandra-stress and latte record: a value is known to 0.1 %
_HIGHEST_NS = 2**63 - 1
# Three figures over the whole range of a signed 64-bit value are 56,320 counters of 9 bytes at most.
_MAX_UNPACKED_BYTES = 2**20
_MAX_COUNT = 2**53  # sums stay exact
# V1 (HdrHistogram 2.1.0 to 2.1.4): its counters are big-endian words, whose size stands in a cookie's second nibble.
_V1_COMPRESSED, _V1_PLAIN, _WORD_SIZE = 0x1C849302, 0x1C849301, 0xF0
_V1_HEADER = struct.Struct(">iiiiqqd")  # cookie, bytes of counters, offset, figures, lowest, highest, ratio
_COOKIES = struct.Struct(">ii")
_UNREADABLE = (
    HdrCookieException,
    HdrHistogramSettingsException,
    HdrLengthException,
    zlib.error,
    ArithmeticError,
    AssertionError,
    struct.error,
    IndexError,
    TypeError,
    ValueError,
)


class HistogramError(ValueError):
    """The encoded text is not an HdrHistogram, or has no recorded value."""


@dataclass(frozen=True, slots=True)
class HistogramLatency:
    """Milliseconds, of all recorded values; each within the histogram's own precision."""

    mean: float
    p50: float
    p95: float
    p99: float
    p999: float
    max: float


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """`percentile` per cent of all values are at most `latency_ms`."""

    percentile: float
    latency_ms: float
    count: int  # values up to here


class Merger:
    """Adds histograms up one by one; only the sum is in memory."""

    def __init__(self) -> None:
        self._sum = HdrHistogram(1, _HIGHEST_NS, _SIGNIFICANT_FIGURES)

    @property
    def count(self) -> int:
        """How many values the sum has."""
        return int(self._sum.get_total_count())

    def add(self, encoded: str) -> None:
        """Add the values of one histogram; HistogramError when it cannot be read."""
        import numpy

        other = _decode(encoded)
        if _layout(other) == _layout(self._sum):
            self._add_counters(other)
        else:
            for index in numpy.flatnonzero(_counters(other)):
                value = other.get_value_from_index(int(index))
                self._sum.record_value(value, other.get_count_at_index(int(index)))

    def add_scaled(self, encoded: str, factor: int) -> None:
        """The same of a histogram in another unit: its values times `factor` are nanoseconds.

        A counter's value is its upper end, as in percentiles: they stay what the tool printed.
        """
        import numpy

        other = _decode(encoded)
        for index in map(int, numpy.flatnonzero(_counters(other))):
            value = int(other.get_highest_equivalent_value(other.get_value_from_index(index)))
            self.record(value * factor, int(other.get_count_at_index(index)))

    def record(self, value_ns: int, count: int) -> None:
        """Add one value `count` times; HistogramError when it is out of range."""
        if not (0 <= value_ns < _HIGHEST_NS and 0 <= count <= _MAX_COUNT):
            raise HistogramError("a value of the histogram is out of range")
        self._sum.record_value(value_ns, count)

    def encoded(self) -> str:
        """The sum, base64."""
        return str(self._sum.encode().decode("ascii"))

    def _add_counters(self, other: HdrHistogram) -> None:
        import numpy

        # The library's own add() requires equal ranges, otherwise it walks all counters in Python; with an
        # equal layout the index of a counter does not depend on the range.
        mine, theirs = _counters(self._sum), _counters(other)
        used = numpy.flatnonzero(theirs)
        if not used.size:
            return
        mine[used] += theirs[used]
        used = numpy.flatnonzero(mine)
        self._sum.set_internal_tacking_values(int(used[0]), int(used[-1]), int(mine.sum()))


def count(encoded: str) -> int:
    """How many values a histogram has; HistogramError when it cannot be read."""
    return int(_decode(encoded).get_total_count())


def merge(encoded: Iterable[str]) -> str:
    """One histogram with the values of all; HistogramError when one cannot be read."""
    merger = Merger()
    for histogram in encoded:
        merger.add(histogram)
    return merger.encoded()


def percentiles(encoded: str) -> HistogramLatency:
    """The usual figures of a histogram; HistogramError when it is empty or cannot be read."""
    histogram = _decode(encoded)
    if not histogram.get_total_count():
        raise HistogramError("the histogram is empty")
    at = histogram.get_percentile_to_value_dict([50.0, 95.0, 99.0, 99.9])
    return HistogramLatency(
        mean=_mean(histogram) / _NS_PER_MS,
        p50=at[50.0] / _NS_PER_MS,
        p95=at[95.0] / _NS_PER_MS,
        p99=at[99.0] / _NS_PER_MS,
        p999=at[99.9] / _NS_PER_MS,
        max=histogram.get_max_value() / _NS_PER_MS,
    )


def _mean(histogram: HdrHistogram) -> float:
    """That of the library's `get_mean_value`, which walks all counters in Python: seconds for a real histogram."""
    counters, total = _counters(histogram), 0
    for index in counters.nonzero()[0]:
        value = histogram.get_value_from_index(int(index))
        total += int(counters[index]) * ((value + histogram.get_highest_equivalent_value(value) + 1) >> 1)
    return float(total / int(histogram.get_total_count()))


def curve(encoded: str, ticks_per_half_distance: int = 5) -> list[CurvePoint]:
    """The percentile plot: each halving of the distance to 100 % has the same number of points.

    The levels and values are those of the library's percentile iterator, which walks all counters in Python.
    """
    import numpy

    histogram = _decode(encoded)
    used = numpy.flatnonzero(_counters(histogram))
    if not used.size:
        return []
    counts = numpy.cumsum(_counters(histogram)[used])
    total = int(counts[-1])
    points, distance = [], 1.0
    while True:
        percentile = 100.0 * (1.0 - distance)
        index = int(numpy.searchsorted(100.0 * counts / total, percentile))
        points.append(_point(histogram, int(used[index]), percentile, int(counts[index])))
        if index == used.size - 1:
            break
        distance *= 1.0 - 1.0 / (2 * ticks_per_half_distance)
    return [*points, _point(histogram, int(used[-1]), 100.0, total)]


def _point(histogram: HdrHistogram, index: int, percentile: float, count: int) -> CurvePoint:
    value = histogram.get_highest_equivalent_value(histogram.get_value_from_index(index))
    return CurvePoint(percentile=percentile, latency_ms=value / _NS_PER_MS, count=count)


def _decode(encoded: str) -> HdrHistogram:
    try:
        packed = base64.b64decode(encoded, validate=True)
        if _COOKIES.unpack_from(packed)[0] & ~_WORD_SIZE == _V1_COMPRESSED:
            histogram = _decode_v1(packed)
        else:
            _check_size(packed)
            histogram = HdrHistogram.decode(encoded)
    except _UNREADABLE as error:
        raise HistogramError("this is not an HdrHistogram (V1 or V2, compressed, base64)") from error
    if histogram.get_total_count() > _MAX_COUNT:
        raise HistogramError(f"the histogram has more than {_MAX_COUNT} values")
    return histogram


def _decode_v1(packed: bytes) -> HdrHistogram:
    """The library reads V2 only."""
    import numpy

    payload = zlib.decompressobj().decompress(packed[_COOKIES.size :], _MAX_UNPACKED_BYTES)
    cookie, length, offset, figures, lowest, highest, _ = _V1_HEADER.unpack_from(payload)
    if cookie & ~_WORD_SIZE != _V1_PLAIN or offset or not 0 <= figures <= _SIGNIFICANT_FIGURES:
        raise ValueError("not a histogram of this version")
    counters = numpy.frombuffer(
        payload[_V1_HEADER.size : _V1_HEADER.size + length], dtype=f">i{(cookie & _WORD_SIZE) >> 4}"
    )
    histogram = HdrHistogram(lowest, max(highest, 2 * lowest), figures)
    used = numpy.flatnonzero(counters)
    if used.size:
        if counters.min() < 0:
            raise ValueError("a negative count")
        _counters(histogram)[used] = counters[used]
        histogram.set_internal_tacking_values(int(used[0]), int(used[-1]), int(counters.sum(dtype=object)))
    return histogram


def _check_size(packed: bytes) -> None:
    """Raises ValueError before the library unpacks a compression bomb or allocates memory for an absent payload."""
    unpacking = zlib.decompressobj()
    header = PayloadHeader.from_buffer_copy(unpacking.decompress(packed[ext_header_size:], _MAX_UNPACKED_BYTES))
    if unpacking.unconsumed_tail or header.significant_figures > _SIGNIFICANT_FIGURES:
        raise ValueError("too large")


def _layout(histogram: HdrHistogram) -> tuple[int, int]:
    return histogram.sub_bucket_count, histogram.unit_magnitude


def _counters(histogram: HdrHistogram) -> "numpy.typing.NDArray[numpy.uint64]":
    """The counters themselves, not a copy."""
    import numpy

    return numpy.frombuffer(histogram.counts, dtype=numpy.uint64)

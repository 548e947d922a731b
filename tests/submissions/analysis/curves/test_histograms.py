"""Histogram arithmetic, against the pooled raw values."""

import base64
import zlib
from pathlib import Path

import numpy
import pytest
from hdrh.histogram import HdrHistogram
from hypothesis import given, settings
from hypothesis import strategies as st

from submissions.analysis.curves import histograms
from submissions.analysis.curves.histograms import HistogramError
from submissions.ingest.parsers.hdr_log import PARSER

HOUR_NS = 3_600_000_000_000


def encode(values_ns: numpy.ndarray, highest_ns: int = HOUR_NS, figures: int = 3) -> str:
    histogram = HdrHistogram(1, highest_ns, figures)
    for value in values_ns:
        histogram.record_value(int(value))
    return histogram.encode().decode()


def clients(seed: int, sizes: tuple[int, ...]) -> list[numpy.ndarray]:
    """What clients of different speed measured, in ns: 0.05 ms to some seconds."""
    rng = numpy.random.default_rng(seed)
    return [
        rng.lognormal(mean=14 + number, sigma=1, size=size).astype(numpy.int64) + 50_000
        for number, size in enumerate(sizes)
    ]


def at_rank(pooled_ns: numpy.ndarray, percentile: float) -> float:
    """The value, in ms, below or at which the percentile of the pooled values lies."""
    rank = max(1, int(percentile / 100 * len(pooled_ns) + 0.5))
    return float(numpy.sort(pooled_ns)[rank - 1]) / 1e6


def test_percentiles_of_merged_clients_are_those_of_all_their_values():
    samples = clients(1, (5000, 3000, 200))
    pooled = numpy.concatenate(samples)

    latency = histograms.percentiles(histograms.merge(encode(sample) for sample in samples))

    exactly = {
        "mean": float(pooled.mean()) / 1e6,
        "p50": at_rank(pooled, 50),
        "p95": at_rank(pooled, 95),
        "p99": at_rank(pooled, 99),
        "p999": at_rank(pooled, 99.9),
        "max": float(pooled.max()) / 1e6,
    }
    found = {name: getattr(latency, name) for name in exactly}
    assert found == pytest.approx(exactly, rel=0.001)  # three significant figures


def test_a_histogram_of_microseconds_keeps_its_percentiles_in_nanoseconds():
    microseconds = encode(numpy.array([120, 300, 301, 9_000]), highest_ns=600_000_000)

    merger = histograms.Merger()
    merger.add_scaled(microseconds, 1_000)

    latency = histograms.percentiles(merger.encoded())
    assert merger.count == 4
    assert (latency.p50, latency.max) == (pytest.approx(0.3, rel=0.002), pytest.approx(9.0, rel=0.002))


@pytest.mark.parametrize(("value_ns", "count"), [(-1, 1), (2**63, 1), (1, -1), (1, 2**54)])
def test_a_value_out_of_range_is_refused(value_ns, count):
    with pytest.raises(HistogramError, match="out of range"):
        histograms.Merger().record(value_ns, count)


def test_a_merged_percentile_is_not_the_average_of_the_clients():
    samples = clients(2, (4000, 4000))

    of_each = [histograms.percentiles(encode(sample)).p99 for sample in samples]
    merged = histograms.percentiles(histograms.merge(map(encode, samples))).p99

    assert abs(merged - sum(of_each) / 2) > 0.1 * merged


def test_merging_keeps_every_value_whatever_range_a_client_was_ready_for():
    small, large = encode(numpy.array([1_000_000] * 3), 10**8), encode(numpy.array([2 * 10**9]))

    merged = histograms.merge([small, large])

    points = histograms.curve(merged)
    assert points[-1].count == 4
    assert points[-1].latency_ms == pytest.approx(2000, rel=0.001)
    assert histograms.percentiles(merged).p50 == pytest.approx(1, rel=0.001)


def test_a_histogram_of_two_figures_is_merged_at_its_own_precision():
    merged = histograms.merge([encode(numpy.array([5_000_000] * 9), figures=2)])

    assert histograms.percentiles(merged).p50 == pytest.approx(5, rel=0.01)


def test_the_order_of_merging_does_not_matter():
    one, two, three = (encode(sample) for sample in clients(3, (50, 60, 70)))

    assert histograms.merge([one, two, three]) == histograms.merge([three, one, two])
    assert histograms.merge([histograms.merge([one, two]), three]) == histograms.merge([one, two, three])


def test_the_curve_rises_to_the_largest_value_and_counts_all():
    (sample,) = clients(4, (1000,))

    points = histograms.curve(encode(sample))

    assert [p.percentile for p in points] == sorted(p.percentile for p in points)
    assert [p.latency_ms for p in points] == sorted(p.latency_ms for p in points)
    last = points[-1]
    assert (last.percentile, last.count) == (100.0, 1000)
    assert last.latency_ms == pytest.approx(sample.max() / 1e6, rel=0.001)


def test_an_empty_histogram_has_no_figures():
    empty = histograms.merge([])

    assert histograms.curve(empty) == []
    with pytest.raises(HistogramError, match="the histogram is empty"):
        histograms.percentiles(empty)


def bomb() -> str:
    """A valid start whose counters unpack to 64 MB."""
    good = base64.b64decode(encode(numpy.array([1])))
    packed = zlib.compress(zlib.decompress(good[8:]) + b"\1" * 64_000_000)
    return base64.b64encode(good[:4] + len(packed).to_bytes(4, "big") + packed).decode()


@pytest.mark.parametrize(
    "encoded",
    [
        "",
        "x",
        "HISTFAAAAHh42pNpmSzMwMDAxAABzFCaEUqz",
        encode(numpy.array([5]))[:-8],
        encode(numpy.array([5]), figures=5),
        bomb(),
        "é",
    ],
)
def test_what_is_no_histogram_is_refused(encoded):
    for read in (histograms.percentiles, histograms.curve, lambda text: histograms.merge([text])):
        with pytest.raises(HistogramError):
            read(encoded)


@pytest.mark.slow
@settings(deadline=None)
@given(st.binary(max_size=60), st.integers(0, 120))
def test_damaged_histograms_are_read_or_refused(noise, place):
    payload = bytearray(zlib.decompress(base64.b64decode(encode(numpy.array([5, 10**9])))[8:]))
    payload[place : place + len(noise)] = noise
    packed = zlib.compress(bytes(payload))
    head = bytes.fromhex("1c849314") + len(packed).to_bytes(4, "big")

    try:
        latency = histograms.percentiles(base64.b64encode(head + packed).decode())
    except HistogramError:
        return
    assert latency.p50 <= latency.max


LOG = Path(__file__).parents[3] / "data" / "cassandra-stress" / "cs50-07b.hdr"


def recorded(encoded: str) -> numpy.ndarray:
    """Every recorded value, as often as it was recorded, in ns."""
    # the iterator hands out one object again and again
    steps = HdrHistogram.decode(encoded).get_recorded_iterator()
    values, counts = zip(*((step.value_iterated_to, step.count_at_value_iterated_to) for step in steps), strict=True)
    return numpy.repeat(values, counts)


@pytest.mark.slow
def test_a_real_log_split_at_random_over_ten_clients_has_the_percentiles_of_the_whole():
    pooled = {(h.operation, h.kind): h.encoded for h in PARSER.parse(LOG.read_text().splitlines()).histograms}
    rng = numpy.random.default_rng(1)

    for encoded in pooled.values():
        values = recorded(encoded)
        client = rng.integers(0, 10, values.size)
        merged = histograms.merge(encode(values[client == number]) for number in range(10))

        assert histograms.percentiles(merged) == histograms.percentiles(encoded)
        assert histograms.curve(merged) == histograms.curve(encoded)
        # and both are those of the values themselves, to the three figures that were recorded
        curve = {point.percentile: point.latency_ms for point in histograms.curve(merged)}
        exactly = {p: float(numpy.quantile(values, p / 100, method="inverted_cdf")) / 1e6 for p in curve}
        assert curve == pytest.approx(exactly, rel=0.001)


def test_the_mean_is_that_of_the_library():
    for one in PARSER.parse(LOG.read_text().splitlines()).histograms:
        assert histograms.percentiles(one.encoded).mean == HdrHistogram.decode(one.encoded).get_mean_value() / 1e6


def test_the_curve_is_that_of_the_librarys_own_iterator():
    for one in PARSER.parse(LOG.read_text().splitlines()).histograms:
        steps = [
            (step.percentile_level_iterated_to, step.value_iterated_to / 1e6, step.total_count_to_this_value)
            for step in HdrHistogram.decode(one.encoded).get_percentile_iterator(5)
        ]

        points = histograms.curve(one.encoded)

        assert [(p.latency_ms, p.count) for p in points] == [step[1:] for step in steps]
        assert [p.percentile for p in points] == pytest.approx([step[0] for step in steps])

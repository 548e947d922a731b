"""Latencies of several clients or trials as one: histograms are merged, means weighted, percentiles never averaged."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import TypeVar

from submissions.analysis.curves import histograms
from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Histogram, Latency, OperationReading, TrialReading

COUNTER_WIDTH = 0.001  # of a histogram with three significant figures, which all of them have

Number = TypeVar("Number", int, float)


def merge(sets: Sequence[Sequence[Histogram]]) -> tuple[Histogram, ...]:
    """Histograms of the same operation and kind, added up over clients or trials."""
    keys = {(histogram.operation, histogram.kind) for client in sets for histogram in client}
    joined = []
    for operation, kind in sorted(keys):
        same = [
            histogram.encoded
            for client in sets
            for histogram in client
            if (histogram.operation, histogram.kind) == (operation, kind)
        ]
        if len(same) == len(sets):
            encoded = same[0] if len(same) == 1 else histograms.merge(same)
            joined.append(Histogram(operation, kind, encoded))
    return tuple(joined)


def latency_of(histogram: Histogram) -> Latency:
    values = histograms.percentiles(histogram.encoded)
    return Latency(values.mean, values.p50, values.p95, values.p99, values.p999, values.max)


def completed(printed: Latency, recorded: Latency | None) -> Latency:
    """What the log prints, and of the histogram beside it what the log does not print.

    A percentile of a histogram is the upper end of a counter, which may be above the exact maximum of the log.
    """
    if not recorded:
        return printed
    values = {name: value for name, value in asdict(printed).items() if value is not None}
    if (highest := printed.max) is not None:
        known = {name: value for name, value in asdict(recorded).items() if value is not None}
        rounded = {name: highest for name, value in known.items() if highest < value <= highest * (1 + COUNTER_WIDTH)}
        recorded = replace(recorded, **rounded)
    return replace(recorded, **values)


def by_operation(
    readings: Sequence[TrialReading], merged: Sequence[Histogram], kind: LatencyKind
) -> tuple[OperationReading, ...]:
    """Each type of operation over all clients; empty where one of the clients does not give its types."""
    if not all(reading.by_operation for reading in readings):
        return ()
    recorded = {histogram.operation: histogram for histogram in merged if histogram.kind == kind}
    parts: dict[str, list[OperationReading]] = {}
    for reading in readings:
        for operation in reading.by_operation:
            parts.setdefault(operation.name, []).append(operation)
    return tuple(_operation(name, each, recorded.get(name)) for name, each in parts.items())


def _operation(name: str, parts: Sequence[OperationReading], recorded: Histogram | None) -> OperationReading:
    done = [part for part in parts if part.operations != 0]
    return OperationReading(
        name=name,
        operations=total([part.operations for part in parts]),
        errors=total([part.errors for part in parts]),
        throughput_ops_s=total([part.throughput_ops_s for part in done]),
        latency=completed(_joined(done), latency_of(recorded) if recorded and done else None),
    )


def _joined(parts: Sequence[OperationReading]) -> Latency:
    if len(parts) == 1:
        return parts[0].latency
    return Latency(
        mean=weighted_mean([(part.latency.mean, part.operations) for part in parts]),
        max=largest([part.latency.max for part in parts]),
    )


def weighted_mean(pairs: Sequence[tuple[float | None, int | None]]) -> float | None:
    """Mean latency over all operations: exact, since a mean (unlike a percentile) can be weighted."""
    if any(mean is None for mean, _ in pairs):
        return None
    if any(not count for _, count in pairs):
        return median([mean for mean, _ in pairs])
    counted = sum(count or 0 for _, count in pairs)
    return sum((mean or 0.0) * (count or 0) for mean, count in pairs) / counted if counted else None


def median(values: Sequence[float | None]) -> float | None:
    known = sorted(value for value in values if value is not None)
    if not known or len(known) != len(values):
        return None
    middle = len(known) // 2
    return known[middle] if len(known) % 2 else (known[middle - 1] + known[middle]) / 2


def total(values: Sequence[Number | None]) -> Number | None:
    return _fold(values, sum)


def largest(values: Sequence[Number | None]) -> Number | None:
    return _fold(values, max)


def _fold(values: Sequence[Number | None], how: Callable[[list[Number]], Number]) -> Number | None:
    """None as soon as one is unknown: a sum or maximum of the known ones would be too small."""
    known = [value for value in values if value is not None]
    return how(known) if known and len(known) == len(values) else None

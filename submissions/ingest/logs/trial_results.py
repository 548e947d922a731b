"""What the clients of one trial measured together."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any, TypeVar

from submissions.analysis import histograms
from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Histogram, Interval, Latency, OperationReading, TrialReading
from submissions.ingest.document.submission import TrialDocument

T = TypeVar("T")
Number = TypeVar("Number", int, float)

PERCENTILES = ("p50", "p95", "p99", "p999")


@dataclass(frozen=True, slots=True)
class TrialResult:
    """One trial; units as in the models: ms, seconds, ops/s, successful operations only."""

    throughput_ops_s: float | None
    relative_throughput: float | None = None
    operations: int | None = None
    errors: int | None = None
    duration_s: float | None = None
    started_at: datetime | None = None
    threads: int | None = None
    offered_ops_s: float | None = None
    client_count: int | None = None
    averaged_over: int | None = None  # repetitions, where the source gives their mean
    latency_kind: LatencyKind = LatencyKind.UNKNOWN
    latency: Latency = Latency()
    by_kind: tuple[tuple[LatencyKind, Latency], ...] = ()
    ranges: tuple[tuple[str, float, float], ...] = ()  # name, min, max over clients
    by_operation: tuple[OperationReading, ...] = ()
    histograms: tuple[Histogram, ...] = ()
    intervals: tuple[tuple[Interval, ...], ...] = ()  # one series per client
    printed_ops_s: float | None = None
    is_truncated: bool = False

    @property
    def is_mergeable(self) -> bool:
        return not self.ranges

    def columns(self) -> dict[str, Any]:
        """The fields of a Trial row."""
        return {
            "throughput_ops_s": self.throughput_ops_s,
            "relative_throughput": self.relative_throughput,
            "operations": self.operations,
            "errors": self.errors,
            "duration_s": self.duration_s,
            "started_at": self.started_at,
            "threads": self.threads,
            "offered_ops_s": self.offered_ops_s,
            "client_count": self.client_count,
            "averaged_over": self.averaged_over,
            "is_truncated": self.is_truncated,
            "latencies": {kind.value: asdict(latency) for kind, latency in self.by_kind},
            "latency_ranges": {name: [low, high] for name, low, high in self.ranges},
            "by_operation": [_operation_row(reading) for reading in self.by_operation],
            "histograms": [asdict(histogram) for histogram in self.histograms],
            **latency_columns(self.latency_kind, self.latency),
        }


def latency_columns(kind: LatencyKind, latency: Latency) -> dict[str, Any]:
    values = {f"latency_{name}_ms": value for name, value in asdict(latency).items()}
    return {"latency_kind": kind.value, **values}


def from_document(trial: TrialDocument) -> TrialResult:
    latency = Latency(**trial.latency_ms.model_dump())
    known = trial.latency_kind != LatencyKind.UNKNOWN and latency != Latency()
    return TrialResult(
        throughput_ops_s=trial.throughput_ops_s,
        relative_throughput=trial.relative_throughput,
        operations=trial.operations,
        errors=trial.errors,
        duration_s=trial.duration_s,
        started_at=trial.started_at,
        threads=trial.threads,
        offered_ops_s=trial.offered_ops_s,
        client_count=trial.client_count,
        averaged_over=trial.averaged_over,
        latency_kind=trial.latency_kind,
        latency=latency,
        by_kind=((trial.latency_kind, latency),) if known else (),
    )


def from_clients(readings: Sequence[TrialReading], hdr: Sequence[Sequence[Histogram]] = ()) -> TrialResult:
    """Combine the clients that ran together.

    Throughput is the sum of the clients' own rates; percentiles come from merged histograms, or stay
    a range ranked by its maximum. `hdr` holds the histogram files that belong to the trial: they are
    only used when there is one for each client.
    """
    sets = [reading.histograms for reading in readings if reading.histograms] + list(hdr)
    merged = _merge(sets) if len(sets) >= len(readings) else ()
    by_kind = {histogram.kind: _latency_of(histogram) for histogram in merged if histogram.operation == "total"}
    kind, latency, ranges = _joined_latency(readings, by_kind)
    if kind != LatencyKind.UNKNOWN and latency != Latency():
        by_kind.setdefault(kind, latency)
    return TrialResult(
        throughput_ops_s=total([reading.throughput_ops_s for reading in readings]),
        operations=total([reading.operations for reading in readings]),
        errors=total([reading.errors for reading in readings]),
        duration_s=_largest([reading.duration_s for reading in readings]),
        started_at=min((reading.started_at for reading in readings if reading.started_at), default=None),
        threads=_common([reading.threads for reading in readings]),
        client_count=len(readings),
        latency_kind=kind,
        latency=latency,
        by_kind=tuple(sorted(by_kind.items())),
        ranges=ranges,
        by_operation=readings[0].by_operation if len(readings) == 1 else (),
        histograms=merged,
        intervals=tuple(reading.intervals for reading in readings),
        printed_ops_s=total([reading.printed_ops_s for reading in readings]),
        is_truncated=any(reading.truncated for reading in readings),
    )


def _joined_latency(
    readings: Sequence[TrialReading], by_kind: dict[LatencyKind, Latency]
) -> tuple[LatencyKind, Latency, tuple[tuple[str, float, float], ...]]:
    kind = _common([reading.latency_kind for reading in readings]) or LatencyKind.UNKNOWN
    if kind == LatencyKind.UNKNOWN and by_kind:
        # the tool records response times only where a fixed rate says when a request was due
        kind = LatencyKind.RESPONSE_TIME if LatencyKind.RESPONSE_TIME in by_kind else LatencyKind.SERVICE_TIME
        return kind, by_kind[kind], ()
    if len(readings) == 1:
        return kind, _completed(readings[0].latency, by_kind.get(kind)), ()
    if kind in by_kind:
        return kind, by_kind[kind], ()
    ranges = []
    for name in PERCENTILES:
        values = [getattr(reading.latency, name) for reading in readings]
        if None not in values:
            ranges.append((name, min(values), max(values)))
    highest = {name: high for name, _, high in ranges}
    latency = Latency(
        mean=_weighted_mean(readings),
        max=_largest([reading.latency.max for reading in readings]),
        **highest,
    )
    return kind, latency, tuple(ranges)


def _completed(printed: Latency, recorded: Latency | None) -> Latency:
    """What the log prints, and of the histogram beside it what the log does not print."""
    values = {name: value for name, value in asdict(printed).items() if value is not None}
    return replace(recorded, **values) if recorded else printed


def _merge(sets: Sequence[Sequence[Histogram]]) -> tuple[Histogram, ...]:
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


def _latency_of(histogram: Histogram) -> Latency:
    values = histograms.percentiles(histogram.encoded)
    return Latency(values.mean, values.p50, values.p95, values.p99, values.p999, values.max)


@dataclass(frozen=True, slots=True)
class LatencyHeadline:
    """A submission's latency: from merged histograms, else the median of the trials'."""

    kind: LatencyKind
    latency: Latency


def latency_headline(trials: Sequence[TrialResult]) -> LatencyHeadline:
    if len(trials) == 1:
        return LatencyHeadline(trials[0].latency_kind, trials[0].latency)
    kind = _common([trial.latency_kind for trial in trials])
    if kind is None:  # service and response time in one submission: neither may represent it
        return LatencyHeadline(LatencyKind.UNKNOWN, Latency())
    merged = {
        (histogram.operation, histogram.kind): histogram for histogram in _merge([trial.histograms for trial in trials])
    }
    whole = merged.get(("total", kind))
    if whole:
        return LatencyHeadline(kind, _latency_of(whole))
    median = Latency(**{name: _median([getattr(trial.latency, name) for trial in trials]) for name in PERCENTILES})
    return LatencyHeadline(
        kind,
        replace(
            median,
            mean=_weighted_mean(trials),
            max=_largest([trial.latency.max for trial in trials]),
        ),
    )


def _weighted_mean(parts: Sequence[TrialReading] | Sequence[TrialResult]) -> float | None:
    """Mean latency over all operations: exact, since a mean (unlike a percentile) can be weighted."""
    pairs = [(part.latency.mean, part.operations) for part in parts]
    if any(mean is None for mean, _ in pairs):
        return None
    if any(not count for _, count in pairs):
        return _median([mean for mean, _ in pairs])
    total = sum(count or 0 for _, count in pairs)
    return sum((mean or 0.0) * (count or 0) for mean, count in pairs) / total


def _median(values: Sequence[float | None]) -> float | None:
    known = sorted(value for value in values if value is not None)
    if not known or len(known) != len(values):
        return None
    middle = len(known) // 2
    return known[middle] if len(known) % 2 else (known[middle - 1] + known[middle]) / 2


def _fold(values: Sequence[Number | None], how: Callable[[list[Number]], Number]) -> Number | None:
    """None as soon as one is unknown: a sum or maximum of the known ones would be too small."""
    known = [value for value in values if value is not None]
    return how(known) if known and len(known) == len(values) else None


def total(values: Sequence[Number | None]) -> Number | None:
    return _fold(values, sum)


def _largest(values: Sequence[Number | None]) -> Number | None:
    return _fold(values, max)


def _common(values: Sequence[T]) -> T | None:
    return values[0] if len(set(values)) == 1 else None


def _operation_row(reading: OperationReading) -> dict[str, Any]:
    return {
        "name": reading.name,
        "operations": reading.operations,
        "errors": reading.errors,
        "throughput_ops_s": reading.throughput_ops_s,
        "latency_ms": asdict(reading.latency),
    }

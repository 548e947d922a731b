"""What the clients of one trial measured together."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime
from typing import Any, TypeVar

from submissions.analysis.slowest import P99, UNKNOWN_P99, p99_of_trial, p99_of_trials
from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Histogram, Interval, Latency, OperationReading, TrialReading
from submissions.ingest.document.submission import TrialDocument
from submissions.ingest.logs.merged import (
    by_operation,
    completed,
    largest,
    latency_of,
    median,
    merge,
    total,
    weighted_mean,
)
from submissions.metrics import has_many_errors

T = TypeVar("T")

PERCENTILES = ("p50", "p95", "p99", "p999")
SHORT_SECONDS = 10.0  # below, the tenth or the whole second that a tool prints is too coarse for a rate
SAME_RATE = 0.05
MOST_NAME = 100  # characters of the name of a type of operation, in its column


_LATENCY_COLUMNS = tuple((f"latency_{each.name}_ms", each.name) for each in fields(Latency))


@dataclass(frozen=True, slots=True)
class TrialResult:
    """One trial; units as in the models: ms, seconds, ops/s, successful operations only."""

    throughput_ops_s: float | None
    relative_throughput: float | None = None
    operations: int | None = None
    errors: int | None = None
    not_found: int = 0  # of the errors
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
    is_failed: bool = False  # the tool says so itself
    ended_by_time: bool = False  # every client, by a time limit of the tool

    @property
    def is_mergeable(self) -> bool:
        return not self.ranges

    @property
    def p99(self) -> P99:
        types = [(each.name, each.latency.p99) for each in self.by_operation if each.operations != 0]
        return p99_of_trial(self.latency.p99, types)

    @property
    def latency_distorted_by_errors(self) -> bool:
        return has_many_errors(self.operations, self.errors)

    @property
    def has_failures(self) -> bool:
        """More errors than answers that a deleted record is not there."""
        return has_many_errors(self.operations, self.errors and self.errors - self.not_found)

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
            "latencies": {kind.value: _milliseconds(latency) for kind, latency in self.by_kind},
            "latency_ranges": {name: [low, high] for name, low, high in self.ranges},
            "by_operation": [_operation_row(reading) for reading in self.by_operation],
            "histograms": [asdict(histogram) for histogram in self.histograms],
            **latency_columns(self.latency_kind, self.latency),
        }


def latency_columns(kind: LatencyKind, latency: Latency) -> dict[str, Any]:
    return {"latency_kind": kind.value, **{column: getattr(latency, name) for column, name in _LATENCY_COLUMNS}}


def p99_columns(p99: P99) -> dict[str, Any]:
    return {
        "latency_p99_at_most_ms": p99.at_most_ms,
        "latency_p99_is_bound": p99.is_bound,
        "latency_p99_bound_of": p99.bound_of[:MOST_NAME],
    }


def _milliseconds(latency: Latency) -> dict[str, float | None]:
    return {name: getattr(latency, name) for _, name in _LATENCY_COLUMNS}


def from_document(trial: TrialDocument) -> TrialResult:
    stated = trial.latency_ms
    latency = Latency(**{name: getattr(stated, name) for _, name in _LATENCY_COLUMNS})
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
    merged = merge(sets) if len(sets) >= len(readings) else ()
    recorded = {histogram.kind: latency_of(histogram) for histogram in merged if histogram.operation == "total"}
    kind, latency, ranges = _joined_latency(readings, recorded)
    by_kind = {known: each for known, each in recorded.items() if known != LatencyKind.UNKNOWN}
    if len(readings) == 1:
        by_kind = {**dict(readings[0].other_latencies), **by_kind}
    if kind != LatencyKind.UNKNOWN and latency != Latency():
        by_kind.setdefault(kind, latency)
    return TrialResult(
        throughput_ops_s=total([_rate(reading) for reading in readings]),
        operations=total([reading.operations for reading in readings]),
        errors=total([reading.errors for reading in readings]),
        not_found=sum(reading.not_found for reading in readings),
        duration_s=largest([reading.duration_s for reading in readings]),
        started_at=min((reading.started_at for reading in readings if reading.started_at), default=None),
        threads=_common([reading.threads for reading in readings]),
        client_count=len(readings),
        latency_kind=kind,
        latency=latency,
        by_kind=tuple(sorted(by_kind.items())),
        ranges=ranges,
        by_operation=by_operation(readings, merged, kind),
        histograms=merged,
        intervals=tuple(reading.intervals for reading in readings),
        printed_ops_s=total([reading.printed_ops_s for reading in readings]),
        is_truncated=any(reading.truncated for reading in readings),
        is_failed=any(reading.failed for reading in readings),
        ended_by_time=all(reading.ended_by_time for reading in readings),
    )


def _rate(reading: TrialReading) -> float | None:
    """Operations / time; of a short run without errors the tool's own figure, which knows the exact time."""
    printed, counted = reading.printed_ops_s, reading.throughput_ops_s
    is_short = reading.duration_s is not None and reading.duration_s < SHORT_SECONDS
    if not (printed and counted and is_short and reading.errors == 0):
        return counted
    return printed if abs(printed - counted) <= SAME_RATE * counted else counted


def _joined_latency(
    readings: Sequence[TrialReading], by_kind: dict[LatencyKind, Latency]
) -> tuple[LatencyKind, Latency, tuple[tuple[str, float, float], ...]]:
    kind = _common([reading.latency_kind for reading in readings]) or LatencyKind.UNKNOWN
    if kind == LatencyKind.UNKNOWN and by_kind and kind not in by_kind:
        # the tool records response times only where a fixed rate says when a request was due
        kind = LatencyKind.RESPONSE_TIME if LatencyKind.RESPONSE_TIME in by_kind else LatencyKind.SERVICE_TIME
        return kind, by_kind[kind], ()
    if len(readings) == 1:
        return kind, completed(readings[0].latency, by_kind.get(kind)), ()
    if kind in by_kind:
        return kind, by_kind[kind], ()
    ranges = []
    for name in PERCENTILES:
        values = [getattr(reading.latency, name) for reading in readings]
        if None not in values:
            ranges.append((name, min(values), max(values)))
    highest = {name: high for name, _, high in ranges}
    latency = Latency(
        mean=_mean(readings),
        max=largest([reading.latency.max for reading in readings]),
        **highest,
    )
    return kind, latency, tuple(ranges)


@dataclass(frozen=True, slots=True)
class LatencyHeadline:
    """A submission's latency: from merged histograms, else the median of the trials'."""

    kind: LatencyKind
    latency: Latency
    p99: P99 = UNKNOWN_P99


def latency_headline(trials: Sequence[TrialResult]) -> LatencyHeadline:
    if len(trials) == 1:
        return LatencyHeadline(trials[0].latency_kind, trials[0].latency, trials[0].p99)
    kind = _common([trial.latency_kind for trial in trials])
    if kind is None:  # service and response time in one submission: neither may represent it
        return LatencyHeadline(LatencyKind.UNKNOWN, Latency())
    merged = {
        (histogram.operation, histogram.kind): histogram for histogram in merge([trial.histograms for trial in trials])
    }
    whole = merged.get(("total", kind))
    if whole:
        latency = latency_of(whole)
        return LatencyHeadline(kind, latency, p99_of_trial(latency.p99, ()))
    middle = Latency(**{name: median([getattr(trial.latency, name) for trial in trials]) for name in PERCENTILES})
    return LatencyHeadline(
        kind,
        replace(
            middle,
            mean=_mean(trials),
            max=largest([trial.latency.max for trial in trials]),
        ),
        p99_of_trials([trial.p99 for trial in trials]),
    )


def _mean(parts: Sequence[TrialReading] | Sequence[TrialResult]) -> float | None:
    return weighted_mean([(part.latency.mean, part.operations) for part in parts])


def _common(values: Sequence[T]) -> T | None:
    return values[0] if len(set(values)) == 1 else None


def _operation_row(reading: OperationReading) -> dict[str, Any]:
    return {
        "name": reading.name,
        "operations": reading.operations,
        "errors": reading.errors,
        "throughput_ops_s": reading.throughput_ops_s,
        "latency_ms": _milliseconds(reading.latency),
    }

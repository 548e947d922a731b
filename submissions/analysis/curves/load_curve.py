"""Load curves: one system at several loads, its peak, and the highest measured rate that keeps a limit.

Nothing is interpolated: every rate that is given was measured. docs/methodology.md has the rules in words.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import inf, isfinite, sqrt
from statistics import fmean
from typing import Protocol, TypeVar

from submissions.choices import LatencyKind, Percentile
from submissions.metrics import ERROR_SHARE

# Of the operations, those beyond a percentile
TAIL_SHARES: Mapping[str, float] = {
    Percentile.P50: 0.5,
    Percentile.P95: 0.05,
    Percentile.P99: 0.01,
    Percentile.P999: 0.001,
}
FEWEST_BEYOND = 100  # operations beyond a percentile, so that it does not rest on a few: 10,000 for a p99
REACHED_SHARE = 0.98  # of the offered rate: below, the system did not keep up with it
CHANCE_DEVIATIONS = 2  # of a number of random arrivals: fewer than that below its mean are rare
MANY_TRIALS = 3


@dataclass(frozen=True, slots=True)
class LatencyLimit:
    """A percentile of the latency, in ms, and a share of failed operations that must not be exceeded."""

    percentile: str = "p99"  # p50, p95, p99 or p999
    max_ms: float = 10.0
    max_error_share: float = ERROR_SHARE

    def __post_init__(self) -> None:
        if self.percentile not in TAIL_SHARES:
            raise ValueError(f"percentile must be one of {', '.join(TAIL_SHARES)}")
        if not (isfinite(self.max_ms) and self.max_ms > 0):
            raise ValueError("max_ms must be above 0")
        if not 0 <= self.max_error_share <= 1:
            raise ValueError("max_error_share must be from 0 to 1")

    @property
    def fewest_operations(self) -> int:
        """Of a trial, so that FEWEST_BEYOND of them are beyond the percentile."""
        return round(FEWEST_BEYOND / TAIL_SHARES[self.percentile])


DEFAULT_LIMIT = LatencyLimit()


@dataclass(frozen=True, slots=True)
class LoadTrial:
    """A trial at one load. `operations` are the successful ones; None is unknown."""

    index: int  # its place in the submission
    offered_ops_s: float | None  # None: as many as the threads could
    threads: int | None  # of one client
    throughput_ops_s: float | None
    latency_ms: Mapping[str, float | None]  # by the names of TAIL_SHARES
    latency_kind: LatencyKind = LatencyKind.UNKNOWN
    operations: int | None = None
    errors: int | None = None
    is_failed: bool = False  # the load tool says so itself
    is_of_slowest: bool = False  # its latencies are those of its slowest type of operation

    @property
    def error_share(self) -> float | None:
        if self.errors is None or self.operations is None:
            return None
        tried = self.operations + self.errors
        return self.errors / tried if tried else None

    @property
    def is_sustained(self) -> bool:
        """Whether the system did what it was offered.

        A schedule of random arrivals (pgbench) offers a little more or less than its rate by chance: of n arrivals
        the standard deviation is sqrt(n). Response times count the wait of a late one, so that they show a system that
        falls behind; with them, a shortage that may be chance is none.
        """
        if self.is_failed or self.throughput_ops_s is None:
            return False
        if self.offered_ops_s is None:
            return True
        by_chance = 0.0
        if self.latency_kind == LatencyKind.RESPONSE_TIME and self.operations:
            by_chance = CHANCE_DEVIATIONS / sqrt(self.operations)
        return self.throughput_ops_s >= (REACHED_SHARE - by_chance) * self.offered_ops_s


class CurvePoint(Protocol):
    """A point of a curve as it is judged: of its trials the worst; None where one of them is unknown."""

    @property
    def offered_ops_s(self) -> float | None: ...
    @property
    def throughput_ops_s(self) -> float: ...
    @property
    def trials_count(self) -> int: ...
    @property
    def latency_kind(self) -> str: ...
    @property
    def is_of_slowest(self) -> bool: ...
    @property
    def error_share(self) -> float | None: ...
    @property
    def fewest_operations(self) -> int | None: ...
    @property
    def is_sustained(self) -> bool: ...
    @property
    def is_comparable(self) -> bool: ...
    def worst_ms(self, percentile: str) -> float | None: ...


Point = TypeVar("Point", bound=CurvePoint)


@dataclass(frozen=True, slots=True)
class LoadPoint:
    """The trials at one load."""

    offered_ops_s: float | None
    threads: int | None
    trials: tuple[LoadTrial, ...]
    is_comparable: bool = True  # False: service times beside other points' response times, which say more

    @property
    def throughput_ops_s(self) -> float:
        """Mean over the trials; 0 where none has a rate."""
        rates = [trial.throughput_ops_s for trial in self.trials if trial.throughput_ops_s is not None]
        return fmean(rates) if rates else 0.0

    @property
    def trials_count(self) -> int:
        return len(self.trials)

    @property
    def latency_kind(self) -> str:
        kinds = {trial.latency_kind for trial in self.trials}
        return kinds.pop() if len(kinds) == 1 else LatencyKind.UNKNOWN

    @property
    def is_of_slowest(self) -> bool:
        return any(trial.is_of_slowest for trial in self.trials)

    @property
    def error_share(self) -> float | None:
        return _worst([trial.error_share for trial in self.trials])

    @property
    def fewest_operations(self) -> int | None:
        counts = [trial.operations for trial in self.trials]
        known = [count for count in counts if count is not None]
        return min(known) if len(known) == len(counts) else None

    @property
    def is_sustained(self) -> bool:
        return all(trial.is_sustained for trial in self.trials)

    def worst_ms(self, percentile: str) -> float | None:
        return _worst([trial.latency_ms.get(percentile) for trial in self.trials])


class Confidence(StrEnum):
    """What to know of a highest rate; load_curves/sentences.py has the sentences."""

    CONFIRMED = "confirmed"  # at least MANY_TRIALS trials
    FEW_TRIALS = "few_trials"  # two
    SINGLE_TRIAL = "single_trial"
    FEW_OPERATIONS = "few_operations"  # a trial has fewer than FEWEST_BEYOND operations beyond the percentile
    UNKNOWN_OPERATIONS = "unknown_operations"
    COORDINATED_OMISSION = "coordinated_omission"  # service times: waits before a request was sent are not in them
    UNKNOWN_LATENCY_KIND = "unknown_latency_kind"
    SLOWEST_OPERATION = "slowest_operation"  # percentiles are known by type of operation only: each type is limited
    NO_UPPER_BOUND = "no_upper_bound"  # no measured higher rate broke the limit
    NONE_KEPT = "none_kept"
    NOT_MONOTONIC = "not_monotonic"  # a higher load kept it again, which does not count
    UNKNOWN_POINTS = "unknown_points"  # points without the percentile or their errors


@dataclass(frozen=True, slots=True)
class AtLimit:
    """The highest measured rate that keeps a limit, in ops/s; None: no measured one does.

    `bracket` is (highest rate that kept it, lowest higher one that broke it): None where there is none.
    """

    ops_s: float | None
    bracket: tuple[float | None, float | None]
    confidence: tuple[Confidence, ...]
    index: int | None = None  # the place of the point among those given


def load_points(trials: Iterable[LoadTrial]) -> list[LoadPoint]:
    """Trials with the same offered rate and the same threads are a point; the lowest load comes first.

    Without an offered rate the threads did as much as they could: more than any rate that was offered.
    """
    groups: dict[tuple[float | None, int | None], list[LoadTrial]] = {}
    for trial in trials:
        groups.setdefault((trial.offered_ops_s, trial.threads), []).append(trial)
    kinds = {trial.latency_kind for members in groups.values() for trial in members}
    has_response_times = LatencyKind.RESPONSE_TIME in kinds
    points = [
        LoadPoint(
            offered,
            threads,
            tuple(members),
            not has_response_times or all(trial.latency_kind == LatencyKind.RESPONSE_TIME for trial in members),
        )
        for (offered, threads), members in groups.items()
    ]
    return sorted(points, key=lambda point: (point.offered_ops_s or inf, point.threads or 0))


def peak(points: Sequence[LoadPoint]) -> LoadPoint:
    """That with the highest mean throughput; one that the load tool calls failed only where all are.

    Raises ValueError without points.
    """
    whole = [point for point in points if not any(trial.is_failed for trial in point.trials)]
    return max(whole or points, key=lambda point: point.throughput_ops_s)


def keeps(point: CurvePoint, limit: LatencyLimit) -> bool | None:
    """Whether every trial of the point keeps the limit; None where that is unknown.

    A point that did not reach its offered rate has broken every limit, whatever latencies it shows.
    """
    if not point.is_sustained:
        return False
    if not point.is_comparable:
        return None
    worst, share = point.worst_ms(limit.percentile), point.error_share
    if (worst is not None and worst > limit.max_ms) or (share is not None and share > limit.max_error_share):
        return False
    return None if worst is None or share is None else True


def at_limit(points: Sequence[CurvePoint], limit: LatencyLimit = DEFAULT_LIMIT) -> AtLimit:
    """The highest measured rate below the first load that broke the limit.

    `points` are in order of load. A load that broke it ends the search: a higher one that kept it, by luck or
    because the first was disturbed, does not count, and `not_monotonic` says so. Points of which it is unknown
    neither keep nor break it.
    """
    verdicts = [keeps(point, limit) for point in points]
    first_broken = verdicts.index(False) if False in verdicts else len(points)
    kept = [place for place in range(first_broken) if verdicts[place]]
    index = max(kept, key=lambda place: points[place].throughput_ops_s, default=None)
    ops_s = None if index is None else points[index].throughput_ops_s
    broken = [_tried(point) for point, verdict in zip(points, verdicts, strict=True) if verdict is False]
    upper = min((rate for rate in broken if ops_s is None or rate > ops_s), default=None)
    notes = [] if index is None else _confidence_of(points[index], limit)
    if index is None and broken:
        notes.append(Confidence.NONE_KEPT)
    if index is not None and upper is None:
        notes.append(Confidence.NO_UPPER_BOUND)
    if any(verdicts[first_broken:]):
        notes.append(Confidence.NOT_MONOTONIC)
    if None in verdicts:
        notes.append(Confidence.UNKNOWN_POINTS)
    if any(point.is_of_slowest for point in points):
        notes.append(Confidence.SLOWEST_OPERATION)
    return AtLimit(ops_s, (ops_s, upper), tuple(notes), index)


def _tried(point: CurvePoint) -> float:
    """The rate that was too much: what was offered, else what the threads did."""
    return max(point.offered_ops_s or 0.0, point.throughput_ops_s)


def _confidence_of(point: CurvePoint, limit: LatencyLimit) -> list[Confidence]:
    if point.trials_count >= MANY_TRIALS:
        notes = [Confidence.CONFIRMED]
    else:
        notes = [Confidence.SINGLE_TRIAL if point.trials_count == 1 else Confidence.FEW_TRIALS]
    if point.fewest_operations is None:
        notes.append(Confidence.UNKNOWN_OPERATIONS)
    elif point.fewest_operations < limit.fewest_operations:
        notes.append(Confidence.FEW_OPERATIONS)
    if point.latency_kind == LatencyKind.SERVICE_TIME:
        notes.append(Confidence.COORDINATED_OMISSION)
    elif point.latency_kind == LatencyKind.UNKNOWN:
        notes.append(Confidence.UNKNOWN_LATENCY_KIND)
    return notes


def _worst(values: Sequence[float | None]) -> float | None:
    """The highest; None as soon as one is unknown."""
    known = [value for value in values if value is not None]
    return max(known) if known and len(known) == len(values) else None

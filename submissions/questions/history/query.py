"""The history of a line: its results in the order of their measurement, and where their level changes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Count, Max, QuerySet

from submissions import facts
from submissions.aggregates.read import states_of
from submissions.analysis.history import ChangePoint, change_points
from submissions.choices import LatencyKind, Trust
from submissions.facts import Fact
from submissions.formatting.figures import MOST_POINTS as MOST_IN_FIGURE
from submissions.metrics import LATENCY_P99, THROUGHPUT, Metric
from submissions.models import Submission
from submissions.questions.boards.choice import WorkloadChoice
from submissions.questions.boards.counts import Counts, count
from submissions.questions.boards.reasons import Reason, board_reasons
from submissions.questions.boards.trust_filter import TrustFilter, trust_filter_of
from submissions.questions.history.aggregate import HISTORY, lines_in
from submissions.records.lines import LINE_FACTS, Line
from submissions.records.lines import points as points_of_lines

MOST_POINTS = 500  # the newest
MOST_LINES = 300  # of a workload

# What may change along a line.
VARYING = (facts.SERVICE_VERSION, facts.JDK, facts.TOOL_VERSION, facts.CPU_MODEL)


@dataclass(frozen=True, slots=True)
class FactChange:
    fact: Fact
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Change:
    """A change of level, the submissions on either side of it, and which facts changed between these two."""

    point: ChangePoint
    before: Submission
    after: Submission
    facts: tuple[FactChange, ...]


@dataclass(frozen=True, slots=True)
class MetricHistory:
    """One metric over the points that have it; `changes` is None where they are too few to judge."""

    metric: Metric
    points: tuple[Submission, ...]
    changes: tuple[Change, ...] | None

    @property
    def drawn(self) -> int:
        """How many of the newest points a chart has: the means before and after each change need two each."""
        means = 2 * (len(self.changes) + 1) if self.changes else 0
        return max(min(len(self.points), MOST_IN_FIGURE - means), 1)

    @property
    def keys(self) -> frozenset[int]:
        """The numbers of the submissions it has."""
        return frozenset(point.pk for point in self.points)

    def value(self, point: Submission) -> float:
        value: float = getattr(point, self.metric.column)
        return value

    def change_at(self, point: Submission) -> Change | None:
        """The change that begins at a point."""
        return next((change for change in self.changes or () if change.after.pk == point.pk), None)


@dataclass(frozen=True, slots=True)
class HistoryResult:
    """`latency` has the p99s of `counts.latency_kind` only."""

    workload: WorkloadChoice
    line: Line
    points: tuple[Submission, ...]
    counts: Counts
    throughput: MetricHistory
    latency: MetricHistory
    trust: Trust | None = None

    @property
    def trust_filter(self) -> TrustFilter:
        return trust_filter_of(self.trust, self.counts)

    @property
    def latency_kind(self) -> LatencyKind:
        return self.counts.latency_kind

    @property
    def is_cut(self) -> bool:
        return len(self.points) == MOST_POINTS


def lines_of(workload: int, trust: Trust | None, *, may_be_large: bool = False) -> list[Line]:
    """Those with the most points first, then the most recent; two queries."""
    (state,) = states_of(workload, HISTORY, may_be_large=may_be_large)
    return lines_in(state, trust)[:MOST_LINES]


def lines_among(points: QuerySet[Submission]) -> list[Line]:
    """The lines of these points, those with the most first, then the most recent; one query."""
    lines = (
        points.order_by()
        .values(*LINE_FACTS)
        .annotate(n=Count("pk"), newest=Max("measured_at"))
        .order_by("-n", "-newest", *LINE_FACTS)
    )
    return [Line(tuple(line[name] for name in LINE_FACTS), line["n"]) for line in lines[:MOST_LINES]]


def history_result(
    workload: WorkloadChoice, line: Line, kind: LatencyKind | None = None, trust: Trust | None = None
) -> HistoryResult:
    """`kind` of the p99; None: the most common known one. Two queries."""
    points = _points(workload, line, trust)
    counts = count(
        Submission.objects.with_rate().of_workload(workload.fingerprint).filter(line.condition),
        [*board_reasons(trust), Reason.UNDATED],
        trust,
        latency_kind=kind,
    )
    return HistoryResult(
        workload=workload,
        line=line,
        points=tuple(points),
        counts=counts,
        throughput=metric_history(THROUGHPUT, points),
        latency=metric_history(LATENCY_P99, _with_p99(points, counts.latency_kind)),
        trust=trust,
    )


def metric_history(metric: Metric, points: Sequence[Submission]) -> MetricHistory:
    """`points` in the order of their measurement, with positive values."""
    found = change_points([getattr(point, metric.column) for point in points])
    if found is None:
        return MetricHistory(metric, tuple(points), None)
    changes = tuple(_change(point, points[point.index - 1], points[point.index]) for point in found)
    return MetricHistory(metric, tuple(points), changes)


def value_of(fact: Fact, submission: Submission) -> str:
    """ "oracle 8u51"; empty where it is not stated."""
    return " ".join(str(part) for column in fact.columns if (part := getattr(submission, column)))


def _points(workload: WorkloadChoice, line: Line, trust: Trust | None) -> list[Submission]:
    """The newest, in the order of their measurement; one query."""
    newest = points_of_lines(trust).of_workload(workload.fingerprint).filter(line.condition)
    return list(newest.order_by("-measured_at", "-pk")[:MOST_POINTS])[::-1]


def _with_p99(points: Iterable[Submission], kind: LatencyKind) -> list[Submission]:
    # latencies of unknown kind are not comparable, not even with each other
    if kind == LatencyKind.UNKNOWN:
        return []
    of_kind = [point for point in points if point.latency_kind == kind and (point.latency_p99_at_most_ms or 0) > 0]
    # one line has one sort: from a p99 over all operations to that of the slowest type would be a change of nothing
    over_all = [point for point in of_kind if not point.latency_p99_is_bound]
    return over_all or of_kind


def _change(point: ChangePoint, before: Submission, after: Submission) -> Change:
    pairs = [FactChange(fact, value_of(fact, before), value_of(fact, after)) for fact in VARYING]
    # a fact that either of them does not state is no change
    changed = [pair for pair in pairs if pair.before and pair.after and pair.before != pair.after]
    return Change(point, before, after, tuple(changed))

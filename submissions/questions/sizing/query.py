"""Configurations that reach a throughput, from the measured sizes of one workload, priced and ranked by cost."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Avg, Count, Max, OuterRef, Q, QuerySet
from django.db.models.functions import JSONObject

from submissions.analysis.sizing import Needed, nodes_needed, raw_tb, usable_tb
from submissions.choices import LatencyKind, Role, Trust
from submissions.models import IS_EXCLUDED, NodeGroup, Submission, Workload
from submissions.pricing.cost import SystemCost
from submissions.pricing.reprice import as_measured, costs_of_resized, resized
from submissions.pricing.terms import PriceTerms
from submissions.questions.scaling.query import has_other_machines
from submissions.questions.sizing.shapes import Row, Shape, ShapeKey, shape_key, shapes_of

MOST_SHAPES = 300  # of one workload: those with the most submissions are sized
MOST_ROWS = 5_000


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be reached, and how it is bought.

    `target` is ops/s, or relative where `base` is a relative submission: that whose throughput is to be
    reached. `max_p99_ms` is of `latency_kind`.
    """

    workload: Workload
    target: float
    terms: PriceTerms
    max_p99_ms: float | None = None
    latency_kind: LatencyKind | None = None  # None: the kind that most of the workload knows
    zones: int = 1
    trust: Trust | None = None  # at least
    base: Submission | None = None

    @property
    def is_relative(self) -> bool:
        return self.base is not None and self.base.throughput_ops_s is None

    @property
    def replication_factor(self) -> int | None:
        factor = self.workload.canonical.get("replication_factor")
        return factor if isinstance(factor, int) else None


@dataclass(frozen=True, slots=True)
class Counts:
    """How many submissions of the workload each reason leaves out."""

    latency_kind: LatencyKind
    doubtful: int
    low_trust: int
    mixed_machines: int
    above_limit: int
    other_kind: int
    unknown_p99: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """A configuration; `submission` is the newest of the measured size that is nearest to it."""

    submission: Submission
    node_count: int
    throughput: float  # expected: ops/s, or relative as the question's target
    is_extrapolated: bool
    caches: tuple[tuple[int, str], ...]  # (nodes, instance type)
    measured: tuple[int, ...]  # node counts
    n: int  # submissions behind them
    cost: SystemCost
    usable_tb: float | None
    raw_tb: float | None  # of all nodes, before replication
    is_base: bool = False

    @property
    def times_beyond(self) -> float | None:
        """How many times the largest that was measured, or the smallest how many times this; None inside."""
        if not self.is_extrapolated:
            return None
        return max(self.node_count / self.measured[-1], self.measured[0] / self.node_count)


@dataclass(frozen=True, slots=True)
class Answer:
    candidates: tuple[Candidate, ...]  # the cheapest first, unknown costs last
    counts: Counts
    beyond: int  # configurations that a million nodes would not lift to the target

    @property
    def base(self) -> Candidate | None:
        return next((one for one in self.candidates if one.is_base), None)

    def share_of_base(self, candidate: Candidate) -> Decimal | None:
        """Its cost as a fraction of that of the base; None without one, or where a cost is unknown."""
        ours, base = candidate.cost.hourly_usd, self.base and self.base.cost.hourly_usd
        return None if ours is None or not base else ours / base


@dataclass(frozen=True, slots=True)
class _Found:
    """A cluster to be priced: which submission, with how many nodes."""

    pk: int
    key: ShapeKey | None
    needed: Needed
    measured: tuple[int, ...]
    n: int
    is_base: bool = False


def answer(question: Question) -> Answer:
    """The configurations that meet the question; at most five queries, whatever the number of rows."""
    counts = _counts(question)
    shapes, _ = shapes_of(_rows(question, counts.latency_kind))
    own = _key_of(question.base)
    others = [shape for shape in shapes[:MOST_SHAPES] if own is None or shape.key != own]
    found = [sized for shape in others if (sized := _sized(shape, question))]
    beyond = len(others) - len(found)
    if question.base is not None:
        found.append(_as_it_is(question.base, own, question.target))
    return Answer(_ranked(_candidates(question, found)), counts, beyond)


def _counts(question: Question) -> Counts:
    doubtful, mixed = IS_EXCLUDED, has_other_machines()
    low = ~Q(trust__in=_trust_levels(question.trust))
    sound = ~doubtful & ~low & ~mixed
    known = sound & Q(latency_p99_ms__isnull=False)
    over = Q(latency_p99_ms__gt=question.max_p99_ms or 0)
    wanted = {
        "doubtful": Count("pk", filter=doubtful),
        "low_trust": Count("pk", filter=~doubtful & low),
        "mixed_machines": Count("pk", filter=~doubtful & ~low & mixed),
        "unknown_p99": Count("pk", filter=sound & Q(latency_p99_ms=None)),
    }
    for kind in LatencyKind:
        wanted[f"kind_{kind}"] = Count("pk", filter=known & Q(latency_kind=kind))
        wanted[f"over_{kind}"] = Count("pk", filter=known & Q(latency_kind=kind) & over)
    found = _of_workload(question).aggregate(**wanted)
    kind = question.latency_kind or _most_frequent({kind: found[f"kind_{kind}"] for kind in LatencyKind})
    return Counts(
        latency_kind=kind,
        doubtful=found["doubtful"],
        low_trust=found["low_trust"],
        mixed_machines=found["mixed_machines"],
        above_limit=found[f"over_{kind}"],
        other_kind=sum(found[f"kind_{other}"] for other in LatencyKind if other != kind),
        unknown_p99=found["unknown_p99"],
    )


def _of_workload(question: Question) -> QuerySet[Submission]:
    rows = Submission.objects.published().filter(workload=question.workload)
    if question.is_relative and question.base is not None:
        return rows.filter(throughput_ops_s=None, relative_base=question.base.relative_base)
    return rows.filter(throughput_ops_s__isnull=False)


def _rows(question: Question, kind: LatencyKind) -> list[Row]:
    """Equal clusters of one size as a row, those with the most submissions first. One query."""
    rows = (
        _of_workload(question)
        .filter(trust__in=_trust_levels(question.trust))
        .exclude(IS_EXCLUDED)
        .exclude(has_other_machines())
    )
    if question.max_p99_ms is not None:
        rows = rows.filter(latency_kind=kind, latency_p99_ms__lte=question.max_p99_ms)
    groups = (
        NodeGroup.objects.filter(submission=OuterRef("pk"), role__in=Role.SYSTEM_UNDER_TEST)
        .order_by("position")
        .values_list(JSONObject(role="role", instance_type="instance_type", count="count", disks="disks"))
    )
    column = "relative_throughput" if question.is_relative else "throughput_ops_s"
    found = (
        rows.annotate(groups=ArraySubquery(groups))
        .order_by()
        .values("provider", "region", "node_count", "groups")
        .annotate(mean=Avg(column), n=Count("pk"), newest=Max("pk"))
        .order_by("-n", "-newest")
    )
    return [
        Row(row["provider"], row["region"], row["node_count"], row["groups"], row["mean"], row["n"], row["newest"])
        for row in found[:MOST_ROWS]
    ]


def _key_of(base: Submission | None) -> ShapeKey | None:
    if base is None:
        return None
    names = ("role", "instance_type", "count", "disks")
    groups = [{name: getattr(group, name) for name in names} for group in base.node_groups.all()]
    return shape_key(base.provider, base.region, groups)


def _sized(shape: Shape, question: Question) -> _Found | None:
    floor = question.replication_factor or 1
    needed = nodes_needed(shape.sizes, question.target, step=question.zones, at_least=floor)
    if needed is None:
        return None
    measured = tuple(size.node_count for size in shape.sizes)
    return _Found(shape.newest[needed.nearest], shape.key, needed, measured, shape.submissions)


def _as_it_is(base: Submission, key: ShapeKey | None, target: float) -> _Found:
    needed = Needed(base.node_count, target, is_extrapolated=False, nearest=base.node_count)
    return _Found(base.pk, key, needed, (base.node_count,), 1, is_base=True)


def _candidates(question: Question, found: Sequence[_Found]) -> list[Candidate]:
    """Three queries: the submissions, their node groups, all prices."""
    rows = Submission.objects.defer("document", "notes").prefetch_related("node_groups")
    by_pk = rows.in_bulk([one.pk for one in found])
    clusters = [
        as_measured(by_pk[one.pk]) if one.is_base else resized(by_pk[one.pk], one.needed.node_count) for one in found
    ]
    priced = costs_of_resized(clusters, question.terms)
    return [
        Candidate(
            submission=cluster.submission,
            node_count=one.needed.node_count,
            throughput=one.needed.throughput,
            is_extrapolated=one.needed.is_extrapolated,
            caches=cluster.caches,
            measured=one.measured,
            n=one.n,
            cost=cost,
            usable_tb=_held(one, usable_tb, question.replication_factor),
            raw_tb=_held(one, raw_tb),
            is_base=one.is_base,
        )
        for one, cluster, cost in zip(found, clusters, priced, strict=True)
    ]


def _held(one: _Found, measure: Any, *arguments: Any) -> float | None:
    held: float | None = measure(one.needed.node_count, one.key.disk_sets, *arguments) if one.key else None
    return held


def _ranked(candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    def order(one: Candidate) -> tuple[bool, Decimal, int, int]:
        usd = one.cost.hourly_usd
        return usd is None, usd or Decimal(0), one.node_count, -one.submission.pk

    return tuple(sorted(candidates, key=order))


def _trust_levels(least: Trust | None) -> list[Trust]:
    return [level for level in Trust if least is None or level.rank >= least.rank]


def _most_frequent(by_kind: dict[LatencyKind, int]) -> LatencyKind:
    # what is known says more than what is not, however frequent that is
    known = {kind: count for kind, count in by_kind.items() if kind != LatencyKind.UNKNOWN and count}
    return max(known, key=lambda kind: known[kind], default=LatencyKind.UNKNOWN)

"""Configurations that reach a throughput, from the measured sizes of one workload, priced and ranked by cost."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from django.db.models import Avg, Case, Count, Max

from submissions.aggregates.read import states_of
from submissions.analysis.cluster_size.sizing import Needed, nodes_needed, raw_tb, usable_tb
from submissions.analysis.cluster_size.usable_space import usable_share
from submissions.choices import LatencyKind, Trust
from submissions.models import (
    IS_EXCLUDED,
    IS_PRICE_OFF,
    IS_UNRANKED,
    Submission,
    SubmissionQuerySet,
    has_mixed_machines,
    keeps_p99,
    rate_at,
)
from submissions.pricing.cost import SystemCost
from submissions.pricing.reprice import Resized, as_measured, costs_of_resized, resized
from submissions.questions.boards.counts import Counts, board_counts, count
from submissions.questions.boards.reasons import MONEY_REASONS, Reason, board_reasons
from submissions.questions.boards.trust_filter import TrustFilter, trust_filter_of, trust_filter_of_all
from submissions.questions.sizing.aggregate import SIZING, shapes_in, system_groups
from submissions.questions.sizing.shapes import Row, Shape, ShapeKey, shape_key, shapes_of
from submissions.questions.sizing.target import SizingParams, Target, target_of

MOST_SHAPES = 300  # of one workload: those with the most submissions are sized
MOST_ROWS = 5_000
MOST_SHOWN = 50  # candidates of an answer


@dataclass(frozen=True, slots=True)
class Candidate:
    """A configuration; `submission` is the newest of the measured size that is nearest to it."""

    submission: Submission
    node_count: int
    nodes_per_zone: int | None  # None for a cluster as it was measured, in another number of zones
    throughput: float  # expected: ops/s, or relative as the target
    is_extrapolated: bool
    caches: tuple[tuple[int, str], ...]  # (nodes, instance type)
    measured: tuple[int, ...]  # node counts, ascending
    n: int  # submissions behind them
    cost: SystemCost
    usable_tb: float | None
    tb_per_zone: float | None  # of the disks of one zone's nodes, before replication
    is_base: bool = False
    share_of_base_cost: Decimal | None = None  # its cost as a fraction of that of the base

    @property
    def times_beyond(self) -> float | None:
        """How many times the largest measured size, or the smallest how many times this; None inside."""
        if not self.is_extrapolated:
            return None
        return max(self.node_count / self.measured[-1], self.measured[0] / self.node_count)


@dataclass(frozen=True, slots=True)
class SizingResult:
    """`counts` is None where there is no workload, or no throughput is stated."""

    params: SizingParams
    target: Target
    counts: Counts | None = None
    candidates: tuple[Candidate, ...] = ()  # see _ranked
    unreachable: int = 0  # configurations that twice their largest measured size would not take to the target

    @property
    def is_answered(self) -> bool:
        return self.counts is not None

    @property
    def trust_filter(self) -> TrustFilter:
        """One query where nothing was sized."""
        trust = self.target.trust(self.params.trust)
        return trust_filter_of(trust, self.counts) if self.counts else trust_filter_of_all(trust)

    @property
    def base(self) -> Candidate | None:
        return next((candidate for candidate in self.candidates if candidate.is_base), None)

    @property
    def shown(self) -> tuple[Candidate, ...]:
        return self.candidates[:MOST_SHOWN]

    @property
    def p99_unknown(self) -> int:
        return self.counts.p99_unknown if self.counts else 0

    @property
    def latency_kind(self) -> LatencyKind | None:
        """Of the latency limit; None without one."""
        return self.counts.latency_kind if self.counts and self.params.max_p99_ms is not None else None


@dataclass(frozen=True, slots=True)
class _Sized:
    """A cluster to be priced: which submission, with how many nodes."""

    pk: int
    key: ShapeKey | None
    needed: Needed
    measured: tuple[int, ...]
    n: int
    is_base: bool = False


def sizing_result(params: SizingParams, *, may_be_large: bool = False) -> SizingResult:
    """At most ten queries, whatever the number of rows. Raises BadParameter."""
    return sized(params, target_of(params), may_be_large=may_be_large)


def sized(params: SizingParams, target: Target, *, may_be_large: bool = False) -> SizingResult:
    if target.workload is None or target.throughput is None:
        return SizingResult(params, target)
    if target.is_relative or params.max_p99_ms is not None:
        counts, shapes = _of_rows(params, target)
    else:
        counts, shapes = _counted(params, target, target.workload.pk, may_be_large=may_be_large)
    own = _key_of(target.base)
    others = [shape for shape in shapes[:MOST_SHAPES] if own is None or shape.key != own]
    needed = [one for shape in others if (one := _sized(shape, params, target))]
    unreachable = len(others) - len(needed)
    if target.base is not None:
        needed.append(_as_measured(target.base, own, target.throughput))
    return SizingResult(params, target, counts, _ranked(_candidates(params, target, needed)), unreachable)


def _counted(params: SizingParams, target: Target, workload: int, *, may_be_large: bool) -> tuple[Counts, list[Shape]]:
    """From the stored figures, which know no latency limit and no relative rate. Four queries."""
    trust = target.trust(params.trust)
    (sizes,) = states_of(workload, SIZING, may_be_large=may_be_large)
    counts = board_counts([workload], _reasons(trust), trust, latency_kind=params.latency_kind)
    return counts, shapes_in(sizes, trust)


def _of_rows(params: SizingParams, target: Target) -> tuple[Counts, list[Shape]]:
    """Two queries."""
    counts = _counts(params, target)
    shapes, _ = shapes_of(_rows(params, target, counts.latency_kind))
    return counts, shapes


def _counts(params: SizingParams, target: Target) -> Counts:
    trust = target.trust(params.trust)
    return count(
        _of_workload(target),
        _reasons(trust),
        trust,
        latency_kind=params.latency_kind,
        max_p99_ms=params.max_p99_ms,
    )


def _reasons(trust: Trust | None) -> list[Reason]:
    return [*board_reasons(trust), *MONEY_REASONS, Reason.MIXED_MACHINES]


def _of_workload(target: Target) -> SubmissionQuerySet:
    rows = Submission.objects.published().filter(workload=target.workload)
    if target.base is not None and target.is_relative:
        return rows.filter(throughput_ops_s=None, relative_base=target.base.relative_base)
    return rows.filter(throughput_ops_s__isnull=False)


def _rows(params: SizingParams, target: Target, kind: LatencyKind) -> list[Row]:
    """Equal clusters of one size as a row, those with the most submissions first. One query."""
    rows = _of_workload(target).trust_filtered(target.trust(params.trust)).exclude(has_mixed_machines())
    rows = rows.exclude(IS_EXCLUDED).exclude(IS_UNRANKED).exclude(IS_PRICE_OFF)
    rate: str | Case = "relative_throughput" if target.is_relative else "throughput_ops_s"
    if params.max_p99_ms is not None:
        rows = rows.filter(keeps_p99(kind, params.max_p99_ms))
        rate = rate if target.is_relative else rate_at(kind, params.max_p99_ms)
    sizes = (
        rows.annotate(groups=system_groups())
        .order_by()
        .values("provider", "region", "node_count", "groups")
        .annotate(mean=Avg(rate), n=Count("pk"), newest=Max("pk"))
        .order_by("-n", "-newest")
    )
    return [
        Row(row["provider"], row["region"], row["node_count"], row["groups"], row["mean"], row["n"], row["newest"])
        for row in sizes[:MOST_ROWS]
    ]


def _key_of(base: Submission | None) -> ShapeKey | None:
    if base is None:
        return None
    names = ("role", "instance_type", "count", "disks")
    groups = [{name: getattr(group, name) for name in names} for group in base.node_groups.all()]
    return shape_key(base.provider, base.region, groups)


def _sized(shape: Shape, params: SizingParams, target: Target) -> _Sized | None:
    assert target.throughput is not None  # noqa: S101 - nothing is sized without
    floor = target.replication_factor or 1
    needed = nodes_needed(shape.sizes, target.throughput, step=params.zones, at_least=floor)
    if needed is None:
        return None
    measured = tuple(size.node_count for size in shape.sizes)
    return _Sized(shape.newest[needed.nearest], shape.key, needed, measured, shape.submissions)


def _as_measured(base: Submission, key: ShapeKey | None, throughput: float) -> _Sized:
    needed = Needed(base.node_count, throughput, is_extrapolated=False, nearest=base.node_count)
    return _Sized(base.pk, key, needed, (base.node_count,), 1, is_base=True)


def _candidates(params: SizingParams, target: Target, sized: Sequence[_Sized]) -> list[Candidate]:
    """Three queries: the submissions, their node groups, all prices."""
    rows = Submission.objects.defer("document", "notes").prefetch_related("node_groups")
    by_pk = rows.in_bulk([one.pk for one in sized])
    clusters = [
        as_measured(by_pk[one.pk]) if one.is_base else resized(by_pk[one.pk], one.needed.node_count) for one in sized
    ]
    costs = costs_of_resized(clusters, params.terms)
    return [
        _candidate(one, cluster, cost, zones=params.zones, replication_factor=target.replication_factor)
        for one, cluster, cost in zip(sized, clusters, costs, strict=True)
    ]


def _candidate(
    sized: _Sized, cluster: Resized, cost: SystemCost, *, zones: int, replication_factor: int | None
) -> Candidate:
    nodes = sized.needed.node_count
    disks = sized.key.disk_sets if sized.key else ()  # of unknown disks the space is unknown
    space = raw_tb(nodes, disks)
    share = usable_share(cluster.submission.service, cluster.submission.service_version).share
    return Candidate(
        submission=cluster.submission,
        node_count=nodes,
        nodes_per_zone=nodes // zones if nodes % zones == 0 else None,
        throughput=sized.needed.throughput,
        is_extrapolated=sized.needed.is_extrapolated,
        caches=cluster.caches,
        measured=sized.measured,
        n=sized.n,
        cost=cost,
        usable_tb=usable_tb(nodes, disks, replication_factor, share),
        tb_per_zone=None if space is None else space / zones,
        is_base=sized.is_base,
    )


def _ranked(candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Within the measured sizes before extrapolated ones; in each part the cheapest first, unknown costs last.

    Each has its share of the cost of the base.
    """
    base_usd = next((one.cost.hourly_usd for one in candidates if one.is_base), None)

    def order(candidate: Candidate) -> tuple[bool, bool, Decimal, int, int]:
        usd = candidate.cost.hourly_usd
        is_unknown = usd is None
        return candidate.is_extrapolated, is_unknown, usd or Decimal(0), candidate.node_count, -candidate.submission.pk

    def with_share(candidate: Candidate) -> Candidate:
        usd = candidate.cost.hourly_usd
        return replace(candidate, share_of_base_cost=None if usd is None or not base_usd else usd / base_usd)

    return tuple(with_share(candidate) for candidate in sorted(candidates, key=order))

"""Operations per dollar of one workload at the stored prices: groups, and the systems of a chart."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from heapq import nlargest

from django.db.models import Count, Min, Q, QuerySet

from submissions.aggregates.boards import BOARDS, profiles_in
from submissions.aggregates.groups import GroupBest, best_of_groups
from submissions.aggregates.read import states_of
from submissions.aggregates.workloads import levels_in
from submissions.choices import LatencyKind, Trust
from submissions.metrics import OPS_PER_USD
from submissions.models import Submission, SubmissionQuerySet
from submissions.pricing.terms import PriceTerms
from submissions.questions.boards.counts import Counts, board_counts
from submissions.questions.boards.grouping import GroupBy
from submissions.questions.boards.reasons import MONEY_REASONS, Reason, board_reasons
from submissions.questions.value.architectures import ArchitectureValue
from submissions.questions.value.machines import Chosen
from submissions.questions.value.pareto import CHART_ROWS, Systems, other_marks, systems_of, value_rows
from submissions.records.age_filter import Exclusion

Unpriced = Mapping[tuple[str, str], int]  # submissions by provider and why they have no price


@dataclass(frozen=True, slots=True)
class ValueParams:
    """None is no restriction. `max_p99_ms` is of `latency_kind`."""

    workload: str = ""  # fingerprint; "" for the workload with the most priced submissions
    by: GroupBy = GroupBy.PROVIDER
    terms: PriceTerms = field(default_factory=PriceTerms)
    trust: Trust | None = None  # the trust filter; None: the default
    max_p99_ms: float | None = None
    latency_kind: LatencyKind | None = None  # None: the most common known kind
    left_out: Exclusion | None = None
    aged: Q | None = None  # its condition, in the workload
    chosen: Chosen = field(default_factory=Chosen)  # machines
    most_groups: int | None = None  # that are read, the best; None: all

    @property
    def only(self) -> Q | None:
        """The condition of the chosen machines, where not all are."""
        return None if self.chosen.is_all else self.chosen.condition

    def reasons(self, *first: Reason) -> list[Reason]:
        """Why a submission is excluded at any prices, after those of `first`."""
        return [*first, *board_reasons(self.trust), *MONEY_REASONS, *self.conditions]

    @property
    def conditions(self) -> dict[Reason, Q]:
        """Of the last of these reasons."""
        return {} if self.aged is None else {Reason.AGED: self.aged}


@dataclass(frozen=True, slots=True)
class GroupValue:
    """Submissions with equal values in the columns of `by`; `best` has the most operations per dollar."""

    by: GroupBy
    best: Submission
    n: int
    worst_ops_per_usd: Decimal

    @property
    def name(self) -> str:
        return self.by.name_of(self.best)

    @property
    def best_ops_per_usd(self) -> Decimal:
        assert self.best.ops_per_usd is not None  # noqa: S101 - only priced ones are grouped
        return self.best.ops_per_usd


@dataclass(frozen=True, slots=True)
class Valuation:
    """The rows have the prices that were chosen."""

    counts: Counts
    groups: list[GroupValue]  # best value first; of more than `most_groups` the best
    systems: Systems
    missing: tuple[tuple[str, int], ...] = ()  # (why, submissions) of the unpriced, where it is known
    unpriced: Unpriced = field(default_factory=dict)  # the same at the prices of a day
    architectures: tuple[ArchitectureValue, ...] = ()  # at the prices of a day, or under a limit
    group_count: int = 0
    total: int = 0  # submissions in all groups


def valuable(trust: Trust | None) -> SubmissionQuerySet:
    """Priced, with a rate that no flag makes unreliable, for this trust filter."""
    return Submission.objects.listed().rankable().priced().trust_filtered(trust)


def valuable_of(workload_id: int, trust: Trust | None) -> SubmissionQuerySet:
    """Those of one workload. Two queries, before theirs, for the default trust filter."""
    rows = Submission.objects.listed().rankable().priced()
    return rows.filter(workload=workload_id, trust__in=levels_in(workload_id, trust))


def are_stored_prices(workload_id: int, terms: PriceTerms) -> bool:
    """Whether the prices at which every result of the workload was stored are those of `terms`. At most two queries."""
    if terms.day is not None or terms.discounts or not terms.takes_stated(terms.basis or ""):
        return False
    (state,) = states_of(workload_id, BOARDS)
    with_rate = (profile for profile, _ in profiles_in(state) if not (profile.is_retracted or profile.is_relative))
    return {profile.bought for profile in with_rate} <= {terms.basis, ""}


def stored_valuation(workload_id: int, params: ValueParams) -> Valuation:
    """At the prices that were stored with the submissions."""
    counts = board_counts(
        [workload_id],
        params.reasons(Reason.UNPRICED),
        params.trust,
        conditions=params.conditions,
        latency_kind=params.latency_kind,
        max_p99_ms=params.max_p99_ms,
        only=params.only,
    )
    rows = valuable_of(workload_id, params.trust)
    stored = None
    if not params.chosen.is_all:
        rows = rows.filter(params.chosen.condition)
    if params.aged is not None:
        rows = rows.exclude(params.aged)
    elif params.max_p99_ms is None and params.chosen.is_all:
        stored = best_of_groups(workload_id, params.by, OPS_PER_USD, params.trust)
    if params.max_p99_ms is not None:
        rows = rows.filter(latency_kind=counts.latency_kind, latency_p99_at_most_ms__lte=params.max_p99_ms)
    groups = _groups_of_rows(rows, params.by) if stored is None else stored
    drawn = value_rows(rows)
    return Valuation(
        counts,
        _groups(groups, params.by, params.most_groups),
        systems_of(drawn, other_marks(rows, {row.pk for row in drawn}) if len(drawn) >= CHART_ROWS else ()),
        group_count=len(groups),
        total=sum(group.n for group in groups),
    )


def _groups(groups: Sequence[GroupBest], by: GroupBy, most: int | None) -> list[GroupValue]:
    """One query. A group whose best one was changed at this moment is the next reader's."""
    priced = [group for group in groups if group.worst_value is not None]
    if most is not None:
        priced = nlargest(most, priced, key=lambda group: group.figure)
    best = Submission.objects.listed().in_bulk([group.best_id for group in priced])
    return best_first(
        [
            GroupValue(by, best[group.best_id], group.n, group.worst_value)
            for group in priced
            if group.best_id in best and group.worst_value is not None
        ]
    )


def _groups_of_rows(rows: QuerySet[Submission], by: GroupBy) -> list[GroupBest]:
    """Two queries."""
    sizes = {
        tuple(row[column] for column in by.columns): row
        for row in rows.order_by().values(*by.columns).annotate(n=Count("pk"), worst=Min("ops_per_usd"))
    }
    best = rows.order_by(*by.columns, "-ops_per_usd", "-pk").distinct(*by.columns)
    return [
        GroupBest(sizes[tuple(values)]["n"], pk, figure, sizes[tuple(values)]["worst"])
        for pk, figure, *values in best.values_list("pk", "ops_per_usd", *by.columns)
    ]


def best_first(groups: list[GroupValue]) -> list[GroupValue]:
    return sorted(groups, key=lambda group: (-group.best_ops_per_usd, group.name))

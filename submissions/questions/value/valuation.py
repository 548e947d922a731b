"""Operations per dollar of one workload at the stored prices: groups, and the systems of a chart."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from django.db.models import Count, Exists, Min, OuterRef, Q, QuerySet

from submissions.choices import LatencyKind, Role, Trust
from submissions.metrics import OPS_PER_USD
from submissions.models import IS_PRICE_OFF, IS_UNPRICED, NodeGroup, Submission, SubmissionQuerySet
from submissions.pricing.terms import PriceTerms
from submissions.questions.value.front import Systems, systems_of, value_rows
from submissions.questions.workload.board_counts import board_counts
from submissions.questions.workload.counts import Counts, Reason, board_reasons
from submissions.questions.workload.grouping import GroupBy
from submissions.records.age_filter import Exclusion
from submissions.summaries.groups import GroupBest, best_of_groups, shelf_levels
from submissions.summaries.traits import Trait, trait_counts


@dataclass(frozen=True, slots=True)
class ValueParams:
    """None is no restriction. `max_p99_ms` is of `latency_kind`."""

    workload: str = ""  # fingerprint; "" for the workload with the most priced submissions
    by: GroupBy = GroupBy.PROVIDER
    terms: PriceTerms = field(default_factory=PriceTerms)
    trust: Trust | None = None  # which shelf; None: the default
    max_p99_ms: float | None = None
    latency_kind: LatencyKind | None = None  # None: the most common known kind
    left_out: Exclusion | None = None
    aged: Q | None = None  # its condition, in the workload

    def reasons(self, *first: tuple[Reason, Q]) -> dict[Reason, Q]:
        """Why a submission is excluded at any prices, after those of `first`."""
        reasons = {**dict(first), **board_reasons(self.trust), Reason.PRICE_OFF: IS_PRICE_OFF}
        return reasons if self.aged is None else {**reasons, Reason.AGED: self.aged}


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
    groups: list[GroupValue]  # best value first
    systems: Systems
    missing_prices: tuple[tuple[str, int], ...] = ()  # (why, submissions) of the unpriced, where it is known


def valuable(trust: Trust | None) -> SubmissionQuerySet:
    """Priced, with a rate that no flag makes unreliable, on this shelf."""
    return Submission.objects.listed().rankable().priced().on_shelf(trust)


def valuable_of(workload_id: int, trust: Trust | None) -> SubmissionQuerySet:
    """Those of one workload. One query, before theirs, for the default shelf; two where totals are not current."""
    rows = Submission.objects.listed().rankable().priced()
    return rows.filter(workload=workload_id, trust__in=shelf_levels(workload_id, trust))


def are_stored_prices(workload_id: int, terms: PriceTerms) -> bool:
    """Whether the prices at which every result of the workload was stored are those of `terms`. At most two queries."""
    if terms.day is not None or not terms.takes_stated(terms.basis or ""):
        return False
    parts = trait_counts(workload_id)
    if parts:
        bought = {part.bought for part in parts if not part.traits & (Trait.RETRACTED | Trait.RELATIVE)}
        return bought <= {terms.basis, ""}
    rows = Submission.objects.with_rate().filter(workload=workload_id)
    system = NodeGroup.objects.filter(submission=OuterRef("pk"), role__in=Role.SYSTEM_UNDER_TEST)
    bought_otherwise = Exists(system.exclude(pricing_model=terms.basis))
    return not rows.filter(bought_otherwise).exists()


def stored_valuation(workload_id: int, params: ValueParams) -> Valuation:
    """At the prices that were stored with the submissions. Six queries; one more where totals are not current."""
    counts = board_counts(
        workload_id,
        params.reasons((Reason.UNPRICED, IS_UNPRICED)),
        params.trust,
        latency_kind=params.latency_kind,
        max_p99_ms=params.max_p99_ms,
    )
    rows = valuable_of(workload_id, params.trust)
    of_totals = None
    if params.aged is not None:
        rows = rows.exclude(params.aged)
    elif params.max_p99_ms is None:
        of_totals = best_of_groups(workload_id, params.by, OPS_PER_USD, params.trust)
    if params.max_p99_ms is not None:
        rows = rows.filter(latency_kind=counts.latency_kind, latency_p99_at_most_ms__lte=params.max_p99_ms)
    groups = _groups(rows, params.by) if of_totals is None else _groups_of_totals(of_totals, params.by)
    return Valuation(counts, groups, systems_of(value_rows(rows)))


def _groups_of_totals(totals: Sequence[GroupBest], by: GroupBy) -> list[GroupValue]:
    """One query. A group whose best one was changed at this moment is the next reader's."""
    best = Submission.objects.listed().in_bulk([group.best_id for group in totals])
    return best_first(
        [
            GroupValue(by, best[group.best_id], group.n, group.worst_value)
            for group in totals
            if group.best_id in best and group.worst_value is not None
        ]
    )


def _groups(rows: QuerySet[Submission], by: GroupBy) -> list[GroupValue]:
    """Two queries."""
    sizes = {
        tuple(row[column] for column in by.columns): row
        for row in rows.order_by().values(*by.columns).annotate(n=Count("pk"), worst=Min("ops_per_usd"))
    }
    groups = []
    for best in rows.order_by(*by.columns, "-ops_per_usd", "-pk").distinct(*by.columns):
        size = sizes[by.values_of(best)]
        groups.append(GroupValue(by, best, size["n"], size["worst"]))
    return best_first(groups)


def best_first(groups: list[GroupValue]) -> list[GroupValue]:
    return sorted(groups, key=lambda group: (-group.best_ops_per_usd, group.name))

"""One workload ranked: each group is represented by its best submission, and statistical ties share a rank."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.db.models import Count, Q
from django.db.models.functions import Coalesce

from submissions.aggregates.groups import best_of_groups
from submissions.aggregates.workloads import levels_in
from submissions.analysis.comparison.ranking import RankedEntry
from submissions.api.forms import BadParameter
from submissions.choices import LatencyKind, Trust, is_same_rate
from submissions.metrics import LATENCY_P99, OPS_PER_USD, THROUGHPUT, Metric
from submissions.models import (
    IS_THROTTLED,
    IS_UNRANKED,
    IS_UNRELIABLE,
    Submission,
    SubmissionQuerySet,
    Workload,
    is_at_rate,
    open_workload,
)
from submissions.pricing.reprice import STORED, at_reader_prices
from submissions.pricing.terms import PriceTerms
from submissions.questions.boards.at_load import loads_of_workload, with_loads
from submissions.questions.boards.counts import Counts, board_counts
from submissions.questions.boards.grouping import GroupBy
from submissions.questions.boards.ranking import Interval, interval_of, rank_submissions
from submissions.questions.boards.reasons import MONEY_REASONS, Reason, board_reasons
from submissions.questions.boards.trust_filter import TrustFilter, trust_filter_of
from submissions.questions.leaderboard.best import (
    HAS_P99,
    best_at_loads,
    best_discounted,
    best_of_rows,
    best_of_stored,
)
from submissions.records.age_filter import Exclusion

RANKED_METRICS = (THROUGHPUT, OPS_PER_USD, LATENCY_P99)
KNOWN_KINDS = (LatencyKind.SERVICE_TIME, LatencyKind.RESPONSE_TIME)
MOST_RATES = 5


@dataclass(frozen=True, slots=True)
class LeaderboardParams:
    workload: str  # fingerprint
    by: GroupBy = GroupBy.INSTANCE_TYPE
    metric: Metric = THROUGHPUT
    latency_kind: LatencyKind | None = None  # of a p99; None: the most common known kind
    rate_ops_s: float | None = None  # of a p99: only results at this rate, held to it or not
    max_p99_ms: float | None = None  # only results that keep it, those of curves at the load that does
    trust: Trust | None = None  # the trust filter; None: the default
    left_out: Exclusion | None = None
    terms: PriceTerms = STORED  # the stored prices, or those less a discount


@dataclass(frozen=True, slots=True)
class RankedGroup:
    """`interval` is the 95 % interval of its figure, None with one trial and for a p99."""

    by: GroupBy
    best: Submission
    submissions: int
    entry: RankedEntry
    interval: Interval | None

    @property
    def key(self) -> str:
        return self.by.key_of(self.best)

    @property
    def name(self) -> str:
        return self.by.name_of(self.best)

    @property
    def figure(self) -> float:
        return self.entry.entry.figure

    @property
    def trials(self) -> int:
        """Of the best submission."""
        return len(self.entry.entry.side.trials)


@dataclass(frozen=True, slots=True)
class Leaderboard:
    by: GroupBy
    metric: Metric
    latency_kind: LatencyKind | None  # of the p99; None for other metrics without a limit
    rate_ops_s: float | None  # that all results have; None for results at their own rates
    max_p99_ms: float | None  # that all results keep
    groups: tuple[RankedGroup, ...]  # the MOST_RANKED best
    groups_count: int
    terms: PriceTerms = STORED


@dataclass(frozen=True, slots=True)
class LeaderboardResult:
    workload: Workload
    board: Leaderboard
    counts: Counts
    trust_filter: TrustFilter
    held_rates: tuple[tuple[float, int], ...] = ()  # (ops/s, results that the load tool held to it), most first

    @property
    def published(self) -> int:
        """Submissions of the workload, ranked or not."""
        return self.counts.total - self.counts.excluded[Reason.RETRACTED]


def leaderboard_result(params: LeaderboardParams) -> LeaderboardResult:
    """Raises BadParameter for an unknown workload."""
    return leaderboard_of(workload_of(params), params)


def workload_of(params: LeaderboardParams) -> Workload:
    """One query. Raises BadParameter for an unknown workload."""
    workload = open_workload(params.workload)
    if workload is None:
        raise BadParameter("workload", "there is no such workload", is_missing=True)
    return workload


def leaderboard_of(workload: Workload, params: LeaderboardParams) -> LeaderboardResult:
    aged = params.left_out.condition(workload.pk) if params.left_out else None
    counts = _counts(workload, params, aged)
    kind = counts.latency_kind if params.metric == LATENCY_P99 or params.max_p99_ms is not None else None
    board = leaderboard(
        workload.pk,
        params.by,
        params.metric,
        kind,
        rate_ops_s=params.rate_ops_s,
        max_p99_ms=params.max_p99_ms,
        trust=params.trust,
        aged=aged,
        terms=params.terms,
    )
    throttled = counts.own_reasons.get(Reason.THROTTLED, 0)
    rates = held_rates(workload.pk, params.trust) if throttled or params.rate_ops_s else ()
    return LeaderboardResult(workload, board, counts, trust_filter_of(params.trust, counts), rates)


def leaderboard(
    workload_id: int,
    by: GroupBy,
    metric: Metric = THROUGHPUT,
    latency_kind: LatencyKind | None = None,
    *,
    rate_ops_s: float | None = None,
    max_p99_ms: float | None = None,
    trust: Trust | None = None,
    aged: Q | None = None,
    terms: PriceTerms = STORED,
) -> Leaderboard:
    """A workload ranked at its stored prices, or those less a discount.

    `latency_kind` is that of a p99, a known one: kinds are never ranked together. A limit needs it too.
    `aged`: what is left out.
    """
    rows = _rows(workload_id, metric, rate_ops_s).filter(trust__in=levels_in(workload_id, trust))
    if aged is not None:
        rows = rows.exclude(aged)
    loads = {} if max_p99_ms is None else loads_of_workload(workload_id, max_p99_ms)
    if terms.discounts and metric == OPS_PER_USD:
        limit = None if max_p99_ms is None else (latency_kind or LatencyKind.UNKNOWN, max_p99_ms)
        chosen = best_discounted(rows, by, terms, limit, loads)
    elif max_p99_ms is not None:
        kind = latency_kind or LatencyKind.UNKNOWN
        chosen = best_at_loads(rows, by, metric, kind, max_p99_ms, loads)
    else:
        is_of_all = by != GroupBy.SUBMISSION and not rate_ops_s and aged is None
        stored = best_of_groups(workload_id, by, metric, trust, latency_kind) if is_of_all else None
        of_p99 = rows.filter(HAS_P99, latency_kind=latency_kind) if metric == LATENCY_P99 else rows
        chosen = best_of_rows(of_p99, by, metric) if stored is None else best_of_stored(stored)
    found = Submission.objects.listed().in_bulk(chosen.ids)
    at_reader_prices(list(found.values()), terms)
    best = {str(row.pk): row for row in with_loads(found.values(), loads)}
    groups = tuple(
        RankedGroup(
            by=by,
            best=best[ranked.entry.key],
            submissions=chosen.sizes.get(int(ranked.entry.key), 1),
            entry=ranked,
            interval=interval_of(best[ranked.entry.key], metric),
        )
        for ranked in rank_submissions(best, metric, has_more=len(best) < chosen.groups_count)
    )
    return Leaderboard(by, metric, latency_kind, rate_ops_s, max_p99_ms, groups, chosen.groups_count, terms)


def held_rates(workload_id: int, trust: Trust | None) -> tuple[tuple[float, int], ...]:
    """Rates that load tools held results to, those within 5 % of each other as one. One query."""
    rows = Submission.objects.with_rate().filter(IS_THROTTLED, workload=workload_id)
    rows = rows.filter(trust__in=levels_in(workload_id, trust))
    rows = rows.exclude(IS_UNRELIABLE).exclude(IS_UNRANKED).order_by()
    rate = Coalesce("fixed_rate_ops_s", "throttle_ops_s", "throughput_ops_s")
    rates: list[tuple[float, int]] = []
    for ops_s, number in rows.annotate(rate=rate).values_list("rate").annotate(n=Count("pk")).order_by("-n", "rate"):
        near = next((place for place, (other, _) in enumerate(rates) if is_same_rate(ops_s, other)), None)
        if near is None:
            rates.append((ops_s, number))
        else:
            rates[near] = rates[near][0], rates[near][1] + number
    return tuple(sorted(rates, key=lambda pair: (-pair[1], pair[0]))[:MOST_RATES])


def _counts(workload: Workload, params: LeaderboardParams, aged: Q | None) -> Counts:
    """The latency kind is always a known one."""
    reasons = [Reason.RETRACTED, Reason.RELATIVE, *board_reasons(params.trust)]
    conditions = {}
    if params.rate_ops_s is not None:
        reasons.remove(Reason.THROTTLED)
        reasons.append(Reason.OTHER_RATE)
        conditions[Reason.OTHER_RATE] = ~is_at_rate(params.rate_ops_s)
    if params.metric == OPS_PER_USD:
        reasons += [Reason.UNPRICED, *MONEY_REASONS]
    if aged is not None:
        reasons.append(Reason.AGED)
        conditions[Reason.AGED] = aged
    counts = _of_kind(workload, params, reasons, conditions, params.latency_kind)
    if counts.latency_kind in KNOWN_KINDS:
        return counts
    if params.max_p99_ms is not None:
        return _of_kind(workload, params, reasons, conditions, KNOWN_KINDS[0])
    return replace(counts, latency_kind=KNOWN_KINDS[0])


def _of_kind(
    workload: Workload,
    params: LeaderboardParams,
    reasons: Sequence[Reason],
    conditions: Mapping[Reason, Q],
    kind: LatencyKind | None,
) -> Counts:
    return board_counts(
        [workload.pk],
        reasons,
        params.trust,
        conditions=conditions,
        latency_kind=kind,
        needs_p99=params.metric == LATENCY_P99,
        max_p99_ms=params.max_p99_ms,
        is_p99_positive=True,
    )


def _rows(workload_id: int, metric: Metric, rate_ops_s: float | None) -> SubmissionQuerySet:
    every = Submission.objects.rankable() if rate_ops_s is None else Submission.objects.at_rate(rate_ops_s)
    rows = every.filter(workload=workload_id)
    return rows.priced() if metric == OPS_PER_USD else rows

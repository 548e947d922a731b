"""What to run: the cheapest, the best value and the fastest of what was measured, over every workload that fits."""

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from functools import partial
from types import MappingProxyType

from django.utils import timezone

from submissions.age.marks import Age
from submissions.choices import PROVEN, Trust
from submissions.models import Submission, Workload
from submissions.models.versions.data_version import Subject
from submissions.pricing.cost import HOURS_PER_MONTH
from submissions.pricing.reprice import at_cost
from submissions.questions.boards.trust_filter import TrustFilter
from submissions.questions.recommend.candidates import (
    Candidate,
    Known,
    Pool,
    Slot,
    known_workloads,
    pools,
    trusts_for,
    workloads_of,
)
from submissions.questions.recommend.form import RecommendParams
from submissions.questions.recommend.month.bills import Bills, Sized, months_of, with_extras
from submissions.questions.recommend.month.result import AnswerMonth
from submissions.questions.recommend.outlook import Likelihood, Measured, likelihood, measured
from submissions.questions.recommend.points import Point
from submissions.questions.recommend.ranking.estimates import Estimate, estimates
from submissions.questions.recommend.ranking.finalists import Kind, chosen, finalists
from submissions.questions.recommend.ranking.misses import nearest_first
from submissions.questions.recommend.ranking.priced import priced
from submissions.questions.recommend.ranking.sized import sized
from submissions.records.ages import ages_of
from submissions.records.cache import cached_of_workloads

MOST_NEAREST = 3
MOST_BEST = 10
MOST_REJECTED = 20
MOST_CONSIDERED = 480  # clusters that a chart shows, with its answers fewer than `formatting.figures.MOST_POINTS`
MOST_OTHERS = 7


@dataclass(frozen=True, slots=True)
class Answer:
    """A measured result; `row` has the costs that the question asks for."""

    kinds: tuple[Kind, ...]  # none of the nearest ones
    candidate: Candidate
    row: Submission
    likelihood: Likelihood
    at_limit: Point | None  # the most that this cluster did within the p99; None where it never kept it
    at_target: Point | None  # the least that is enough
    usd_per_month_when_measured: Decimal | None
    priced_at: date | None  # the day of its prices
    month: AnswerMonth | None = None  # None where only nodes and disks are compared


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of the answer: a measured result of one kind, or an estimate."""

    kind: Kind | None
    source: Answer | Estimate


@dataclass(frozen=True, slots=True)
class OtherWorkload:
    workload: Workload
    results: int  # that count
    able: bool  # one of them does what is asked


@dataclass(frozen=True, slots=True)
class RecommendResult:
    """`workload` is None where nothing is known of what is asked."""

    params: RecommendParams
    trust_filter: TrustFilter
    pool: Pool | None = None
    workloads: Mapping[int, Workload] = field(default_factory=dict)  # of all that is shown, by their ids
    workload: Workload | None = None  # of the first answer, or of the nearest result
    results: int = 0  # of all workloads that fit the question
    workloads_count: int = 0
    answers: tuple[Answer, ...] = ()  # cheapest first; one may be of several kinds
    nearest: tuple[Answer, ...] = ()  # where there are no answers
    estimates: tuple[Estimate, ...] = ()
    best: tuple[Answer, ...] = ()  # the ten nearest: those that answer first, the cheapest of them first
    considered: tuple[Candidate, ...] = ()  # of each cluster under each workload the nearest; for the chart
    considered_count: int = 0
    rejected: tuple[Candidate, ...] = ()  # the nearest of those that are neither answer nor nearest
    rejected_count: int = 0
    p99_unknown: int = 0  # clusters whose p99 is unknown, under a limit
    unpriced: int = 0  # clusters without a price
    stated_left_out: int = 0  # of these: their own price is one of another pricing model
    others: tuple[OtherWorkload, ...] = ()
    ages: Mapping[int, Age] = field(default_factory=dict)  # of the results that are shown, by their ids
    lower: "RecommendResult | None" = None  # of a range: the answer at its lower end

    @property
    def entries(self) -> list[Entry]:
        """Measured ones first; an answer of several kinds is in it once for each. An estimate is of no kind."""
        found = [Entry(kind, answer) for kind in Kind if (answer := self.answer(kind))]
        return [*found, *(Entry(None, estimate) for estimate in self.estimates[:1])]

    @property
    def nearest_entries(self) -> list[Entry]:
        return [Entry(None, answer) for answer in self.nearest]

    @property
    def least_usd(self) -> Decimal | None:
        """USD a month of the cheapest answer."""
        return min((usd for one in self.answers if (usd := one.candidate.usd_per_month)), default=None)

    def answer(self, kind: Kind) -> Answer | None:
        return next((answer for answer in self.answers if kind in answer.kinds), None)


def recommend_result(params: RecommendParams, *, may_be_large: bool = False) -> RecommendResult:
    """The answer, with its rows; three or four queries while it is cached. Raises BadParameter."""
    key = ("recommend", params, timezone.now().date())
    workloads = workloads_of(params, may_be_large=may_be_large)
    return cached_of_workloads(workloads, key, partial(_recommend_result, params), subjects=[Subject.PRICES])


def _recommend_result(params: RecommendParams) -> RecommendResult:
    """At most twenty-six queries, whatever the number of results. Raises BadParameter.

    Of the pools of results that may stand together the first with an answer answers, else the first one shows its
    nearest results.
    """
    known = known_workloads(params)
    trusts = trusts_for(params, known)
    result = RecommendResult(params, _trust_filter(params, known, trusts))
    by_pool = pools(known, trusts, params)
    if not by_pool:
        return result
    every = priced(sized([one for own in by_pool.values() for one in own], known, params), params)
    every, bills = with_extras(every, known, params)
    places = iter(every)
    for_pool = {pool: [next(places) for _ in own] for pool, own in by_pool.items()}
    chosen = next((pool for pool, own in for_pool.items() if any(one.answers(params) for one in own)), min(for_pool))
    return _of_pool(result, chosen, for_pool[chosen], known, trusts, bills)


def _of_pool(
    result: RecommendResult,
    pool: Pool,
    own: Sequence[Candidate],
    known: Sequence[Known],
    trusts: frozenset[str],
    bills: Bills | None,
) -> RecommendResult:
    params = result.params
    ordered = nearest_first(own, params)
    able = [one for one in own if one.answers(params)]
    ranked, best = finalists(able), ordered[:MOST_BEST]
    read = measured({one.point: one for ranking in (*ranked.values(), best) for one in ranking}.values())
    kinds = chosen(ranked, lambda one: likelihood(one, read, params) if one.point.pk in read.rows else None)
    factors = {one.workload_id: params.replication_factor or one.replication_factor for one in known}
    found = estimates(own, factors, params, *((bills.extras_usd,) if bills else ()))
    months = months_of([*_measured_sizes((*kinds, *best), read), *map(_estimated_size, found)], known, params)
    found = tuple(replace(one, month=months[one.candidate, one.needed.node_count]) for one in found)
    show = partial(
        answer_of, months=months, read=read, loads=loads_of(one for one in own if one.capacity.suffices), params=params
    )
    answers = tuple(show(one, of_kinds) for one, of_kinds in kinds.items())
    shown_best = tuple(show(one) for one in best if one.point.pk in read.rows)
    nearest = () if answers else shown_best[:MOST_NEAREST]
    shown = {answer.candidate.slot for answer in (*answers, *nearest)}
    others = [one for one in ordered if one.slot not in shown]
    results = {one.workload_id: one.results(trusts) for one in known}
    considered = ordered[:MOST_CONSIDERED]
    able_workloads = {one.workload_id for one in able}
    listed = _most(results, able_workloads)
    workloads = Workload.objects.in_bulk({*listed, *(one.workload_id for one in considered)})
    first = (*answers, *nearest)[:1]
    with_answers = replace(result, answers=answers)
    return replace(
        with_answers,
        pool=pool,
        workloads=workloads,
        workload=workloads[first[0].candidate.workload_id] if first else None,
        results=sum(results.values()),
        workloads_count=len([pk for pk in results if results[pk]]),
        nearest=nearest,
        estimates=_worth_knowing(found, with_answers.least_usd),
        best=shown_best,
        considered=tuple(considered),
        considered_count=len(ordered),
        rejected=tuple(others[:MOST_REJECTED]),
        rejected_count=len(others),
        p99_unknown=0 if params.max_p99_ms is None else len(_without_p99(own)),
        unpriced=sum(one.usd_per_month is None for one in ordered),
        stated_left_out=sum(one.price.is_left_out for one in ordered),
        others=tuple(
            OtherWorkload(workloads[pk], results[pk], pk in able_workloads)
            for pk in listed
            if not first or pk != first[0].candidate.workload_id
        ),
        ages=ages_of([answer.row for answer in (*answers, *shown_best)], timezone.now().date()),
    )


def _measured_sizes(shown: Iterable[Candidate], read: Measured) -> list[Sized]:
    return [Sized(one, one.nodes, read.rows.get(one.point.pk)) for one in dict.fromkeys(shown)]


def _estimated_size(estimate: Estimate) -> Sized:
    return Sized(estimate.candidate, estimate.needed.node_count, estimate.base)


def _without_p99(own: Iterable[Candidate]) -> set[Slot]:
    with_p99 = {one.slot for one in own if one.point.has_p99}
    return {one.slot for one in own} - with_p99


def loads_of(own: Iterable[Candidate]) -> dict[Slot, list[Point]]:
    found: dict[Slot, list[Point]] = {}
    for one in own:
        found.setdefault(one.slot, []).append(one.point)
    return found


def answer_of(
    one: Candidate,
    kinds: tuple[Kind, ...] = (),
    *,
    read: Measured,
    loads: Mapping[Slot, Sequence[Point]],
    params: RecommendParams,
    months: Mapping[tuple[Candidate, int], AnswerMonth] = MappingProxyType({}),
) -> Answer:
    row = read.rows[one.point.pk]
    keeping = [point for point in loads.get(one.slot, [one.point]) if point.keeps(params.max_p99_ms)]
    enough = [point for point in keeping if point.rate >= (params.target_ops_s or 0)]
    when_measured = row.hourly_usd * HOURS_PER_MONTH if row.hourly_usd is not None else None
    measured_on = row.measured_at.date() if row.measured_at else None
    return Answer(
        kinds,
        one,
        _at_cost(row, one),
        likelihood(one, read, params),
        at_limit=max(keeping, key=lambda point: point.rate, default=None),
        at_target=min(enough, key=lambda point: point.rate, default=None) if params.target_ops_s else None,
        usd_per_month_when_measured=when_measured,
        priced_at=None if one.hourly_usd is None else params.terms.day or measured_on,
        month=months.get((one, one.nodes)),
    )


def _at_cost(row: Submission, one: Candidate) -> Submission:
    """A copy with the cost that the question asks for."""
    shown = copy(row)
    if cost := one.price.row_cost:
        return at_cost(shown, cost)
    shown.hourly_usd = shown.ops_per_usd = None
    shown.price_missing = one.price.missing or row.price_missing or "no price under this pricing model is known"
    return shown


def _worth_knowing(found: Iterable[Estimate], least_usd: Decimal | None) -> tuple[Estimate, ...]:
    """Where nothing measured is cheaper."""
    return tuple(
        one for one in found if least_usd is None or one.usd_per_month is None or one.usd_per_month < least_usd
    )


def _trust_filter(params: RecommendParams, known: Sequence[Known], trusts: frozenset[str]) -> TrustFilter:
    def count(*levels: Trust) -> int:
        return sum(one.results([level for level in levels if level not in trusts]) for one in known)

    historical = sum(one.results([Trust.HISTORICAL]) for one in known)
    is_historical = Trust.HISTORICAL in trusts and historical > 0
    return TrustFilter(
        params.trust,
        is_historical=is_historical,
        uploaded=count(Trust.UPLOADED),
        historical=count(Trust.HISTORICAL),
        with_log=count(*PROVEN),
    )


def _most(results: Mapping[int, int], able: set[int]) -> list[int]:
    """Those that can answer first, then those with the most results."""
    known = (pk for pk in results if results[pk])
    return sorted(known, key=lambda pk: (pk not in able, -results[pk], pk))[:MOST_OTHERS]

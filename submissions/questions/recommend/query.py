"""What to run: the cheapest, the best value and the fastest of what was measured, within one workload."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial

from django.utils import timezone

from submissions.age.marks import Age
from submissions.choices import PROVEN, Choice, Trust
from submissions.models import Submission, Workload
from submissions.models.data_version import Subject
from submissions.pricing.reprice import at_cost
from submissions.questions.recommend.candidates import (
    Candidate,
    Known,
    costs_at_basis,
    known_workloads,
    priced,
    tallied_workloads,
    trusts_for,
)
from submissions.questions.recommend.extrapolation import Estimate, estimates
from submissions.questions.recommend.form import RecommendParams
from submissions.questions.recommend.outlook import Likelihood, Measured, likelihood, measured
from submissions.questions.recommend.points import Point
from submissions.questions.workload.shelves import Shelf
from submissions.records.ages import ages_of
from submissions.records.cache import cached, cached_of_workloads

FINALISTS = 5  # of each kind; the first whose runs hold on average is the answer
MOST_NEAREST = 3
MOST_OTHERS = 6


class Kind(Choice):
    CHEAPEST = "cheapest"
    BEST_VALUE = "best_value"
    FASTEST = "fastest"


@dataclass(frozen=True, slots=True)
class Answer:
    """A measured result; `row` has the costs of the question's pricing model."""

    kinds: tuple[Kind, ...]  # none of the nearest ones
    candidate: Candidate
    row: Submission
    likelihood: Likelihood


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
    shelf: Shelf
    workload: Workload | None = None
    results: int = 0  # of the workload
    answers: tuple[Answer, ...] = ()  # cheapest first; one may be of several kinds
    nearest: tuple[Answer, ...] = ()  # where there are no answers
    estimates: tuple[Estimate, ...] = ()
    others: tuple[OtherWorkload, ...] = ()
    ages: Mapping[int, Age] = field(default_factory=dict)  # of the results that are shown, by their ids

    @property
    def entries(self) -> list[Entry]:
        """Measured ones first; an answer of several kinds is in it once for each. An estimate is of no kind."""
        found = [Entry(kind, answer) for kind in Kind if (answer := self.answer(kind))]
        return [*found, *(Entry(None, estimate) for estimate in self.estimates[:1])]

    @property
    def nearest_entries(self) -> list[Entry]:
        return [Entry(None, answer) for answer in self.nearest]

    def answer(self, kind: Kind) -> Answer | None:
        return next((answer for answer in self.answers if kind in answer.kinds), None)


def recommend_result(params: RecommendParams, *, tallied: bool) -> RecommendResult:
    """The answer, with its rows; one query while it is cached, three or four with the tally. Raises BadParameter."""
    key = ("recommend", params, timezone.now().date())
    answer = partial(_recommend_result, params, tallied=tallied)
    if not tallied:
        return cached(key, answer, subjects=[Subject.PRICES])
    return cached_of_workloads(tallied_workloads(params), key, answer, subjects=[Subject.PRICES])


def _recommend_result(params: RecommendParams, *, tallied: bool) -> RecommendResult:
    """At most twenty-three queries, whatever the number of results. Raises BadParameter.

    Throughputs of different workloads are not compared. Of those that can answer, the one with the most results does:
    the best documented; without any that can, the best documented of all.
    """
    known = known_workloads(params, tallied=tallied)
    trusts = trusts_for(params, known)
    shelf = _shelf(params, known, trusts)
    reaching = [
        one
        for of_workload in known
        for one in of_workload.candidates(trusts, params, least_rate=params.target_ops_s or 0)
        if one.reaches(params)
    ]
    able = [one for one in priced(reaching, params) if one.is_within_budget(params)]
    able_workloads = {one.workload_id for one in able}
    with_any = able_workloads or {one.workload_id for one in known if any(one.candidates(trusts, params))}
    if not with_any:
        return RecommendResult(params, shelf)
    results = {one.workload_id: one.results(trusts) for one in known}
    chosen = max(with_any, key=lambda pk: (results[pk], pk))
    own = [one for each in known if each.workload_id == chosen for one in each.candidates(trusts, params)]
    answers = _answers([one for one in able if one.workload_id == chosen], params)
    nearest = () if answers else _nearest(own, params)
    workloads = Workload.objects.in_bulk(_most(results, chosen, able_workloads))
    return RecommendResult(
        params=params,
        shelf=shelf,
        workload=workloads[chosen],
        results=results[chosen],
        answers=answers,
        nearest=nearest,
        estimates=_worth_knowing(estimates(own, workloads[chosen], params), answers),
        others=_others(workloads, chosen, results, able_workloads),
        ages=ages_of([answer.row for answer in (*answers, *nearest)], timezone.now().date()),
    )


def _answers(able: Sequence[Candidate], params: RecommendParams) -> tuple[Answer, ...]:
    ranked = {kind: ranking[:FINALISTS] for kind, ranking in _rankings(able, params).items() if ranking}
    finalists = {one.point: one for ranking in ranked.values() for one in ranking}
    if not finalists:
        return ()
    known = measured(finalists.values())
    outlooks = {point: likelihood(one, known, params) for point, one in finalists.items() if point.pk in known.rows}
    kinds: dict[Point, list[Kind]] = {}
    for kind, ranking in ranked.items():
        readable = [one.point for one in ranking if one.point in outlooks]
        holding = [point for point in readable if outlooks[point].holds_on_average] or readable
        if holding:
            kinds.setdefault(_most_likely(kind, holding, finalists, outlooks), []).append(kind)
    rows = _at_costs(known, {point.pk for point in kinds}, params)
    return tuple(Answer(tuple(own), finalists[point], rows[point.pk], outlooks[point]) for point, own in kinds.items())


def _most_likely(
    kind: Kind, ranking: Sequence[Point], finalists: Mapping[Point, Candidate], outlooks: Mapping[Point, Likelihood]
) -> Point:
    """The first; of the cheapest ones that cost the same, the one most likely to hold."""
    first = ranking[0]
    if kind != Kind.CHEAPEST:
        return first
    equal = [point for point in ranking if finalists[point].hourly_usd == finalists[first].hourly_usd]
    return max(equal, key=lambda point: outlooks[point].share or outlooks[point].assumed or 0.0)


def _rankings(able: Sequence[Candidate], params: RecommendParams) -> dict[Kind, list[Candidate]]:
    """The best first. A result that the load tool held to a rate has neither a value nor a capacity."""
    with_price = [one for one in able if one.hourly_usd]
    unheld = [one for one in able if not one.point.is_throttled]
    return {
        Kind.CHEAPEST: sorted(with_price, key=lambda one: (one.hourly_usd or 0, -one.point.rate, -one.point.pk)),
        Kind.BEST_VALUE: sorted(
            (one for one in unheld if one.hourly_usd), key=lambda one: (-_value(one), -one.point.pk)
        ),
        Kind.FASTEST: sorted(unheld, key=lambda one: (-one.point.rate, one.hourly_usd or 0, -one.point.pk)),
    }


def _value(candidate: Candidate) -> Decimal:
    return Decimal(candidate.point.rate) / candidate.hourly_usd if candidate.hourly_usd else Decimal(0)


def _nearest(own: Sequence[Candidate], params: RecommendParams) -> tuple[Answer, ...]:
    """Of the workload, those that miss the question least; of one cluster one."""
    by_cluster: dict[tuple[object, int], Candidate] = {}
    for one in sorted(priced(own, params), key=lambda one: (one.miss(params), one.hourly_usd or 0, -one.point.pk)):
        by_cluster.setdefault((one.key, one.nodes), one)
    nearest = list(by_cluster.values())[:MOST_NEAREST]
    known = measured(nearest)
    rows = _at_costs(known, known.rows, params)
    return tuple(
        Answer((), one, rows[one.point.pk], likelihood(one, known, params)) for one in nearest if one.point.pk in rows
    )


def _worth_knowing(found: Iterable[Estimate], answers: Iterable[Answer]) -> tuple[Estimate, ...]:
    """Where nothing measured is cheaper."""
    measured_usd = min((one.candidate.hourly_usd for one in answers if one.candidate.hourly_usd), default=None)
    return tuple(
        one
        for one in found
        if measured_usd is None or one.cost.hourly_usd is None or one.cost.hourly_usd < measured_usd
    )


def _at_costs(known: Measured, pks: Iterable[int], params: RecommendParams) -> dict[int, Submission]:
    """The rows, with their costs under the pricing model that is asked for."""
    rows = {pk: known.rows[pk] for pk in pks}
    bought = {group.pricing_model for row in rows.values() for group in row.node_groups.all()}
    if bought <= {params.terms.basis}:
        return rows
    costs = costs_at_basis(rows, params)
    return {pk: at_cost(row, costs[pk]) if pk in costs else _unpriced(row) for pk, row in rows.items()}


def _unpriced(row: Submission) -> Submission:
    row.hourly_usd = row.ops_per_usd = None
    row.price_missing = row.price_missing or "no price under this pricing model is known"
    return row


def _shelf(params: RecommendParams, known: Sequence[Known], trusts: frozenset[str]) -> Shelf:
    def count(*levels: Trust) -> int:
        return sum(one.results([level for level in levels if level not in trusts]) for one in known)

    historical = sum(one.results([Trust.HISTORICAL]) for one in known)
    is_historical = Trust.HISTORICAL in trusts and historical > 0
    return Shelf(
        params.trust,
        is_historical=is_historical,
        uploaded=count(Trust.UPLOADED),
        historical=count(Trust.HISTORICAL),
        with_log=count(*PROVEN),
    )


def _most(results: dict[int, int], chosen: int, able: set[int]) -> list[int]:
    known = (pk for pk in results if pk != chosen and results[pk])
    others = sorted(known, key=lambda pk: (pk not in able, -results[pk], pk))
    return [chosen, *others[:MOST_OTHERS]]


def _others(
    workloads: dict[int, Workload], chosen: int, results: dict[int, int], able: set[int]
) -> tuple[OtherWorkload, ...]:
    others = [OtherWorkload(row, results[pk], pk in able) for pk, row in workloads.items() if pk != chosen]
    return tuple(sorted(others, key=lambda one: (not one.able, -one.results, one.workload.pk)))

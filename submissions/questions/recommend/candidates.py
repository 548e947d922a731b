"""Measured clusters of the workloads that a question is about, from the tally or, before it is counted, the rows."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from django.db.models import QuerySet

from submissions.api.forms import BadParameter
from submissions.models import Submission, SubmissionQuerySet, TallyPart, Workload, ids_in
from submissions.pricing.cost import HOURS_PER_MONTH
from submissions.pricing.reprice import RowCost, costs_of_rows
from submissions.questions.recommend.form import RecommendParams
from submissions.questions.recommend.points import Point
from submissions.questions.recommend.tally import RECOMMEND, ClusterKey
from submissions.tallies.growth import are_current
from submissions.tallies.parts import TallyState
from submissions.tallies.shelf import SHELVES, trusts_of

MOST_WORKLOADS = 40  # of one question: those with the most results
MOST_PRICED = 2_000  # results of one question whose price is looked up
_KEYS = 1_000  # of clusters, in a process
_RATE = Point._fields.index("rate")


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a workload."""

    workload_id: int
    state: TallyState

    @property
    def has_proven(self) -> bool:
        return bool(self.state.get("proven"))

    def results(self, trusts: Collection[str]) -> int:
        counted: Mapping[str, int] = self.state.get("n", {})
        return sum(counted.get(trust, 0) for trust in trusts)

    def candidates(
        self, trusts: Collection[str], params: RecommendParams, *, least_rate: float = 0.0
    ) -> Iterable["Candidate"]:
        """Where the question allows, of these levels of trust, of this throughput at least."""
        for text, sizes in self.state.get("clusters", {}).items():
            points = [
                (int(nodes), point)
                for nodes, by_trust in sizes.items()
                for trust, own in by_trust.items()
                if trust in trusts
                for point in own
                if point[_RATE] >= least_rate
            ]
            if not points:  # most clusters of a large workload: their keys are not read
                continue
            key = _cluster_key(text)
            if params.provider in ("", key.provider) and params.region in ("", key.region):
                yield from (Candidate(self.workload_id, key, nodes, Point(*point)) for nodes, point in points)


@lru_cache(_KEYS)
def _cluster_key(text: str) -> ClusterKey:
    """Workloads are measured on the same clusters."""
    return ClusterKey(*json.loads(text))


@dataclass(frozen=True, slots=True)
class Candidate:
    workload_id: int
    key: ClusterKey
    nodes: int
    point: Point
    hourly_usd: Decimal | None = None  # None: unknown, or not looked up

    @property
    def usd_per_month(self) -> Decimal | None:
        return None if self.hourly_usd is None else self.hourly_usd * HOURS_PER_MONTH

    def reaches(self, params: RecommendParams) -> bool:
        """The throughput and the p99, whatever it costs."""
        return self.point.rate >= (params.target_ops_s or 0) and self.point.keeps(params.max_p99_ms)

    def is_within_budget(self, params: RecommendParams) -> bool:
        budget, usd = params.budget_usd_month, self.usd_per_month
        return budget is None or (usd is not None and usd <= budget)

    def miss(self, params: RecommendParams) -> float:
        """By how many times it misses the limit that it misses most; an unknown figure misses by far."""
        usd = self.usd_per_month
        ratios = [
            (params.target_ops_s or 0) / self.point.rate,
            _ratio(self.point.limited_ms if self.point.has_p99 else None, params.max_p99_ms),
            _ratio(None if usd is None else float(usd), params.budget_usd_month),
        ]
        return max(*ratios, 1.0)


UNKNOWN_MISS = 1e9


def _ratio(figure: float | None, limit: float | Decimal | None) -> float:
    if limit is None:
        return 1.0
    return UNKNOWN_MISS if figure is None or not limit else figure / float(limit)


def is_tallied() -> bool:
    """Whether the tally can be read; one query where nothing has happened."""
    return are_current(RECOMMEND)


def tallied_workloads(params: RecommendParams) -> list[int]:
    """As `known_workloads`, from the tally. At most three queries. Raises BadParameter for an unknown workload."""
    return [int(scope) for scope in _parts(params).values_list("scope", flat=True)[:MOST_WORKLOADS]]


def known_workloads(params: RecommendParams, *, tallied: bool) -> list[Known]:
    """Those that the question is about, the ones with the most results first. At most three queries.

    Raises BadParameter for a workload that does not exist.
    """
    if tallied:
        parts = _parts(params).values_list("scope", "state")[:MOST_WORKLOADS]
        return [Known(int(scope), json.loads(state)) for scope, state in parts]
    workload = _workload(params.workload)
    rows = Submission.objects.filter(workload=workload) if workload else Submission.objects.all()
    if params.service:
        rows = rows.filter(service=params.service)
    place = SHELVES.index(params.trust)
    known = [one for one in _of_rows(rows) if params.work in (None, one.state["work"])]
    # as PostgreSQL orders the parts of a tally
    known.sort(key=lambda one: (-RECOMMEND.numbers(one.state)[place][0], str(one.workload_id)))
    return known[:MOST_WORKLOADS]


def trusts_for(params: RecommendParams, known: Iterable[Known]) -> frozenset[str]:
    """Results with a raw log; historical ones where none of the workloads has any other."""
    return trusts_of(params.trust, has_proven=any(one.has_proven for one in known))


def priced(candidates: Sequence[Candidate], params: RecommendParams) -> list[Candidate]:
    """With their costs, those at most MOST_PRICED that are nearest to the question. One query; at other
    prices three more.

    The stored costs are those of the pricing model by which the machines were bought.
    """
    if len(candidates) > MOST_PRICED:
        target = params.target_ops_s or 0
        ascending = sorted(candidates, key=lambda one: (one.point.rate < target, one.point.rate, one.point.pk))
        candidates = [*ascending[: MOST_PRICED // 2], *ascending[-(MOST_PRICED // 2) :]]
    costs = _costs(candidates, params)
    return [Candidate(one.workload_id, one.key, one.nodes, one.point, costs.get(one.point.pk)) for one in candidates]


def costs_at_basis(pks: Collection[int], params: RecommendParams) -> Mapping[int, RowCost]:
    """Of results that are shown. Three queries."""
    return costs_of_rows(_submissions(pks), params.terms).costs


def _costs(candidates: Sequence[Candidate], params: RecommendParams) -> Mapping[int, Decimal]:
    as_asked = [one.point.pk for one in candidates if one.key.bought == params.terms.basis]
    otherwise = [one.point.pk for one in candidates if one.key.bought != params.terms.basis]
    costs: dict[int, Decimal] = {}
    if as_asked:
        stored = _submissions(as_asked).order_by().values_list("pk", "hourly_usd")
        costs.update({pk: usd for pk, usd in stored if usd is not None})
    if otherwise:
        costs.update({pk: cost.hourly_usd for pk, cost in costs_at_basis(otherwise, params).items()})
    return costs


def _submissions(pks: Iterable[int]) -> SubmissionQuerySet:
    """By one parameter: to write a thousand into a statement takes longer than to answer it."""
    return Submission.objects.filter(pk__in=ids_in(pks))


def _parts(params: RecommendParams) -> QuerySet[TallyPart]:
    """Of the tally, those of the workloads that the question is about, the ones with the most results first."""
    parts = TallyPart.objects.filter(tally__name=RECOMMEND.name)
    if workload := _workload(params.workload):
        parts = parts.filter(scope=str(workload.pk))
    if params.service:
        parts = parts.filter(labels__0=params.service)
    if params.work is not None:
        parts = parts.filter(labels__1=params.work.value)
    return parts.order_by(f"-numbers__{SHELVES.index(params.trust)}", "scope")


def _workload(fingerprint: str) -> Workload | None:
    workload = Workload.objects.open().by_fingerprint(fingerprint) if fingerprint else None
    if fingerprint and workload is None:
        raise BadParameter("workload", "there is no such workload", is_missing=True)
    return workload


def _of_rows(rows: SubmissionQuerySet) -> list[Known]:
    states: dict[int, TallyState] = {}
    for row in RECOMMEND.rows(rows).iterator():
        RECOMMEND.add(states.setdefault(row[0], {}), row)
    return [Known(pk, state) for pk, state in states.items()]

"""What a p99 costs: of each database and each kind of work the cheapest measured cluster at usual rates."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from django.utils import timezone

from submissions.aggregates.store import refresh
from submissions.choices import Choice, LatencyKind
from submissions.models.versions.data_version import Subject
from submissions.questions.recommend.candidates import Candidate, Known, known_workloads, pools, trusts_for
from submissions.questions.recommend.form import RecommendParams
from submissions.questions.recommend.outlook import Likelihood, Measured, likelihood, measured
from submissions.questions.recommend.query import Answer, Entry, answer_of, loads_of
from submissions.questions.recommend.ranking.finalists import Kind, chosen, finalists
from submissions.questions.recommend.ranking.priced import priced
from submissions.questions.recommend.ranking.sized import sized
from submissions.questions.recommend.work import Work
from submissions.records.cache import cached

Rows = Mapping[tuple[str, Work | None], Sequence[Sequence[Candidate]]]  # of each row the pools

RATES = (10_000, 50_000, 100_000, 500_000)


class Gap(Choice):
    """Why a cell has no cluster."""

    TOO_SLOW = "too_slow"
    P99_UNKNOWN = "p99_unknown"
    OVER_LIMIT = "over_limit"
    UNPRICED = "unpriced"
    OVER_BUDGET = "over_budget"
    DATA = "data"


@dataclass(frozen=True, slots=True)
class Cell:
    """`params`: the question that it answers. Either `answer` or `gap` is None."""

    params: RecommendParams
    answer: Answer | None
    gap: Gap | None

    @property
    def entry(self) -> Entry | None:
        return None if self.answer is None else Entry(Kind.CHEAPEST, self.answer)


@dataclass(frozen=True, slots=True)
class Row:
    """`work` None: any."""

    service: str
    work: Work | None
    cells: tuple[Cell, ...]  # one for each rate


@dataclass(frozen=True, slots=True)
class GridResult:
    """Databases with the most results first."""

    params: RecommendParams
    rates: tuple[float, ...]
    rows: tuple[Row, ...]

    @property
    def workload_ids(self) -> set[int]:
        return {cell.answer.row.workload_id for cell in self.cells if cell.answer}

    @property
    def cells(self) -> list[Cell]:
        return [cell for row in self.rows for cell in row.cells]


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question and those that may answer it: the cheapest first."""

    params: RecommendParams
    pool: Sequence[Candidate]
    ranking: Sequence[Candidate]
    gap: Gap | None


def grid_result(params: RecommendParams) -> GridResult:
    """Two queries while it is cached. `params` name neither a database nor a workload."""
    refresh()
    key = ("recommend grid", params, timezone.now().date())
    return cached(key, partial(_grid_result, params), subjects=[Subject.PRICES])


def _grid_result(params: RecommendParams) -> GridResult:
    """At most 29 queries, whatever the number of databases: eight for each latency kind of what is shown."""
    rates: tuple[float, ...] = RATES if params.target_ops_s is None else (params.target_ops_s,)
    known = known_workloads(params)
    of_all = {
        (service, work): _by_pool(own, replace(params, service=service, work=work))
        for service, works in _by_service(known).items()
        for work, own in works.items()
    }
    of_rows = _sized(of_all, known, params)
    prices = _priced((one for by_pool in of_rows.values() for own in by_pool for one in own), params, min(rates))
    rows = {
        (service, work): [
            _asked([[prices.get(one, one) for one in own] for own in by_pool], params, service, work, rate)
            for rate in rates
        ]
        for (service, work), by_pool in of_rows.items()
    }
    read = _read(one for asked in rows.values() for cell in asked for one in cell.ranking)
    return GridResult(
        params,
        rates,
        tuple(Row(service, work, tuple(_cell(one, read) for one in own)) for (service, work), own in rows.items()),
    )


def _by_service(known: Sequence[Known]) -> dict[str, dict[Work | None, list[Known]]]:
    """Of each database all of its workloads, then those of each kind of work."""
    counted: dict[str, int] = {}
    with_results = [one for one in known if one.state.get("n")]
    for one in with_results:
        counted[one.state["service"]] = counted.get(one.state["service"], 0) + sum(one.state["n"].values())
    found: dict[str, dict[Work | None, list[Known]]] = {}
    for service in sorted(counted, key=lambda slug: (-counted[slug], slug)):
        own = [one for one in with_results if one.state["service"] == service]
        of_works = {work: [one for one in own if one.state["work"] == work] for work in Work}
        found[service] = {None: own, **{work: those for work, those in of_works.items() if those}}
    return found


def _by_pool(known: Sequence[Known], params: RecommendParams) -> list[list[Candidate]]:
    return list(pools(known, trusts_for(params, known), params).values())


def _sized(of_rows: Rows, known: Sequence[Known], params: RecommendParams) -> Rows:
    """For the data that is asked for, if any: as `sized`, with its one query for all."""
    every = list(dict.fromkeys(one for by_pool in of_rows.values() for pool in by_pool for one in pool))
    of_data = dict(zip(every, sized(every, known, params), strict=True)) if params.data_gib is not None else {}
    return {row: [[of_data.get(one, one) for one in pool] for pool in by_pool] for row, by_pool in of_rows.items()}


def _priced(candidates: Iterable[Candidate], params: RecommendParams, least: float) -> Mapping[Candidate, Candidate]:
    """Of those that may answer a cell: each cluster is priced once, whatever it answers."""
    least_asked = replace(params, target_ops_s=least)
    able = list(dict.fromkeys(one for one in candidates if one.reaches(least_asked)))
    return dict(zip(able, priced(able, least_asked), strict=True))


def _asked(
    by_pool: Sequence[Sequence[Candidate]], params: RecommendParams, service: str, work: Work | None, rate: float
) -> _Asked:
    """As a recommendation chooses: the first pool with an answer."""
    question = replace(params, service=service, work=work, target_ops_s=float(rate))
    for pool in by_pool:
        if able := [one for one in pool if one.answers(question)]:
            ranking = finalists(able).get(Kind.CHEAPEST, ())
            return _Asked(question, pool, ranking, None if ranking else Gap.UNPRICED)
    return _Asked(question, (), (), _gap([one for pool in by_pool for one in pool], question))


def _gap(candidates: Sequence[Candidate], params: RecommendParams) -> Gap:
    fast = [one for one in candidates if one.point.rate >= (params.target_ops_s or 0)]
    if not fast:
        return Gap.TOO_SLOW
    keeping = [one for one in fast if one.point.keeps(params.max_p99_ms)]
    if not keeping:
        return Gap.OVER_LIMIT if any(one.point.has_p99 for one in fast) else Gap.P99_UNKNOWN
    keeping = [one for one in keeping if one.capacity.suffices]
    if not keeping:
        return Gap.DATA
    return Gap.OVER_BUDGET if any(one.hourly_usd is not None for one in keeping) else Gap.UNPRICED


def _read(candidates: Iterable[Candidate]) -> dict[str, Measured]:
    """By latency kind: the noise of a p99 is that of its kind."""
    by_kind: dict[str, list[Candidate]] = {}
    for one in dict.fromkeys(candidates):
        by_kind.setdefault(LatencyKind(one.point.kind), []).append(one)
    return {kind: measured(own) for kind, own in by_kind.items()}


def _cell(asked: _Asked, read: Mapping[str, Measured]) -> Cell:
    def outlook(one: Candidate) -> Likelihood | None:
        known = read[one.point.kind]
        return likelihood(one, known, asked.params) if one.point.pk in known.rows else None

    for one, kinds in chosen({Kind.CHEAPEST: asked.ranking}, outlook).items():
        own = loads_of(each for each in asked.pool if each.slot == one.slot and each.capacity.suffices)
        answer = answer_of(one, kinds, read=read[one.point.kind], loads=own, params=asked.params)
        return Cell(asked.params, answer, None)
    # a result may go while this is made
    return Cell(asked.params, None, asked.gap or Gap.TOO_SLOW)

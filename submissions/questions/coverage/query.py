"""Which database was measured where: results by database and work against provider or machine family, and the gaps."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

from submissions.aggregates.read import labels_by_workload
from submissions.aggregates.trust_filter import levels_of
from submissions.api.facet_field import UNKNOWN
from submissions.choices import Choice, Trust
from submissions.models import Aggregate
from submissions.questions.boards.counts import Counts, board_counts
from submissions.questions.boards.reasons import board_reasons
from submissions.questions.boards.trust_filter import TrustFilter, trust_filter_of
from submissions.questions.coverage.aggregate import COVERAGE
from submissions.questions.coverage.runs import CellRun, RunKey, Runs, possible_runs
from submissions.questions.recommend.work import Work
from submissions.records.cache import cached

MOST_WORKLOADS = 50  # of an opened cell
_WORKS = (*(work.value for work in Work), "")


class By(Choice):
    PROVIDER = "provider"
    MACHINE_FAMILY = "machine_family"


class NoRun(Choice):
    """Why no run of this site can fill a cell."""

    PROVIDER = "provider"
    DATABASE = "database"
    MACHINE = "machine"


@dataclass(frozen=True, slots=True)
class CoverageParams:
    """Empty is no restriction; `work` and `machine_family` may be UNKNOWN."""

    service: str = ""
    provider: str = ""
    work: str = ""
    machine_family: str = ""
    by: By = By.PROVIDER
    trust: Trust | None = None

    def has_row(self, row: "Row") -> bool:
        return self.service in ("", row.service) and self.work in ("", row.work or UNKNOWN)

    def has_place(self, provider: str, family: str | None) -> bool:
        return self.provider in ("", provider) and self.machine_family in ("", family or UNKNOWN)

    @property
    def is_one_cell(self) -> bool:
        return all((self.service, self.work, self.provider, self.machine_family)) and self.by == By.MACHINE_FAMILY


class Row(NamedTuple):
    service: str
    work: str  # empty: unknown

    @property
    def work_or_none(self) -> str | None:
        return self.work or None


class Column(NamedTuple):
    provider: str
    machine_family: str | None = None  # of columns by provider always, else: the machine type has none


class Counted(NamedTuple):
    """The results of a database and a work on a machine family."""

    service: str
    work: str
    provider: str
    machine_family: str | None
    results: int
    newest: str  # ISO 8601, empty where none is dated

    @property
    def row(self) -> Row:
        return Row(self.service, self.work)


@dataclass(frozen=True, slots=True)
class Cell:
    """`run` would fill it, where it is empty."""

    row: Row
    column: Column
    results: int = 0
    newest: datetime | None = None  # measurement that is dated
    machine_families: int = 0  # with results
    run: CellRun | None = None


@dataclass(frozen=True, slots=True)
class CellWorkload:
    fingerprint: str
    title: str
    results: int
    newest: datetime | None


@dataclass(frozen=True, slots=True)
class CoverageResult:
    """`cells` are those with results and those that a run could fill: all others of rows × columns are empty."""

    params: CoverageParams
    rows: tuple[Row, ...]  # databases with most results first
    columns: tuple[Column, ...]  # those with results in most rows first
    cells: Mapping[tuple[Row, Column], Cell]
    counts: Counts  # of the whole site
    trust_filter: TrustFilter
    services: tuple[str, ...]  # that can be chosen
    providers: tuple[str, ...]
    runs: Runs

    def cell(self, row: Row, column: Column) -> Cell:
        return self.cells.get((row, column)) or Cell(row, column)

    @property
    def listed(self) -> list[Cell]:
        return list(self.cells.values())

    @property
    def measured(self) -> list[Cell]:
        return [cell for cell in self.cells.values() if cell.results]

    @property
    def fillable(self) -> list[Cell]:
        return [cell for cell in self.cells.values() if cell.run]

    @property
    def results(self) -> int:
        return sum(cell.results for cell in self.cells.values())

    @property
    def least_usd(self) -> Decimal | None:
        return min((cell.run.expected_usd for cell in self.cells.values() if cell.run), default=None)

    def no_run_because(self, cell: Cell) -> NoRun:
        """Of an empty cell without a run."""
        if cell.column.provider not in self.runs.families:
            return NoRun.PROVIDER
        if not cell.row.work or (cell.row.service, Work(cell.row.work)) not in self.runs.loads:
            return NoRun.DATABASE
        return NoRun.MACHINE


def coverage_result(params: CoverageParams) -> CoverageResult:
    """At most five queries for what is counted, one while it is cached, and those of the runs."""
    counted, counts = cached(("coverage", params.trust), lambda: (_counted(params.trust), _counts(params.trust)))
    runs = possible_runs()
    rows, columns = _rows(params, counted, runs), _columns(params, counted, runs)
    return CoverageResult(
        params=params,
        rows=rows,
        columns=columns,
        cells={(cell.row, cell.column): cell for cell in _cells(params, rows, columns, counted, runs)},
        counts=counts,
        # of many workloads: what is historical by default is beside others
        trust_filter=replace(trust_filter_of(params.trust, counts), is_historical=params.trust == Trust.HISTORICAL),
        services=_most_first(counted, lambda one: one.service, (service for service, _ in runs.loads)),
        providers=_most_first(counted, lambda one: one.provider, runs.families),
        runs=runs,
    )


def workloads_of(params: CoverageParams) -> list[CellWorkload]:
    """Of one cell, those with most results first. One query."""
    work = "" if params.work == UNKNOWN else params.work
    stored = Aggregate.objects.filter(kind=COVERAGE.name, labels__0=params.service, labels__1=work)
    found = []
    for fingerprint, title, labels in stored.values_list("workload__fingerprint", "workload__title", "labels"):
        for one in _of_labels(labels, params.trust):
            if params.has_place(one.provider, one.machine_family):
                found.append(CellWorkload(fingerprint, title, one.results, _at(one.newest)))
    return sorted(found, key=lambda one: (-one.results, one.title))[:MOST_WORKLOADS]


def _counted(trust: Trust | None) -> tuple[Counted, ...]:
    """Of all workloads together. Two queries."""
    together: dict[tuple[str, str, str, str | None], Counted] = {}
    for labels in labels_by_workload(COVERAGE).values():
        for one in _of_labels(labels, trust):
            before = together.get(one[:4])
            together[one[:4]] = one._replace(
                results=one.results + (before.results if before else 0),
                newest=max(one.newest, before.newest if before else ""),
            )
    return tuple(together.values())


def _of_labels(labels: Sequence[Any], trust: Trust | None) -> Iterator[Counted]:
    """The cells of a workload, as its boards take its results."""
    service, work, has_proven, cells = labels
    levels = levels_of(trust, has_proven=has_proven)
    for provider, family, by_trust in cells:
        taken = [own for level, own in by_trust.items() if level in levels]
        if taken:
            results, newest = sum(n for n, _ in taken), max(newest for _, newest in taken)
            yield Counted(service, work, provider, family, results, newest)


def _counts(trust: Trust | None) -> Counts:
    return board_counts(None, board_reasons(trust), trust)


def _rows(params: CoverageParams, counted: Sequence[Counted], runs: Runs) -> tuple[Row, ...]:
    """Every database and work that was measured anywhere, or that a run could measure: gaps are rows too."""
    of_services: Counter[str] = Counter()
    for one in counted:
        of_services[one.service] += one.results
    rows = {one.row for one in counted} | {Row(service, work.value) for service, work in runs.loads}
    chosen = filter(params.has_row, rows)
    return tuple(sorted(chosen, key=lambda row: (-of_services[row.service], row.service, _WORKS.index(row.work))))


def _columns(params: CoverageParams, counted: Sequence[Counted], runs: Runs) -> tuple[Column, ...]:
    """Where anything was measured, or a run could measure; those with results in most rows first."""
    rows: dict[Column, set[Row]] = {}
    of_all: Counter[Column] = Counter()
    for one in counted:
        if params.has_place(one.provider, one.machine_family):
            column = _column(params, one.provider, one.machine_family)
            of_all[column] += one.results
            if params.has_row(one.row):
                rows.setdefault(column, set()).add(one.row)
    for provider, families in runs.families.items():
        for family in families:
            if params.has_place(provider, family):
                of_all[_column(params, provider, family)] += 0

    def order(one: Column) -> tuple[int, int, str, str]:
        return -len(rows.get(one, ())), -of_all[one], one.provider, one.machine_family or ""

    return tuple(sorted(of_all, key=order))


def _column(params: CoverageParams, provider: str, family: str | None) -> Column:
    return Column(provider, family) if params.by == By.MACHINE_FAMILY else Column(provider)


def _cells(
    params: CoverageParams, rows: Sequence[Row], columns: Sequence[Column], counted: Sequence[Counted], runs: Runs
) -> Iterator[Cell]:
    together: dict[tuple[Row, Column], list[Counted]] = {}
    for one in counted:
        if params.has_place(one.provider, one.machine_family):
            place = one.row, _column(params, one.provider, one.machine_family)
            together.setdefault(place, []).append(one)
    places = [(row, column) for row in rows for column in columns]
    keys = {place: key for place in places if place not in together and (key := _run_key(params, *place, runs))}
    priced = runs.priced(list(keys.values()))
    for row, column in places:
        if own := together.get((row, column)):
            newest = _at(max(one.newest for one in own))
            families = len({one.machine_family for one in own if one.machine_family})
            yield Cell(row, column, sum(one.results for one in own), newest, families)
        elif (key := keys.get((row, column))) and (run := priced.get(key)):
            yield Cell(row, column, run=run)


def _run_key(params: CoverageParams, row: Row, column: Column, runs: Runs) -> RunKey | None:
    """What a run would measure there: of a whole provider its usual family. None where no run is possible."""
    family = column.machine_family
    if params.by == By.PROVIDER:
        family = params.machine_family or runs.usual_families.get(column.provider)
    if not row.work or not family:
        return None
    key = RunKey(row.service, Work(row.work), column.provider, family)
    return key if runs.can_run(key) else None


def _most_first(
    counted: Sequence[Counted], name_of: Callable[[Counted], str], others: Iterable[str]
) -> tuple[str, ...]:
    results = Counter(dict.fromkeys(others, 0))
    for one in counted:
        results[name_of(one)] += one.results
    return tuple(sorted(results, key=lambda name: (-results[name], name)))


def _at(text: str) -> datetime | None:
    return datetime.fromisoformat(text) if text else None

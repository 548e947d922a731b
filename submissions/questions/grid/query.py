"""The grid of a choice: both sides of each cell, compared."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from submissions.aggregates.read import states_by_workload
from submissions.analysis.comparison.grid import Cell, Grid, Measurement, Sides, grid
from submissions.choices import Trust
from submissions.facts import SETTINGS
from submissions.questions.boards.counts import Counts
from submissions.questions.boards.trust_filter import TrustFilter, trust_filter_of
from submissions.questions.grid.aggregate import GRID, workload_profiles
from submissions.questions.grid.families import Family, counts_of_values
from submissions.questions.grid.parameters import FactValue, Layout
from submissions.questions.grid.rows import (
    CellKey,
    GridRow,
    RowKey,
    grid_rows,
    grid_submissions,
    has_value,
    on_boards,
    reported_facts,
)

MOST_ROWS = 1_000  # submissions behind a grid, the newest first


@dataclass(frozen=True, slots=True)
class GridChoice:
    """What is compared with what. `unknown` are values in the address that no submission of the family has."""

    layout: Layout
    family: Family
    baseline: FactValue
    variant: FactValue
    unknown: tuple[str, ...] = ()
    trust: Trust | None = None  # the trust filter; None: the default


@dataclass(frozen=True, slots=True)
class GridResult:
    """A grid, its rows and columns in the order of their values, and how many submissions it rests on."""

    choice: GridChoice
    grid: Grid[RowKey, FactValue]
    rows: tuple[RowKey, ...]
    columns: tuple[FactValue, ...]
    fact_names: tuple[str, ...]  # for the indexes in a cell's `differs` and `unknown`
    relative_bases: int  # distinct ones, of the submissions in cells
    historical: int  # submissions in cells that come from articles
    used: int  # submissions in cells
    counts: Counts  # of the submissions with either value
    is_cut: bool  # there are more than MOST_ROWS
    trusts: frozenset[str] = frozenset()  # trust levels of the submissions in cells

    @property
    def trust_filter(self) -> TrustFilter:
        return trust_filter_of(self.choice.trust, self.counts)

    @property
    def cells(self) -> Sequence[Cell]:
        return list(self.grid.cells.values())

    def cell(self, row: RowKey, column: FactValue) -> Cell | None:
        return self.grid.cells.get(CellKey(row, column))

    def row_heading(self, row: RowKey, separator: str = ", ") -> str:
        pairs = zip(self.choice.layout.rows, row, strict=True)
        return separator.join(parameter.heading(value) for parameter, value in pairs)

    def column_heading(self, column: FactValue) -> str:
        return self.choice.layout.columns.heading(column)

    def names(self, indexes: Iterable[int]) -> list[str]:
        return [self.fact_names[index] for index in indexes]


def grid_result(choice: GridChoice) -> GridResult:
    """Six queries."""
    layout = choice.layout
    is_chosen = has_value(layout.varied, choice.baseline) | has_value(layout.varied, choice.variant)
    submissions = grid_submissions().filter(is_chosen, workload__in=choice.family.workload_ids)
    workloads = choice.family.workload_ids
    rows = grid_rows(layout, on_boards(submissions, choice.trust), workloads, MOST_ROWS + 1)
    is_cut, rows = len(rows) > MOST_ROWS, rows[:MOST_ROWS]
    filled = grid(_sides(rows, choice.variant))
    in_cells = {key for cell in filled.cells.values() for key in (*cell.baseline, *cell.variant)}
    used = [row for row in rows if row.pk in in_cells]
    return GridResult(
        choice=choice,
        grid=filled,
        rows=_in_order(layout, filled.row_means),
        columns=tuple(sorted(filled.column_means, key=layout.columns.sort_key)),
        fact_names=(*(parameter.fact.noun for parameter in reported_facts(layout)), SETTINGS.noun),
        relative_bases=len({row.base for row in used if row.base}),
        historical=sum(row.trust == Trust.HISTORICAL for row in used),
        used=len(used),
        counts=_counts(choice),
        is_cut=is_cut,
        trusts=frozenset(row.trust for row in used),
    )


def _counts(choice: GridChoice) -> Counts:
    """Two queries where nothing has changed."""
    states = states_by_workload(GRID, choice.family.workload_ids)
    profiles = [workload_profiles(choice.layout, state) for state in states.values()]
    return counts_of_values(profiles, choice.trust, {choice.baseline, choice.variant})


def _sides(rows: Iterable[GridRow], variant: FactValue) -> dict[tuple[RowKey, FactValue], Sides]:
    cells: dict[CellKey, tuple[list[Measurement], list[Measurement]]] = {}
    for row in rows:
        if row.cell is not None:
            baselines, variants = cells.setdefault(row.cell, ([], []))
            (variants if row.varied == variant else baselines).append(row.measurement)
    return {key: Sides(*sides) for key, sides in cells.items()}


def _in_order(layout: Layout, rows: Iterable[RowKey]) -> tuple[RowKey, ...]:
    def sort_key(row: RowKey) -> list[tuple[object, ...]]:
        return [parameter.sort_key(value) for parameter, value in zip(layout.rows, row, strict=True)]

    return tuple(sorted(rows, key=sort_key))

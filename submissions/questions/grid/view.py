"""A grid of differences as its page shows it: table, chart, sentences, rows for export."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.http import urlencode

from submissions.analysis.compare import Verdict
from submissions.analysis.grid import Cell, Mean
from submissions.formatting.chart_style import with_caveats
from submissions.questions.grid.chart import EMPTY_CELL, HeatCell, grid_heatmap
from submissions.questions.grid.parameters import AXES, VARIED, Layout, Value
from submissions.questions.grid.query import MOST_ROWS, Choice, Family, RowKey, Sides

MOST_SHOWN_ROWS, MOST_SHOWN_COLUMNS = 40, 16
MOST_COMPARED = 6  # submissions that the compare page sets side by side
MOST_FAMILIES = 200
MOST_VALUES = 200
_VERDICT_WORDS = {
    Verdict.BETTER: "more, beyond noise",
    Verdict.WORSE: "less, beyond noise",
    Verdict.WITHIN_NOISE: "within noise",
    Verdict.TOO_FEW_TRIALS: "too few trials to judge",
}


@dataclass(frozen=True, slots=True)
class Shown:
    """A grid with its rows and columns in the order of their values."""

    choice: Choice
    sides: Sides
    address: str  # the query string that reproduces it
    rows: tuple[RowKey, ...]
    columns: tuple[Value, ...]

    def row_heading(self, row: RowKey, separator: str = ", ") -> str:
        pairs = zip(self.choice.layout.rows, row, strict=True)
        return separator.join(parameter.heading(value) for parameter, value in pairs)

    def column_heading(self, column: Value) -> str:
        return self.choice.layout.columns.heading(column)


def shown(choice: Choice, sides: Sides, address: str) -> Shown:
    layout, grid = choice.layout, sides.grid
    rows = sorted(
        grid.row_means,
        key=lambda row: [one.order(value) for one, value in zip(layout.rows, row, strict=True)],
    )
    return Shown(choice, sides, address, tuple(rows), tuple(sorted(grid.column_means, key=layout.columns.order)))


def state(choice: Choice) -> dict[str, str]:
    """The parameters of the address."""
    layout = choice.layout
    return {
        "vary": layout.varied.key,
        "baseline": layout.varied.token(choice.baseline),
        "variant": layout.varied.token(choice.variant),
        "rows": layout.rows[0].key,
        "subrows": layout.rows[1].key if len(layout.rows) > 1 else "none",
        "columns": layout.columns.key,
        "workload": choice.family.fingerprint,
    }


def context(page: Shown, families: Sequence[Family]) -> dict[str, Any]:
    rows, columns = page.rows[:MOST_SHOWN_ROWS], page.columns[:MOST_SHOWN_COLUMNS]
    said = finding(page)
    has_cells = bool(page.sides.grid.cells)
    return {
        **_form(page.choice.layout, families, page.choice.family),
        "state": state(page.choice),
        "shown": page,
        "address": page.address,
        "finding": said,
        "heading": _heading(page.choice),
        "notes": _notes(page),
        "row_title": _row_title(page.choice.layout),
        "column_headings": [page.column_heading(column) for column in columns],
        "table": [_table_row(page, row, columns) for row in rows] if has_cells else [],
        "column_means": [_mean(page.sides.grid.column_means[column]) for column in columns],
        "csv_address": f"{page.address}&format=csv",
        "json_address": f"{page.address}&format=json",
        "not_shown": (len(page.rows) - len(rows), len(page.columns) - len(columns)),
        "figure": with_caveats(_figure(page, rows, columns), caveats(page)) if has_cells else None,
        "has_daggers": any(cell.differs for cell in page.sides.grid.cells.values()),
        **_side_choices(page.choice),
    }


def empty(layout: Layout, families: Sequence[Family], family: Family | None) -> dict[str, Any]:
    """Nothing that could be set against something else."""
    return {**_form(layout, families, family), "is_empty": True, "has_any": any(one.pairs for one in families)}


def finding(page: Shown) -> str:
    choice, grid = page.choice, page.sides.grid
    against = f"{choice.layout.varied.label}: {choice.sides_words}"
    said = f"{against[:1].upper()}{against[1:]}"
    if not grid.cells:
        return f"{said}; no cell of this grid has submissions of both."
    percents = [cell.percent for cell in grid.cells.values()]
    if len(percents) == 1:
        return f"{said}, throughput {signed(percents[0])} in the one cell that has both."
    cells = f"{said}, throughput {signed(min(percents))} to {signed(max(percents))} over {len(percents)} cells"
    if len(grid.row_means) == 1:
        return f"{cells}, {signed(next(iter(grid.row_means.values())).percent)} in their mean."
    least, *_, most = sorted(grid.row_means.items(), key=lambda pair: pair[1].percent)
    return (
        f"{cells}; in the mean of a row from {signed(least[1].percent)} ({page.row_heading(least[0])}) "
        f"to {signed(most[1].percent)} ({page.row_heading(most[0])})."
    )


def signed(percent: float) -> str:
    """With one decimal, as all cells of a grid: 60 -> +60.0 %."""
    shown = f"{abs(percent):,.1f} %"
    if shown == "0.0 %":
        return f"±{shown}"
    return f"{'+' if percent > 0 else '−'}{shown}"


def _form(layout: Layout, families: Sequence[Family], family: Family | None) -> dict[str, Any]:
    offered = list(families[:MOST_FAMILIES])
    if family is not None and family not in offered:
        offered.insert(0, family)
    return {
        "layout": layout,
        "family": family,
        "families": offered,
        "varied_choices": [(key, one.label) for key, one in VARIED.items()],
        "axis_choices": [(key, one.label) for key, one in AXES.items()],
        "subrows": layout.rows[1].key if len(layout.rows) > 1 else "none",
    }


def _side_choices(choice: Choice) -> dict[str, Any]:
    varied = choice.layout.varied
    frequent = sorted(choice.family.values.items(), key=lambda pair: (-pair[1], varied.token(pair[0])))[:MOST_VALUES]
    sides = dict.fromkeys((*(value for value, _ in frequent), choice.baseline, choice.variant))
    return {
        "side_choices": [
            (varied.token(value), varied.words(value), choice.family.values[value])
            for value in sorted(sides, key=varied.order)
        ]
    }


def _heading(choice: Choice) -> str:
    over = " and ".join(one.label for one in (*choice.layout.rows, choice.layout.columns))
    return f"{choice.sides_words}, by {over}"


def _row_title(layout: Layout) -> str:
    return ", ".join(one.label for one in layout.rows)


def _table_row(page: Shown, row: RowKey, columns: Iterable[Value]) -> dict[str, Any]:
    cells = [page.sides.grid.cells.get((row, column)) for column in columns]
    return {
        "heading": page.row_heading(row),
        "cells": [None if cell is None else _table_cell(page, cell) for cell in cells],
        "mean": _mean(page.sides.grid.row_means[row]),
    }


def _mean(mean: Mean) -> dict[str, Any]:
    return {"percent": mean.percent, "n": mean.n, "shown": signed(mean.percent), "colour": colour(mean)}


def _table_cell(page: Shown, cell: Cell) -> dict[str, Any]:
    return {
        "cell": cell,
        "shown": signed(cell.percent),
        "colour": colour(cell),
        "interval": None if cell.interval is None else f"{signed(cell.interval[0])} to {signed(cell.interval[1])}",
        "verdict": _VERDICT_WORDS[cell.verdict],
        "n": _n(cell),
        "differs": _named(page, cell.differs),
        "url": _compare_address(cell),
    }


def colour(one: Cell | Mean) -> str:
    """The class of a cell's colour."""
    if one.strength == 0:
        return "difference-0"
    return f"difference-{'more' if one.strength > 0 else 'less'}-{abs(one.strength)}"


def _n(cell: Cell) -> str:
    """Of the variant, of the baseline."""
    unit = "" if cell.counts_trials else " submissions"
    return f"n = {cell.n[1]}, {cell.n[0]}{unit}".replace(" ", "\u00a0")


def _compare_address(cell: Cell) -> str:
    half = MOST_COMPARED // 2
    numbers = [("s", key) for key in (*cell.baseline[:half], *cell.variant[:half])]
    return f"{reverse('submissions:compare')}?{urlencode(numbers)}"


def _named(page: Shown, places: Iterable[int]) -> str:
    return ", ".join(page.sides.fact_labels[place] for place in places)


def _figure(page: Shown, rows: Sequence[RowKey], columns: Sequence[Value]) -> dict[str, Any]:
    cells = page.sides.grid.cells
    return grid_heatmap(
        [page.row_heading(row, separator="\n") for row in rows],
        [page.column_heading(column) for column in columns],
        [[_heat_cell(page, cells.get((row, column))) for column in columns] for row in rows],
        f"{page.choice.layout.columns.label}; cells in percent",
    )


def _heat_cell(page: Shown, cell: Cell | None) -> HeatCell:
    if cell is None:
        return EMPTY_CELL
    told = _table_cell(page, cell)
    words = (told["interval"] and f"95 % interval {told['interval']}", told["verdict"], told["n"])
    return HeatCell(
        told["shown"].removesuffix(" %"), cell.strength, "\n".join(word for word in words if word), told["url"]
    )


def caveats(page: Shown) -> list[str]:
    cells = page.sides.grid.cells
    if not cells:
        return []
    once = sum(cell.interval is None for cell in cells.values())
    said = []
    if once == len(cells):
        said.append("No cell has two figures on both sides: nothing tells a small difference from noise.")
    elif once:
        said.append(f"{once} of {len(cells)} cells have one figure on a side, and so no interval.")
    if page.sides.relative_bases:
        said.append("Relative figures: each cell by its own source's baseline, not in operations a second.")
    if page.sides.historical:
        said.append(f"{page.sides.historical} of {page.sides.used} submissions are from articles, without a raw log.")
    return [*said, *_otherwise(page)]


def _otherwise(page: Shown) -> list[str]:
    """What else the two sides of a cell differ in, and what nobody knows."""
    cells = list(page.sides.grid.cells.values())
    differing = Counter(place for cell in cells for place in cell.differs)
    unsure = Counter(place for cell in cells for place in cell.unsure)
    said = []
    if differing:
        parts = [f"{page.sides.fact_labels[place]} (in {n} of {len(cells)} cells)" for place, n in differing.items()]
        said.append(f"The two sides of a cell differ in more than is varied: {', '.join(parts)}.")
    else:
        said.append("Nothing else is known to differ between the two sides of a cell.")
    always = [page.sides.fact_labels[place] for place, n in sorted(unsure.items()) if n == len(cells)]
    if always:
        said.append(f"Not told, so not known to be the same: {', '.join(always)}.")
    return said


def _notes(page: Shown) -> list[str]:
    choice, sides = page.choice, page.sides
    varied = choice.layout.varied
    said = [
        f"No submission of these workloads has the {varied.label} “{value}”: the grid shows what there is."
        for value in choice.unknown
    ]
    if sides.doubtful:
        said.append(_count(sides.doubtful, "with a flag that puts the rate in doubt", "is,are", "not counted"))
    if choice.family.unplaced:
        words = "in which a fact that this grid is about is unknown"
        said.append(_count(choice.family.unplaced, words, "has,have", "no place in it"))
    left_out = sum(cell.left_out for cell in sides.grid.cells.values())
    if left_out:
        said.append(
            _count(left_out, "of filled cells", "is,are", "left out: others are more alike to the other side")
            + " A further row parameter would show more of them."
        )
    if sides.is_cut:
        said.append(f"Of more than {MOST_ROWS:,} submissions the newest {MOST_ROWS:,} are counted.")
    return said


def _count(count: int, which: str, verbs: str, what: str) -> str:
    one, many = verbs.split(",")
    return f"{count:,} submission{'' if count == 1 else 's'} {which} {one if count == 1 else many} {what}."

"""A grid of differences as CSV and JSON: a record for each filled cell, percent of the baseline's throughput."""

from typing import Any

from submissions.questions.grid.parameters import Layout, Value
from submissions.questions.grid.view import Shown, caveats, finding, state


def fields(layout: Layout) -> list[str]:
    """The columns of the export."""
    return [
        *(one.key for one in layout.rows), layout.columns.key, "percent", "low_percent", "high_percent", "verdict",
        "p_value", "counted", "n_baseline", "n_variant", "baseline_submissions", "variant_submissions", "differs",
        "not_known", "left_out",
    ]  # fmt: skip


def records(page: Shown) -> list[dict[str, Any]]:
    """A row for each filled cell; percent of the baseline's throughput."""
    layout, labels = page.choice.layout, page.sides.fact_labels
    found = []
    for row in page.rows:
        for column in page.columns:
            cell = page.sides.grid.cells.get((row, column))
            if cell is None:
                continue
            low, high = cell.interval or (None, None)
            found.append(
                {
                    **{one.key: _exported(value) for one, value in zip(layout.rows, row, strict=True)},
                    layout.columns.key: _exported(column),
                    "percent": cell.percent,
                    "low_percent": low,
                    "high_percent": high,
                    "verdict": cell.verdict.value,
                    "p_value": cell.p_value,
                    "counted": "trials" if cell.counts_trials else "submissions",
                    "n_baseline": cell.n[0],
                    "n_variant": cell.n[1],
                    "baseline_submissions": list(cell.baseline),
                    "variant_submissions": list(cell.variant),
                    "differs": [labels[place] for place in cell.differs],
                    "not_known": [labels[place] for place in cell.unsure],
                    "left_out": cell.left_out,
                }
            )
    return found


def json(page: Shown) -> dict[str, Any]:
    choice, grid = page.choice, page.sides.grid
    rows = [{one.key: _exported(v) for one, v in zip(choice.layout.rows, row, strict=True)} for row in page.rows]
    return {
        **{name: value for name, value in state(choice).items() if name not in ("rows", "subrows", "columns")},
        "workload_title": choice.family.title,
        "rows": [one.key for one in choice.layout.rows],
        "columns": choice.layout.columns.key,
        "finding": finding(page),
        "caveats": caveats(page),
        "cells": records(page),
        "row_means": [
            {**named, "percent": grid.row_means[row].percent, "n_cells": grid.row_means[row].n}
            for named, row in zip(rows, page.rows, strict=True)
        ],
        "column_means": [
            {
                choice.layout.columns.key: _exported(column),
                "percent": grid.column_means[column].percent,
                "n_cells": grid.column_means[column].n,
            }
            for column in page.columns
        ],
    }


def _exported(value: Value) -> Any:
    return value[0] if len(value) == 1 else " ".join(str(part) for part in value if part is not None)

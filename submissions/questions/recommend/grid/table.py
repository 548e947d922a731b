"""What a p99 costs as a part of the page of recommendations, while nothing is asked."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from django.http import QueryDict
from django.urls import reverse

from submissions.formatting.charts import Chart
from submissions.formatting.names import service_name
from submissions.questions.recommend.form import LEAST_TARGET_OPS_S, NO_LIMIT, RecommendForm
from submissions.questions.recommend.grid import sentences
from submissions.questions.recommend.grid.chart import charts_of
from submissions.questions.recommend.grid.query import Cell, GridResult, Row, grid_result
from submissions.questions.recommend.ranking.sentences import cluster_words

LIMITS_MS = (1, 5, 10, 20, 50)


@dataclass(frozen=True, slots=True)
class ShownCell:
    cell: Cell
    rate: str
    address: str  # of its question
    cluster: str
    likelihood: str
    gap: str


@dataclass(frozen=True, slots=True)
class ShownRow:
    name: str
    work: str
    is_first: bool  # of its database
    cells: tuple[ShownCell, ...]


def charts(params: QueryDict) -> Sequence[Chart]:
    """None where something is asked, or refused."""
    form = RecommendForm(params)
    if not form.is_valid() or form.is_asked:
        return ()
    return charts_of(_result(form), _address(form))


def table(params: QueryDict) -> dict[str, Any]:
    """The context of templates/submissions/questions/recommend/_grid.html; empty as `charts`."""
    form = RecommendForm(params)
    if not form.is_valid() or form.is_asked:
        return {}
    result = _result(form)
    limit = result.params.max_p99_ms
    api = f"{reverse('api:recommend')}{_address(form)}"
    return {
        "grid": result,
        "finding": sentences.finding(result),
        "limits": [
            *((f"{ms} ms", _address(form, max_p99_ms=ms), limit == ms) for ms in LIMITS_MS),
            ("any", _address(form, max_p99_ms=NO_LIMIT), limit is None),
        ],
        "limit_words": sentences.limit_words(result.params),
        "terms_words": result.params.terms.words,
        "rates": [sentences.rate_words(rate) for rate in result.rates],
        "rows": [_row(form, row) for row in result.rows],
        "cheapest_of_others": _cheapest_of_others(form, result),
        "charts": charts_of(result, _address(form)),
        "csv_address": f"{api}&format=csv",
        "json_address": api,
    }


def _cheapest_of_others(form: RecommendForm, result: GridResult) -> list[tuple[str, str, str]]:
    """Of each database with gaps only: its name, its cheapest cluster at any rate and p99, and that question's address.

    The same table with the least rate and no limit.
    """
    shown = {row.service for row in result.rows if any(cell.answer for cell in row.cells)}
    if all(row.service in shown for row in result.rows):
        return []
    anything = replace(result.params, target_ops_s=LEAST_TARGET_OPS_S, max_p99_ms=None)
    rows = grid_result(anything).rows
    address = partial(form.address, target_ops_s="", max_p99_ms="")
    return [
        (service_name(row.service), words, f"{reverse('submissions:recommend')}{address(service=row.service)}")
        for row in rows
        if row.service not in shown and row.work == result.params.work and (words := sentences.cheapest_words(row))
    ]


def _result(form: RecommendForm) -> GridResult:
    return grid_result(form.grid_params)


def _address(form: RecommendForm, **changes: object) -> str:
    """With the limit that is shown: a form without one means another."""
    limit = form.grid_params.max_p99_ms
    return form.address(**{"max_p99_ms": NO_LIMIT if limit is None else limit, **changes})


def _row(form: RecommendForm, row: Row) -> ShownRow:
    show = partial(_cell, form)
    work = row.work.label if row.work else "any work"
    return ShownRow(service_name(row.service), work, row.work == form.params.work, tuple(map(show, row.cells)))


def _cell(form: RecommendForm, cell: Cell) -> ShownCell:
    asked, answer = cell.params, cell.answer
    limit = "" if asked.max_p99_ms is None else asked.max_p99_ms
    address = form.address(
        service=asked.service, work=asked.work or "", target_ops_s=asked.target_ops_s, max_p99_ms=limit
    )
    return ShownCell(
        cell,
        sentences.rate_words(asked.target_ops_s or 0),
        f"{reverse('submissions:recommend')}{address}",
        cluster_words(answer.row) if answer else "",
        sentences.likelihood_words(answer.likelihood) if answer else "",
        sentences.gap_words(cell),
    )

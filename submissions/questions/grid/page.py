"""Percent difference of a variant against a baseline over two parameters; the address holds the state."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from benchsite.http.from_data import from_data
from submissions.analysis.comparison.grid import Cell, Mean
from submissions.api.forms import BadParameter, redirect_to_api
from submissions.formatting.charts import Chart, shareable
from submissions.models.versions.data_version import Subject
from submissions.questions.boards.trust_filter import CHOICES, TrustFilter, chips, default_words, trust_filter_of_all
from submissions.questions.grid import sentences
from submissions.questions.grid.chart import compare_address, grid_figure
from submissions.questions.grid.families import FamilyChoice
from submissions.questions.grid.form import (
    AXIS_CHOICES,
    FORMATS,
    SUBROW_CHOICES,
    VARIED_CHOICES,
    GridForm,
    GridLayout,
    grid_layout,
    grid_question,
    state,
    with_family,
)
from submissions.questions.grid.parameters import FactValue
from submissions.questions.grid.query import GridChoice, GridResult, grid_result
from submissions.questions.grid.rows import RowKey
from submissions.records.cache import cached_of_workloads
from submissions.records.credits import credits_of_workloads

TEMPLATE = "submissions/questions/grid/page.html"
ANSWER = "submissions/questions/grid/_answer.html"
MOST_SHOWN_ROWS, MOST_SHOWN_COLUMNS = 31, 16  # a chart has at most 500 points
MOST_VALUES = 200


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """As it is sent, and what the fields of the page offer; only of a family without two values it has no `html`."""

    family: FamilyChoice | None
    html: SafeString = SafeString()
    charts: tuple[Chart, ...] = ()  # described
    trust_filter: TrustFilter | None = None
    state: Mapping[str, str] = field(default_factory=dict)
    side_choices: Sequence[tuple[str, str]] = ()
    heading: str = ""
    finding: str = ""
    csv_address: str = ""
    json_address: str = ""


def charts(params: QueryDict) -> Sequence[Chart]:
    form = GridForm(params)
    if not form.is_valid():
        return ()
    try:
        choice = grid_question(form.cleaned_data).choice
    except BadParameter as error:
        raise Http404(error.detail) from error
    return _charts(grid_result(choice)) if choice else ()


@shareable("Comparison grid over two parameters", charts, parameters=GridForm.base_fields)
@from_data(*Subject, parameters=GridForm.base_fields)
@require_safe
def grid(request: HttpRequest) -> HttpResponse:
    if request.GET.get("format") in FORMATS:
        return redirect_to_api(request, "api:grid")
    form = GridForm(request.GET)
    if not form.is_valid():
        return render(request, TEMPLATE, {"problems": form.errors}, status=400)
    try:
        asked = grid_layout(form.cleaned_data)
        answer = _cached_answer(request, form.cleaned_data, asked)
    except BadParameter as error:
        raise Http404(error.detail) from error
    context = _form_context(asked, answer.family) | {"answer": answer, "charts": answer.charts}
    trust_filter = answer.trust_filter or trust_filter_of_all(asked.trust)
    context["chips"] = chips(trust_filter, partial(_trust_address, answer.state))
    context["default_trust"] = default_words(trust_filter)
    return render(request, TEMPLATE, context)


def _cached_answer(request: HttpRequest, params: Mapping[str, Any], asked: GridLayout) -> ShownAnswer:
    """What the page shows of a family, as long as no result of its workloads comes or changes. Raises BadParameter."""

    def answer() -> ShownAnswer:
        question = with_family(params, asked)
        family = question.family.choice if question.family else None
        return shown_answer(request, family, grid_result(question.choice)) if question.choice else ShownAnswer(family)

    members = asked.offered.members(params["workload"])
    key = ("grid page", asked.layout.key, sorted(params.items()), request.get_full_path(), timezone.now().date())
    return cached_of_workloads(members, key, answer) if members else answer()


def _charts(result: GridResult) -> Sequence[Chart]:
    if not result.cells:
        return ()
    figure = grid_figure(result, *_shown_part(result))
    address, subject = _address(result.choice), sentences.heading(result.choice)
    caveats, credits = sentences.caveats(result), credits_of_workloads(result.choice.family.workload_ids)
    return (Chart("grid", figure, sentences.finding(result), caveats, address, subject=subject, credits=credits),)


def _form_context(asked: GridLayout, family: FamilyChoice | None) -> dict[str, Any]:
    families = list(asked.offered.choices)
    if family is not None and family.fingerprint not in {one.fingerprint for one in families}:
        families.insert(0, family)
    return {
        "question": {"family": family, "families": asked.offered.choices, "trust": asked.trust},
        "layout": asked.layout,
        "workloads": asked.offered.members(family.fingerprint) if family else (),
        "varied_choices": VARIED_CHOICES,
        "axis_choices": AXIS_CHOICES,
        "subrow_choices": SUBROW_CHOICES,
        "family_choices": [(family.fingerprint, sentences.family_words(family)) for family in families],
        "trust_choices": CHOICES,
        "has_pairs": any(family.most_cells for family in families),
    }


def shown_answer(request: HttpRequest, family: FamilyChoice | None, result: GridResult) -> ShownAnswer:
    choice, charts = result.choice, _charts(result)
    query = urlencode(state(choice))
    addresses = {
        "csv_address": f"{reverse('api:grid')}?{query}&format=csv",
        "json_address": f"{reverse('api:grid')}?{query}",
    }
    context = {
        "request": request,
        "result": result,
        "charts": charts,
        "notes": sentences.notes(result),
        **(_table(result) if result.cells else {}),
        "vary": choice.layout.varied.key,
        "workload": choice.family.fingerprint,
        **addresses,
    }
    return ShownAnswer(
        family,
        html=render_to_string(ANSWER, context),
        charts=tuple(chart.described for chart in charts),
        trust_filter=result.trust_filter,
        state=state(choice),
        side_choices=_side_choices(choice),
        heading=sentences.heading(choice),
        finding=sentences.finding(result),
        **addresses,
    )


def _table(result: GridResult) -> dict[str, Any]:
    rows, columns = _shown_part(result)
    return {
        "row_title": " / ".join(parameter.fact.label for parameter in result.choice.layout.rows),
        "column_headings": [result.column_heading(column) for column in columns],
        "table": [_table_row(result, row, columns) for row in rows],
        "column_means": [_mean(result.grid.column_means[column]) for column in columns],
        "has_daggers": any(cell.differs for cell in result.cells),
        "method": sentences.METHOD,
        "not_shown": sentences.not_shown(len(result.rows) - len(rows), len(result.columns) - len(columns)),
    }


def _shown_part(result: GridResult) -> tuple[Sequence[RowKey], Sequence[FactValue]]:
    return result.rows[:MOST_SHOWN_ROWS], result.columns[:MOST_SHOWN_COLUMNS]


def _address(choice: GridChoice) -> str:
    return f"?{urlencode(state(choice))}"


def _trust_address(state: Mapping[str, str], trust: str) -> str:
    """Another trust filter may have other values."""
    kept = {name: value for name, value in state.items() if name not in ("baseline", "variant", "trust")}
    return f"?{urlencode({**kept, 'trust': trust} if trust else kept)}"


def _side_choices(choice: GridChoice) -> list[tuple[str, str]]:
    """The most frequent values of what is varied, with the chosen ones, in their order."""
    varied, counts = choice.layout.varied, choice.family.submissions_by_value
    frequent = sorted(counts, key=lambda value: (-counts[value], varied.token(value)))[:MOST_VALUES]
    values = dict.fromkeys((*frequent, choice.baseline, choice.variant))
    return [
        (varied.token(value), f"{varied.words(value)} ({counts[value]:,})")
        for value in sorted(values, key=varied.sort_key)
    ]


def _table_row(result: GridResult, row: RowKey, columns: Sequence[FactValue]) -> dict[str, Any]:
    cells = [result.cell(row, column) for column in columns]
    return {
        "heading": result.row_heading(row),
        "cells": [_table_cell(result, cell) if cell else None for cell in cells],
        "mean": _mean(result.grid.row_means[row]),
    }


def _table_cell(result: GridResult, cell: Cell) -> dict[str, Any]:
    return {
        "percent": sentences.signed_percent(cell.percent),
        "css_class": _css_class(cell),
        "interval": sentences.interval_words(cell),
        "verdict": sentences.VERDICT_WORDS[cell.verdict],
        "counts": sentences.counts_words(cell),
        "differs": ", ".join(result.names(cell.differs)),
        "url": compare_address(cell),
    }


def _mean(mean: Mean) -> dict[str, Any]:
    return {"mean": mean, "percent": sentences.signed_percent(mean.percent), "css_class": _css_class(mean)}


def _css_class(of: Cell | Mean) -> str:
    if of.strength == 0:
        return "difference-0"
    return f"difference-{'more' if of.strength > 0 else 'less'}-{abs(of.strength)}"

"""What was measured where, and what a run of a gap would cost; the address has the state."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from benchsite.http.from_data import from_data
from submissions.api.facet_field import UNKNOWN
from submissions.api.forms import redirect_to_api
from submissions.formatting.charts import Preview, shareable
from submissions.formatting.names import provider_name, service_name
from submissions.models.versions.data_version import Subject
from submissions.questions.boards.trust_filter import CHOICES, chips, default_words
from submissions.questions.coverage import sentences
from submissions.questions.coverage.form import WORKS, CoverageForm
from submissions.questions.coverage.query import (
    By,
    Cell,
    CellWorkload,
    Column,
    CoverageResult,
    Row,
    coverage_result,
    workloads_of,
)

TEMPLATE = "submissions/questions/coverage/page.html"
TITLE = "Coverage: what was measured where"
MOST_COLUMNS = 12  # beside each other
HEAT_FROM = (1, 3, 10, 50)  # results


def preview(params: QueryDict) -> Preview:
    form = CoverageForm(params)
    return _preview(coverage_result(form.params)) if form.is_valid() else Preview(TITLE, sentences.EXPLANATION)


@shareable(TITLE, preview=preview, parameters=CoverageForm.base_fields)
@from_data(*Subject, parameters=CoverageForm.base_fields)
@require_safe
def coverage(request: HttpRequest) -> HttpResponse:
    if request.GET.get("format"):
        return redirect_to_api(request, "api:coverage", without=CoverageForm.page_only)
    form = CoverageForm(request.GET)
    if not form.is_valid():
        return render(request, TEMPLATE, {"problems": form.errors}, status=400)
    result = coverage_result(form.params)
    context = _context(form, result) | (_opened(form, result) if result.params.is_one_cell else _matrix(form, result))
    return render(request, TEMPLATE, context)


def _preview(result: CoverageResult) -> Preview:
    unit = "result" if result.results == 1 else "results"
    return Preview(TITLE, sentences.finding(result), key_figure=(f"{result.results:,}", unit))


def _context(form: CoverageForm, result: CoverageResult) -> dict[str, Any]:
    api = f"{reverse('api:coverage')}{form.address(page='')}"
    return {
        "result": result,
        "preview": _preview(result),
        "finding": sentences.finding(result),
        "caveats": sentences.caveats(result),
        "chips": chips(result.trust_filter, lambda **changes: form.address(page="", **changes)),
        "fields": form.cleaned_data,
        "service_choices": [(slug, service_name(slug)) for slug in result.services],
        "provider_choices": [(slug, provider_name(slug)) for slug in result.providers],
        "work_choices": WORKS,
        "trust_choices": CHOICES,
        "default_trust": default_words(result.trust_filter),
        "is_by_family": result.params.by == By.MACHINE_FAMILY,
        "all_families": form.address(by=By.MACHINE_FAMILY.value, provider="", machine_family="", page=""),
        "all_providers": form.address(by="", provider="", machine_family="", page=""),
        "json_address": api,
        "csv_address": f"{api}{'&' if '=' in api else ''}format=csv",
    }


def _matrix(form: CoverageForm, result: CoverageResult) -> dict[str, Any]:
    """One page of the columns."""
    pages = max(1, -(-len(result.columns) // MOST_COLUMNS))
    page = min(form.cleaned_data["page"] or 1, pages)
    first = (page - 1) * MOST_COLUMNS
    columns = result.columns[first : first + MOST_COLUMNS]
    return {
        "columns": [_heading(form, result, column) for column in columns],
        "table": [_table_row(form, result, row, columns) for row in result.rows],
        "first": first + 1,
        "last": first + len(columns),
        "previous": form.address(page=page - 1) if page > 1 else "",
        "next": form.address(page=page + 1) if page < pages else "",
    }


def _heading(form: CoverageForm, result: CoverageResult, column: Column) -> dict[str, str]:
    provider, is_by_family = provider_name(column.provider), result.params.by == By.MACHINE_FAMILY
    return {
        "name": column.machine_family or sentences.UNKNOWN_FAMILY if is_by_family else provider,
        "provider": provider if is_by_family and not result.params.provider else "",
        "address": "" if is_by_family else form.address(provider=column.provider, by="", page=""),
    }


def _table_row(form: CoverageForm, result: CoverageResult, row: Row, columns: Sequence[Column]) -> dict[str, Any]:
    cells = [_table_cell(form, result, result.cell(row, column)) for column in columns]
    return {
        "service": service_name(row.service),
        "work": sentences.work_words(row.work),
        "name": sentences.row_name(row),
        "cells": cells,
        "gaps": [cell["name"] for cell in cells if not cell["cell"].results and not cell["cell"].run],
    }


def _table_cell(form: CoverageForm, result: CoverageResult, cell: Cell) -> dict[str, Any]:
    return {
        "cell": cell,
        "name": sentences.column_name(cell.column, result.params.by),
        "heat": sum(cell.results >= least for least in HEAT_FROM),
        "address": _cell_address(form, result, cell) if cell.results else "",
    }


def _cell_address(form: CoverageForm, result: CoverageResult, cell: Cell) -> str:
    """Of a provider its families, of a family its workloads."""
    family = (cell.column.machine_family or UNKNOWN) if result.params.by == By.MACHINE_FAMILY else ""
    work = cell.row.work or UNKNOWN
    place = {"provider": cell.column.provider, "machine_family": family or result.params.machine_family}
    return form.address(service=cell.row.service, work=work, by="", page="", **place)


def _opened(form: CoverageForm, result: CoverageResult) -> dict[str, Any]:
    """One cell: its workloads, or how to fill it."""
    params = result.params
    row = Row(params.service, "" if params.work == UNKNOWN else params.work)
    family = None if params.machine_family == UNKNOWN else params.machine_family
    cell = result.cell(row, Column(params.provider, family))
    workloads = workloads_of(params) if cell.results else []
    return {
        "opened": cell,
        "opened_name": f"{sentences.row_name(row)}, on {sentences.column_name(cell.column, By.MACHINE_FAMILY)}",
        "workloads": [
            (workload, _list_address(params.provider, params.machine_family, workload)) for workload in workloads
        ],
        "no_run": "" if cell.results or cell.run else sentences.no_run_sentence(result, cell),
        "siblings": form.address(machine_family="", page=""),
    }


def _list_address(provider: str, machine_family: str, workload: CellWorkload) -> str:
    query = {"workload": workload.fingerprint, "provider": provider, "machine_family": machine_family}
    return f"{reverse('submissions:list')}?{urlencode(query)}"

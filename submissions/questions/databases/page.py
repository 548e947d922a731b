"""Databases under the same load; the address has the state."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from benchsite.http.from_data import from_data
from submissions.api.forms import BadParameter, redirect_to_api
from submissions.formatting.charts import Chart, shareable
from submissions.formatting.names import service_name
from submissions.formatting.text import join_and
from submissions.models.versions.data_version import Subject
from submissions.questions.boards.counts import excluded_sentence
from submissions.questions.boards.trust_filter import CHOICES, DEFAULT, chips
from submissions.questions.databases import sentences
from submissions.questions.databases.chart import MOST_ROWS, databases_figure
from submissions.questions.databases.form import DatabasesForm
from submissions.questions.databases.loads import Load
from submissions.questions.databases.query import DatabasesResult, databases_result
from submissions.records.ages import ages_of
from submissions.records.credits import credits_of

TEMPLATE = "submissions/questions/databases/page.html"


def charts(params: QueryDict) -> Sequence[Chart]:
    """Raises Http404 for an unknown load."""
    form = DatabasesForm(params)
    if not form.is_valid():
        return ()
    try:
        return _charts(form, databases_result(form.params))
    except BadParameter as error:
        raise Http404(str(error)) from error


@shareable("Databases under the same load", charts, parameters=DatabasesForm.base_fields)
@from_data(*Subject, parameters=DatabasesForm.base_fields)
@require_safe
def databases(request: HttpRequest) -> HttpResponse:
    if request.GET.get("format"):
        return redirect_to_api(request, "api:databases")
    form = DatabasesForm(request.GET)
    if not form.is_valid():
        return render(request, TEMPLATE, {"problems": form.errors}, status=400)
    try:
        result = databases_result(form.params)
    except BadParameter as error:
        return render(request, TEMPLATE, {"problems": error.problems}, status=404)
    return render(request, TEMPLATE, _context(form, result))


def _context(form: DatabasesForm, result: DatabasesResult) -> dict[str, Any]:
    load = result.load
    if load is None:
        return {}
    address = partial(form.address, load=load.fingerprint)
    offered = result.offered if load in result.offered else (load, *result.offered)
    api = f"{reverse('api:databases')}{address()}"
    return {
        "result": result,
        "finding": sentences.finding(result),
        "pairs": [(pair, sentences.pair_sentence(pair)) for pair in result.pairs],
        "caveats": sentences.caveats(result),
        "excluded": excluded_sentence(result.counts) if result.counts else "",
        "load_choices": [(one.fingerprint, _label(one)) for one in offered],
        "trust": form.cleaned_data["trust"],
        "trust_choices": CHOICES,
        "default_trust": DEFAULT,
        "chips": chips(result.trust_filter, address),
        "charts": _charts(form, result),
        "most_rows": MOST_ROWS,
        "ages": ages_of([row.submission for row in result.rows], timezone.now().date()),
        "json_address": api,
        "csv_address": f"{api}&format=csv",
    }


def _label(load: Load) -> str:
    return f"{join_and([service_name(service) for service in load.databases])}: {load.title}"


def _charts(form: DatabasesForm, result: DatabasesResult) -> Sequence[Chart]:
    if result.load is None or not result.rows:
        return ()
    query = form.address(load=result.load.fingerprint)
    figure = databases_figure(result)
    return (
        Chart(
            "databases",
            figure,
            sentences.finding(result),
            sentences.caveats(result),
            query,
            subject=result.load.title,
            credits=credits_of(row.submission for row in result.rows),
        ),
    )

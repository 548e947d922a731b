"""The list of series, the form that starts one, and its report, which is live while it is open."""

import json
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from benchsite.http.from_data import not_shared
from benchsite.http.pagination import BadCursor, Ordering, link_to, paginate
from benchsite.http.refusals import Fault, Refusal
from runners.creation import MAY_NOT_START, may_start
from runners.models import Series
from runners.series import creation, progress, sentences
from runners.series.chart import runs_figure
from runners.series.citation import bibtex, citation
from runners.series.form import SeriesForm
from runners.series.presets import READY, offered_series, ready_by_slug
from runners.series.readers import MAY_NOT_CHANGE, NOTHING_MISSING, may_change, visible_cells
from runners.series.report import Report, report_of, scaling_series, varied_words
from runners.views.allowance import allowance_of
from submissions.formatting.charts import Chart
from submissions.formatting.csv import csv_response
from submissions.models import LINK_KEY
from submissions.questions.scaling import sentences as scaling_sentences
from submissions.questions.scaling.chart import MOST_CURVES, series_figure
from submissions.records.unpublished import for_its_readers
from submissions.upload.document_form import place_of
from submissions.upload.publication_form import PublicationForm

_MOST_SIZES = 60  # node counts of a curve
CSV_COLUMNS = (
    *("cell", "values", "repetition", "round", "status", "run", "submission", "throughput_ops_s", "latency_p99_ms"),
    *("hourly_usd", "run_usd", "launched_at"),
)


@not_shared("a run that may be going on")
@require_safe
def series_list(request: HttpRequest) -> HttpResponse:
    """Everybody's series, newest first."""
    rows = Series.objects.visible_to(request.user).select_related("owner")
    try:
        page = paginate(rows, ordering=Ordering("id"), cursor=request.GET.get("cursor"))
    except BadCursor:
        return redirect("runners:series_list")
    context = {
        "page": page,
        "next_address": link_to(request, page.next_cursor),
        "previous_address": link_to(request, page.previous_cursor),
        "ready": offered_series(),
    }
    return render(request, "runners/series/list.html", context)


@not_shared("a form")
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """The form, filled in from a ready series or from another one; its estimate by cell before it starts."""
    if request.method != "POST":
        return _form_page(request, SeriesForm(initial=SeriesForm.initial_of(_initial(request))))
    if not isinstance(request.user, User) or not may_start(request.user):
        raise PermissionDenied(MAY_NOT_START)
    form, readers = SeriesForm(request.POST), PublicationForm(request.POST)
    if not all([form.is_valid(), readers.is_valid()]):
        return _form_page(request, form, readers=readers, status=400)
    content = {**form.content(), **readers.content()}
    try:
        if "start" in request.POST:
            return redirect(creation.create(content, request.user))
        prepared = creation.prepare(content, request.user)
        refusal = creation.refusal_of(prepared, request.user)
        faults: Sequence[Fault] = refusal.faults if refusal else ()
        return _form_page(request, form, faults, readers=readers, estimate=prepared.estimate())
    except Refusal as error:
        others = [fault for fault in error.faults if not readers.take(place_of(fault.pointer), fault.detail)]
        return _form_page(request, form, others, readers=readers, status=400)


def _initial(request: HttpRequest) -> dict[str, Any]:
    like = request.GET.get("like", "")
    if like.isascii() and like.isdigit() and len(like) < 10:
        series = get_object_or_404(Series.objects.visible_to(request.user), pk=int(like))
        vary = [
            {"fields": each["fields"], "values": [row if len(row) > 1 else row[0] for row in each["values"]]}
            for each in series.vary
        ]
        names = ("plan", "repetitions", "order", "clusters", "max_usd", "max_minutes")
        return {**{name: getattr(series, name) for name in names}, "vary": vary}
    ready = ready_by_slug(request.GET.get("ready", "")) or next(iter(offered_series()), READY[0])
    return dict(ready.order)


def _form_page(
    request: HttpRequest,
    form: SeriesForm,
    faults: Sequence[Fault] = (),
    *,
    readers: PublicationForm | None = None,
    estimate: dict[str, Any] | None = None,
    status: int = 200,
) -> HttpResponse:
    context = {
        "form": form,
        "readers": readers or PublicationForm(),
        "faults": faults,
        "estimate": estimate,
        "ready": offered_series(),
        "chosen": request.GET.get("ready", ""),
        "allowance": allowance_of(request.user),
        "may_start": may_start(request.user),
        "may_not_start": MAY_NOT_START,
    }
    return render(request, "runners/series/new.html", context, status=status)


@not_shared("a run that may be going on")
@require_safe
def detail(request: HttpRequest, pk: int) -> HttpResponse:
    """The report of one series."""
    return _report_page(request, pk, "runners/series/detail.html")


@not_shared("a run that may be going on")
@require_safe
def live(request: HttpRequest, pk: int) -> HttpResponse:
    """What changes while a series is open; requested by htmx every few seconds."""
    return _report_page(request, pk, "runners/series/_live.html")


def _report_page(request: HttpRequest, pk: int, template: str) -> HttpResponse:
    series = _series(request, pk)
    report = _report(request, series)
    curves = scaling_series(report)
    address = f"{settings.SITE_URL}{series.get_absolute_url()}"
    context = {
        "series": series,
        "report": report,
        "finding": sentences.finding(report),
        "value_finding": sentences.value_finding(report),
        "caveats": sentences.caveats(report),
        "varied": varied_words(series),
        "machines": sentences.machines(report),
        "plan_json": json.dumps(series.plan, indent=2),
        "charts": _charts(report, curves),
        "scaling": [(curve, scaling_sentences.finding(curve)) for curve in curves],
        "may_change": may_change(series, request.user),
        "compare_address": _compare_address(report),
        "address": address,
        "citation": citation(series, address),
        "bibtex": bibtex(series, address),
        "is_shared": False,  # its charts are embedded nowhere
    }
    return for_its_readers(render(request, template, context), series)


def _compare_address(report: Report) -> str:
    """With the keys of unlisted results."""
    query = [("s", str(result.pk)) for result in report.compared]
    query += [(LINK_KEY, result.link_key or "") for result in report.compared if result.link_query]
    return f"{reverse('submissions:compare')}?{urlencode(query)}"


def _report(request: HttpRequest, series: Series) -> Report:
    against = request.GET.get("against", "")
    reference = int(against) - 1 if against.isascii() and against.isdigit() and len(against) < 4 else None
    return report_of(series, visible_cells(series, request.user), reference)


def _charts(report: Report, curves: Sequence[Any]) -> list[Chart]:
    charts = []
    if report.with_figures:
        charts.append(Chart("runs", runs_figure(report), "Throughput of each run, by cell"))
    if curves:
        first, *others = curves
        figure = series_figure(first, others[: MOST_CURVES - 1], _MOST_SIZES)
        charts.append(Chart("scaling", figure, scaling_sentences.finding(first)))
    return charts


@not_shared("a file is streamed")
@require_safe
def csv(request: HttpRequest, pk: int) -> HttpResponseBase:
    """Every attempt as a line."""
    series = _series(request, pk)
    response = csv_response(CSV_COLUMNS, _lines(_report(request, series)), f"series-{series.pk}")
    return for_its_readers(response, series)


def _lines(report: Report) -> Iterator[Sequence[Any]]:
    words = {each.number: each.words for each in report.combined}
    for attempt in report.attempts:
        cell, run, result = attempt.cell, attempt.run, attempt.submission
        yield (
            *(cell.number + 1, words[cell.number], cell.repetition, cell.round, cell.status),
            *(run and run.pk, result and result.pk, result and result.throughput_ops_s),
            *(result and result.latency_p99_ms, result and result.hourly_usd),
            run and (run.receipt or {}).get("total_usd"),
            run and run.launched_at and run.launched_at.isoformat(),
        )


@login_required
@require_POST
def cancel(request: HttpRequest, pk: int) -> HttpResponse:
    """Its open runs are cancelled, and no other starts."""
    series = _own(request, pk)
    if not series.is_final:
        progress.request_cancel(series)
        messages.info(request, "The series is being cancelled. The machines of its runs are deleted first.")
    return redirect(series)


@login_required
@require_POST
def again(request: HttpRequest, pk: int) -> HttpResponse:
    """Runs the cells without a result again, alone or with their rounds."""
    series = _own(request, pk)
    if not may_start(request.user):
        raise PermissionDenied(MAY_NOT_START)
    runs = progress.run_again(series, whole_rounds="whole_rounds" in request.POST)
    if runs:
        messages.info(request, f"{runs} more {'run' if runs == 1 else 'runs'} will start.")
    else:
        messages.error(request, f"Nothing runs again: {NOTHING_MISSING}.")
    return redirect(f"{reverse('runners:series_detail', args=[series.pk])}")


def _series(request: HttpRequest, pk: int) -> Series:
    return get_object_or_404(Series.objects.visible_to(request.user).select_related("owner"), pk=pk)


def _own(request: HttpRequest, pk: int) -> Series:
    series = _series(request, pk)
    if not may_change(series, request.user):
        raise PermissionDenied(MAY_NOT_CHANGE)
    return series

"""A chart of a page by itself: for a frame on another site, and as numbers."""

import csv
from io import StringIO
from typing import Any
from urllib.parse import quote

from csp.constants import NONE
from csp.decorators import csp_replace
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from submissions.formatting.csv import cell
from submissions.sharing import chart_numbers, page_charts
from submissions.sharing import links as sharing

KEPT_SECONDS = 300
MOST_BYTES = 2_000_000  # of a page that stands inside another one
EXTENSIONS = ("csv", "json")


@require_safe
@xframe_options_exempt
@csp_replace({"frame-ancestors": ["*"], "form-action": [NONE]})
def embed(request: HttpRequest, key: str, page: str = "") -> HttpResponse:
    """The only page that another site may frame: no session, no cookie, nothing to press but links."""
    context: dict[str, Any] = {}
    try:
        view = _view(request, page)
        chart = page_charts.chart_of(request, view, key)
        context = {"chart": chart, "view": view, "address": request.build_absolute_uri(view.path)}
    except Http404 as error:
        context = {"problem": str(error)}
    # without the request: its context processors would look at the visitor's account
    html = render_to_string("submissions/sharing/embed.html", context)
    if len(html) > MOST_BYTES:
        context = {"problem": "This chart is too large for a frame."}
        html = render_to_string("submissions/sharing/embed.html", context)
    return _kept(HttpResponse(html, status=404 if "problem" in context else 200))


@require_safe
def numbers(request: HttpRequest, key: str, extension: str, page: str = "") -> HttpResponse:
    """What a chart draws, as CSV or JSON."""
    if extension not in EXTENSIONS:
        raise Http404(f"The numbers of a chart are there as {' and '.join(EXTENSIONS)}.")
    view = _view(request, page)
    chart = page_charts.chart_of(request, view, key)
    if extension == "csv":
        return _kept(_csv(chart))
    content = {
        "title": view.title,
        "finding": chart.finding,
        "address": request.build_absolute_uri(view.path),
        "caveats": list(chart.caveats),
        "columns": chart_numbers.COLUMNS,
        "rows": list(chart_numbers.rows(chart.figure)),
    }
    return _kept(JsonResponse(content))


def _view(request: HttpRequest, page: str) -> sharing.View:
    query = request.META.get("QUERY_STRING", "")
    address = f"/{quote(page)}?{query}" if query else f"/{quote(page)}"
    try:
        return sharing.known_view(address)
    except sharing.NotShareableError as error:
        raise Http404(str(error)) from error


def _csv(chart: page_charts.PageChart) -> HttpResponse:
    text = StringIO()
    writer = csv.writer(text)
    writer.writerow(chart_numbers.COLUMNS)
    writer.writerows([cell(value) for value in row] for row in chart_numbers.rows(chart.figure))
    response = HttpResponse(text.getvalue(), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{chart.key}.csv"'
    return response


def _kept(response: HttpResponse) -> HttpResponse:
    """Alike for everybody: a cache may keep it."""
    response["Cache-Control"] = f"public, max-age={KEPT_SECONDS}"
    return response

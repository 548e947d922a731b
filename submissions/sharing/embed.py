"""A chart of a page on its own: in a frame on another site, and as numbers."""

from typing import Any, TypeVar
from urllib.parse import quote

from csp.constants import NONE
from csp.decorators import csp_replace
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.template.loader import render_to_string
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from submissions.formatting.csv import csv_response
from submissions.sharing.chart_numbers import COLUMNS, rows
from submissions.sharing.links import NotShareableError, View, known_view
from submissions.sharing.registry import chart_at

CACHE_SECONDS = 300
MAX_FRAME_BYTES = 2_000_000
EXTENSIONS = ("csv", "json")

Response = TypeVar("Response", bound=HttpResponseBase)


@require_safe
@xframe_options_exempt
@csp_replace({"frame-ancestors": ["*"], "form-action": [NONE]})
def embed(request: HttpRequest, key: str, page: str = "") -> HttpResponse:
    """The only page that another site may frame: no session, no cookie, nothing to press but links."""
    context: dict[str, Any] = {}
    try:
        view = _view(request, page)
        chart = chart_at(request, view, key)
        context = {"chart": chart, "view": view, "address": request.build_absolute_uri(view.path)}
    except Http404 as error:
        context = {"problem": str(error)}
    # without the request: its context processors would look at the visitor's account
    html = render_to_string("submissions/sharing/embed.html", context)
    if len(html) > MAX_FRAME_BYTES:
        context = {"problem": "This chart is too large for a frame."}
        html = render_to_string("submissions/sharing/embed.html", context)
    return _cacheable(HttpResponse(html, status=404 if "problem" in context else 200))


@require_safe
def numbers(request: HttpRequest, key: str, extension: str, page: str = "") -> HttpResponseBase:
    """What a chart draws, as CSV or JSON."""
    if extension not in EXTENSIONS:
        raise Http404(f"The numbers of a chart are available as {' and '.join(EXTENSIONS)}.")
    view = _view(request, page)
    chart = chart_at(request, view, key)
    if extension == "csv":
        return _cacheable(csv_response(COLUMNS, rows(chart.figure), f"{chart.key}.csv"))
    content = {
        "title": view.title,
        "finding": chart.label,
        "address": request.build_absolute_uri(view.path),
        "caveats": list(chart.shown_caveats),
        "columns": COLUMNS,
        "rows": list(rows(chart.figure)),
    }
    return _cacheable(JsonResponse(content))


def _view(request: HttpRequest, page: str) -> View:
    query = request.META.get("QUERY_STRING", "")
    address = f"/{quote(page)}?{query}" if query else f"/{quote(page)}"
    try:
        return known_view(address)
    except NotShareableError as error:
        raise Http404(str(error)) from error


def _cacheable(response: Response) -> Response:
    """The same for everybody: a cache may store it."""
    response["Cache-Control"] = f"public, max-age={CACHE_SECONDS}"
    return response

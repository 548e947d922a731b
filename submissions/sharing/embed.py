"""A chart of a page on its own, in a frame on another site; and where its numbers are."""

from typing import Any
from urllib.parse import quote

from csp.constants import NONE
from csp.decorators import csp_replace
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from benchsite.http.from_data import from_data, not_shared
from submissions.models.versions.data_version import Subject
from submissions.records.unpublished import for_readers_of
from submissions.sharing.links import NotShareableError, View, known_view

CACHE_SECONDS = 300
MAX_FRAME_BYTES = 2_000_000
EXTENSIONS = ("csv", "json")


@from_data(*Subject)
@require_safe
@xframe_options_exempt
@csp_replace({"frame-ancestors": ["*"], "form-action": [NONE]})  # type: ignore[arg-type]
def embed(request: HttpRequest, key: str, page: str = "") -> HttpResponse:
    """The only page that another site may frame: no session, no cookie, nothing to press but links."""
    context: dict[str, Any] = {}
    try:
        view = _view(request, page)
        chart = view.chart(key)
        context = {"chart": chart, "view": view, "address": request.build_absolute_uri(view.path)}
    except Http404 as error:
        context = {"problem": str(error)}
    # without the request: its context processors would look at the visitor's account
    html = render_to_string("submissions/sharing/embed.html", context)
    if len(html) > MAX_FRAME_BYTES:
        context = {"problem": "This chart is too large for a frame."}
        html = render_to_string("submissions/sharing/embed.html", context)
    response = HttpResponse(html, status=404 if "problem" in context else 200)
    return for_readers_of(request.get_full_path(), response, cache_seconds=CACHE_SECONDS)


@not_shared("a redirect")
@require_safe
def numbers(request: HttpRequest, key: str, extension: str, page: str = "") -> HttpResponseRedirect:
    """What a chart draws, as CSV or JSON: its address in the API."""
    if extension not in EXTENSIONS:
        raise Http404(f"The numbers of a chart are available as {' and '.join(EXTENSIONS)}.")
    return HttpResponseRedirect(numbers_address(_view(request, page), key, extension))


def numbers_address(view: View, key: str, extension: str) -> str:
    """Where the numbers of a chart of the page are."""
    return f"{reverse('api:chart')}?{urlencode({'page': view.path, 'key': key, 'format': extension})}"


def figure_address(view: View, key: str) -> str:
    """Where what a chart of the page draws is, for the library that draws it again."""
    return f"{reverse('api:chart')}?{urlencode({'page': view.path, 'key': key, 'figure': 'true'})}"


def _view(request: HttpRequest, page: str) -> View:
    query = request.META.get("QUERY_STRING", "")
    address = f"/{quote(page)}?{query}" if query else f"/{quote(page)}"
    try:
        return known_view(address)
    except NotShareableError as error:
        raise Http404(str(error)) from error

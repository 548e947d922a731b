"""The picture of a page, for links to it: 1200 x 630 pixels, made of what a visitor without an account sees."""

from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import quote, urlsplit

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.views.decorators.http import conditional_page, require_safe

from benchsite.http.from_data import from_data
from submissions.charts.png import Card, card_png
from submissions.formatting.charts import Preview
from submissions.models import LINK_KEY, MAX_ID
from submissions.models.versions.data_version import Subject
from submissions.records.unpublished import MOST_KEYS, for_readers_of, keys_of, opening_keys
from submissions.sharing.links import NotShareableError, View, known_view
from submissions.sharing.previews import card_path, normal_path

CACHE_SECONDS = 3600  # sites that show it keep a copy for longer
ABOUT = "The public record of what a database costs to run fast."


@from_data(*Subject)
@require_safe
@conditional_page
def card(request: HttpRequest, page: str = "") -> HttpResponse:
    """A picture has one address, and others lead there, so that nobody has it drawn again and again."""
    view = _with_counting_keys(_view(request, page))
    if request.get_full_path() != card_path(view):
        response: HttpResponse = HttpResponseRedirect(card_path(view))
    else:
        response = HttpResponse(card_png(card_of(view)), content_type="image/png")
    return for_readers_of(request.get_full_path(), response, cache_seconds=CACHE_SECONDS)


def _with_counting_keys(view: View) -> View:
    """Only with keys that open a result of the page: any other one changes as little as an unknown parameter."""
    if LINK_KEY not in view.params:
        return view
    params = view.params.copy()
    params.setlist(LINK_KEY, list(opening_keys(keys_of(view.path), _numbers(view))))
    path, _, _ = view.path.partition("?")
    return replace(view, path=f"{path}?{params.urlencode()}" if params else path)


def _numbers(view: View) -> Sequence[int]:
    """Of the results that the page is about, the one of its path and those of a comparison."""
    given = [str(view.path_values.get("pk", "")), *view.params.getlist("s")][: MOST_KEYS + 1]
    numbers = [int(text) for text in given if text.isascii() and text.isdigit() and len(text) <= len(str(MAX_ID))]
    return [number for number in numbers if number <= MAX_ID]


def card_of(view: View) -> Card:
    """Raises Http404 where the page does."""
    preview = view.preview() or Preview(view.title, ABOUT)
    return Card(
        title=preview.title,
        finding=preview.finding,
        address=_typed(view),
        day=timezone.now().date().isoformat(),
        figure=preview.chart.figure if preview.chart else None,
        key_figure=preview.key_figure,
        credits=preview.credits_line,
    )


def _typed(view: View) -> str:
    """The address as readers type it; who gets the picture of an unlisted result cannot open the result by it."""
    path, _, query = normal_path(view).partition("?")
    kept = "&".join(pair for pair in query.split("&") if not pair.startswith(f"{LINK_KEY}="))
    return f"{urlsplit(settings.SITE_URL).netloc}{path}{'?' if kept else ''}{kept}"


def _view(request: HttpRequest, page: str) -> View:
    query = request.META.get("QUERY_STRING", "")
    try:
        return known_view(f"/{quote(page)}{'?' if query else ''}{query}")
    except NotShareableError as error:
        raise Http404(str(error)) from error

"""oEmbed: what another site shows where one of its writers has put a link to a page (oembed.com)."""

import json
from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.views.decorators.http import require_safe

from benchsite.http.from_data import from_data
from benchsite.http.problems import problem
from benchsite.http.refusals import Fault
from submissions.api.number_fields import OrdinalField
from submissions.charts.png import HEIGHT, WIDTH
from submissions.formatting.charts import Chart
from submissions.models.short_link import LONGEST_PATH
from submissions.models.versions.data_version import Subject
from submissions.records.unpublished import for_readers_of
from submissions.sharing.embed import CACHE_SECONDS
from submissions.sharing.links import NotShareableError, View, known_view
from submissions.sharing.previews import absolute, card_path

FRAME_PIXELS = 190  # around the drawing: the finding and the link back
CAVEAT_PIXELS = 22
DEFAULT_WIDTH = 800
FEWEST_PIXELS, MOST_PIXELS = 100, 10_000
NOT_HERE = "is no public page of this site"


class OEmbedForm(forms.Form):
    url = forms.CharField(max_length=LONGEST_PATH + 300)
    maxwidth = OrdinalField(required=False, min_value=FEWEST_PIXELS, max_value=MOST_PIXELS)
    maxheight = OrdinalField(required=False, min_value=FEWEST_PIXELS, max_value=MOST_PIXELS)
    format = forms.CharField(required=False, max_length=20)


@from_data(*Subject, parameters=OEmbedForm.base_fields)
@require_safe
def oembed(request: HttpRequest) -> HttpResponse:
    form = OEmbedForm(request.GET)
    if not form.is_valid():
        return problem(400, [Fault(f"#/{name}", str(text)) for name, texts in form.errors.items() for text in texts])
    if form.cleaned_data["format"] not in ("", "json"):
        # of the specification, which has this status for a format that a site does not have
        return HttpResponse("This site answers as JSON only.\n", status=501, content_type="text/plain; charset=utf-8")
    try:
        view = _view(form.cleaned_data["url"])
        answer = _answer(view, form.cleaned_data["maxwidth"], form.cleaned_data["maxheight"])
    except (NotShareableError, Http404):
        return problem(404, [Fault("#/url", NOT_HERE)])
    return for_readers_of(
        view.path, HttpResponse(json.dumps(answer), content_type="application/json"), cache_seconds=CACHE_SECONDS
    )


def frame_height(chart: Chart) -> int:
    """Of a frame with this chart, its finding, its caveats and credits, in CSS pixels."""
    return chart.height + FRAME_PIXELS + CAVEAT_PIXELS * (len(chart.shown_caveats) + bool(chart.credits))


def frame_path(view: View, chart: Chart) -> str:
    """Where a chart of the page is on its own."""
    return f"{reverse('submissions:embed', args=[chart.key])}{view.path.removeprefix('/')}"


def frame(address: str, chart: Chart, width: int | str, height: int) -> str:
    """The HTML that shows the chart at this address on another site."""
    html = '<iframe src="{}" title="{}" width="{}" height="{}" loading="lazy"></iframe>'
    return str(format_html(html, address, chart.label, width, height))


def _view(address: str) -> View:
    """Raises NotShareableError for another site's address."""
    try:
        parts = urlsplit(address)
    except ValueError as error:
        raise NotShareableError(NOT_HERE) from error
    if f"{parts.scheme}://{parts.netloc}" != settings.SITE_URL:
        raise NotShareableError(NOT_HERE)
    return known_view(f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}")


def _answer(view: View, most_width: int | None, most_height: int | None) -> dict[str, Any]:
    """Raises Http404 where the page does."""
    charts = view.charts()
    preview = view.preview(charts)
    answer = {
        "version": "1.0",
        "type": "rich" if charts else "link",
        "title": preview.title if preview else view.title,
        "provider_name": "Benchsite",
        "provider_url": absolute("/"),
        "cache_age": CACHE_SECONDS,
        **_thumbnail(view, most_width, most_height),
    }
    if charts:
        width = min(DEFAULT_WIDTH, most_width or DEFAULT_WIDTH)
        height = min(frame_height(charts[0]), most_height or MOST_PIXELS)  # a lower frame scrolls
        html = frame(absolute(frame_path(view, charts[0])), charts[0], width, height)
        answer |= {"html": html, "width": width, "height": height}
    return answer


def _thumbnail(view: View, most_width: int | None, most_height: int | None) -> dict[str, Any]:
    """None where the card, which has one size, is larger than asked for."""
    if (most_width or WIDTH) < WIDTH or (most_height or HEIGHT) < HEIGHT:
        return {}
    return {"thumbnail_url": absolute(card_path(view)), "thumbnail_width": WIDTH, "thumbnail_height": HEIGHT}

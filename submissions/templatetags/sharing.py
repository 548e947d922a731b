"""Sharing a page: its address for a short link, and the HTML that embeds its charts."""

from collections.abc import Sequence
from dataclasses import dataclass

from django import template
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from submissions.formatting.charts import Chart
from submissions.sharing.links import View, view_of
from submissions.templatetags.charts import page_path

register = template.Library()

FRAME_PIXELS = 190  # around the drawing: the finding and the link back
CAVEAT_PIXELS = 22


@dataclass(frozen=True, slots=True)
class Snippet:
    """HTML that shows a chart of this page on another site."""

    chart: Chart
    address: str
    html: str


@register.simple_tag(takes_context=True)
def shared_view(context: template.Context) -> View | None:
    """This page with the choices that its charts show, so that a link to it keeps showing the same."""
    request = context["request"]
    charts = _charts(context)
    return view_of(page_path(request, charts[0]) if charts else request.get_full_path())


@register.simple_tag(takes_context=True)
def embed_snippets(context: template.Context) -> list[Snippet]:
    request = context["request"]
    with_views = [(chart, view_of(page_path(request, chart))) for chart in _charts(context)]
    return [_snippet(request, view, chart) for chart, view in with_views if view]


def _charts(context: template.Context) -> Sequence[Chart]:
    return context.get("charts") or ()


def _snippet(request: HttpRequest, view: View, chart: Chart) -> Snippet:
    path = f"{reverse('submissions:embed', args=[chart.key])}{view.path.removeprefix('/')}"
    address = request.build_absolute_uri(path)
    html = format_html(
        '<iframe src="{}" title="{}" width="100%" height="{}" loading="lazy"></iframe>',
        address,
        chart.label,
        chart.height + FRAME_PIXELS + CAVEAT_PIXELS * len(chart.shown_caveats),
    )
    return Snippet(chart, address, str(html))

"""What a page says about sharing it: whether it may, and how its charts are embedded."""

from dataclasses import dataclass

from django import template
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from submissions.sharing import links as flow
from submissions.sharing import page_charts
from submissions.sharing.page_charts import PageChart

register = template.Library()

FRAME_PIXELS = 190  # what stands around the drawing: the finding and the link back
CAVEAT_PIXELS = 22


@dataclass(frozen=True, slots=True)
class Snippet:
    """HTML that shows a chart of this page on another site."""

    chart: PageChart
    address: str
    html: str


@register.simple_tag(takes_context=True)
def shared_view(context: template.Context) -> flow.View | None:
    """This page with the choices that its charts show, so that a link to it stays what it was."""
    request = context["request"]
    charts = page_charts.noted(request)
    return flow.view_of(charts[0].path if charts else request.get_full_path())


@register.simple_tag(takes_context=True)
def embed_snippets(context: template.Context) -> list[Snippet]:
    """Of the charts above this place of the page."""
    request = context["request"]
    with_views = [(chart, flow.view_of(chart.path)) for chart in page_charts.noted(request)]
    return [_snippet(request, view, chart) for chart, view in with_views if view]


def _snippet(request: HttpRequest, view: flow.View, chart: PageChart) -> Snippet:
    path = f"{reverse('submissions:embed', args=[chart.key])}{view.path.removeprefix('/')}"
    address = request.build_absolute_uri(path)
    html = format_html(
        '<iframe src="{}" title="{}" width="100%" height="{}" loading="lazy"></iframe>',
        address,
        chart.finding,
        chart.height + FRAME_PIXELS + CAVEAT_PIXELS * len(chart.caveats),
    )
    return Snippet(chart, address, str(html))

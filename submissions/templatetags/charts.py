"""A chart on a page: its box, its numbers for charts.js, its exports and the link that reproduces it."""

from typing import Any
from urllib.parse import urljoin, urlsplit

from django import template
from django.http import HttpRequest

from submissions.formatting.charts import Chart, chart_of
from submissions.sharing import harvest
from submissions.sharing.embed import numbers_address
from submissions.sharing.links import view_of

register = template.Library()

BESIDE = "; the table below has the same numbers"


@register.inclusion_tag("components/chart.html", takes_context=True)
def chart(
    context: template.Context,
    key: str,
    figure: dict[str, Any] | None = None,
    label: str = "",
    link: str = "",
    csv: str = "",
    json: str = "",
) -> dict[str, Any]:
    """{% chart "bars" %}: the chart with that key among the `charts` of the page's context, if it is there.

    `csv` and `json` are the addresses of its numbers; without them they are made of the figure itself. Pages that do
    not have `charts` yet give `figure`, `label` and `link`.
    """
    request = context["request"]
    if figure is not None:
        drawn: Chart | None = _given(request, key, figure, label, link)
    else:
        drawn = chart_of(context.get("charts") or (), key)
    if drawn is None:
        return {}
    view = view_of(page_path(request, drawn))
    return {
        "chart": drawn,
        "figure_key": f"{key}-figure",
        "link": f"{page_path(request, drawn)}#{key}",
        "csv": csv or (view and numbers_address(view, key, "csv")),
        "json": json or (view and numbers_address(view, key, "json")),
    }


def page_path(request: HttpRequest, chart: Chart) -> str:
    """The page with the choices that the chart shows."""
    return f"{request.path}{chart.query}" if chart.query else request.get_full_path()


def _given(request: HttpRequest, key: str, figure: dict[str, Any], label: str, link: str) -> Chart:
    target = urlsplit(urljoin(request.get_full_path(), link))
    is_here = (target.netloc, target.path) == ("", request.path)
    caveats = figure["layout"].get("meta", {}).get("caveats", ())
    query = f"?{target.query}" if is_here and target.query else ""
    given = Chart(key, figure, label.removesuffix(BESIDE), caveats, query)
    harvest.note(request, given)
    return given

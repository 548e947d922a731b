"""A chart on a page: its box, its numbers for charts.js, its exports and the link that reproduces it."""

from typing import Any

from django import template
from django.http import HttpRequest

from submissions.formatting.charts import Chart, chart_of
from submissions.sharing.embed import numbers_address
from submissions.sharing.links import view_of

register = template.Library()


@register.inclusion_tag("components/chart.html", takes_context=True)
def chart(context: template.Context, key: str, csv: str = "", json: str = "") -> dict[str, Any]:
    """{% chart "bars" %}: the chart with that key among the `charts` of the page's context, if it is there.

    `csv` and `json` are the addresses of its numbers; without them they are made of the figure itself, where others
    than the owner of the page may see it: `is_shared` of the context, by default true.
    """
    drawn = chart_of(context.get("charts") or (), key)
    if drawn is None:
        return {}
    path = page_path(context["request"], drawn)
    view = view_of(path) if context.get("is_shared", True) else None
    return {
        "chart": drawn,
        "figure_key": f"{key}-figure",
        "link": f"{path}#{key}",
        "csv": csv or (view and numbers_address(view, key, "csv")),
        "json": json or (view and numbers_address(view, key, "json")),
    }


def page_path(request: HttpRequest, chart: Chart) -> str:
    """The page with the choices that the chart shows."""
    return f"{request.path}{chart.query}" if chart.query else request.get_full_path()

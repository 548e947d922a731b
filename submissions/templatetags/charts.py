"""A chart on a page: its box, its numbers for charts.js, its exports and the link that reproduces it."""

import json
from typing import Any

from django import template
from django.http import HttpRequest
from django.utils import timezone
from django.utils.html import json_script
from django.utils.safestring import SafeString, mark_safe

from benchsite.http.private_parameters import private_of
from submissions.charts.names import picture_name
from submissions.charts.svg import page_svgs
from submissions.formatting.chart_style import SERIES
from submissions.formatting.charts import Chart, chart_of
from submissions.sharing.embed import figure_address, numbers_address
from submissions.sharing.links import view_of

MOST_ON_PAGE = 16_000  # characters of a figure: few of its readers explore it, and a longer one would double its page

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
    figure_key = f"{key}-figure"
    private = private_of(context["request"].META.get("QUERY_STRING", ""))
    script = json_script(drawn.drawing, figure_key)
    is_apart = view is not None and len(script) > MOST_ON_PAGE
    return {
        "chart": drawn,
        "figure_key": figure_key,
        "figure": "" if is_apart else script,
        "figure_address": f"{figure_address(view, key)}{private}" if view is not None and is_apart else "",
        "link": f"{path}#{key}",
        "note": f"{drawn.table[:1].upper()}{drawn.table[1:]}.",
        "file_name": picture_name(path, key, timezone.now().date()),
        "csv": csv or (view and f"{numbers_address(view, key, 'csv')}{private}"),
        "json": json or (view and f"{numbers_address(view, key, 'json')}{private}"),
    }


@register.simple_tag
def drawing(chart: Chart, note: str = "") -> SafeString:
    """The chart as SVG, for a desk and for a phone: CSS shows one of them. `note` ends its description."""
    return mark_safe(page_svgs(chart.figure, chart.key, chart.label, note))  # noqa: S308 - all text in it is escaped


@register.simple_tag
def series_variables() -> SafeString:
    """The CSS variable of each colour that a figure has, as JSON."""
    return mark_safe(json.dumps({colour: name for name, colour in SERIES.items()}))  # noqa: S308 - constants


def page_path(request: HttpRequest, chart: Chart) -> str:
    """The page with the choices that the chart shows."""
    return f"{request.path}{chart.query}" if chart.query else request.get_full_path()

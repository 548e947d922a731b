"""A chart on a page: its box, its numbers for charts.js, its exports and the link that reproduces it."""

from typing import Any

from django import template
from django.urls import reverse

from submissions.formatting.charts import chart_of
from submissions.sharing import links as sharing
from submissions.sharing import page_charts
from submissions.sharing.page_charts import PageChart

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

    `csv` and `json` are where its numbers are; without them they are made of the figure itself. Pages that do not
    have `charts` yet give `figure`, `label` and `link`.
    """
    request = context["request"]
    own = None if figure is not None else chart_of(context["charts"], key)
    if own is not None:
        figure, label, link = own.drawing, own.label, f"{own.query}#{key}"
    if figure is None:
        return {}
    link = link or f"#{key}"
    shown = PageChart(key, figure, label, page_charts.path_of(request, link))
    page_charts.note(request, shown)
    view = sharing.view_of(shown.path)
    return {
        "key": key,
        "figure": figure,
        "figure_key": f"{key}-figure",
        "label": f"{label.removesuffix('.')}{BESIDE}" if own else label,
        "caveats": shown.caveats,
        "link": f"{request.get_full_path()}{link}" if link.startswith("#") else link,
        "csv": csv or (view and numbers_address(view, key, "csv")),
        "json": json or (view and numbers_address(view, key, "json")),
    }


def numbers_address(view: sharing.View, key: str, extension: str) -> str:
    """Where the numbers of a chart of the page are."""
    return f"{reverse('submissions:chart_numbers', args=[key, extension])}{view.path.removeprefix('/')}"

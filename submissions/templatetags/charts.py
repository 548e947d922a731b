"""A chart on a page: its box, its numbers for charts.js, its exports and the link that reproduces it."""

from typing import Any

from django import template
from django.urls import reverse

from submissions.sharing import links as sharing
from submissions.sharing import page_charts
from submissions.sharing.page_charts import PageChart

register = template.Library()


@register.inclusion_tag("components/chart.html", takes_context=True)
def chart(
    context: template.Context,
    key: str,
    figure: dict[str, Any],
    label: str,
    link: str = "",
    csv: str = "",
    json: str = "",
) -> dict[str, Any]:
    """`key` is unique on the page, `label` says in words what the chart shows.

    What `charts.style.with_caveats` put into the figure stands below it, and inside its exported picture.
    `link` reproduces the chart; without one it is the address of the page. `csv` and `json` are where its
    numbers are; without them they are made of the figure itself.
    """
    request = context["request"]
    link = link or f"#{key}"
    shown = PageChart(key, figure, label, page_charts.path_of(request, link))
    page_charts.note(request, shown)
    view = sharing.view_of(shown.path)
    return {
        "key": key,
        "figure": figure,
        "figure_key": f"{key}-figure",
        "label": label,
        "caveats": shown.caveats,
        "link": f"{request.get_full_path()}{link}" if link.startswith("#") else link,
        "csv": csv or (view and numbers_address(view, key, "csv")),
        "json": json or (view and numbers_address(view, key, "json")),
    }


def numbers_address(view: sharing.View, key: str, extension: str) -> str:
    """Where the numbers of a chart of the page are."""
    return f"{reverse('submissions:chart_numbers', args=[key, extension])}{view.path.removeprefix('/')}"

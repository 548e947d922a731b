"""A chart on a page: its box, its numbers for charts.js, its export buttons and the link that reproduces it."""

from typing import Any

from django import template

register = template.Library()


@register.inclusion_tag("submissions/_chart.html", takes_context=True)
def chart(context: template.Context, key: str, figure: dict[str, Any], label: str, link: str = "") -> dict[str, Any]:
    """`key` is unique on the page, `label` says in words what the chart shows.

    What `charts.style.with_caveats` put into the figure stands below it. `link` reproduces the chart;
    without one it is the address of the page.
    """
    return {
        "key": key,
        "figure": figure,
        "figure_key": f"{key}-figure",
        "label": label,
        "caveats": figure["layout"].get("meta", {}).get("caveats", ()),
        "link": link or f"{context['request'].get_full_path()}#{key}",
    }

"""The facets of the list as HTML, built in Python: up to a thousand boxes, kept with their counts."""

from collections.abc import Iterable
from html import escape

from django.utils.safestring import SafeString

from submissions.formatting.text import plural
from submissions.records.list.facets import Facet, FacetValue


def facets_html(facets: Iterable[Facet]) -> SafeString:
    """A field set of each facet that can change anything."""
    return SafeString("\n".join(_field_set(facet) for facet in facets if facet.is_useful))


def _field_set(facet: Facet) -> str:
    return (
        f"<fieldset><legend>{escape(facet.label)}</legend>"
        f"{_boxes(facet.name, facet.shown)}{_more(facet) if facet.more else ''}</fieldset>"
    )


def _more(facet: Facet) -> str:
    hidden = ""
    if facet.hidden_count:
        values = plural(facet.hidden_count, "less frequent value")
        hidden = f'<p class="note">{values} not listed: add another filter to see more.</p>'
    boxes = _boxes(facet.name, facet.more)
    return f"<details><summary>{len(facet.more)} more</summary>{boxes}{hidden}</details>"


def _boxes(name: str, values: Iterable[FacetValue]) -> str:
    return "".join(
        f'<label><input type="checkbox" name="{name}" value="{escape(value.value)}"'
        f"{' checked' if value.is_selected else ''}> "
        f'<span class="value">{escape(value.label)}</span> <span class="count">{value.count}</span></label>'
        for value in values
    )

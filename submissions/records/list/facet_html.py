"""The facets of the list as HTML, built in Python: up to a thousand boxes, kept with their counts."""

from collections.abc import Iterable
from html import escape

from django.utils.safestring import SafeString

from submissions.formatting.text import plural
from submissions.records.list.facets import Facet, FacetValue

# Once for the server and for browsers that filter by themselves
FIELD_SET = "<fieldset><legend>{label}</legend>{shown}{more}</fieldset>"
BOX = (
    '<label><input type="checkbox" name="{name}" value="{value}"{checked}> '
    '<span class="value">{label}</span> <span class="count">{count}</span></label>'
)
MORE = "<details><summary>{count} more</summary>{boxes}{hidden}</details>"
HIDDEN = '<p class="note">{values} not listed: add another filter to see more.</p>'


def facets_html(facets: Iterable[Facet]) -> SafeString:
    """A field set of each facet that can change anything."""
    return SafeString("\n".join(_field_set(facet) for facet in facets if facet.is_useful))


def _field_set(facet: Facet) -> str:
    more = _more(facet) if facet.more else ""
    return FIELD_SET.format(label=escape(facet.label), shown=_boxes(facet.name, facet.shown), more=more)


def _more(facet: Facet) -> str:
    hidden = HIDDEN.format(values=plural(facet.hidden_count, "less frequent value")) if facet.hidden_count else ""
    return MORE.format(count=len(facet.more), boxes=_boxes(facet.name, facet.more), hidden=hidden)


def _boxes(name: str, values: Iterable[FacetValue]) -> str:
    return "".join(
        BOX.format(
            name=name,
            value=escape(value.value),
            checked=" checked" if value.is_selected else "",
            label=escape(value.label),
            count=value.count,
        )
        for value in values
    )

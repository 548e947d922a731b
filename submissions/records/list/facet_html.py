"""The facets of the list as HTML, built in Python: up to a thousand boxes, kept with their counts."""

from collections.abc import Iterable
from functools import lru_cache
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
_BOXES = 4096  # of a process: after a new result, most counts are what they were
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
    return "".join(_box(name, value.value, value.label, value.is_selected, value.count) for value in values)


@lru_cache(_BOXES)
def _box(name: str, value: str, label: str, is_selected: bool, count: int) -> str:
    checked = " checked" if is_selected else ""
    return BOX.format(name=name, value=escape(value), checked=checked, label=escape(label), count=count)

"""Display names and labels in templates: {{ row.provider|provider_name }}, {{ "latency_kind"|fact_heading }}."""

from collections.abc import Sequence
from typing import Protocol

from django import template

from submissions.facts import FACTS
from submissions.formatting import names

register = template.Library()

register.filter(names.provider_name)
register.filter(names.service_name)
register.filter(names.tool_name)
register.filter(names.pack_name)
register.filter(names.place_name)
register.filter(names.cluster_name)
register.filter(names.system_name)


class Labelled(Protocol):
    @property
    def label(self) -> str: ...


@register.filter
def label_at(columns: Sequence[Labelled | str], place: int) -> str:
    """The label of a column, for the cells of its column: {{ metrics|label_at:forloop.counter0 }}."""
    column = columns[place]
    return str(getattr(column, "label", column))  # a choice is a text too


@register.filter
def fact_heading(key: str) -> str:
    """The label of a fact, for a column, a field or a list of facts. Raises KeyError for a key that is none."""
    return FACTS[key].label

"""Display names and labels in templates: {{ row.provider|provider_name }}, {{ "latency_kind"|fact_heading }}."""

from django import template

from submissions.facts import FACTS
from submissions.formatting import names

register = template.Library()

register.filter(names.provider_name)
register.filter(names.service_name)
register.filter(names.tool_name)
register.filter(names.place_name)
register.filter(names.cluster_name)
register.filter(names.system_name)


@register.filter
def fact_heading(key: str) -> str:
    """The label of a fact, for a column, a field or a list of facts. Raises KeyError for a key that is none."""
    return FACTS[key].label

"""Display names in templates: {{ row.provider|provider_name }}, {{ row|system_name }}."""

from django import template

from submissions.formatting import names

register = template.Library()

register.filter(names.provider_name)
register.filter(names.service_name)
register.filter(names.tool_name)
register.filter(names.place_name)
register.filter(names.cluster_name)
register.filter(names.system_name)

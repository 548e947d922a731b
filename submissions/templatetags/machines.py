"""Machine types in templates: {{ machine|disk_words }}, {{ row.provider|machine_address:row.instance_type }}."""

from django import template

from submissions.machines import sentences
from submissions.pricing.machines import addresses

register = template.Library()

register.filter(sentences.disk_words)
register.filter(sentences.verdict_words)
register.filter(addresses.machine_address)

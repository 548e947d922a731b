"""The options of selectors that may have hundreds of them: a template takes longer to render them than a page may."""

from collections.abc import Iterable
from typing import Any

from django import template
from django.utils.formats import localize
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from submissions.questions.workload.choice import WorkloadChoice

register = template.Library()

_OPTION = '<option value="{}"{}>{}</option>'
_SELECTED = SafeString(" selected")


@register.simple_tag
def options(choices: Iterable[tuple[Any, Any]], chosen: Any) -> SafeString:
    """(value, label) of each."""
    rows = ((value, _SELECTED if str(value) == str(chosen) else "", label) for value, label in choices)
    return format_html_join("\n", _OPTION, rows)


@register.simple_tag
def workload_options(workloads: Iterable[WorkloadChoice], chosen: WorkloadChoice | None) -> SafeString:
    """Each with how many results it has."""
    fingerprint = chosen.fingerprint if chosen else None
    labelled = ((one.fingerprint, f"{one.title} ({localize(one.count)})") for one in workloads)
    return options(labelled, fingerprint)

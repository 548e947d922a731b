"""The options of selectors that may have hundreds of them: a template takes longer to render them than a page may."""

from collections.abc import Iterable
from html import escape
from typing import Any

from django import template
from django.utils.formats import localize
from django.utils.safestring import SafeString

from submissions.questions.workload.choice import WorkloadChoice

register = template.Library()


@register.simple_tag
def options(choices: Iterable[tuple[Any, Any]], chosen: Any) -> SafeString:
    """(value, label) of each."""
    selected = str(chosen)
    return SafeString("\n".join(_option(str(value), str(label), selected) for value, label in choices))


def _option(value: str, label: str, selected: str) -> str:
    return f'<option value="{escape(value)}"{" selected" if value == selected else ""}>{escape(label)}</option>'


@register.simple_tag
def workload_options(workloads: Iterable[WorkloadChoice], chosen: WorkloadChoice | None) -> SafeString:
    """Each with how many results it has."""
    fingerprint = chosen.fingerprint if chosen else None
    labelled = ((one.fingerprint, f"{one.title} ({localize(one.count)})") for one in workloads)
    return options(labelled, fingerprint)

"""The options of selectors that may have hundreds of them: a template takes longer to render them than a page may."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from html import escape
from typing import Any

from django import template
from django.utils.formats import localize
from django.utils.safestring import SafeString

from submissions.questions.boards.choice import MOST_CHOICES, WorkloadChoice, choice_labels

register = template.Library()


@register.simple_tag
def options(choices: Iterable[tuple[Any, Any]], chosen: Any) -> SafeString:
    """(value, label) of each."""
    selected = str(chosen)
    return SafeString("\n".join(_option(str(value), str(label), selected) for value, label in choices))


def _option(value: str, label: str, selected: str) -> str:
    return f'<option value="{escape(value)}"{" selected" if value == selected else ""}>{escape(label)}</option>'


@register.simple_tag
def workload_options(workloads: Sequence[WorkloadChoice], chosen: WorkloadChoice | None) -> SafeString:
    """Each with how many results it has. One query, none for workloads in memory."""
    fingerprint = chosen.fingerprint if chosen else None
    labels = choice_labels(workloads)
    return SafeString(
        "\n".join(
            _workload_option(
                one.fingerprint, labels[one.fingerprint], one.count, is_chosen=one.fingerprint == fingerprint
            )
            for one in workloads
        )
    )


@register.filter
def has_most_choices(workloads: Sequence[WorkloadChoice]) -> bool:
    """Whether a selector has as many as it may: there can be others."""
    return len(workloads) >= MOST_CHOICES


@lru_cache(8192)  # those of all selectors: few of them change with an upload
def _workload_option(fingerprint: str, title: str, count: int | None, *, is_chosen: bool) -> str:
    label = title if count is None else f"{title} ({localize(count)})"
    return _option(fingerprint, label, fingerprint if is_chosen else "")

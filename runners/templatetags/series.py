"""How pages print a series: cells by their facts, verdicts in words."""

from collections.abc import Mapping
from typing import Any

from django import template

from runners.choices import RunStatus
from runners.series import paths, sentences
from submissions.analysis.comparison.verdicts import Judgement

register = template.Library()


@register.filter
def cell_words(values: Mapping[str, Any]) -> str:
    """ "threads 8, shared buffers 64MB"."""
    return paths.cell_words(values)


@register.filter
def status_words(status: str) -> str:
    """Of a cell: that of its run, waiting, or skipped."""
    return {each.value: each.label for each in RunStatus}.get(status, status)


@register.filter
def change_words(judgement: Judgement) -> str:
    """ "12 % faster"."""
    return sentences.change_words(judgement)


@register.filter
def interval_words(judgement: Judgement) -> str:
    """ "-2 % to +15 %"."""
    return sentences.interval_words(judgement)

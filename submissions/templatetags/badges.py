"""Trust and flags in a table's row: a dot, and a number."""

from collections.abc import Sequence

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from submissions.choices import Flag, Trust
from submissions.formatting.meanings import TRUST_MEANINGS
from submissions.formatting.text import plural

register = template.Library()


@register.simple_tag
def trust_dot(trust: str) -> SafeString:
    """Filled as the badge of the level is; its label is for who cannot see it."""
    level = Trust(trust)
    return format_html(
        '<span class="dot trust-{}" title="{}: {}"></span><span class="visually-hidden">{}:</span>',
        level.value,
        level.label,
        TRUST_MEANINGS[level],
        level.label,
    )


@register.simple_tag
def flag_count(flags: Sequence[str]) -> SafeString:
    """ "2 flags", with their names in the title; nothing without flags."""
    if not flags:
        return SafeString("")
    names = ", ".join(Flag(flag).label for flag in flags)
    return format_html(
        ' <span class="badge flag" title="{}">{}</span><span class="visually-hidden"> ({})</span>',
        names,
        plural(len(flags), "flag"),
        names,
    )

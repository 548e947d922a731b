"""The age marks of a result as a badge, and in words."""

from collections.abc import Mapping
from dataclasses import dataclass

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from submissions.age.marks import Age
from submissions.age.sentences import all_words, drift_words, meaning, not_known, ordinal, short_words, words_of
from submissions.models import Submission

register = template.Library()


def badge(age: Age | None, label: str = "") -> str:
    """A badge with the marks; their words are its title, and text for who cannot see it. Empty without a mark.

    `label`: one word where there is little room.
    """
    if age is None or not age.marks:
        return ""
    words = "; ".join(all_words(age))
    return format_html(
        ' <span class="badge age" title="{}">{}</span><span class="visually-hidden"> ({})</span>',
        words,
        label or short_words(age),
        words,
    )


@register.simple_tag
def age_badge(ages: Mapping[int, Age] | None, row: Submission, label: str = "") -> SafeString:
    """Of a row whose age is in `ages`."""
    return SafeString(badge(ages.get(row.pk) if ages else None, label))


register.filter("ordinal", ordinal)
register.simple_tag(meaning, name="age_meaning")


@dataclass(frozen=True, slots=True)
class AgeLines:
    marks: tuple[tuple[str, str], ...]  # (label, words)
    price: str  # then and today, where it is known and no mark says it
    not_known: tuple[str, ...]


@register.simple_tag
def age_lines(age: Age) -> AgeLines:
    drift = age.drift
    return AgeLines(
        marks=tuple((mark.label, words_of(age, mark)) for mark in age.marks),
        price=drift_words(drift) if drift and drift.today_usd is not None and not drift.is_marked else "",
        not_known=tuple(not_known(age)),
    )

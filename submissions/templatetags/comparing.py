"""How a comparison is printed: changes, ratios, facts in words."""

from collections.abc import Sequence
from typing import Any, Literal

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from submissions.analysis.comparison.compare import Ratio
from submissions.analysis.comparison.ranking import RankedEntry
from submissions.analysis.comparison.verdicts import Judgement, Verdict
from submissions.formatting import numbers as figures
from submissions.formatting.facts import field_label, field_text
from submissions.formatting.text import unbroken
from submissions.questions.boards import noise_words as verdicts
from submissions.questions.compare.query import Side
from submissions.templatetags.figures import UNKNOWN

register = template.Library()

MOST_UNFOLDED = 110  # characters: about three lines of a column

# A template gives "" to a filter where a name on the way is None.
MaybeRatio = Ratio | RankedEntry | Literal[""] | None

_VERDICT_CLASSES = {Verdict.BETTER: "good", Verdict.WORSE: "bad"}


@register.filter
def beside(sides: Sequence[Side], values: Sequence[Any]) -> list[tuple[Side, Any]]:
    """Each result with its own value of a row."""
    return list(zip(sides, values, strict=True))


@register.filter
def change(fraction: float | None) -> str:
    """0.228 -> +22.8 %; nothing where there is nothing to compare with."""
    if fraction is None:
        return ""
    if round(fraction, 4) == 0:
        return unbroken("±0 %")
    return unbroken(figures.signed_percent(fraction))


@register.filter
def ratio_change(ratio: MaybeRatio) -> str:
    return change(ratio.ratio - 1) if ratio else ""


@register.filter
def times(ratio: MaybeRatio) -> str:
    """2.148 -> 2.15 times."""
    return f"{figures.significant(ratio.ratio)} times" if ratio else ""


@register.filter
def interval(ratio: MaybeRatio) -> str:
    """The ratio's 95 % interval with the noise between runs, as changes."""
    return changes(ratio.judgement.interval) if ratio and ratio.judgement else ""


@register.filter
def changes(ends: tuple[float, float] | None) -> str:
    """(0.9, 1.2) -> −10 % to +20 %."""
    if not ends:
        return ""
    low, high = ends
    return f"{change(low - 1)} to {change(high - 1)}"


@register.filter
def verdict(ratio: MaybeRatio) -> SafeString | str:
    if not ratio or ratio.judgement is None:
        return ""
    word = ratio.judgement.verdict
    return format_html('<span class="{}">{}</span>', _VERDICT_CLASSES.get(word, ""), word.label)


@register.filter
def more_runs(judgement: Judgement) -> str:
    """2 more runs of each."""
    return verdicts.more_runs(judgement)


@register.filter
def noise_words(judgement: Judgement) -> str:
    return verdicts.noise_words(judgement)


@register.filter
def p_value(value: float) -> str:
    """0.0286 -> 0.029; nothing below a thousandth is worth its digits."""
    return "under 0.001" if value < 0.001 else f"{value:.2g}"


@register.filter
def fact_label(field: str) -> str:
    return field_label(field)


@register.simple_tag
def fact_value(field: str, value: Any) -> SafeString | str:
    text = field_text(field, value)
    return UNKNOWN if text is None else text


@register.simple_tag
def folded(text: str) -> SafeString | str:
    """A long text shows its first three lines until it is opened."""
    if len(text) <= MOST_UNFOLDED:
        return text
    return format_html('<details class="folded"><summary><span>{}</span></summary></details>', text)


@register.simple_tag
def folded_value(field: str, value: Any) -> SafeString | str:
    text = field_text(field, value)
    return UNKNOWN if text is None else folded(text)

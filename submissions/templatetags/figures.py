"""How pages print numbers, dates, trust and flags; unknown values are marked as such, never shown as 0."""

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import lru_cache, wraps
from html import escape
from typing import Any, Literal

from django import template
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from submissions import choices
from submissions.api.number_fields import typed
from submissions.choices import Choice, Flag, LatencyKind, Trust
from submissions.formatting import currency, load, p99_words
from submissions.formatting import numbers as figures
from submissions.formatting import text as words
from submissions.formatting.meanings import FLAG_MEANINGS, TRUST_MEANINGS
from submissions.formatting.text import unbroken
from submissions.metrics import LATENCY_P99, OPS_PER_USD, THROUGHPUT, Metric
from submissions.models import Artifact, Submission

register = template.Library()

UNKNOWN = mark_safe(
    '<span class="unknown" title="unknown"><span aria-hidden="true">—</span>'
    '<span class="visually-hidden">unknown</span></span>'
)


# Values of a filter that are printed once a process: those of the pages that people read.
_PRINTED_ONCE = 2048

Filter = Callable[[Any], SafeString]

# A template gives "" to a filter where a name on the way is missing.
MaybeNumber = figures.Number | Literal[""] | None


def _printed_in_currency(shown: Filter) -> Filter:
    """A filter of amounts: equal ones are printed once a process in each currency."""

    @lru_cache(_PRINTED_ONCE, typed=True)
    def printed(value: MaybeNumber, own: currency.Currency) -> SafeString:
        return shown(value)

    @wraps(shown)
    def in_currency(value: MaybeNumber) -> SafeString:
        return printed(value, currency.current())

    return in_currency


@register.filter
@lru_cache(_PRINTED_ONCE, typed=True)
def figure(value: MaybeNumber) -> SafeString:
    """Three significant digits, the exact value in the title."""
    return _shown(value, figures.significant)


@register.filter
def typed_number(value: object) -> str:
    """As the field of a form shows it: 80,000; empty where there is none."""
    return typed(value)


@register.filter
@lru_cache(_PRINTED_ONCE, typed=True)
def rate(value: MaybeNumber) -> SafeString:
    """ "111 k", for a column whose header says ops/s."""
    return _shown(value, figures.compact)


@register.filter
@lru_cache(_PRINTED_ONCE, typed=True)
def ops_s(value: MaybeNumber) -> SafeString:
    """ "111 k ops/s"."""
    return _shown(value, figures.ops_s, " ops/s")


@register.filter
@_printed_in_currency
def millions(value: MaybeNumber) -> SafeString:
    """Operations per dollar in millions, for a column whose header says so; the title has the whole number."""
    return _shown(value, figures.value_in_millions, whole=_whole_value)


@register.filter
@_printed_in_currency
def ops_per_usd(value: MaybeNumber) -> SafeString:
    """ "440 M ops/$"."""
    return _shown(
        value, figures.ops_per_usd, whole=lambda known: f"{_whole_value(known)} ops/{currency.current().unit}"
    )


def _whole_value(per_usd: figures.Number) -> str:
    own = currency.current()
    return figures.exact(per_usd) if own.is_usd else figures.significant(own.per_unit(Decimal(str(per_usd))), 6)


@register.filter
@lru_cache(_PRINTED_ONCE, typed=True)
def ms(value: MaybeNumber) -> SafeString:
    """ "3.0", for a column whose header says ms."""
    return _shown(value, figures.milliseconds)


@register.filter
def of_metric(value: MaybeNumber, metric: Metric) -> SafeString:
    """In the unit of the metric's column: M ops/$, ops/s, ms."""
    shown: SafeString = _BY_METRIC[metric](value)
    return shown


@register.filter
@lru_cache(_PRINTED_ONCE, typed=True)
def latency(value: MaybeNumber) -> SafeString:
    """ "3.0 ms"."""
    return _shown(value, figures.latency, " ms")


@register.filter
@lru_cache(_PRINTED_ONCE, typed=True)
def money(value: MaybeNumber) -> SafeString:
    """USD without the sign, for a column whose header says USD: receipts, and bills that somebody paid."""
    return _shown(value, figures.dollars)


@register.filter
@_printed_in_currency
def precise_amount(value: MaybeNumber) -> SafeString:
    """The same in the reader's currency, for a column whose header has its code: {% currency_code %}."""
    return _shown(value, figures.precise_amount, whole=_whole_amount)


def _whole_amount(usd: figures.Number) -> str:
    return figures.exact(usd) if currency.current().is_usd else figures.exact_amount(usd)


@register.filter
@_printed_in_currency
def cluster_usd(value: MaybeNumber) -> SafeString:
    """ "$0.91", for a column whose header says per hour: what a cluster costs."""
    return _shown(value, figures.amount, whole=figures.exact_amount)


@register.filter
@_printed_in_currency
def price(value: MaybeNumber) -> SafeString:
    """ "$0.532": of the price book, in the reader's currency."""
    return _shown(
        value, lambda known: f"{currency.current().sign}{figures.precise_amount(known)}", whole=figures.exact_amount
    )


@register.filter
def usd(value: MaybeNumber) -> SafeString:
    """USD with the sign, for sentences: budgets, and what somebody paid."""
    return _shown(value, lambda known: f"${figures.dollars(known)}", whole=lambda known: f"${figures.exact(known)}")


@register.filter
@_printed_in_currency
def hourly(value: MaybeNumber) -> SafeString:
    """ "$0.91/h"."""
    return _shown(value, figures.hourly, whole=lambda known: f"{figures.exact_amount(known)}/h")


@register.filter
@_printed_in_currency
def monthly(value: MaybeNumber) -> SafeString:
    """ "$1,374/month"."""
    return _shown(value, figures.monthly, whole=lambda known: f"{figures.exact_amount(known)}/month")


@register.filter
@_printed_in_currency
def usd_per_million_ops(value: MaybeNumber) -> SafeString:
    """ "$0.0023 per M ops"."""
    return _shown(value, figures.usd_per_million_ops, whole=lambda known: f"{figures.exact_amount(known)} per M ops")


@register.simple_tag
def value_unit() -> SafeString:
    """ "M ops/$", of the reader's currency."""
    return format_html("M&nbsp;ops/{}", currency.current().unit)


@register.simple_tag
def currency_code() -> str:
    """ "USD", for the header of a column."""
    return currency.current().code


@register.simple_tag
def currency_unit() -> str:
    """ "$"."""
    return currency.current().unit


@register.filter
def exact(value: MaybeNumber) -> SafeString:
    """Every digit: for counts and prices."""
    return UNKNOWN if value is None or value == "" else format_html("{}", figures.exact(value))


@register.filter
@lru_cache(_PRINTED_ONCE, typed=True)
def percent(fraction: MaybeNumber) -> SafeString:
    return UNKNOWN if fraction is None or fraction == "" else format_html("{}", unbroken(figures.percent(fraction)))


@register.filter
def trials_words(row: Submission) -> str:
    """ "10 trials, averaged by the source"."""
    return words.trials_words(row.trials_count, row.averaged_over)


@register.filter
def repetitions(row: Submission) -> SafeString:
    """The number alone, for a column of them: below it stands where they were averaged."""
    if not row.averaged_over:
        return format_html("{}", row.trials_count)
    return format_html('{}<span class="unit">{}</span>', row.averaged_over, words.AVERAGED)


@register.filter
def lines_not_read(artifact: Artifact) -> str:
    return words.lines_not_read_words(artifact.lines_not_read, artifact.first_lines_not_read)


@register.filter
def filesize(size_bytes: int) -> SafeString:
    return _with_exact(unbroken(figures.size(size_bytes)), f"{figures.exact(size_bytes)} bytes")


@register.filter
def sentence(text: str | None) -> SafeString:
    """A sentence, escaped, with no line break between a number and its unit."""
    return conditional_escape(unbroken(text or ""))


@register.filter
def known(value: Any) -> SafeString:
    """A text as it is, escaped; None and the empty text are unknown."""
    return UNKNOWN if value is None or value == "" else conditional_escape(value)


@register.filter
@lru_cache(_PRINTED_ONCE, typed=True)
def utc(moment: datetime | date | Literal[""] | None) -> SafeString:
    """The UTC day, the exact time in the title."""
    if moment is None or moment == "":
        return UNKNOWN
    if not isinstance(moment, datetime):
        return format_html('<time class="nowrap" datetime="{0}">{0}</time>', moment.isoformat())
    at = moment.astimezone(UTC)
    day, time = at.strftime("%Y-%m-%d %H:%M:%S").split()
    return SafeString(f'<time class="nowrap" datetime="{day}T{time}Z" title="{day} {time} UTC">{day}</time>')


@register.filter
@lru_cache(_PRINTED_ONCE, typed=True)
def month(moment: datetime | date | Literal[""] | None) -> SafeString:
    """ "Sep 2015", the exact time in the title."""
    if moment is None or moment == "":
        return UNKNOWN
    if not isinstance(moment, datetime):
        day, title = moment, moment.isoformat()
        stamp = title
    else:
        day = moment.astimezone(UTC)
        stamp, title = f"{day:%Y-%m-%dT%H:%M:%SZ}", f"{day:%Y-%m-%d %H:%M:%S} UTC"
    return SafeString(f'<time class="nowrap" datetime="{stamp}" title="{title}">{words.month(day)}</time>')


@register.filter
def choice_label(value: str | None, choice_name: str) -> SafeString:
    """The words for a stored value of a closed list: {{ kind|choice_label:"LatencyKind" }}."""
    if value is None or value == "":
        return UNKNOWN
    return format_html("{}", _CHOICES[choice_name](value).label)


_PRICE_UNITS = {
    "hour": "h",
    "gib_month": "GiB-month",
    "iops_month": "IOPS-month",
    "mibps_month": "MiB/s-month",
    "disk_month": "disk-month",
    "gb": "GB",
}


@register.filter
def price_unit(unit: str) -> str:
    """The price book's word for a unit, as people write it; other words of a stated bill stay as they are."""
    return _PRICE_UNITS.get(unit, unit)


@register.filter
def latency_short(kind: str) -> str:
    """The kind under a figure in a narrow column."""
    return "kind unknown" if kind == LatencyKind.UNKNOWN else LatencyKind(kind).label


register.filter("p99_sign", p99_words.p99_sign)
register.filter("p99_note", p99_words.p99_note)
register.filter("p99_label", p99_words.p99_label)
register.filter("mean_instead_ms", p99_words.mean_instead_ms)
register.filter("held", load.held)
register.filter("load_words", load.load_words)


@register.simple_tag
def distortion_mark(is_distorted: bool) -> SafeString:
    """Beside percentiles."""
    if not is_distorted:
        return SafeString("")
    return format_html('<span class="unit" title="{}">distorted by errors</span>', FLAG_MEANINGS[Flag.ERRORS])


@register.simple_tag
def trust_badge(trust: str, flags: Sequence[str] = ()) -> SafeString:
    """With the flags of a result, the level also says that its raw log is not as it was uploaded."""
    level = Trust(trust)
    return format_html(
        '<span class="badge trust-{}" title="{}">{}{}</span>',
        level.value,
        TRUST_MEANINGS[level],
        level.label,
        ", secrets masked" if Flag.SECRETS_MASKED in flags else "",
    )


@register.simple_tag
def flag_badges(flags: list[str]) -> SafeString:
    return format_html_join(
        " ",
        '<span class="badge flag" title="{}">{}</span>',
        ((FLAG_MEANINGS[Flag(flag)], Flag(flag).label) for flag in flags),
    )


def _shown(
    value: MaybeNumber,
    short: Callable[[figures.Number], str],
    unit: str = "",
    *,
    whole: Callable[[figures.Number], str] | None = None,
) -> SafeString:
    """The short form, with the exact value and its unit in the title: as `whole` writes it, where that is given."""
    if value is None or value == "":
        return UNKNOWN
    shown, exact_value = short(value), whole(value) if whole else f"{figures.exact(value)}{unit}"
    return _with_exact(unbroken(shown), unbroken(shown) if shown == exact_value else exact_value)


def _with_exact(shown: str, whole: str) -> SafeString:
    text = escape(shown)
    return SafeString(text if shown == whole else f'<span title="{escape(whole)}">{text}</span>')


_BY_METRIC: dict[Metric, Filter] = {OPS_PER_USD: millions, THROUGHPUT: rate, LATENCY_P99: ms}

_CHOICES: dict[str, type[Choice]] = {
    name: member for name, member in vars(choices).items() if isinstance(member, type) and issubclass(member, Choice)
}


@register.filter
def printable(words: str) -> str:
    """Without control characters, which HTML cannot hold."""
    return "".join(character for character in words if character.isprintable())

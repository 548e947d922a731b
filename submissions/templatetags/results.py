"""Results as rows of a table: what the cells of a row say, and what its head says because it holds for all rows."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from html import escape
from typing import Protocol

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import Truncator

from submissions.age.marks import Age
from submissions.analysis.curves.load_curve import DEFAULT_LIMIT, Confidence
from submissions.choices import LatencyKind
from submissions.facts import Fact
from submissions.formatting.data_words import FITS_SHORT, UNKNOWN, fits
from submissions.formatting.facts import fact_text
from submissions.formatting.load import held, load_words
from submissions.formatting.names import cluster_name, place_name, service_name
from submissions.formatting.numbers import significant, size
from submissions.formatting.p99_words import mean_instead_ms, p99_label, p99_note, p99_sign
from submissions.formatting.text import AVERAGED, credits_line
from submissions.load_curves.at_slo import limit_of
from submissions.load_curves.sentences import limit_words
from submissions.models import Submission
from submissions.records.table import OWN_CELLS
from submissions.templatetags import figures
from submissions.templatetags.age import badge
from submissions.templatetags.badges import flag_count, trust_dot
from submissions.templatetags.prices import price_confirmed, price_words

TITLE_CHARACTERS = 100
AGED = "old"  # of a row with any note on age, whose badge has no room for more
_BAR_STEP = 5  # of the width of a bar, in percent: the classes of tables.css
_BADGES = 1024  # levels of trust with flags: few, in all tables
_ONE_LOAD = SafeString('<span class="muted">one load only</span>')

register = template.Library()


@dataclass(frozen=True, slots=True)
class Shared:
    """What all rows of a table have in common: its head says it once."""

    latency_kind: str  # "service time"; empty where they differ
    prices: str  # "AWS list price, unchanged since 2017-04-04, seen 2026-10-15"; empty where they differ
    best_value: Decimal | None  # None where values are not comparable
    credits: str  # the sentence at the foot
    own_cells: Sequence[Fact] = OWN_CELLS  # facts that have a column of their own


class _Group(Protocol):
    @property
    def best(self) -> Submission: ...


@register.simple_tag
def shared_by_rows(rows: Sequence[Submission]) -> Shared:
    kinds = {row.latency_kind for row in rows if row.latency_p99_at_most_ms is not None}
    values = [row.ops_per_usd for row in rows if row.ops_per_usd is not None]
    prices = {price_words(row) for row in rows if row.hourly_usd is not None}
    is_comparable = len(values) > 1 and len({row.workload_id for row in rows}) == 1
    return Shared(
        latency_kind=figures.latency_short(kinds.pop()) if len(kinds) == 1 else "",
        prices=prices.pop() if len(prices) == 1 else "",
        best_value=max(values) if is_comparable else None,
        credits=credits_line(sorted({row.attribution for row in rows} - {""})),
    )


@register.simple_tag
def shared_by(groups: Iterable[_Group]) -> Shared:
    """What the best results of all groups share, for the head of their table."""
    rows = [getattr(group, "group", group).best for group in groups]
    shared = shared_by_rows(rows)
    return replace(shared, prices="") if any(map(price_confirmed, rows)) else shared


@register.filter("bar")
def share_class(value: float | Decimal | None, best: float | Decimal | None) -> str:
    """The classes of a cell with a bar: {{ figure|bar:best }} is the share of the best, in steps."""
    if not best or value is None:
        return ""
    share = min(float(value) / float(best), 1.0)
    return f" bar share-{max(_BAR_STEP, round(share * 100 / _BAR_STEP) * _BAR_STEP)}"


@register.simple_tag
def cells_of(
    rows: Iterable[Submission], shared: Shared, ages: Mapping[int, Age] | None = None
) -> list[dict[str, object]]:
    """The cells of each row by their names: texts, which the template escapes, and parts of HTML."""
    return [_cells(row, shared, ages.get(row.pk) if ages else None) for row in rows]


def _cells(row: Submission, shared: Shared, age: Age | None) -> dict[str, object]:
    return {
        "id": row.pk,
        "address": row.get_absolute_url(),
        "title": _short_title(row.title or "Untitled"),
        "badges": _badges(row.trust, tuple(row.flags)),
        "cluster": _cluster(row),
        "age": SafeString(badge(age, AGED)),
        "place": place_name(row.provider, row.region),
        "disk": row.disk_kind or "disk unknown",
        "database": f"{service_name(row.service)} {row.service_version or ''}",
        "jdk": _jdk(row),
        "operation": row.operation,
        "guarantee": _guarantee(row),
        "load": figures.sentence(load_words(row)),
        "value": figures.millions(row.ops_per_usd),
        "bar": share_class(row.ops_per_usd, shared.best_value),
        "throughput": _throughput(row),
        "trials": row.averaged_over or row.trials_count,
        "spread": _spread(row),
        "p99": _p99(row, shared),
        "p99_label": p99_label(row),
        "cost": _cost(row),
        "measured": figures.month(row.measured_at and row.measured_at.date()),
        "at_slo": _at_slo(row),
        "data": _data(row),
        "own": [fact_text(fact, getattr(row, fact.column)) or figures.UNKNOWN for fact in OWN_CELLS],
    }


def _short_title(title: str) -> str:
    return title if len(title) <= TITLE_CHARACTERS else str(Truncator(title).chars(TITLE_CHARACTERS))


@lru_cache(_BADGES)
def _badges(trust: str, flags: tuple[str, ...]) -> SafeString:
    return SafeString(f"{trust_dot(trust)}{flag_count(flags)}")


def _cluster(row: Submission) -> str:
    caches = f" + {row.cache_node_count} cache" if row.cache_node_count else ""
    return f"{cluster_name(row.node_count, row.instance_type)}{caches}"


def _jdk(row: Submission) -> str:
    if not (row.jdk_vendor or row.jdk_version):
        return "JDK unknown"
    return f"{row.jdk_vendor or 'JDK'} {row.jdk_version or ''}".strip()


def _guarantee(row: Submission) -> str:
    """ "QUORUM, RF 3"."""
    factor = f"RF {row.replication_factor}" if row.replication_factor else ""
    return ", ".join(part for part in (row.consistency_level, factor) if part)


def _throughput(row: Submission) -> SafeString:
    if row.throughput_ops_s is None:
        relative = figures.figure(row.relative_throughput)
        return format_html('<span title="relative to: {}">{} relative</span>', row.relative_base, relative)
    rate = f'<span data-unit=" ops/s">{figures.rate(row.throughput_ops_s)}</span>'
    return SafeString(f"{rate}{_limited(row)}" if row.is_throttled else rate)


def _limited(row: Submission) -> str:
    """Beside a rate that is not the system's own."""
    words = figures.sentence(f"{held(row)} by the test")
    return f' <span class="muted" title="{words}">limited</span><span class="visually-hidden"> ({words})</span>'


def _spread(row: Submission) -> str:
    """The title of the number of trials."""
    cv = "" if row.throughput_cv is None else f"CV {figures.percent(row.throughput_cv)}"
    return ", ".join(part for part in (AVERAGED if row.averaged_over else "", cv) if part)


def _p99(row: Submission, shared: Shared) -> SafeString:
    """The p99, or an upper bound of it; without either the mean, which says so."""
    if (mean := mean_instead_ms(row)) is not None:
        return SafeString(f'<span data-unit=" ms"><span class="muted">mean</span> {figures.ms(mean)}</span>')
    bound = f'<span title="{escape(p99_note(row))}">{sign}</span>' if (sign := p99_sign(row)) else ""
    figure = f'<span data-unit=" ms">{bound}{figures.ms(row.latency_p99_at_most_ms)}</span>'
    if row.latency_p99_at_most_ms is None:
        return SafeString(figure)
    kind = "" if shared.latency_kind else _kind(row.latency_kind)
    return SafeString(f"{figure}{kind} {figures.distortion_mark(row.latency_distorted_by_errors)}")


@lru_cache
def _kind(latency_kind: str) -> str:
    """ "service", "response", or a question mark."""
    label = figures.latency_short(latency_kind)
    if latency_kind == LatencyKind.UNKNOWN:
        return f' <span class="muted" title="{label}">?<span class="visually-hidden"> ({label})</span></span>'
    return f' <span class="muted">{label.removesuffix(" time")}</span>'


def _cost(row: Submission) -> SafeString:
    if row.hourly_usd is None:
        return format_html('<span title="{}">{}</span>', row.price_missing, figures.UNKNOWN)
    stated = ' <span class="muted">stated</span>' if row.is_price_stated else ""
    words = price_confirmed(row)
    old = f' <span class="badge flag" title="{escape(words)}">old price</span>' if words else ""
    usd = f'<span data-unit="/h">{figures.cluster_usd(row.hourly_usd)}</span>'
    return SafeString(f"{usd}{stated}{when_measured(row)}{old}")


_UNKNOWN_RATIO = f'<span class="unknown">{UNKNOWN}</span>'  # which the cards of a phone leave out, as of other figures


def _data(row: Submission) -> SafeString:
    """The ratio of data to memory, below it that the data fits, else how much it is: two lines, as of other cells."""
    ratio = _UNKNOWN_RATIO if row.data_to_memory is None else significant(row.data_to_memory)
    known = "" if row.data_bytes is None else size(row.data_bytes)
    if fits(row):
        return SafeString(
            f'<span title="{known} of data">{ratio}</span><span class="unit line nowrap"> {FITS_SHORT}</span>'
        )
    return SafeString(f'{ratio}<span class="unit line nowrap"> {known}</span>' if known else ratio)


def _at_slo(row: Submission) -> SafeString:
    """The rate at the limit of a load curve, and its cost; the limit where it is not the usual one."""
    slo = row.at_slo
    if slo is None:
        return _ONE_LOAD
    limit = limit_of(slo)
    words = [] if limit == DEFAULT_LIMIT else [limit_words(limit)]
    if slo["ops_s"] is None:
        shown = "not kept" if Confidence.NONE_KEPT in slo["confidence"] else figures.UNKNOWN
    else:
        shown = f'<span data-unit=" ops/s">{figures.rate(slo["ops_s"])}</span>'
        if slo["usd_per_month"] is not None:
            month, million = Decimal(slo["usd_per_month"]), Decimal(slo["usd_per_million_ops"])
            words += [f"{figures.cluster_usd(month)} a month", f"{figures.cluster_usd(million)} per M"]
    more = f' <span class="muted">{", ".join(words)}</span>' if words else ""
    return SafeString(f"{shown}{more}")


@register.filter
def when_measured(row: Submission) -> SafeString:
    """ "$0.91 when measured" below the cost at other prices; nothing where it is the same, or was unknown."""
    usd = row.hourly_usd_when_measured
    return SafeString("" if usd is None else f'<span class="unit line">{figures.cluster_usd(usd)} when measured</span>')

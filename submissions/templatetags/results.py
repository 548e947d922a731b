"""Results as rows of a table, built in Python: a list has fifty of them, each with forty values.

A row is one line; on a phone it is a card of two, by CSS from the same cells. What all rows share is said once, in the
head. What many rows share (clusters, software, workloads, badges) is built once a process. Every text is escaped here.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from html import escape
from typing import Protocol

from django import template
from django.utils.safestring import SafeString
from django.utils.text import Truncator

from submissions.age.marks import Age
from submissions.analysis.load_curve import DEFAULT_LIMIT, Confidence
from submissions.choices import LatencyKind
from submissions.formatting.load import held, load_words
from submissions.formatting.names import cluster_name, place_name, service_name
from submissions.formatting.p99 import mean_instead_ms, p99_label, p99_note, p99_sign
from submissions.formatting.text import AVERAGED, credits_line
from submissions.load_curves.at_slo import limit_of
from submissions.load_curves.sentences import limit_words
from submissions.models import Submission
from submissions.templatetags import age, figures
from submissions.templatetags.badges import flag_count, trust_dot
from submissions.templatetags.prices import price_confirmed, price_words

TITLE_CHARACTERS = 100
_SEVERAL_LISTS = 1024  # values that are built once: those of the lists that people read
AGED = "old"  # of a row with any age mark, whose badge has no room for more
_CUT = "\0"  # in no text that PostgreSQL stores
_BAR_STEP = 5  # of the width of a bar, in percent: the classes of tables.css

# The row of a list, once for the server and for browsers that filter by themselves; every slot is filled with HTML.
ROW = (
    '<tr>{box}<th scope="row" class="cluster">{badges} <a href="{address}" title="{title}">{cluster}</a>'
    "{marks} {place}</th>"
    '<td class="title extra">{title}</td>{software}<td class="cut">{workload}{load}</td>'
    '<td class="num key{share}" data-unit=" M&nbsp;ops/$">{value}</td>{throughput}'
    '<td class="num minor extra"{spread} data-label="trials">{n}</td>'
    '<td class="num" data-label="{latency}"><span data-unit=" ms">{bound}{p99}</span>{kind} {mark}</td>{cost}'
    '<td class="num minor">{measured}</td>{slo}</tr>'
)
BOX = '<td class="select"><input type="checkbox" name="s" value="{id}" aria-label="Select {title}"></td>'
RATE = '<td class="num"><span data-unit=" ops/s">{rate}</span>{held}</td>'

register = template.Library()


@dataclass(frozen=True, slots=True)
class ResultTable:
    """The rows of a table, and what its head says because it holds for all of them."""

    rows: SafeString
    latency_kind: str  # "service time"; empty where they differ
    prices: str  # "AWS list price, unchanged since 2017-04-04, seen 2026-10-15"; empty where they differ
    credits: str = ""  # the sentence at its foot


@dataclass(frozen=True, slots=True)
class _Shared:
    """What rows need to know of one another."""

    latency_kind: str
    prices: str
    best_value: float | None  # None where values are not comparable


@dataclass(frozen=True, slots=True)
class RowParts:
    """A row of the list in pieces; between them is what depends on the other rows of its table."""

    pieces: tuple[str, str, str]  # around the share of the best value and the kind of latency
    workload_id: int
    value: float | None
    latency_kind: str | None  # None without a p99
    attribution: str

    def html(self, shared: _Shared) -> str:
        before, figures_, after = self.pieces
        return "".join((
            before,
            share_class(self.value, shared.best_value),
            figures_,
            kind(self.latency_kind) if self.latency_kind is not None and not shared.latency_kind else "",
            after,
        ))  # fmt: skip


@register.simple_tag
def result_table(
    rows: Iterable[Submission], is_selectable: bool = False, ages: Mapping[int, Age] | None = None
) -> ResultTable:
    """Each result with its software and load, and a box to compare it where `is_selectable`; with its age in `ages`."""
    known = ages or {}
    return table_of([row_parts(row, is_selectable, age_mark(known.get(row.pk))) for row in rows])


@register.simple_tag
def system_table(rows: Iterable[Submission]) -> ResultTable:
    """Each priced result of a chart of cost against throughput."""
    listed = list(rows)
    shared = _shared(listed)
    return _table([_system(row, shared) for row in listed], shared)


class _Group(Protocol):
    @property
    def best(self) -> Submission: ...


@register.simple_tag
def shared_by(groups: Iterable[_Group]) -> _Shared:
    """What the best results of all groups share, for the head of their table."""
    rows = [getattr(group, "group", group).best for group in groups]
    shared = _shared(rows)
    return replace(shared, prices="") if any(map(price_confirmed, rows)) else shared


@register.filter("bar")
def share_class(value: float | Decimal | None, best: float | Decimal | None) -> str:
    """The classes of a cell with a bar: {{ figure|bar:best }} is the share of the best, in steps."""
    if not best or value is None:
        return ""
    share = min(float(value) / float(best), 1.0)
    return f" bar share-{max(_BAR_STEP, round(share * 100 / _BAR_STEP) * _BAR_STEP)}"


def _table(rows: Iterable[str], shared: _Shared) -> ResultTable:
    return ResultTable(SafeString("\n".join(rows)), shared.latency_kind, shared.prices)


def table_of(rows: Sequence[RowParts]) -> ResultTable:
    shared = _shared_by(
        {row.latency_kind for row in rows if row.latency_kind is not None},
        [row.value for row in rows if row.value is not None],
        {row.workload_id for row in rows},
    )
    credits = credits_line(sorted({row.attribution for row in rows} - {""}))
    return replace(_table([row.html(shared) for row in rows], shared), credits=credits)


def _shared(rows: Collection[Submission]) -> _Shared:
    return _shared_by(
        {row.latency_kind for row in rows if row.latency_p99_at_most_ms is not None},
        [float(row.ops_per_usd) for row in rows if row.ops_per_usd is not None],
        {row.workload_id for row in rows},
        {price_words(row) for row in rows if row.hourly_usd is not None},
    )


def _shared_by(kinds: set[str], values: Sequence[float], workloads: set[int], prices: Collection[str] = ()) -> _Shared:
    return _Shared(
        latency_kind=figures.latency_short(kinds.pop()) if len(kinds) == 1 else "",
        prices="".join(prices) if len(prices) == 1 else "",
        best_value=max(values) if len(workloads) == 1 and len(values) > 1 else None,
    )


def p99_bound(row: Submission) -> str:
    """What the figure is, where it is no p99: the sign of a bound, or the word for a mean."""
    if mean_instead_ms(row) is not None:
        return '<span class="muted">mean</span> '
    sign = p99_sign(row)
    return f'<span title="{escape(p99_note(row))}">{sign}</span>' if sign else ""


def row_parts(row: Submission, is_selectable: bool, marks: str) -> RowParts:
    title = short_title(row)
    before, after = cost_parts(row)
    text = ROW.format(
        box=BOX.format(id=row.pk, title=title) if is_selectable else "",
        badges=badges(row.trust, tuple(row.flags)),
        address=escape(row.get_absolute_url()),
        title=title,
        cluster=cluster(row.node_count, row.instance_type, row.cache_node_count),
        place=place(row.provider, row.region, row.disk_kind),
        software=software(row.service, row.service_version, row.jdk_vendor, row.jdk_version),
        workload=workload(row.operation, row.consistency_level, row.replication_factor),
        load=load(row),
        marks=marks,
        share=_CUT,
        value=figures.millions(row.ops_per_usd),
        throughput=_throughput(row),
        spread=_spread(row),
        n=row.averaged_over or row.trials_count,
        latency=p99_label(row),
        bound=p99_bound(row),
        p99=figures.ms(row.latency_p99_at_most_ms if (mean := mean_instead_ms(row)) is None else mean),
        kind=_CUT,
        mark=distorted(row) if row.latency_p99_at_most_ms is not None else "",
        cost=f"{before}{known_cost(row)}{after}",
        measured=figures.month(row.measured_at and row.measured_at.date()),
        slo=at_slo(row) if is_selectable else "",
    )
    first, second, third = text.split(_CUT)
    return RowParts(
        pieces=(first, second, third),
        workload_id=row.workload_id,
        value=None if row.ops_per_usd is None else float(row.ops_per_usd),
        latency_kind=row.latency_kind if row.latency_p99_at_most_ms is not None else None,
        attribution=row.attribution,
    )


def _system(row: Submission, shared: _Shared) -> str:
    return f"<tr>{_head(row)}{_title(row)}{_value(row, shared)}{_throughput(row)}{_cost(row)}</tr>"


def _head(row: Submission) -> str:
    nodes = cluster(row.node_count, row.instance_type, row.cache_node_count)
    where = place(row.provider, row.region, row.disk_kind)
    return (
        f'<th scope="row" class="cluster">{badges(row.trust, tuple(row.flags))} '
        f'<a href="{escape(row.get_absolute_url())}" title="{short_title(row)}">{nodes}</a> {where}</th>'
    )


def _title(row: Submission) -> str:
    """Where there is room for it."""
    return f'<td class="title extra">{short_title(row)}</td>'


def short_title(row: Submission) -> str:
    return escape(_cut(row.title or "Untitled", TITLE_CHARACTERS))


@lru_cache(_SEVERAL_LISTS)
def badges(trust: str, flags: tuple[str, ...]) -> str:
    return f"{trust_dot(trust)}{flag_count(flags)}"


@lru_cache(_SEVERAL_LISTS)
def cluster(nodes: int, instance_type: str, caches: int) -> str:
    beside = f" + {caches} cache" if caches else ""
    return f'<span class="nowrap">{escape(cluster_name(nodes, instance_type))}{beside}</span>'


@lru_cache(_SEVERAL_LISTS)
def place(provider: str, region: str | None, disk_kind: str | None) -> str:
    disk = escape(disk_kind or "disk unknown")
    return f'<span class="muted" title="{disk}">{escape(place_name(provider, region))}</span>'


@lru_cache(_SEVERAL_LISTS)
def software(service: str, version: str | None, jdk_vendor: str | None, jdk_version: str | None) -> str:
    jdk = f"{jdk_vendor or 'JDK'} {jdk_version or ''}".strip() if jdk_vendor or jdk_version else "JDK unknown"
    return f'<td class="cut" title="{escape(jdk)}">{escape(service_name(service))} {escape(version or "")}</td>'


@lru_cache(_SEVERAL_LISTS)
def workload(operation: str, consistency_level: str | None, replication_factor: int | None) -> str:
    factor = f"RF {replication_factor}" if replication_factor else ""
    guarantee = ", ".join(part for part in (consistency_level, factor) if part)
    return f'{escape(operation)} <span class="muted">{escape(guarantee)}</span>' if guarantee else escape(operation)


def load(row: Submission) -> str:
    if not (row.threads or row.limit_ops_s):
        return ""
    return f' <span class="muted">{figures.sentence(load_words(row))}</span>'


def _value(row: Submission, shared: _Shared) -> str:
    share = share_class(row.ops_per_usd, shared.best_value)
    return f'<td class="num key{share}" data-unit=" M&nbsp;ops/$">{figures.millions(row.ops_per_usd)}</td>'


def _throughput(row: Submission) -> str:
    if row.throughput_ops_s is None:
        shown: str = figures.figure(row.relative_throughput)
        return f'<td class="num" title="relative to: {escape(row.relative_base or "")}">{shown} relative</td>'
    return RATE.format(rate=figures.rate(row.throughput_ops_s), held=held_mark(row))


def held_mark(row: Submission) -> str:
    """ "held", and to which rate in the title; nothing for a rate that is the system's own."""
    if not row.is_throttled:
        return ""
    words = figures.sentence(f"{held(row)} by the test")
    first, _, rest = words.partition(" ")
    return f' <span class="muted" title="{words}">{first}<span class="visually-hidden"> {rest}</span></span>'


def _spread(row: Submission) -> str:
    """The title of the number of trials."""
    spread = [] if row.throughput_cv is None else [f"CV {figures.percent(row.throughput_cv)}"]
    title = ", ".join([*([AVERAGED] if row.averaged_over else []), *spread])
    return f' title="{title}"' if title else ""


def at_slo(row: Submission) -> str:
    """The cell of the rate at the limit of a load curve, and its cost; the limit where it is not the usual one."""
    slo = row.at_slo
    if slo is None:
        return '<td class="num muted">one load only</td>'
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
    return f'<td class="num" data-label="at {limit_words(DEFAULT_LIMIT)}">{shown}{more}</td>'


def age_mark(known: Age | None) -> str:
    return age.badge(known, AGED)


def distorted(row: Submission) -> str:
    """Beside a p99 that errors distort."""
    shown: str = figures.distortion_mark(row.latency_distorted_by_errors)
    return shown


@lru_cache
def kind(latency_kind: str) -> str:
    """ "service", "response", or a question mark."""
    label = figures.latency_short(latency_kind)
    if latency_kind == LatencyKind.UNKNOWN:
        return f' <span class="muted" title="{label}">?<span class="visually-hidden"> ({label})</span></span>'
    return f' <span class="muted">{label.removesuffix(" time")}</span>'


def _cost(row: Submission) -> str:
    before, after = cost_parts(row)
    return f"{before}{known_cost(row)}{after}"


def cost_parts(row: Submission) -> tuple[str, str]:
    """The cell around the cost."""
    if row.hourly_usd is None:
        why = f' title="{escape(row.price_missing)}"' if row.price_missing else ""
        return f'<td class="num"{why}>{figures.UNKNOWN}</td>', ""
    stated = ' <span class="muted">stated</span>' if row.is_price_stated else ""
    words = price_confirmed(row)
    old = f' <span class="badge flag" title="{escape(words)}">old price</span>' if words else ""
    return '<td class="num"><span data-unit="/h">', f"</span>{stated}{when_measured(row)}{old}</td>"


@register.filter
def when_measured(row: Submission) -> SafeString:
    """ "$0.91 when measured" below the cost at other prices; nothing where it is the same, or was unknown."""
    usd = row.hourly_usd_when_measured
    return SafeString("" if usd is None else f'<span class="unit line">{figures.cluster_usd(usd)} when measured</span>')


def known_cost(row: Submission) -> str:
    return "" if row.hourly_usd is None else figures.cluster_usd(row.hourly_usd)


def _cut(text: str, characters: int) -> str:
    return text if len(text) <= characters else str(Truncator(text).chars(characters))

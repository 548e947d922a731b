"""Results as rows of a table, built in Python: a list has fifty of them, each with forty values.

What many rows share (clusters, software, workloads, badges) is built once a process. Every text is escaped here.
"""

from collections.abc import Iterable
from functools import lru_cache
from html import escape

from django import template
from django.utils.safestring import SafeString
from django.utils.text import Truncator

from submissions.formatting.load import held, load_words
from submissions.formatting.names import cluster_name, place_name, provider_name, service_name
from submissions.formatting.text import n_words
from submissions.models import Submission
from submissions.templatetags import figures
from submissions.templatetags.prices import price_confirmed, price_day

TITLE_CHARACTERS = 100
LABEL_CHARACTERS = 80  # of the box that selects a row
_SEVERAL_LISTS = 1024  # values that are built once: those of the lists that people read

register = template.Library()


@register.simple_tag
def result_rows(rows: Iterable[Submission], is_selectable: bool = False) -> SafeString:
    """`<tr>` of each, with a box to compare it where `is_selectable`."""
    return SafeString("\n".join([_row(row, is_selectable) for row in rows]))


@register.simple_tag
def system_rows(rows: Iterable[Submission]) -> SafeString:
    """`<tr>` of each priced result of a chart of cost against throughput."""
    return SafeString("\n".join(map(_system, rows)))


def _row(row: Submission, is_selectable: bool) -> str:
    box = _box(row.pk, row.title) if is_selectable else ""
    return (
        f'<tr>{box}<th scope="row" class="title">'
        f"{_link(row)} {_badges(row.trust, tuple(row.flags))}</th>"
        f"{_cluster(row.node_count, row.instance_type, row.cache_node_count, row.provider, row.region, row.disk_kind)}"
        f"{_software(row.service, row.service_version, row.jdk_vendor, row.jdk_version)}"
        f"<td>{_workload(row.operation, row.consistency_level, row.replication_factor)} {_load(row)}</td>"
        f"{_throughput(row)}{_p99(row)}{_cost(row)}"
        f'<td class="num">{figures.millions(row.ops_per_usd)}</td>'
        f'<td class="num">{figures.month(row.measured_at)}</td></tr>'
    )


def _system(row: Submission) -> str:
    words = price_confirmed(row)
    return (
        f'<tr><th scope="row" class="title">{_link(row)}</th>'
        f"<td>{escape(provider_name(row.provider))}</td>"
        f"<td>{escape(cluster_name(row.node_count, row.instance_type))}</td>"
        f'<td class="num">{figures.cluster_usd(row.hourly_usd)}</td>'
        f'<td class="num">{figures.rate(row.throughput_ops_s)}</td>'
        f'<td class="num">{figures.millions(row.ops_per_usd)}</td>'
        f'<td class="num">{figures.utc(price_day(row))}{_unit(words, "unit nowrap") if words else ""}</td></tr>'
    )


def _link(row: Submission) -> str:
    title = escape(_cut(row.title or "Untitled", TITLE_CHARACTERS))
    return f'<a href="{escape(row.get_absolute_url())}">{title}</a>'


def _box(pk: int, title: str) -> str:
    label = escape(_cut(title, LABEL_CHARACTERS))
    return f'<td><input type="checkbox" name="s" value="{pk}" aria-label="Select {label}"></td>'


@lru_cache(_SEVERAL_LISTS)
def _badges(trust: str, flags: tuple[str, ...]) -> str:
    return f'<span class="badges">{figures.trust_badge(trust)} {figures.flag_badges(list(flags))}</span>'


@lru_cache(_SEVERAL_LISTS)
def _cluster(
    nodes: int, instance_type: str, caches: int, provider: str, region: str | None, disk_kind: str | None
) -> str:
    beside = f" + {caches} cache" if caches else ""
    place = f"{place_name(provider, region)}, {disk_kind or 'disk unknown'}"
    return f'<td><span class="nowrap">{escape(cluster_name(nodes, instance_type))}</span>{beside} {_unit(place)}</td>'


@lru_cache(_SEVERAL_LISTS)
def _software(service: str, version: str | None, jdk_vendor: str | None, jdk_version: str | None) -> str:
    jdk = f"{jdk_vendor or 'JDK'} {jdk_version or ''}" if jdk_vendor or jdk_version else "JDK unknown"
    return f"<td>{escape(service_name(service))} {escape(version or '')} {_unit(jdk)}</td>"


@lru_cache(_SEVERAL_LISTS)
def _workload(operation: str, consistency_level: str | None, replication_factor: int | None) -> str:
    factor = f"RF {replication_factor}" if replication_factor else ""
    guarantee = ", ".join(part for part in (consistency_level, factor) if part)
    return f"{escape(operation)} {_unit(guarantee)}"


def _load(row: Submission) -> str:
    return _unit(figures.sentence(load_words(row))) if row.threads or row.limit_ops_s else ""


def _throughput(row: Submission) -> str:
    n = escape(n_words(row.trials_count, row.averaged_over))
    if row.throughput_ops_s is None:
        shown: str = figures.figure(row.relative_throughput)
        of_source = f", {n}" if row.averaged_over else ""
        title = escape(f"relative to: {row.relative_base}")
        return (
            f'<td class="num"><span title="{title}">{shown}</span> <span class="unit">relative{of_source}</span></td>'
        )
    limit = f'<span class="unit">{figures.sentence(held(row))}, not its capacity</span>' if row.is_throttled else ""
    spread = "" if row.throughput_cv is None else f", CV {figures.percent(row.throughput_cv)}"
    shown = figures.rate(row.throughput_ops_s)
    return f'<td class="num">{shown} {limit} <span class="unit">{n}{spread}</span></td>'


def _p99(row: Submission) -> str:
    kind = mark = ""
    if row.latency_p99_ms is not None:
        kind = _unit(figures.latency_short(row.latency_kind))
        mark = figures.distortion_mark(row.latency_distorted_by_errors)
    return f'<td class="num">{figures.ms(row.latency_p99_ms)} {kind} {mark}</td>'


def _cost(row: Submission) -> str:
    shown: str = figures.cluster_usd(row.hourly_usd)
    if row.hourly_usd is None and row.price_missing:
        shown = f'<span title="{escape(row.price_missing)}">{shown}</span>'
    stated = _unit("stated") if row.is_price_stated else ""
    is_dated = row.hourly_usd is not None and row.price_date
    prices = f'<span class="unit">prices of {figures.utc(price_day(row))}</span>' if is_dated else ""
    words = price_confirmed(row)
    confirmed = _unit(words, "unit nowrap") if words else ""
    return f'<td class="num">{shown} {stated} {prices} {confirmed}</td>'


def _unit(text: str, names: str = "unit") -> str:
    """A second line in the cell; text that is safe already stays as it is."""
    return f'<span class="{names}">{text if isinstance(text, SafeString) else escape(text)}</span>'


def _cut(text: str, characters: int) -> str:
    return text if len(text) <= characters else str(Truncator(text).chars(characters))

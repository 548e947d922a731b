"""Counts beside the values of a filter: each under the choices made in all other facets, in one query."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import QuerySet

from submissions.api.filters import UNKNOWN
from submissions.choices import ConsistencyLevel, Flag, LatencyKind, Trust
from submissions.models import Submission, Workload
from submissions.records.cache import cached
from submissions.records.list.filters import SubmissionFilter

SHOWN_VALUES = 8  # the others of a facet stand behind "more"
MOST_VALUES = 60

_LABELS: dict[str, type[Flag] | type[LatencyKind] | type[Trust]] = {
    "flag": Flag,
    "latency_kind": LatencyKind,
    "trust": Trust,
}
_IN_ORDER: dict[str, Sequence[str]] = {
    "trust": list(Trust),
    "consistency_level": list(ConsistencyLevel),
}
_NUMERIC = ("replication_factor", "node_count")

# Parameter of the filter -> column; the order of the page.
FACET_COLUMNS = {
    "service": "service",
    "workload": "workload_id",
    "provider": "provider",
    "region": "region",
    "instance_type": "instance_type",
    "cpu_model": "cpu_model",
    "disk_kind": "disk_kind",
    "jdk_vendor": "jdk_vendor",
    "jdk_version": "jdk_version",
    "node_count": "node_count",
    "operation": "operation",
    "consistency_level": "consistency_level",
    "replication_factor": "replication_factor",
    "tool": "tool",
    "latency_kind": "latency_kind",
    "trust": "trust",
    "flag": "flags",
}


@dataclass(frozen=True, slots=True)
class FacetValue:
    value: str  # as in the address
    label: str
    count: int
    is_selected: bool


@dataclass(frozen=True, slots=True)
class Facet:
    name: str  # the parameter in the address
    label: str
    values: tuple[FacetValue, ...]
    hidden_count: int  # values beyond MOST_VALUES

    @property
    def shown(self) -> tuple[FacetValue, ...]:
        """The selected values and the most frequent ones."""
        return tuple(value for place, value in enumerate(self.values) if value.is_selected or place < SHOWN_VALUES)

    @property
    def more(self) -> tuple[FacetValue, ...]:
        shown = set(self.shown)
        return tuple(value for value in self.values if value not in shown)

    @property
    def selected(self) -> tuple[FacetValue, ...]:
        return tuple(value for value in self.values if value.is_selected)

    @property
    def is_useful(self) -> bool:
        """Whether choosing in it can change anything: more than one value, or a choice made."""
        return len(self.values) > 1 or bool(self.selected)


@dataclass(frozen=True, slots=True)
class Facets:
    total: int  # rows under all choices
    workloads: int  # how many workloads these rows are of
    facets: tuple[Facet, ...]

    def of(self, name: str) -> Facet:
        return next(facet for facet in self.facets if facet.name == name)


def count_facets(filterset: SubmissionFilter) -> Facets:
    """Three queries: all counts, and the titles of the workloads that are shown; one while they are kept.

    `filterset` is valid; its queryset is what would be listed without any choice.
    """
    choices = sorted((name, str(value)) for name, value in filterset.form.cleaned_data.items())
    return cached(("facets", *choices), lambda: _count(filterset))


def _count(filterset: SubmissionFilter) -> Facets:
    chosen = {name: _as_texts(filterset.form.cleaned_data[name]) for name in FACET_COLUMNS}
    counts, total = _counts(filterset, [name for name, values in chosen.items() if values])
    under_all = counts["workload"] if not chosen["workload"] else None
    by_fingerprint, titles = _with_fingerprints(counts["workload"], chosen["workload"])
    workloads = (
        len(under_all) if under_all is not None else sum(1 for value in chosen["workload"] if by_fingerprint[value])
    )
    counts["workload"] = by_fingerprint
    facets = tuple(_facet(name, counts[name], chosen[name], titles) for name in FACET_COLUMNS)
    return Facets(total, workloads, facets)


def _counts(filterset: SubmissionFilter, active: Sequence[str]) -> tuple[dict[str, Counter[str]], int]:
    """Rows by value of each facet, and rows under all choices.

    Facets without a choice share one scan (GROUPING SETS); each facet with one is counted again
    without its own choice. All of it is one statement.
    """
    passive = [name for name in FACET_COLUMNS if name not in active]
    parts = [_grouped(_chosen_rows(filterset), passive)]
    parts += [_grouped(_chosen_rows(filterset, without=name), [name], total=False) for name in active]
    sql = " UNION ALL ".join(part for part, _ in parts)
    counts: dict[str, Counter[str]] = {name: Counter() for name in FACET_COLUMNS}
    total = 0
    with connection.cursor() as cursor:
        cursor.execute(sql, [value for _, values in parts for value in values])
        for name, value, count in cursor.fetchall():
            if name is None:
                total = count
            elif name == "flag":
                counts[name].update({flag: count for flag in value.split(",") if flag})
            else:
                counts[name][UNKNOWN if value is None else value] += count
    return counts, total


def _chosen_rows(filterset: SubmissionFilter, without: str | None = None) -> QuerySet[Submission]:
    rows = filterset.queryset.order_by()
    for name, value in filterset.form.cleaned_data.items():
        if name != without:
            rows = filterset.filters[name].filter(rows, value)
    return rows


def _grouped(rows: QuerySet[Submission], names: Sequence[str], *, total: bool = True) -> tuple[str, Sequence[Any]]:
    """SQL with rows (facet, value, count); the total has the facet NULL. Names are our own."""
    columns = [FACET_COLUMNS[name] for name in names]
    inner, values = rows.values(*columns).query.sql_with_params()
    if not columns:
        return f"SELECT NULL::text, NULL::text, count(*) FROM ({inner}) AS rows", values  # noqa: S608
    which = f"GROUPING({', '.join(columns)})"
    # GROUPING has a bit for each column, the last column's the lowest; 0 where it is grouped by
    every = 2 ** len(columns) - 1
    masks = [every - 2 ** (len(columns) - 1 - place) for place in range(len(columns))]
    facet = " ".join(f"WHEN {mask} THEN '{name}'" for mask, name in zip(masks, names, strict=True))
    value = " ".join(f"WHEN {mask} THEN {_text_of(column)}" for mask, column in zip(masks, columns, strict=True))
    sets = ", ".join([f"({column})" for column in columns] + ["()"] * total)
    # only names of FACET_COLUMNS stand in the text; what a reader chose goes in as parameters
    sql = (
        f"SELECT CASE {which} {facet} END, CASE {which} {value} END, count(*)"  # noqa: S608
        f" FROM ({inner}) AS rows GROUP BY GROUPING SETS ({sets})"
    )
    return sql, values


def _text_of(column: str) -> str:
    return "array_to_string(flags, ',')" if column == "flags" else f"{column}::text"


def _with_fingerprints(by_id: Counter[str], chosen: Sequence[str]) -> tuple[Counter[str], dict[str, str]]:
    """Counts of the most frequent workloads by fingerprint, and the titles of these."""
    ids = [int(pk) for pk, _ in by_id.most_common(MOST_VALUES)]
    known = Workload.objects.filter(pk__in=ids) | Workload.objects.filter(fingerprint__in=chosen)
    found = list(known.values_list("pk", "fingerprint", "title"))
    counts = Counter({fingerprint: by_id[str(pk)] for pk, fingerprint, _ in found})
    return counts, _told_apart({fingerprint: title for _, fingerprint, title in found})


def _told_apart(titles: dict[str, str]) -> dict[str, str]:
    """Workloads that differ in what their titles leave out get the start of their fingerprint."""
    uses = Counter(titles.values())
    return {
        fingerprint: title if uses[title] == 1 else f"{title} ({fingerprint[:6]})"
        for fingerprint, title in titles.items()
    }


def _facet(name: str, counts: Counter[str], chosen: Sequence[str], titles: dict[str, str]) -> Facet:
    ranked = sorted({*counts, *chosen}, key=lambda value: _rank(name, value, counts))
    values = [value for place, value in enumerate(ranked) if place < MOST_VALUES or value in chosen]
    labels = titles if name == "workload" else {}
    return Facet(
        name=name,
        label=facet_label(name),
        values=tuple(
            FacetValue(value, labels.get(value) or label_of(name, value), counts[value], value in chosen)
            for value in values
        ),
        hidden_count=len(ranked) - len(values),
    )


def facet_label(name: str) -> str:
    """The words for a parameter of the filter."""
    if name == "workload":
        return "Workload"  # readers choose it by its title, the API by its fingerprint
    return str(SubmissionFilter.base_filters[name].label)


def label_of(name: str, value: str) -> str:
    """The words for a facet's value."""
    if name in _LABELS and value in set(_LABELS[name]):
        return _LABELS[name](value).label
    return value


def _rank(name: str, value: str, counts: Counter[str]) -> tuple[Any, ...]:
    """Numbers and closed lists in their own order, the others by count; unknown last."""
    if value == UNKNOWN:
        return (1, 0, value)
    if name in _NUMERIC:
        return (0, int(value), value)
    if name in _IN_ORDER:
        return (0, list(_IN_ORDER[name]).index(value), value)
    return (0, -counts[value], value)


def _as_texts(values: Iterable[Any]) -> list[str]:
    """As in the address; the filter turns `unknown` into None."""
    return list(dict.fromkeys(UNKNOWN if value is None else str(value) for value in values))

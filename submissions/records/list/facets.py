"""Counts beside the values of a filter: each under the choices made in all other facets, in one query."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import QuerySet

from submissions.api.filters import UNKNOWN
from submissions.choices import ConsistencyLevel, Trust
from submissions.facts import FACTS
from submissions.formatting.names import provider_name, service_name, tool_name
from submissions.models import Submission, Workload
from submissions.records.cache import cached
from submissions.records.list.filters import SubmissionFilter

SHOWN_VALUES = 8  # the others of a facet are behind "more"
MOST_VALUES = 60

_IN_ORDER: dict[str, Sequence[str]] = {
    "trust": list(Trust),
    "consistency_level": list(ConsistencyLevel),
}
_NUMERIC = ("replication_factor", "node_count")
_DISPLAY_NAMES = {"provider": provider_name, "service": service_name, "tool": tool_name}

# Parameters of the filter, in the order of the page.
_SHOWN = (
    "service",
    "workload",
    "provider",
    "region",
    "instance_type",
    "cpu_model",
    "disk_kind",
    "jdk_vendor",
    "jdk_version",
    "node_count",
    "operation",
    "consistency_level",
    "replication_factor",
    "tool",
    "latency_kind",
    "trust",
    "flag",
)
FACET_COLUMNS = {name: "workload_id" if name == "workload" else FACTS[name].column for name in _SHOWN}


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
    """Three queries: all counts, and the titles of the workloads that are shown; one while they are cached.

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
    rows: QuerySet[Submission] = filterset.queryset.order_by()
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
    # the text holds only names of FACET_COLUMNS; what a reader chose goes in as parameters
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
    known = Workload.objects.filter(pk__in=ids) | Workload.objects.open().filter(fingerprint__in=chosen)
    rows = list(known.values_list("pk", "fingerprint", "title"))
    counts = Counter({fingerprint: by_id[str(pk)] for pk, fingerprint, _ in rows})
    return counts, _distinct_titles({fingerprint: title for _, fingerprint, title in rows})


def _distinct_titles(titles: dict[str, str]) -> dict[str, str]:
    """By fingerprint; titles that several workloads have get the start of the fingerprint."""
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
            FacetValue(value, labels.get(value) or value_label(name, value), counts[value], value in chosen)
            for value in values
        ),
        hidden_count=len(ranked) - len(values),
    )


def facet_label(name: str) -> str:
    """The words for a parameter of the filter; readers choose a workload by its title, the API by its fingerprint."""
    return FACTS[name].label if name in FACTS else str(SubmissionFilter.base_filters[name].label)


def value_label(name: str, value: str) -> str:
    """The words for a parameter's value."""
    if name in _DISPLAY_NAMES:
        return _DISPLAY_NAMES[name](value)
    closed_list = FACTS[name].choices if name in FACTS else None
    if closed_list and value in list(closed_list):
        return closed_list(value).label
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

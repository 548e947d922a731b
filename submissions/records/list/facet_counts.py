"""Rows by value of each facet, under the choices made in all other facets: one statement."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connections, router
from django.db.models import Q, QuerySet

from submissions.age.conditions import marks_in, marks_text
from submissions.api.filters import UNKNOWN
from submissions.facts import FACTS
from submissions.models import Submission
from submissions.records.list.filters import SubmissionFilter

# Parameters of the filter, in the order of the page; the limits are between the first ones and the others.
FIRST = ("service", "provider", "instance_type")
_SHOWN = (
    *FIRST,
    "trust",
    "region",
    "node_count",
    "cpu_model",
    "disk_kind",
    "jdk_vendor",
    "jdk_version",
    "operation",
    "consistency_level",
    "replication_factor",
    "tool",
    "latency_kind",
    "flag",
    "age",
    "workload",
)
_OWN_COLUMNS = {"workload": "workload_id", "age": "age"}  # the marks of the day are no column of the table
FACET_COLUMNS = {name: _OWN_COLUMNS.get(name) or FACTS[name].column for name in _SHOWN}

_ALL = Q()


@dataclass(frozen=True, slots=True)
class FacetCounts:
    """Rows by value of each facet, without the choices made in it; `total`: rows under all choices.

    Values are as in the address, workloads by their id.
    """

    by_facet: dict[str, Counter[str]]
    total: int

    def __add__(self, other: "FacetCounts") -> "FacetCounts":
        both = {name: counts.copy() for name, counts in self.by_facet.items()}
        for name, counts in other.by_facet.items():
            both[name].update(counts)
        return FacetCounts(both, self.total + other.total)


def facet_counts(filterset: SubmissionFilter, among: Q = _ALL) -> FacetCounts:
    """One query. `filterset` is valid; its queryset is what would be listed without any choice.

    Facets without a choice share one scan (GROUPING SETS); each facet with one is counted again
    without its own choice.
    """
    active = [name for name in FACET_COLUMNS if filterset.form.cleaned_data[name]]
    passive = [name for name in FACET_COLUMNS if name not in active]
    parts = [_grouped(_with_age(_chosen_rows(filterset, among), filterset, passive), passive)]
    for name in active:
        rows = _with_age(_chosen_rows(filterset, among, without=name), filterset, [name])
        parts.append(_grouped(rows, [name], total=False))
    by_facet: dict[str, Counter[str]] = {name: Counter() for name in FACET_COLUMNS}
    total = 0
    with connections[router.db_for_read(Submission)].cursor() as cursor:
        cursor.execute(" UNION ALL ".join(sql for sql, _ in parts), [value for _, values in parts for value in values])
        for name, value, count in cursor.fetchall():
            if name is None:
                total = count
            elif name == "flag":
                by_facet[name].update({flag: count for flag in value.split(",") if flag})
            elif name == "age":
                by_facet[name].update({str(mark): count for mark in marks_in(value)})
            else:
                by_facet[name][UNKNOWN if value is None else value] += count
    return FacetCounts(by_facet, total)


def _chosen_rows(filterset: SubmissionFilter, among: Q, without: str | None = None) -> QuerySet[Submission]:
    rows: QuerySet[Submission] = filterset.queryset.filter(among).order_by()
    for name, value in filterset.form.cleaned_data.items():
        if name != without:
            rows = filterset.filters[name].filter(rows, value)
    return rows


def _with_age(rows: QuerySet[Submission], filterset: SubmissionFilter, names: Sequence[str]) -> QuerySet[Submission]:
    return rows.annotate(age=marks_text(filterset.age_conditions)) if "age" in names else rows


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

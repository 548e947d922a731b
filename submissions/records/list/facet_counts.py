"""Rows by value of each facet, under the choices made in all other facets: one statement."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import connections, router
from django.db.models import Count, Q, QuerySet

from submissions.age.conditions import marks_in, marks_text
from submissions.api.facet_field import NONE, UNKNOWN
from submissions.choices import AgeMark
from submissions.models import Submission
from submissions.records.list.facet_order import FACET_COLUMNS
from submissions.records.list.filters import SubmissionFilter

Statement = tuple[str, Sequence[Any]]  # SQL and its parameters


@dataclass(frozen=True, slots=True)
class FacetCounts:
    """Rows by value of each facet, without the choices made in it; `total`: rows under all choices.

    Values are as in the address, workloads by their id.
    """

    by_facet: dict[str, Counter[str]]
    total: int


def facet_counts(filterset: SubmissionFilter) -> FacetCounts:
    """One query: of the results with a rate, which the list has, by the choices of `filterset`. That is valid.

    Facets without a choice share one scan (GROUPING SETS); each facet with one is counted again
    without its own choice.
    """
    by_facet: dict[str, Counter[str]] = {name: Counter() for name in FACET_COLUMNS}
    total = 0
    for name, value, count in _rows(_union(filterset)):
        if name is None:
            total = count
        else:
            for part in _parts_of(name, value):
                by_facet[name][part] += count
    return FacetCounts(by_facet, total)


def age_counts(rows: QuerySet[Submission], conditions: Mapping[AgeMark, Q]) -> Counter[str]:
    """Rows by their marks. One query."""
    counts: Counter[str] = Counter()
    by_marks = rows.order_by().annotate(age=marks_text(conditions)).values_list("age").annotate(n=Count("pk"))
    for text, n in by_marks:
        counts.update(dict.fromkeys(map(str, marks_in(text)), n))
    return counts


def _rows(statement: Statement) -> Sequence[tuple[Any, ...]]:
    if not statement[0]:
        return []
    with connections[router.db_for_read(Submission)].cursor() as cursor:
        cursor.execute(*statement)
        rows: Sequence[tuple[Any, ...]] = cursor.fetchall()
        return rows


def _parts_of(name: str, text: str | None) -> Sequence[str]:
    """`values_in_address` of a value as the database gives it as text."""
    if name == "age":
        return list(map(str, marks_in(text or "")))
    return values_in_address(name, [flag for flag in (text or "").split(",") if flag] if name == "flag" else text)


def values_in_address(name: str, value: Any) -> Sequence[str]:
    """A row's values of a facet, as a parameter has them; of flags there may be none or several."""
    return value if name == "flag" else [in_address(value)]


def in_address(value: object) -> str:
    """A column's value as a parameter has it."""
    return UNKNOWN if value is None else str(value) or NONE


def _by_choice(filterset: SubmissionFilter) -> tuple[list[str], list[str]]:
    """The facets with a choice, and those without."""
    active = [name for name in FACET_COLUMNS if filterset.form.cleaned_data[name]]
    return active, [name for name in FACET_COLUMNS if name not in active]


def _union(filterset: SubmissionFilter) -> Statement:
    """The rows under all choices, for the facets without one, and those without each choice."""
    active, passive = _by_choice(filterset)
    parts = _parts(_with_age(_chosen_rows(filterset), filterset, passive), passive, "")
    for name in active:
        parts += _parts(_with_age(_chosen_rows(filterset, without=name), filterset, [name]), [name], name)
    return " UNION ALL ".join(sql for sql, _ in parts), [value for _, values in parts for value in values]


def _parts(rows: QuerySet[Submission], names: Sequence[str], without: str) -> list[Statement]:
    """None where the choices can have no row: those of an age mark that nothing has."""
    try:
        return [_grouped(rows, names, without)]
    except EmptyResultSet:
        return []


def _chosen_rows(filterset: SubmissionFilter, without: str | None = None) -> QuerySet[Submission]:
    rows: QuerySet[Submission] = Submission.objects.with_rate().order_by()
    for name, value in filterset.form.cleaned_data.items():
        if name != without:
            rows = filterset.filters[name].filter(rows, value)
    return rows


def _with_age(rows: QuerySet[Submission], filterset: SubmissionFilter, names: Sequence[str]) -> QuerySet[Submission]:
    return rows.annotate(age=marks_text(filterset.age_conditions)) if "age" in names else rows


def _grouped(rows: QuerySet[Submission], names: Sequence[str], without: str) -> Statement:
    """SQL with rows (facet, value, count); the total has the facet NULL, and is of all choices. Names are our own."""
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
    sets = ", ".join([f"({column})" for column in columns] + ["()"] * (not without))
    # the text holds only names of FACET_COLUMNS; what a reader chose goes in as parameters
    sql = (
        f"SELECT CASE {which} {facet} END, CASE {which} {value} END, count(*)"  # noqa: S608
        f" FROM ({inner}) AS rows GROUP BY GROUPING SETS ({sets})"
    )
    return sql, values


def _text_of(column: str) -> str:
    return "array_to_string(flags, ',')" if column == "flags" else f"{column}::text"

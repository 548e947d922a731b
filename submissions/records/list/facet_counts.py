"""Rows by value of each facet, under the choices made in all other facets: one statement.

The database counts many rows. A few new ones are read and counted here: of these, planning so many sums costs more.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, cast

from django.core.exceptions import EmptyResultSet
from django.db import connections, router
from django.db.models import QuerySet, Value

from submissions.age.conditions import marks_in, marks_text
from submissions.age.marks import Aging, age_of
from submissions.age.retired import retired_of
from submissions.api.facet_field import NONE, UNKNOWN
from submissions.choices import AgeMark
from submissions.facts import FACTS
from submissions.models import Submission
from submissions.records.cache import prices_version
from submissions.records.ids import Ids
from submissions.records.list.filters import SubmissionFilter

# Parameters of the filter, in the order of the page; the limits are between the first ones and the others.
FIRST = ("service", "provider", "instance_type")
_SHOWN = (
    *FIRST,
    "trust",
    "region",
    "node_count",
    "machine_family",
    "architecture",
    "cpu_model",
    "disk_kind",
    "jdk_vendor",
    "jdk_version",
    "operation",
    "consistency_level",
    "replication_factor",
    "tool",
    "latency_kind",
    "license",
    "pack",
    "flag",
    "age",
    "workload",
)
_OWN_COLUMNS = {"workload": "workload_id", "age": "age"}  # the marks of the day are no column of the table
FACET_COLUMNS = {name: _OWN_COLUMNS.get(name) or FACTS[name].column for name in _SHOWN}

FEW = 200  # ids: so many rows at most are counted here
_ALL = Ids()
Statement = tuple[str, Sequence[Any]]  # SQL and its parameters
_Select = Callable[[QuerySet[Submission], Sequence[str], str], Statement]
# in the place of the ids for which a statement is built once
_AFTER, _UPTO = 2**62 + 1, 2**62 + 2
_TABLE = Submission._meta.db_table
_FROM_TABLE = re.compile(rf'FROM "{_TABLE}"(?! U\d)')  # U0 and so on are the tables of subqueries


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


def facet_counts(filterset: SubmissionFilter, ids: Ids = _ALL) -> FacetCounts:
    """One query: of the results with a rate, which the list has, by the choices of `filterset`. That is valid.

    Facets without a choice share one scan (GROUPING SETS); each facet with one is counted again
    without its own choice.
    """
    if ids.upto is not None and ids.upto - ids.after <= FEW:
        return _few_counts(filterset, ids)
    by_facet: dict[str, Counter[str]] = {name: Counter() for name in FACET_COLUMNS}
    total = 0
    for name, value, count in _rows(_union(filterset, Submission.objects.with_rate().filter(ids.q()), _grouped)):
        if name is None:
            total = count
        else:
            for part in _parts_of(name, value):
                by_facet[name][part] += count
    return FacetCounts(by_facet, total)


def _few_counts(filterset: SubmissionFilter, ids: Ids) -> FacetCounts:
    """The same, of the values of each row."""
    statement = filterset.statements.get("few facets")
    if statement is None:
        statement = filterset.statements["few facets"] = _few_statement(filterset)
    sql, constants = statement
    limits = {_AFTER: ids.after, _UPTO: ids.upto}
    params = [limits.get(value, value) if type(value) is int else value for value in constants]
    by_facet: dict[str, Counter[str]] = {name: Counter() for name in FACET_COLUMNS}
    _, passive = _by_choice(filterset)
    rows = _rows((sql, params), is_prepared=not filterset.has_choices)
    has_marks = _counts_marks(filterset, passive)
    for without, values, *aging in rows:
        names = [without] if without else passive
        for name, value in zip(names, values, strict=True):
            text = _marks_text(aging, filterset) if name == "age" and has_marks and not without else value
            by_facet[name].update(_parts_of(name, text))
    return FacetCounts(by_facet, total=sum(1 for without, *_ in rows if not without))


def _few_statement(filterset: SubmissionFilter) -> Statement:
    """The rows are read once, by their ids, for all facets: planned without the other indexes of the table."""
    counts_marks = _counts_marks(filterset, _by_choice(filterset)[1])
    sql, values = _union(filterset, Submission.objects.all(), _listed, counts_marks=counts_marks)
    if not sql:
        return sql, values
    of_new, limits = Submission.objects.few_with_rate_among(_AFTER, _UPTO).query.sql_with_params()
    return f"WITH new AS MATERIALIZED ({of_new}) {sql}", [*limits, *values]


_AGING = tuple(name for name in Aging.__annotations__ if name != "pk")


def _counts_marks(filterset: SubmissionFilter, passive: Sequence[str]) -> bool:
    """Whether the marks of a few rows are counted here: their conditions are long, and have no price in them."""
    return "age" in passive and AgeMark.PRICE_DRIFT not in filterset.age_conditions


def _marks_text(aging: Sequence[Any], filterset: SubmissionFilter) -> str:
    """From the columns `_AGING`; no mark that is counted here needs the key."""
    row = cast(Aging, SimpleNamespace(pk=0, **dict(zip(_AGING, aging, strict=True))))
    return age_of(row, filterset.today, retired_of(prices_version()), {}).marks_text


def _rows(statement: Statement, *, is_prepared: bool = False) -> Sequence[tuple[Any, ...]]:
    if not statement[0]:
        return []
    connection: Any = connections[router.db_for_read(Submission)]  # benchsite/postgresql
    with connection.prepared_cursor() if is_prepared else connection.cursor() as cursor:
        cursor.execute(*statement)
        rows: Sequence[tuple[Any, ...]] = cursor.fetchall()
        return rows


def _parts_of(name: str, value: str | None) -> Sequence[str]:
    """A row's values of a facet, as in the address; of flags and age marks there may be none or several."""
    if name == "flag":
        return [flag for flag in (value or "").split(",") if flag]
    if name == "age":
        return list(map(str, marks_in(value or "")))
    return [in_address(value)]


def in_address(value: object) -> str:
    """A column's value as a parameter has it."""
    return UNKNOWN if value is None else str(value) or NONE


def _by_choice(filterset: SubmissionFilter) -> tuple[list[str], list[str]]:
    """The facets with a choice, and those without."""
    active = [name for name in FACET_COLUMNS if filterset.form.cleaned_data[name]]
    return active, [name for name in FACET_COLUMNS if name not in active]


def _union(
    filterset: SubmissionFilter, among: QuerySet[Submission], select: _Select, *, counts_marks: bool = False
) -> Statement:
    """`select` of the rows under all choices, for the facets without one, and of those without each choice.

    `counts_marks`: who reads the rows counts the marks of these, which are no column then.
    """
    active, passive = _by_choice(filterset)
    rows = _chosen_rows(filterset, among)
    rows = rows.annotate(age=Value("")) if counts_marks else _with_age(rows, filterset, passive)
    parts = _parts(select, rows, passive, "")
    for name in active:
        rows = _with_age(_chosen_rows(filterset, among, without=name), filterset, [name])
        parts += _parts(select, rows, [name], name)
    return " UNION ALL ".join(sql for sql, _ in parts), [value for _, values in parts for value in values]


def _parts(select: _Select, rows: QuerySet[Submission], names: Sequence[str], without: str) -> list[Statement]:
    """None where the choices can have no row: those of an age mark that nothing has."""
    try:
        return [select(rows, names, without)]
    except EmptyResultSet:
        return []


def _chosen_rows(
    filterset: SubmissionFilter, among: QuerySet[Submission], without: str | None = None
) -> QuerySet[Submission]:
    rows = among.order_by()
    for name, value in filterset.form.cleaned_data.items():
        if name != without:
            rows = filterset.filters[name].filter(rows, value)
    return rows


def _with_age(rows: QuerySet[Submission], filterset: SubmissionFilter, names: Sequence[str]) -> QuerySet[Submission]:
    return rows.annotate(age=marks_text(filterset.age_conditions)) if "age" in names else rows


def _listed(rows: QuerySet[Submission], names: Sequence[str], without: str) -> Statement:
    """SQL with rows of `new` (the facet without whose choice they are, or NULL; values of `names`; of _AGING)."""
    columns = [FACET_COLUMNS[name] for name in names]
    inner, values = rows.values(*dict.fromkeys([*columns, *_AGING])).query.sql_with_params()
    inner = _FROM_TABLE.sub(f'FROM new AS "{_TABLE}"', inner)
    texts = ", ".join(map(_text_of, columns))
    facet = f"'{without}'" if without else "NULL"
    # the text holds only names of FACET_COLUMNS and _AGING; what a reader chose goes in as parameters
    sql = f"SELECT {facet}::text, ARRAY[{texts}]::text[], {', '.join(_AGING)} FROM ({inner}) AS rows"  # noqa: S608
    return sql, values


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

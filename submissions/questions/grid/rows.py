"""The submissions that a grid can be made of, read from the database: each as a row with its place in the grid."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from json import dumps
from typing import Any, NamedTuple

from django.db import connections, router
from django.db.models import Case, CharField, F, IntegerField, Q, Value, When
from django.db.models.functions import Coalesce

from submissions.analysis.comparison.grid import Measurement
from submissions.choices import LatencyKind, Trust
from submissions.facts import CACHE_NODE_COUNT, NODE_COUNT
from submissions.ingest.checks.noise import PRECEDENCE, ConfigurationRuns, NoiseBook, configuration_runs, noise_books
from submissions.models import (
    IS_EXCLUDED,
    IS_UNRANKED,
    CompiledQuery,
    Submission,
    SubmissionQuerySet,
    Trial,
    filter_of_trust,
)
from submissions.questions.grid.parameters import ALSO_REPORTED, VARIED, FactValue, Layout, Parameter

MOST_READ_APART = 24  # workloads

# Facts that have to be the same on both sides of a cell, unless the grid is about them.
REQUIRED = (NODE_COUNT.column, CACHE_NODE_COUNT.column)
# What a relative rate is relative to, which has to be the same too; empty for an absolute rate.
BASE = ("base", "base_source", "base_submitter")

RowKey = tuple[FactValue, ...]  # a value for each parameter of the rows


class CellKey(NamedTuple):
    row: RowKey
    column: FactValue


@dataclass(frozen=True, slots=True)
class GridWorkload:
    pk: int
    fingerprint: str
    canonical: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class GridGroup:
    """`count` submissions of one workload with the same facts."""

    count: int
    varied: FactValue | None  # None: unknown
    cell: CellKey | None  # None: a fact of the rows or columns is unknown
    required: tuple[Any, ...]


class _Run(NamedTuple):
    """Of a submission what decides which runs count for it."""

    pk: int
    workload_id: int
    configuration: str
    trust_filter: Trust | None


class _Noise(NamedTuple):
    """By workload, and by submission."""

    books: Mapping[int, NoiseBook]
    runs: Mapping[int, ConfigurationRuns]


@dataclass(frozen=True, slots=True)
class GridRow:
    """One submission behind a grid."""

    pk: int
    trust: str
    varied: FactValue | None
    cell: CellKey | None
    base: str  # of a relative rate
    measurement: Measurement


def grid_rows(layout: Layout, submissions: SubmissionQuerySet, workloads: Collection[int], limit: int) -> list[GridRow]:
    """The newest `limit` of them, which are of these workloads, with the noise of these; six queries."""
    reported = reported_facts(layout)
    columns = {*columns_of(layout), *(name for parameter in reported for name in parameter.columns)}
    newest = newest_of_workloads(submissions, workloads, limit)
    rows = list(
        with_base(Submission.objects.filter(pk__in=newest))
        .order_by("-pk")
        .annotate(settings=F("document__settings"), canonical=F("workload__canonical"))
        .values(
            *("pk", "trust", "canonical", "settings", "trials_count", "averaged_over"),
            *("throughput_ops_s", "relative_throughput", "workload", "configuration"),
            *columns,
        )
    )
    rates = _trial_rates(row["pk"] for row in rows if row["trials_count"] > 1)
    noise = _noise(rows)
    return [
        GridRow(
            pk=row["pk"],
            trust=row["trust"],
            varied=layout.varied.value_in(row, {}),
            cell=cell_key(layout, row, row["canonical"]),
            base=row["base"],
            measurement=_measurement(layout, reported, row, rates.get(row["pk"], ()), noise),
        )
        for row in rows
    ]


def newest_of_workloads(submissions: SubmissionQuerySet, workloads: Collection[int], limit: int) -> list[int]:
    """Each workload by itself where they are few: an index has its newest, and the others are not read. One query."""
    if not 0 < len(workloads) <= MOST_READ_APART:
        return list(submissions.filter(workload__in=workloads).order_by("-pk").values_list("pk", flat=True)[:limit])
    of_each = CompiledQuery(
        lambda workload: submissions.filter(workload=workload).order_by("-pk").values_list("pk")[:limit], workload=-1
    )
    newest, params = of_each.sql_of(workload="of_workload")
    with connections[router.db_for_read(Submission)].cursor() as cursor:
        cursor.execute(
            f"SELECT newest.* FROM unnest(%s::bigint[]) AS of_workload, LATERAL ({newest}) AS newest"  # noqa: S608
            f" ORDER BY 1 DESC LIMIT {limit:d}",
            [list(workloads), *params],
        )
        return [pk for (pk,) in cursor.fetchall()]


def on_boards(rows: SubmissionQuerySet, trust: Trust | None) -> SubmissionQuerySet:
    """Those that may be in a cell."""
    return rows.exclude(IS_EXCLUDED).exclude(IS_UNRANKED).trust_filtered(trust)


def grid_submissions() -> SubmissionQuerySet:
    """Published, with a positive rate, and with what it is relative to."""
    rated = Q(throughput_ops_s__gt=0) | Q(throughput_ops_s=None, relative_throughput__gt=0)
    return with_base(Submission.objects.published().filter(rated))


def with_base(rows: SubmissionQuerySet) -> SubmissionQuerySet:
    is_relative = Q(throughput_ops_s=None)
    return rows.annotate(
        base=Case(When(is_relative, then=F("relative_base")), default=Value(""), output_field=CharField()),
        base_source=Case(When(is_relative, then=F("source_url")), default=Value(""), output_field=CharField()),
        # two submitters may mean two things by the same words
        base_submitter=Case(
            When(is_relative, then=Coalesce(F("submitted_by"), 0)), default=Value(0), output_field=IntegerField()
        ),
    )


def has_value(parameter: Parameter, value: FactValue) -> Q:
    """The submissions with that value of a fact of the system."""
    return Q(**dict(zip(parameter.columns, value, strict=True)))


def reported_facts(layout: Layout) -> tuple[Parameter, ...]:
    """The facts that may differ between the sides of a cell, which reports them; settings come after them."""
    about = {*(parameter.key for parameter in layout.parameters), *REQUIRED}
    return tuple(parameter for parameter in (*VARIED.values(), *ALSO_REPORTED) if parameter.key not in about)


def columns_of(layout: Layout) -> list[str]:
    return sorted(layout.columns_read.union(REQUIRED, BASE))


def required_of(layout: Layout, row: Mapping[str, Any]) -> tuple[Any, ...]:
    read = layout.columns_read
    return tuple(row[name] for name in (*REQUIRED, *BASE) if name not in read)


def cell_key(layout: Layout, row: Mapping[str, Any], canonical: Mapping[str, Any]) -> CellKey | None:
    """None where a fact of the rows or columns is unknown."""
    *of_rows, column = (parameter.value_in(row, canonical) for parameter in layout.axes)
    known = tuple(value for value in of_rows if value is not None)
    return None if column is None or len(known) < len(of_rows) else CellKey(known, column)


def _trial_rates(submissions: Iterable[int]) -> dict[int, list[tuple[float | None, float | None]]]:
    """(ops/s, relative) of each of their trials; one query."""
    rates: dict[int, list[tuple[float | None, float | None]]] = {}
    trials = Trial.objects.repetitions().filter(submission__in=list(submissions))
    for pk, absolute, relative in trials.values_list("submission", "throughput_ops_s", "relative_throughput"):
        rates.setdefault(pk, []).append((absolute, relative))
    return rates


def _measurement(
    layout: Layout,
    reported: Iterable[Parameter],
    row: Mapping[str, Any],
    trials: Iterable[tuple[float | None, float | None]],
    noise: _Noise,
) -> Measurement:
    is_relative = row["throughput_ops_s"] is None
    headline = row["relative_throughput"] if is_relative else row["throughput_ops_s"]
    rates = tuple(rate for trial in trials if (rate := trial[is_relative]) is not None and rate > 0)
    trust_filter = filter_of_trust(row["trust"])
    settings = dumps(row["settings"], sort_keys=True) if row["settings"] else None
    return Measurement(
        key=row["pk"],
        rates=rates or (headline,),
        required=required_of(layout, row),
        facts=(*(parameter.value_in(row, {}) for parameter in reported), settings),
        averaged_over=row["averaged_over"],
        configuration=row["configuration"],
        runs=noise.runs[row["pk"]].throughput,
        noise=noise.books[row["workload"]].of_trust_filter(trust_filter).throughput,
        precedence=PRECEDENCE[trust_filter],
    )


def _noise(rows: Iterable[Mapping[str, Any]]) -> _Noise:
    """Three queries."""
    runs = [_Run(row["pk"], row["workload"], row["configuration"], filter_of_trust(row["trust"])) for row in rows]
    workloads = {run.workload_id for run in runs}
    return _Noise(noise_books(workloads, LatencyKind.UNKNOWN), configuration_runs(runs, LatencyKind.UNKNOWN))

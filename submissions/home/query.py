"""What the first page shows: totals, the best value within one workload, the newest results."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import router
from django.db.models import F, Q
from django.db.models.lookups import GreaterThan

from submissions.aggregates.store import refresh
from submissions.formatting.names import public_title
from submissions.models import (
    HAS_RATE,
    NEWEST_FIRST,
    CompiledQuery,
    Submission,
    Workload,
    WorkloadFigures,
)
from submissions.pricing.providers import billing_of
from submissions.pricing.terms import PriceTerms
from submissions.questions.boards.choice import WorkloadChoice
from submissions.questions.boards.grouping import GroupBy
from submissions.questions.value import query as value_query
from submissions.questions.value.query import Offer, ValueResult
from submissions.questions.value.valuation import ValueParams
from submissions.records.databases.places import places
from submissions.records.table import ROW_COLUMNS

NEWEST = 5
WORKLOAD_CHOICES = 8
LARGE = 20  # priced clusters of a workload whose finding leads
MOST_LARGE = 8  # of such workloads, the newest, are looked at


@dataclass(frozen=True, slots=True)
class Totals:
    submissions: int
    services: int
    providers: int
    measured_here: frozenset[str] = frozenset()  # databases with a result of this machine


@dataclass(frozen=True, slots=True)
class WorkloadCount:
    """A workload with something to compare."""

    pk: int
    fingerprint: str
    title: str
    submissions: int  # priced ones that can be ranked
    has_logs: bool  # else all of them are of articles


@dataclass(frozen=True, slots=True)
class Summary:
    totals: Totals
    workloads: tuple[WorkloadCount, ...]
    large: tuple[WorkloadCount, ...]  # the newest of those with LARGE priced clusters


@dataclass(frozen=True, slots=True)
class HomeResult:
    totals: Totals
    workloads: Sequence[WorkloadCount]  # that can be chosen
    workload: WorkloadCount | None  # None where no workload has a priced result
    is_chosen: bool  # by the address
    leading: Sequence[WorkloadCount]  # the first of them with a conclusive finding leads, where none is chosen
    newest: Sequence[Submission]


def home_result(fingerprint: str) -> HomeResult:
    """The workload with that fingerprint is chosen, else the one with most to compare: of raw logs before articles."""
    counts = summary(WORKLOAD_CHOICES)
    every = _each_once(*counts.large, *counts.workloads)
    by_fingerprint = {workload.fingerprint: workload for workload in every}
    chosen = by_fingerprint.get(fingerprint) or _formerly(fingerprint, every)
    with_logs_first = sorted(counts.workloads, key=lambda known: not known.has_logs)
    return HomeResult(
        totals=counts.totals,
        workloads=counts.workloads,
        workload=chosen or next(iter(with_logs_first), None),
        is_chosen=chosen is not None,
        leading=_each_once(*counts.large, *with_logs_first),
        newest=newest(),
    )


def _each_once(*workloads: WorkloadCount) -> list[WorkloadCount]:
    return list({workload.pk: workload for workload in workloads}.values())


def _formerly(fingerprint: str, workloads: Sequence[WorkloadCount]) -> WorkloadCount | None:
    """The one that had this fingerprint. One query where a fingerprint is stated."""
    row = Workload.objects.by_fingerprint(fingerprint) if fingerprint else None
    return next((workload for workload in workloads if row and workload.pk == row.pk), None)


def value_of(workload: WorkloadCount, terms: PriceTerms) -> ValueResult | None:
    """The answer of the value question by instance type; None where nothing of the workload is priced at `terms`."""
    choice = WorkloadChoice(workload.fingerprint, workload.title, workload.submissions, workload.pk)
    result = value_query.value_of(ValueParams(by=GroupBy.INSTANCE_TYPE, terms=terms), Offer(choice, [choice]))
    return result if result.groups else None


def summary(workloads: int) -> Summary:
    """Totals, and the workloads with most to compare: those of two machine types or more before others."""
    refresh()
    return Summary(totals(), _most_compared(workloads), _newest_large())


# in the order in which `Submission.from_db` takes them
_COLUMNS = tuple(
    field.attname for field in Submission._meta.concrete_fields if field.attname in (*ROW_COLUMNS, "unranked_until")
)
_NEWEST = CompiledQuery(lambda: Submission.objects.newest().filter(HAS_RATE).values_list(*_COLUMNS)[:NEWEST])


def newest() -> list[Submission]:
    """The last ones that were published here, with the titles that the first page shows. One query."""
    using = router.db_for_read(Submission)
    rows = [Submission.from_db(using, _COLUMNS, row) for row in _NEWEST.rows_from(using)]
    for row in rows:
        row.title = public_title(row)
    return rows


def totals() -> Totals:
    """Two queries, one while they are counted."""
    counts = places()
    services, providers = {place.service for place in counts}, {place.provider for place in counts}
    here = frozenset(place.service for place in counts if billing_of(place.provider).is_one_machine)
    return Totals(counts.total(), len(services), len(providers), here)


def _most_compared(count: int) -> tuple[WorkloadCount, ...]:
    """One query; another where few workloads have several machine types."""
    # the index has no machine types: those of several first, others where these are too few
    found = [WorkloadCount(*row) for row in _OF_SEVERAL.rows()]
    if len(found) < count:
        found += [WorkloadCount(*row) for row in _OF_ONE.rows()]
    return tuple(found[:count])


def _newest_large() -> tuple[WorkloadCount, ...]:
    """Those with LARGE priced clusters or more, of which one has a log. One query."""
    return tuple(WorkloadCount(*row) for row in _NEWEST_LARGE.rows())


# Of a WorkloadCount
_FIGURES = ("workload_id", "workload__fingerprint", "workload__title", "valued", "has_logs")


def _valued(of: Q, *order: Any, most: int) -> CompiledQuery:
    return CompiledQuery(
        lambda: (
            WorkloadFigures.objects.annotate(has_logs=GreaterThan(F("proven"), 0))
            .filter(of)
            .order_by(*order)
            .values_list(*_FIGURES)[:most]
        )
    )


_NEWEST_LARGE = _valued(
    Q(valued__gte=LARGE, machine_types__gt=1, proven__gt=0, newest__isnull=False), *NEWEST_FIRST, most=MOST_LARGE
)
_OF_SEVERAL, _OF_ONE = (
    _valued(of, "-valued", "-workload_id", most=WORKLOAD_CHOICES)
    for of in (Q(machine_types__gt=1, valued__gt=0), Q(machine_types__lte=1, valued__gt=0))
)

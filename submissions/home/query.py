"""What the first page shows: totals, the best value within one workload, the newest results."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db import router
from django.db.models import Count, Q

from submissions.formatting.names import public_title
from submissions.models import (
    HAS_RATE,
    NEWEST_FIRST,
    CompiledQuery,
    Submission,
    SubmissionQuerySet,
    Workload,
    WorkloadTotals,
    has_proven,
)
from submissions.pricing.providers import billing_of
from submissions.pricing.terms import PriceTerms
from submissions.questions.value import query as value_query
from submissions.questions.value.query import Offer, ValueResult
from submissions.questions.value.valuation import ValueParams
from submissions.questions.workload.choice import WorkloadChoice
from submissions.questions.workload.grouping import GroupBy
from submissions.records.places import places
from submissions.records.table import ROW_COLUMNS
from submissions.summaries.workloads import Readable, readable, recencies

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


Counted = dict[int, tuple[int, WorkloadCount]]  # by workload its machine types, and itself


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
    known = readable()
    others: Counted = {}
    if known is None or known.others:
        others = _counted(Submission.objects.filter(workload__in=known.others) if known else Submission.objects.all())
    return Summary(totals(), _most_compared(workloads, known, others), _newest_large(known, others))


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


def _most_compared(count: int, known: Readable | None, others: Counted) -> tuple[WorkloadCount, ...]:
    """One query; another where few workloads have several machine types."""
    found: Counted = {}
    if known is not None:
        # the index has no machine types: those of several first, others where these are too few
        for query in (_OF_SEVERAL, _OF_ONE):
            found |= _first(query.rows(moment=known.moment)) if len(found) < count else {}
    found |= others
    most = sorted(found.values(), key=lambda one: (one[0] > 1, one[1].submissions, one[1].pk), reverse=True)
    return tuple(workload for _, workload in most[:count])


def _newest_large(known: Readable | None, others: Counted) -> tuple[WorkloadCount, ...]:
    """Those with LARGE priced clusters or more, of which one has a log. One query; of `others` three more."""
    found: list[tuple[datetime, WorkloadCount]] = []
    if known is not None:
        for pk, fingerprint, title, valued, newest_at in _NEWEST_LARGE.rows(moment=known.moment):
            found.append((newest_at, WorkloadCount(pk, fingerprint, title, valued, has_logs=True)))
    large = [one for types, one in others.values() if types > 1 and one.submissions >= LARGE and one.has_logs]
    if large:
        dated = recencies([one.pk for one in large])
        found += [(dated[one.pk].newest, one) for one in large]
    found.sort(key=lambda pair: (pair[0], pair[1].pk), reverse=True)
    return tuple(workload for _, workload in found[:MOST_LARGE])


_NEWEST_LARGE = CompiledQuery(
    lambda moment: (
        WorkloadTotals.objects.current_at(moment)
        .filter(valued__gte=LARGE, machine_types__gt=1, proven__gt=0, newest__isnull=False)
        .order_by(*NEWEST_FIRST)
        .values_list("workload_id", "workload__fingerprint", "workload__title", "valued", "newest")[:MOST_LARGE]
    ),
    moment=datetime(2000, 1, 1, tzinfo=UTC),
)


def _most_results(of: Q) -> CompiledQuery:
    columns = ("workload_id", "workload__fingerprint", "workload__title", "valued", "proven", "machine_types")
    return CompiledQuery(
        lambda moment: (
            WorkloadTotals.objects.current_at(moment)
            .filter(of, valued__gt=0)
            .order_by("-valued", "-workload_id")
            .values_list(*columns)[:WORKLOAD_CHOICES]
        ),
        moment=datetime(2000, 1, 1, tzinfo=UTC),
    )


_OF_SEVERAL, _OF_ONE = _most_results(Q(machine_types__gt=1)), _most_results(Q(machine_types__lte=1))


def _first(rows: Iterable[tuple[Any, ...]]) -> dict[int, tuple[int, WorkloadCount]]:
    return {
        pk: (machine_types, WorkloadCount(pk, fingerprint, title, valued, has_logs=proven > 0))
        for pk, fingerprint, title, valued, proven, machine_types in rows
    }


def _counted(rows: SubmissionQuerySet) -> dict[int, tuple[int, WorkloadCount]]:
    """By workload its machine types, and itself. Two queries."""
    numbers = _compared(rows)
    workloads = Workload.objects.filter(pk__in=numbers).annotate(has_logs=has_proven("pk"))
    return {
        pk: (numbers[pk][0], WorkloadCount(pk, fingerprint, title, numbers[pk][1], has_logs))
        for pk, fingerprint, title, has_logs in workloads.values_list("pk", "fingerprint", "title", "has_logs")
    }


def _compared(rows: SubmissionQuerySet) -> dict[int, tuple[int, int]]:
    """(machine types, submissions) that are priced and ranked, by workload. One query."""
    ranked = rows.rankable().priced().on_shelf(None)
    systems = ranked.values_list("workload", "provider", "instance_type").annotate(n=Count("id")).order_by()
    numbers: dict[int, tuple[int, int]] = {}
    for workload_id, _, _, n in systems:
        machine_types, submissions = numbers.get(workload_id, (0, 0))
        numbers[workload_id] = machine_types + 1, submissions + n
    return numbers

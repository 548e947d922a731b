"""All workloads by their totals: how many results each has that a board can use, and which are the newest."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from django.db import connection, connections, router
from django.db.models import Exists, F, Max, QuerySet
from django.db.models.expressions import Combinable
from django.utils import timezone

from submissions.choices import PROVEN, Trust
from submissions.models import CompiledQuery, Submission, WorkloadTotals
from submissions.summaries.groups import levels_on, shelf_levels


@dataclass(frozen=True, slots=True)
class Readable:
    """`totals` are true at this moment, which is now; of the workloads in `others` the rows are to be read."""

    moment: datetime
    others: Sequence[int]

    @property
    def totals(self) -> QuerySet[WorkloadTotals]:
        return WorkloadTotals.objects.current_at(self.moment)


def readable() -> Readable | None:
    """None where the rows of all are to be read: the open transaction has changed some. One query, else two."""
    if connection.in_atomic_block and not WorkloadTotals.has_settled():
        return None
    moment = timezone.now()
    with connections[router.db_for_read(WorkloadTotals)].cursor() as cursor:
        cursor.execute("SELECT workload_id FROM submissions_workloadtotals WHERE valid_until <= %s", [moment])
        ended = [pk for (pk,) in cursor.fetchall()]
    return Readable(moment, ended)


@dataclass(frozen=True, slots=True)
class Beside:
    """The other results of a submission's workload."""

    published: int
    levels: tuple[Trust, ...]  # of trust, of those on its shelf


def beside(submission: Submission) -> Beside:
    """One query; two or three where the rows are to be read."""
    for published, is_published, proven in _BESIDE.rows(workload=submission.workload_id, pk=submission.pk):
        return Beside(published - is_published, levels_on(submission.shelf, has_proven=bool(proven)))
    others = Submission.objects.published().filter(workload=submission.workload_id).exclude(pk=submission.pk)
    return Beside(others.count(), shelf_levels(submission.workload_id, submission.shelf))


_BESIDE = CompiledQuery(
    lambda workload, pk: (
        WorkloadTotals.objects.current()
        .filter(pk=workload)
        .annotate(own=Exists(Submission.objects.published().filter(pk=pk)))
        .order_by()
        .values_list("published", "own", "proven")
    ),
    workload=-1,
    pk=-2,
)


def valued(trust: Trust | None) -> Combinable:
    """How many priced results of a workload are ranked on this shelf: an expression of its totals."""
    if trust is None:
        return F("valued")
    levels = (trust,) if trust == Trust.HISTORICAL else trust.and_higher
    first, *others = (F(f"priced_{level}") for level in levels)
    total: Combinable = first
    for other in others:
        total += other
    return total


class Recency(NamedTuple):
    """Of a workload with a raw log: a page opens on the greatest. The order of `NEWEST_FIRST`."""

    has_several: bool  # machine types
    newest: datetime
    workload_id: int

    @classmethod
    def of(cls, *, has_several: bool, newest: datetime | None, workload_id: int) -> "Recency":
        return cls(has_several, newest or datetime.min.replace(tzinfo=UTC), workload_id)


def recencies(workloads: Collection[int] | None = None) -> Mapping[int, Recency]:
    """Of all of these workloads that have a ranked result with a raw log, from their rows. Three queries."""
    rows = Submission.objects.all() if workloads is None else Submission.objects.filter(workload__in=workloads)
    ranked = rows.rankable().order_by()
    proven = set(ranked.filter(trust__in=PROVEN).values_list("workload", flat=True).distinct())
    priced = ranked.priced().on_shelf(None).filter(workload__in=proven)
    machine_types = Counter(pk for pk, *_ in priced.values_list("workload", "provider", "instance_type").distinct())
    newest = rows.published().filter(workload__in=proven).order_by().values_list("workload")
    return {
        pk: Recency.of(has_several=machine_types[pk] > 1, newest=at, workload_id=pk)
        for pk, at in newest.annotate(newest=Max("measured_at"))
    }

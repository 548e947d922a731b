"""All workloads by their figures: how many results each has that a board can use, and which are the newest."""

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import Exists, F
from django.db.models.expressions import Combinable

from submissions.aggregates.store import refresh
from submissions.aggregates.trust_filter import levels_of
from submissions.choices import Trust
from submissions.models import CompiledQuery, Submission, WorkloadFigures


def levels_in(workload_id: int, trust: Trust | None) -> tuple[Trust, ...]:
    """The trust levels that this filter takes of a workload. Two queries for the default one.

    For one workload it spares a query the search for results with a log in all of them.
    """
    if trust is None:
        return _in_order(None, has_proven=bool(with_proven([workload_id])))
    return _in_order(trust, has_proven=True)


def _in_order(trust: Trust | None, *, has_proven: bool) -> tuple[Trust, ...]:
    levels = levels_of(trust, has_proven=has_proven)
    return tuple(level for level in Trust if level in levels)


def with_proven(workloads: Collection[int]) -> frozenset[int]:
    """Those of them that have ranked results with a raw log. Two queries."""
    refresh(workloads)
    figures = WorkloadFigures.objects.filter(pk__in=workloads, proven__gt=0)
    return frozenset(figures.values_list("pk", flat=True))


@dataclass(frozen=True, slots=True)
class Beside:
    """The other results of a submission's workload."""

    published: int
    levels: tuple[Trust, ...]  # of trust, of those that its own boards take


def beside(submission: Submission) -> Beside:
    """Two queries."""
    refresh([submission.workload_id])
    for published, is_published, proven in _BESIDE.rows(workload=submission.workload_id, pk=submission.pk):
        return Beside(published - is_published, _in_order(submission.trust_filter, has_proven=bool(proven)))
    return Beside(0, _in_order(submission.trust_filter, has_proven=False))


_BESIDE = CompiledQuery(
    lambda workload, pk: (
        WorkloadFigures.objects.filter(pk=workload)
        .annotate(own=Exists(Submission.objects.published().filter(pk=pk)))
        .order_by()
        .values_list("published", "own", "proven")
    ),
    workload=-1,
    pk=-2,
)


def valued(trust: Trust | None) -> Combinable:
    """How many priced results of a workload boards of this trust filter rank: an expression of its figures."""
    if trust is None:
        return F("valued")
    first, *others = (F(f"priced_{level}") for level in _in_order(trust, has_proven=True))
    total: Combinable = first
    for other in others:
        total += other
    return total

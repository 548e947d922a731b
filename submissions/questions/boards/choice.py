"""The workload that a question is about: a chart or a ranking has one; the selector shows how many rows each has.

A page opens on the newest workload with results that have a raw log, of several machine types where there are such; its
selector has that one first, then those with the most rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

from django.db.models import Count, QuerySet

from submissions.aggregates.store import refresh
from submissions.aggregates.workloads import valued
from submissions.api.forms import BadParameter
from submissions.choices import Trust
from submissions.ingest.document.titles import workload_labels
from submissions.models import (
    NEWEST_FIRST,
    CompiledQuery,
    Submission,
    Workload,
    WorkloadFigures,
    open_workload,
)

MOST_CHOICES = 50  # of a selector, which fills a screen; the list of workloads leads to all others


@dataclass(frozen=True, slots=True)
class WorkloadChoice:
    fingerprint: str
    title: str
    count: int | None  # rows that the question can use; None where they are not counted: it is not offered
    pk: int = 0


def opening_first(offered: Sequence[WorkloadChoice], opening: WorkloadChoice | None) -> list[WorkloadChoice]:
    """The choices of a selector, at their head the one that the page opens on; None: it opens on that with the most."""
    if opening is None:
        return list(offered)
    return [opening, *(choice for choice in offered if choice.fingerprint != opening.fingerprint)][:MOST_CHOICES]


def choices(rows: QuerySet[Submission], most: int | None = MOST_CHOICES) -> list[WorkloadChoice]:
    """The workloads of `rows`, those with the most first; one query."""
    counts = (
        rows.order_by()
        .values("workload__fingerprint", "workload__title", "workload")
        .annotate(count=Count("pk"))
        .order_by("-count", "workload__title", "workload__fingerprint")
    )
    return [
        WorkloadChoice(row["workload__fingerprint"], row["workload__title"], row["count"], row["workload"])
        for row in counts[:most]
    ]


def valued_choices(trust: Trust | None) -> list[WorkloadChoice]:
    """The workloads with most priced results that boards of this trust filter rank, at their head the one to open on.

    Three queries.
    """
    refresh()
    opening = next((WorkloadChoice(*row) for row in _first_valued(trust).rows()), None)
    return opening_first([WorkloadChoice(*row) for row in _most_valued(trust).rows()], opening)


_COLUMNS = ("workload__fingerprint", "workload__title", "n", "workload_id")


@cache
def _most_valued(trust: Trust | None) -> CompiledQuery:
    def rows() -> QuerySet[WorkloadFigures, tuple[Any, ...]]:
        first = _valued(trust).order_by("-n", "workload__title", "workload__fingerprint")
        return first.values_list(*_COLUMNS)[:MOST_CHOICES]

    return CompiledQuery(rows)


@cache
def _first_valued(trust: Trust | None) -> CompiledQuery:
    """Of those with a raw log."""

    def rows() -> QuerySet[WorkloadFigures, tuple[Any, ...]]:
        return _valued(trust).filter(proven__gt=0).order_by(*NEWEST_FIRST).values_list(*_COLUMNS)[:1]

    return CompiledQuery(rows)


def _valued(trust: Trust | None) -> QuerySet[Any]:
    return WorkloadFigures.objects.annotate(n=valued(trust)).filter(n__gt=0)


def choose_workload(
    fingerprint: str, offered: Sequence[WorkloadChoice], rows: QuerySet[Submission] | None = None
) -> WorkloadChoice | None:
    """The workload with that fingerprint; without one the first of `offered`, None where nothing is offered.

    One that is not among `offered` costs a query, and another one where it is counted: in `rows`. Raises
    BadParameter for an unknown workload.
    """
    if not fingerprint:
        return offered[0] if offered else None
    for choice in offered:
        if choice.fingerprint == fingerprint:
            return choice
    workload = open_workload(fingerprint)
    if workload is None:
        raise BadParameter("workload", "there is no such workload", is_missing=True)
    count = None if rows is None else rows.filter(workload=workload).count()
    return WorkloadChoice(workload.fingerprint, workload.title, count, workload.pk)


def with_chosen(offered: Sequence[WorkloadChoice], choice: WorkloadChoice | None) -> list[WorkloadChoice]:
    """The choices of the selector, which always has the chosen workload."""
    if choice is None or choice in offered:
        return list(offered)
    return [choice, *offered]


class Titled(Protocol):
    """A workload, as far as a selector shows it."""

    @property
    def pk(self) -> int: ...
    @property
    def fingerprint(self) -> str: ...
    @property
    def title(self) -> str: ...


def choice_labels(workloads: Sequence[Titled]) -> dict[str, str]:
    """What a selector shows of these, by fingerprint: what tells those of one database apart first.

    One query. The title of a workload whose form states no fact.
    """
    rows = Workload.objects.filter(pk__in=[each.pk for each in workloads]).order_by()
    labels = workload_labels(dict(rows.values_list("fingerprint", "canonical")))
    return {each.fingerprint: labels.get(each.fingerprint) or each.title for each in workloads}

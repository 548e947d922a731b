"""The workload that a question is about: a chart or a ranking has one; the selector shows how many rows each has.

A page opens on the newest workload with results that have a raw log, of several machine types where there are such; its
selector has that one first, then those with the most rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any, Protocol

from django.db.models import Count, QuerySet

from submissions.api.forms import BadParameter
from submissions.choices import Trust
from submissions.ingest.document.titles import workload_labels
from submissions.models import (
    HAS_SEVERAL,
    NEWEST_FIRST,
    CompiledQuery,
    Submission,
    VersionMemory,
    Workload,
    WorkloadTotals,
    open_workload,
)
from submissions.summaries.workloads import Readable, Recency, readable, recencies, valued

MOST_CHOICES = 50  # of a selector, which fills a screen; the list of workloads leads to all others

# canonical ones, by id and fingerprint, which is their hash: no version of the data changes one
_forms: VersionMemory[tuple[int, str], Mapping[str, Any]] = VersionMemory(2_000)
_FOR_EVER = "every version"


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


def valued_choices(trust: Trust | None, rows: QuerySet[Submission]) -> list[WorkloadChoice]:
    """As `choices` of `rows`: the priced ones that are ranked on this shelf, at their head the one to open on.

    Three queries; nine after a time passed.
    """
    known = readable()
    opening = _newest_valued(trust, rows, known)
    if known is None:
        return opening_first(choices(rows), opening)
    offered = [WorkloadChoice(*row) for row in _most_valued(trust).rows(moment=known.moment)]
    if known.others:
        by_pk = {choice.pk: choice for choice in (*choices(rows.filter(workload__in=known.others)), *offered)}
        by_title = Workload.objects.filter(pk__in=by_pk).order_by("title", "fingerprint").values_list("pk", flat=True)
        offered = sorted((by_pk[pk] for pk in by_title), key=lambda choice: -(choice.count or 0))[:MOST_CHOICES]
    return opening_first(offered, opening)


def _newest_valued(trust: Trust | None, rows: QuerySet[Submission], known: Readable | None) -> WorkloadChoice | None:
    """Of those with a raw log. One query; where totals are not current four more, which read rows."""
    by_pk: dict[int, Recency] = {}
    found: list[WorkloadChoice] = []
    if known is not None:
        for *choice, has_several, newest in _first_valued(trust).rows(moment=known.moment):
            found = [WorkloadChoice(*choice)]
            by_pk[found[0].pk] = Recency.of(has_several=has_several, newest=newest, workload_id=found[0].pk)
    if known is None or known.others:
        of_rows = recencies(known.others if known else None)
        by_pk |= of_rows
        found += choices(rows.filter(workload__in=list(of_rows)), most=None)
    return max(found, key=lambda choice: by_pk[choice.pk], default=None)


@cache
def _most_valued(trust: Trust | None) -> CompiledQuery:
    def rows(moment: Any) -> QuerySet[WorkloadTotals, tuple[str, str, int, int]]:
        totals = WorkloadTotals.objects.current_at(moment).annotate(n=valued(trust)).filter(n__gt=0)
        first = totals.order_by("-n", "workload__title", "workload__fingerprint")
        return first.values_list("workload__fingerprint", "workload__title", "n", "workload_id")[:MOST_CHOICES]

    return CompiledQuery(rows, moment=datetime(2000, 1, 1, tzinfo=UTC))


@cache
def _first_valued(trust: Trust | None) -> CompiledQuery:
    def rows(moment: Any) -> QuerySet[WorkloadTotals, tuple[Any, ...]]:
        totals = WorkloadTotals.objects.current_at(moment).annotate(n=valued(trust), several=HAS_SEVERAL)
        first = totals.filter(n__gt=0, proven__gt=0).order_by(*NEWEST_FIRST)
        columns = ("workload__fingerprint", "workload__title", "n", "workload_id", "several", "newest")
        return first.values_list(*columns)[:1]

    return CompiledQuery(rows, moment=datetime(2000, 1, 1, tzinfo=UTC))


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

    One query, none for forms in memory. The title of a workload whose form states no fact.
    """
    labels = workload_labels(_forms_of(workloads))
    return {each.fingerprint: labels.get(each.fingerprint) or each.title for each in workloads}


def _forms_of(workloads: Sequence[Titled]) -> dict[str, Mapping[str, Any]]:
    """By fingerprint."""
    keys = [(each.pk, each.fingerprint) for each in workloads]
    forms = {key: _forms.get(_FOR_EVER, key) for key in keys}
    missing = [pk for (pk, _), form in forms.items() if form is None]
    if missing:
        rows = Workload.objects.filter(pk__in=missing).order_by().values_list("pk", "fingerprint", "canonical")
        for pk, fingerprint, form in rows:
            forms[pk, fingerprint] = form
            _forms.set(_FOR_EVER, (pk, fingerprint), form)
    return {fingerprint: form for (_, fingerprint), form in forms.items() if form is not None}

"""What changed in followed histories: the history's own verdicts, noted once, withdrawn when it has them no more.

The database says what is due: a workload whose figures are not those of the last check. No upload waits for it, a lost
message loses nothing, and after many uploads at once each workload is checked once.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import CharField, F, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Cast, Coalesce
from django.utils import timezone

from submissions.aggregates.store import refresh
from submissions.analysis.history import FEWEST_POINTS
from submissions.follows.scope import lines_covered
from submissions.models import (
    Follow,
    FollowedChange,
    LevelChange,
    Submission,
    WatchedWorkload,
    Workload,
    WorkloadFigures,
)
from submissions.questions.boards.choice import WorkloadChoice
from submissions.questions.history.query import Change, HistoryResult, MetricHistory, history_result, lines_of
from submissions.records.lines import Line, line_of

MOST_AT_ONCE = 20  # workloads of one round
MOST_LINES_CHECKED = 50  # of a workload: those with the most points
NEAR = 5  # points: a change in the same direction that moves so far is the same one, located better
# A change that began longer ago is not notified: it came with an import of old results.
OLD = timedelta(days=90)


@dataclass(frozen=True, slots=True)
class _Seen:
    """A stored change, and when the newest result of its new level was published."""

    change: LevelChange
    arrived_at: datetime


def check_due() -> int:
    """Check the followed workloads in which something has happened; how many."""
    due = list(due_workloads()[:MOST_AT_ONCE])
    for pk in due:
        check_workload(pk)
    return len(due)


def due_workloads() -> "QuerySet[Workload, int]":
    """Their ids, the one that has waited longest first."""
    active = Follow.objects.active()
    followed = list(active.order_by().values_list("workload", flat=True).distinct())
    if not followed:
        return Workload.objects.none().values_list("pk", flat=True)
    refresh(followed, may_be_large=True)
    watched = WatchedWorkload.objects.filter(pk=OuterRef("pk"))
    is_new = Q(pk__in=active.filter(has_baseline=False).values("workload"))
    return (
        Workload.objects.filter(pk__in=followed)
        .annotate(
            now=Coalesce(Subquery(_states().filter(pk=OuterRef("pk")).values("state")), Value("")),
            known=Subquery(watched.values("state")),
            checked_at=Subquery(watched.values("checked_at")),
        )
        .filter(is_new | Q(known=None) | ~Q(known=F("now")))
        .order_by(F("checked_at").asc(nulls_first=True), "pk")
        .values_list("pk", flat=True)
    )


def check_workload(workload_id: int) -> None:
    """One at a time: of two workers the second leaves it to the first."""
    refresh([workload_id], may_be_large=True)
    WatchedWorkload.objects.get_or_create(workload_id=workload_id)
    with transaction.atomic():
        watched = WatchedWorkload.objects.select_for_update(skip_locked=True).filter(pk=workload_id).first()
        if watched is None:
            return
        # read before the rows: what comes meanwhile makes another state
        state = _states().filter(pk=workload_id).values_list("state", flat=True).first() or ""
        workload = Workload.objects.get(pk=workload_id)
        follows = list(Follow.objects.active().filter(workload=workload))
        covered = lines_covered(workload, follows)
        seen = _detect(workload, set().union(*covered.values()))
        for follow in follows:
            _decide(follow, [one for one in seen if one.change.cluster in covered[follow.pk]])
        watched.state, watched.checked_at = state, timezone.now()
        watched.save()


def _states() -> "QuerySet[Any]":
    return WorkloadFigures.objects.annotate(state=Cast("version", CharField()))


def _detect(workload: Workload, covered: set[str]) -> list[_Seen]:
    """Those of the covered lines and of lines with known changes, which may have lost them."""
    known = LevelChange.objects.filter(workload=workload)
    wanted = covered | set(known.filter(gone_at=None).values_list("cluster", flat=True))
    lines = [line for line in lines_of(workload.pk, None, may_be_large=True) if line.token in wanted]
    long = [line for line in lines if line.points >= FEWEST_POINTS][:MOST_LINES_CHECKED]
    short = wanted - {line.token for line in lines if line.points >= FEWEST_POINTS}
    known.filter(gone_at=None, cluster__in=short).update(gone_at=timezone.now())
    return [seen for line in long for seen in _of_line(workload, line)]


def _of_line(workload: Workload, line: Line) -> Iterator[_Seen]:
    choice = WorkloadChoice(workload.fingerprint, workload.title, line.points, workload.pk)
    result = history_result(choice, line)
    for history, kind in _histories(result):
        yield from _of_metric(workload, line, history, kind)


def _of_metric(workload: Workload, line: Line, history: MetricHistory, kind: str) -> Iterator[_Seen]:
    stored = LevelChange.objects.filter(workload=workload, cluster=line.token, metric=history.metric.key)
    known = {change.after_id: change for change in stored.filter(latency_kind=kind)}
    found = history.changes or ()
    matches = _matches(history, found, known)
    gone = stored.filter(gone_at=None).exclude(pk__in=[change.pk for change in matches.values()])
    gone.update(gone_at=timezone.now())
    for change in found:
        row = matches.get(change.after.pk) or LevelChange(
            workload=workload,
            cluster=line.token,
            metric=history.metric.key,
            latency_kind=kind,
            first_after=change.after.pk,
        )
        _fill(row, line, change)
        row.save()
        yield _Seen(row, _arrived_at(history, change))


def _matches(history: MetricHistory, found: Sequence[Change], known: dict[int, LevelChange]) -> dict[int, LevelChange]:
    """By the first result of each change, the stored one that it is: at that result, or moved by a few points."""
    matches = {change.after.pk: known[change.after.pk] for change in found if change.after.pk in known}
    left = [row for pk, row in known.items() if pk not in matches and row.gone_at is None]
    places = [(point.measured_at, point.pk) for point in history.points]
    for change in found:
        if change.after.pk in matches:
            continue
        for row in left:
            place = bisect_left(places, (row.at, row.after_id))
            is_same_way = (row.percent > 0) == (change.point.percent > 0)
            if is_same_way and abs(place - change.point.index) <= NEAR:
                matches[change.after.pk] = row
                left.remove(row)
                break
    return matches


def _fill(row: LevelChange, line: Line, change: Change) -> None:
    assert change.after.measured_at is not None  # noqa: S101 a point of a line is dated
    row.cluster_name = line.name[:500]
    row.after, row.at = change.after, change.after.measured_at
    row.percent = change.point.percent
    row.mean_before, row.mean_after = change.point.mean_before, change.point.mean_after
    row.n_before, row.n_after = change.point.n_before, change.point.n_after
    row.gone_at = None


def _arrived_at(history: MetricHistory, change: Change) -> datetime:
    level = history.points[change.point.index : change.point.index + change.point.n_after]
    return max(point.published_at or point.created_at for point in level)


def _decide(follow: Follow, seen: Iterable[_Seen]) -> None:
    """For each change once, whether it is notified. A change that grows beyond the threshold counts from then on."""
    least = follow.threshold_percent or 0
    rows = [
        FollowedChange(follow=follow, change=one.change, state=_state(follow, one))
        for one in seen
        if abs(one.change.percent) >= least
    ]
    FollowedChange.objects.bulk_create(rows, ignore_conflicts=True)
    if not follow.has_baseline:
        Follow.objects.filter(pk=follow.pk).update(has_baseline=True)


def _state(follow: Follow, seen: _Seen) -> FollowedChange.State:
    if not follow.has_baseline or seen.arrived_at <= follow.since:
        return FollowedChange.State.EARLIER
    if seen.change.at < timezone.now() - OLD:
        return FollowedChange.State.OLD
    return FollowedChange.State.PENDING


def change_at(first: Submission, metric: str) -> LevelChange | None:
    """The change of this metric that the history has at a listed result, stored or not; `first` may be where it was.

    None where it has none. Nothing is written.
    """
    workload, line = first.workload, line_of(first)
    choice = WorkloadChoice(workload.fingerprint, workload.title, 0, workload.pk)
    result = history_result(choice, line)
    history, kind = next(pair for pair in _histories(result) if pair[0].metric.key == metric)
    moved = LevelChange.objects.seen().filter(first_after=first.pk, metric=metric, latency_kind=kind).first()
    change = history.change_at(first) or (history.change_at(moved.after) if moved else None)
    if change is None:
        return None
    of_line = LevelChange.objects.filter(workload=workload, cluster=line.token, metric=metric, latency_kind=kind)
    row = of_line.filter(after=change.after).first() or LevelChange(
        workload=workload, cluster=line.token, metric=metric, latency_kind=kind, first_after=change.after.pk
    )
    _fill(row, line, change)
    row.workload = workload
    return row


def changes_of(workload: Workload, result: HistoryResult) -> list[LevelChange]:
    """All that a history has, the newest first; without rows."""
    changes = []
    for history, kind in _histories(result):
        for change in history.changes or ():
            row = LevelChange(
                workload=workload, cluster=result.line.token, metric=history.metric.key, latency_kind=kind
            )
            _fill(row, result.line, change)
            changes.append(row)
    return sorted(changes, key=lambda row: (row.at, row.metric), reverse=True)


def stored(change: LevelChange) -> LevelChange:
    """The same change with a row: of two at once the second finds the first one's."""
    names = ("workload", "cluster", "metric", "latency_kind", "after")
    facts = ("cluster_name", "first_after", "at", "percent", "mean_before", "mean_after", "n_before", "n_after")
    key = {name: getattr(change, name) for name in names}
    row, _ = LevelChange.objects.get_or_create(**key, defaults={name: getattr(change, name) for name in facts})
    return row


def _histories(result: HistoryResult) -> tuple[tuple[MetricHistory, str], ...]:
    """Each with the latency kind that belongs to the key of its changes."""
    return (result.throughput, ""), (result.latency, result.latency_kind.value)

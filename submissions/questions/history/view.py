"""A history as its page shows it: charts, changes of level with what changed beside them, points for export."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from submissions.analysis.history import FEWEST_POINTS, ChangePoint, change_points
from submissions.choices import LatencyKind, Trust
from submissions.formatting.chart_style import with_caveats
from submissions.formatting.numbers import significant
from submissions.metrics import LATENCY_P99, THROUGHPUT, Metric
from submissions.models import Submission
from submissions.questions.history.chart import Level, Mark, history_figure
from submissions.questions.history.query import MOST_POINTS, Cluster, LeftOut

# What may change along a line, in the words of a reader.
_VARYING = (
    ("service version", ("service_version",)),
    ("JDK", ("jdk_vendor", "jdk_version")),
    ("load tool's version", ("tool_version",)),
    ("CPU model", ("cpu_model",)),
)


@dataclass(frozen=True, slots=True)
class Change:
    """A change of level, with the two submissions on either side of it and what else changed there."""

    found: ChangePoint
    before: Submission
    after: Submission
    with_it: tuple[str, ...]  # "service version 2.1.8 → 2.2.0"

    @property
    def percent(self) -> str:
        return f"{'+' if self.found.percent > 0 else '−'}{abs(self.found.percent):,.1f} %"


@dataclass(frozen=True, slots=True)
class Course:
    """One metric over the points that know it; `changes` is None where they are too few to judge."""

    metric: Metric
    points: tuple[Submission, ...]
    changes: tuple[Change, ...] | None

    @property
    def missing(self) -> int:
        """Points that are lacking to be judged."""
        return max(FEWEST_POINTS - len(self.points), 0)

    def value(self, row: Submission) -> float:
        value: float = getattr(row, self.metric.key)
        return value


@dataclass(frozen=True, slots=True)
class History:
    cluster: Cluster
    points: tuple[Submission, ...]
    left_out: LeftOut
    throughput: Course
    latency: Course
    latency_kind: LatencyKind


def history(
    cluster: Cluster, points: Sequence[Submission], left_out: LeftOut, kind: LatencyKind | None = None
) -> History:
    """`kind` of the p99; None: the known one that most points have."""
    kind = kind or _most_frequent_kind(points)
    # latencies of unknown kind are compared with none, not even with each other
    with_p99 = [
        row
        for row in points
        if row.latency_kind == kind != LatencyKind.UNKNOWN and row.latency_p99_ms is not None and row.latency_p99_ms > 0
    ]
    return History(
        cluster=cluster,
        points=tuple(points),
        left_out=left_out,
        throughput=_course(THROUGHPUT, points),
        latency=_course(LATENCY_P99, with_p99),
        latency_kind=kind,
    )


def finding(found: History) -> str:
    course = found.throughput
    count = f"{len(course.points):,} measurement{'' if len(course.points) == 1 else 's'}"
    if course.changes is None:
        return (
            f"{count} of {found.cluster.name}: to tell a change from noise {FEWEST_POINTS} are needed, "
            f"{course.missing} more."
        )
    days = f"{course.points[0].measured_at:%Y-%m-%d} to {course.points[-1].measured_at:%Y-%m-%d}"
    if not course.changes:
        return f"No change of throughput beyond noise in {count} of {found.cluster.name}, {days}."
    last = course.changes[-1]
    times = "once" if len(course.changes) == 1 else f"{len(course.changes)} times"
    said = (
        f"Throughput of {found.cluster.name} changed {times} in {count} ({days}): "
        f"{'' if len(course.changes) == 1 else 'the last time '}by {last.percent} on "
        f"{last.after.measured_at:%Y-%m-%d}, from {significant(last.found.mean_before)} to "
        f"{significant(last.found.mean_after)} ops/s"
    )
    return f"{said}, together with {', '.join(last.with_it)}." if last.with_it else f"{said}."


def panels(found: History) -> list[dict[str, Any]]:
    """What the page shows of each metric that any point knows."""
    latency = f"p99 {found.latency_kind.label}"
    courses = (("throughput", "Throughput", found.throughput), ("p99", latency, found.latency))
    return [
        {
            "key": key,
            "title": title,
            "course": course,
            "said": _said(title, course),
            "figure": with_caveats(_figure(course), [_said(title, course), *_caveats(course)]),
        }
        for key, title, course in courses
        if course.points
    ]


def notes(found: History) -> list[str]:
    said = []
    if found.left_out.undated:
        said.append(f"{_submissions(found.left_out.undated)} without a date of measurement: no place in time.")
    if found.left_out.doubtful:
        said.append(f"{_submissions(found.left_out.doubtful)} left out: a flag puts the rate in doubt.")
    if len(found.points) == MOST_POINTS:
        said.append(f"Only the newest {MOST_POINTS:,} are looked at.")
    without = len(found.points) - len(found.latency.points)
    if found.latency.points and without:
        said.append(f"{_submissions(without)} without a p99 {found.latency_kind.label}.")
    elif not found.latency.points:
        said.append("No p99 of a known kind of latency: latencies of unknown kind are compared with none.")
    return said


def table(found: History) -> list[dict[str, Any]]:
    """A row for each point, with the change that begins at it."""
    courses = ((THROUGHPUT, found.throughput), (LATENCY_P99, found.latency))
    starts = {(metric.key, change.after.pk): change for metric, course in courses for change in course.changes or ()}
    return [
        {
            "row": row,
            "jdk": jdk_of(row),
            "has_p99": row in found.latency.points,
            "changes": [
                (metric.label, change)
                for metric, _ in courses
                if (change := starts.get((metric.key, row.pk))) is not None
            ],
        }
        for row in found.points
    ]


def records(found: History) -> list[dict[str, Any]]:
    """The points for export; p99 only of the history's kind of latency."""
    known = {row.pk for row in found.latency.points}
    starts = {
        f"{name}_change_percent": {change.after.pk: change.found.percent for change in course.changes or ()}
        for name, course in (("throughput", found.throughput), ("p99", found.latency))
    }
    return [
        {
            "submission": row.pk,
            "measured_at": row.measured_at and row.measured_at.isoformat(),
            "service_version": row.service_version,
            "jdk": jdk_of(row),
            "tool_version": row.tool_version,
            "cpu_model": row.cpu_model,
            "trials_count": row.trials_count,
            "throughput_ops_s": row.throughput_ops_s,
            "throughput_low_ops_s": row.throughput_low_ops_s,
            "throughput_high_ops_s": row.throughput_high_ops_s,
            "latency_p99_ms": row.latency_p99_ms if row.pk in known else None,
            "latency_kind": row.latency_kind if row.pk in known else None,
            **{name: changes.get(row.pk) for name, changes in starts.items()},
        }
        for row in found.points
    ]


FIELDS = (
    "submission", "measured_at", "service_version", "jdk", "tool_version", "cpu_model", "trials_count",
    "throughput_ops_s", "throughput_low_ops_s", "throughput_high_ops_s", "latency_p99_ms", "latency_kind",
    "throughput_change_percent", "p99_change_percent",
)  # fmt: skip


def changes_as_json(course: Course) -> list[dict[str, Any]] | None:
    """None: too few points to judge."""
    if course.changes is None:
        return None
    return [
        {
            "submission": change.after.pk,
            "at": change.after.measured_at and change.after.measured_at.isoformat(),
            "percent": change.found.percent,
            "mean_before": change.found.mean_before,
            "mean_after": change.found.mean_after,
            "n_before": change.found.n_before,
            "n_after": change.found.n_after,
            "with_it": list(change.with_it),
        }
        for change in course.changes
    ]


def jdk_of(row: Submission) -> str | None:
    return " ".join(part for part in (row.jdk_vendor, row.jdk_version) if part) or None


def _course(metric: Metric, points: Sequence[Submission]) -> Course:
    found = change_points([getattr(row, metric.key) for row in points])
    changes = found and [
        Change(one, points[one.index - 1], points[one.index], _with_it(points[one.index - 1], points[one.index]))
        for one in found
    ]
    return Course(metric, tuple(points), None if changes is None else tuple(changes))


def _with_it(before: Submission, after: Submission) -> tuple[str, ...]:
    """What changed from one point to the next; a fact that either does not tell is no change."""
    found = []
    for name, columns in _VARYING:
        old, new = (" ".join(str(getattr(row, one) or "") for one in columns).strip() for row in (before, after))
        if old and new and old != new:
            found.append(f"{name} {old} → {new}")
    return tuple(found)


def _most_frequent_kind(points: Sequence[Submission]) -> LatencyKind:
    kinds = [LatencyKind(row.latency_kind) for row in points if row.latency_p99_ms is not None]
    known = [kind for kind in LatencyKind if kind != LatencyKind.UNKNOWN and kind in kinds]
    return max(known, key=kinds.count, default=LatencyKind.UNKNOWN)


def _figure(course: Course) -> dict[str, Any]:
    is_throughput = course.metric == THROUGHPUT
    marks = [
        Mark(
            at=row.measured_at,
            value=course.value(row),
            name=f"#{row.pk}, n = {row.trials_count}",
            version=row.service_version or "",
            low=row.throughput_low_ops_s if is_throughput else None,
            high=row.throughput_high_ops_s if is_throughput else None,
            url=row.get_absolute_url(),
        )
        for row in course.points
        if row.measured_at is not None
    ]
    return history_figure(marks, _levels(course), course.metric)


def _levels(course: Course) -> list[Level]:
    if not course.changes:
        return []
    first = course.changes[0].found
    starts = [
        Level(0, first.index - 1, first.mean_before),
        *(Level(one.found.index, 0, one.found.mean_after, one.percent) for one in course.changes),
    ]
    ends = [*(one.found.index - 1 for one in course.changes), len(course.points) - 1]
    return [Level(one.first, end, one.mean, one.change) for one, end in zip(starts, ends, strict=True)]


def _said(title: str, course: Course) -> str:
    if course.changes is None:
        return f"{title}: change points need {FEWEST_POINTS} points, there {_are(len(course.points))}."
    if not course.changes:
        return f"{title}: no change beyond noise in {len(course.points)} points."
    parts = [f"{one.percent} at #{one.after.pk}" for one in course.changes]
    return f"{title}: changes in {len(course.points)} points: {', '.join(parts)}."


def _are(count: int) -> str:
    return "is 1" if count == 1 else f"are {count}"


def _caveats(course: Course) -> list[str]:
    once = sum(row.trials_count == 1 for row in course.points)
    historical = sum(row.trust == Trust.HISTORICAL for row in course.points)
    total = len(course.points)
    return [
        f"{once} of {total} points are single trials, without an interval." if once else "",
        f"{historical} of {total} points are from articles, without a raw log." if historical else "",
    ]


def _submissions(count: int) -> str:
    return f"{count:,} submission{'' if count == 1 else 's'}"

"""What the hosts of a run did beside what the load tool printed, on the time axis of each trial."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from math import ceil
from typing import NamedTuple

from submissions.analysis.curves.interval_curves import TrialCurve
from submissions.analysis.host_metrics.host_activity import Points, TrialActivity
from submissions.models import Trial

MOST_TRIALS = 12


class ActivityPoint(NamedTuple):
    elapsed_seconds: float
    client_cpu_percent: float | None
    gc_ms_s: float | None
    compactions: float | None


@dataclass(frozen=True, slots=True)
class ActivitySeries:
    """Of one trial; x is the seconds since its start, to a second or two. () where no host has a log of it."""

    name: str
    number: int  # the trial's, from 0
    elapsed_seconds: Sequence[float]
    client_cpu_percent: Points
    gc_ms_s: Points
    compactions: Points

    @property
    def points(self) -> Iterator[ActivityPoint]:
        rows = zip_longest(self.elapsed_seconds, self.client_cpu_percent, self.gc_ms_s, self.compactions)
        return (ActivityPoint(*row) for row in rows)


def activity_series(
    activities: Sequence[TrialActivity], printed: Sequence[TrialCurve], trials: Sequence[Trial]
) -> tuple[ActivitySeries, ...]:
    """Of the trials whose intervals are known: without them there is no axis to share."""
    by_index = {trial.index: trial for trial in trials}
    lengths = {trial.index: length for trial in printed if (length := trial.end_s)}
    shown = [activity for activity in activities if activity.trial in lengths][:MOST_TRIALS]
    return tuple(
        _series(activity, _start(activity, by_index.get(activity.trial), lengths), lengths) for activity in shown
    )


def coarser(series: ActivitySeries, most: int) -> ActivitySeries:
    """With at most `most` points: the highest of several in a row, at the end of the last one."""
    width = ceil(len(series.elapsed_seconds) / most)
    if width <= 1:
        return series
    starts = range(0, len(series.elapsed_seconds), width)

    def highest(points: Points) -> Points:
        parts = (points[start : start + width] for start in starts) if points else ()
        return tuple(max((value for value in part if value is not None), default=None) for part in parts)

    return replace(
        series,
        elapsed_seconds=tuple(series.elapsed_seconds[start : start + width][-1] for start in starts),
        client_cpu_percent=highest(series.client_cpu_percent),
        gc_ms_s=highest(series.gc_ms_s),
        compactions=highest(series.compactions),
    )


def _series(activity: TrialActivity, start: float, lengths: Mapping[int, float]) -> ActivitySeries:
    """Without what was before the load began and after it ended, such as the start of the load tool."""
    count = max(map(len, activity.series))
    ends = [activity.start + activity.bin_seconds * (number + 1) - start for number in range(count)]
    inside = [number for number, end in enumerate(ends) if 0 < end <= lengths[activity.trial] + activity.bin_seconds]

    def of(points: Points) -> Points:
        return tuple(points[number] for number in inside) if points else ()

    return ActivitySeries(
        name=f"trial {activity.trial + 1}",
        number=activity.trial,
        elapsed_seconds=[round(ends[number], 1) for number in inside],
        client_cpu_percent=of(activity.client_cpu_percent),
        gc_ms_s=of(activity.gc_ms_s),
        compactions=of(activity.compactions),
    )


def _start(activity: TrialActivity, trial: Trial | None, lengths: Mapping[int, float]) -> float:
    """When the measurement began: the log says it, or the load tool ended with its last interval."""
    if trial is not None and trial.started_at is not None:
        return trial.started_at.timestamp()
    return activity.end - lengths[activity.trial]

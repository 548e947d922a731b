"""Interval series for charts: few enough points to draw, no percentile averaged."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from submissions.analysis.curves.interval_curves import (
    ClientCurve,
    Point,
    TrialCurve,
    bin_seconds,
    binned,
    client_curve,
    highest,
    total,
)
from submissions.analysis.curves.steady_state import Row
from submissions.formatting.figures import MOST_POINTS as MOST_OF_FIGURE
from submissions.records.curves.activity_series import ActivitySeries, coarser
from submissions.records.curves.interval_chart import Series, never_seen

MOST_POINTS = 300  # of one series; all of a figure share those that it may have
MOST_SERIES = 12


@dataclass(frozen=True, slots=True)
class IntervalView:
    """`bin_seconds` is None where every printed row is a point of its own."""

    series: tuple[Series, ...]
    bin_seconds: int | None
    not_shown: int  # series beyond MOST_SERIES
    has_p99_of_slowest: bool = False
    activity: tuple[ActivitySeries, ...] = ()  # of the hosts

    @property
    def caveats(self) -> list[str]:
        bound = "The p99 is that of the slowest operation type: the load tool prints none for all types together."
        # the logs of the hosts know better than a load tool that may not have reached them
        has_gc = any(trial.gc_ms_s for trial in self.activity)
        return [*never_seen(self.series, has_gc=has_gc), *([bound] if self.has_p99_of_slowest else [])]

    @property
    def has_gc(self) -> bool:
        return any(value is not None for one in self.series for value in one.gc_ms)

    @property
    def has_errors(self) -> bool:
        return any(value is not None for one in self.series for value in one.errors)


def interval_view(trials: Sequence[TrialCurve], activity: tuple[ActivitySeries, ...] = ()) -> IntervalView | None:
    """One series for each client of each trial; None where nothing was printed."""
    named = [
        (_name(trial.index, number, len(trial.clients)), curve)
        for trial in trials
        for number, curve in enumerate(trial.clients, start=1)
        if curve.printed
    ]
    if not named:
        return None
    shown = named[:MOST_SERIES]
    most = _most_points(len(shown) + len(activity))
    seconds = bin_seconds([curve for _, curve in shown], most)
    return IntervalView(
        series=tuple(_series(name, _points(curve, seconds)) for name, curve in shown),
        bin_seconds=seconds,
        not_shown=len(named) - len(shown),
        has_p99_of_slowest=any(trial.has_p99_of_slowest for trial in trials),
        activity=tuple(coarser(hosts, most) for hosts in activity),
    )


def live_series(named: Sequence[tuple[str, Sequence[Row]]]) -> tuple[Series, ...]:
    """Of a run that is measuring: a series for each name, as far as it has come."""
    shown = [(name, client_curve(rows)) for name, rows in named if rows][:MOST_SERIES]
    seconds = bin_seconds([curve for _, curve in shown], _most_points(len(shown))) if shown else None
    return tuple(_series(name, _points(curve, seconds)) for name, curve in shown)


def overlay_view(named: Sequence[tuple[str, Sequence[TrialCurve]]]) -> IntervalView | None:
    """Several submissions on one time axis: a series for each trial, its clients together, a colour for each.

    Each has the same share of MOST_SERIES; None where nothing was printed.
    """
    share = MOST_SERIES // max(len(named), 1)
    whole = [(name, [trial for trial in trials if trial.is_whole]) for name, trials in named]
    shown = [
        (group, f"{name}, trial {trial.index + 1}", trial)
        for group, (name, trials) in enumerate(whole)
        for trial in trials[:share]
    ]
    if not shown:
        return None
    curves = [curve for *_, trial in shown for curve in trial.clients]
    # clients do not print at the same moments
    has_several = any(len(trial.clients) > 1 for *_, trial in shown)
    least = max(1, ceil(max(curve.longest_step_s for curve in curves))) if has_several else 0
    seconds = bin_seconds(curves, _most_points(len(shown)), least)
    return IntervalView(
        series=tuple(
            _series(name, _added_up([_points(curve, seconds) for curve in trial.clients]), group)
            for group, name, trial in shown
        ),
        bin_seconds=seconds,
        not_shown=sum(len(trials) for _, trials in whole) - len(shown),
        has_p99_of_slowest=any(trial.has_p99_of_slowest for *_, trial in shown),
    )


def _name(trial_index: int, client_number: int, clients: int) -> str:
    name = f"trial {trial_index + 1}"
    return name if clients == 1 else f"{name}, client {client_number}"


def _most_points(series: int) -> int:
    """Of each of so many series in one figure."""
    return min(MOST_POINTS, MOST_OF_FIGURE // max(series, 1))


def _points(curve: ClientCurve, seconds: int | None) -> Sequence[Point]:
    return curve.points if seconds is None else binned(curve.points, seconds)


def _added_up(clients: Sequence[Sequence[Point]]) -> Sequence[Point]:
    """The clients of a trial, where all of them have a point: rates and errors added up, the highest p99.

    Each client sees the collections of all the database's nodes: the most that one saw.
    """
    if len(clients) == 1:
        return clients[0]
    at: dict[float, list[Point]] = defaultdict(list)
    for points in clients:
        for point in points:
            at[point.elapsed_seconds].append(point)
    return [
        Point(
            elapsed,
            total([point.rate_ops_s for point in members]),
            1,
            highest([point.p99_ms for point in members]),
            highest([point.gc_ms for point in members]),
            highest([point.gc_count for point in members]),
            total([point.errors for point in members]),
        )
        for elapsed, members in sorted(at.items())
        if len(members) == len(clients)
    ]


def _series(name: str, points: Sequence[Point], group: int | None = None) -> Series:
    return Series(
        name=name,
        elapsed_seconds=[point.elapsed_seconds for point in points],
        throughput_ops_s=[point.rate_ops_s for point in points],
        latency_p99_ms=[point.p99_ms for point in points],
        gc_ms=[point.gc_ms for point in points],
        gc_count=[point.gc_count for point in points],
        errors=[point.errors for point in points],
        group=group,
    )

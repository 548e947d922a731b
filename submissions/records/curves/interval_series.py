"""Interval series for charts: few enough points to draw, no percentile averaged."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from statistics import fmean
from typing import NamedTuple, TypeVar

from submissions.formatting.figures import MOST_POINTS as MOST_OF_FIGURE
from submissions.records.curves.activity_series import ActivitySeries, coarser
from submissions.records.curves.interval_chart import Series, never_seen
from submissions.records.curves.interval_record import PrintedRow, PrintedTrial

Number = TypeVar("Number", int, float)

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


class _Point(NamedTuple):
    """Sums are of the point's own stretch of time."""

    elapsed_seconds: float  # the end of it
    rate: float | None
    p99: float | None
    gc_ms: float | None
    gc_count: int | None
    errors: int | None


def interval_view(trials: Sequence[PrintedTrial], activity: tuple[ActivitySeries, ...] = ()) -> IntervalView | None:
    """One series for each client of each trial; None where nothing was printed."""
    named = [
        (_name(trial.index, number, len(trial.clients)), rows)
        for trial in trials
        for number, rows in enumerate(trial.clients, start=1)
        if rows
    ]
    if not named:
        return None
    shown = named[:MOST_SERIES]
    most = _most_points(len(shown) + len(activity))
    bin_seconds = _bin_seconds([rows for _, rows in shown], most)
    return IntervalView(
        series=tuple(_series(name, _points(rows, bin_seconds)) for name, rows in shown),
        bin_seconds=bin_seconds,
        not_shown=len(named) - len(shown),
        has_p99_of_slowest=any(trial.has_p99_of_slowest for trial in trials),
        activity=tuple(coarser(hosts, most) for hosts in activity),
    )


def live_series(named: Sequence[tuple[str, Sequence[PrintedRow]]]) -> tuple[Series, ...]:
    """Of a run that is measuring: a series for each name, as far as it has come."""
    shown = [(name, rows) for name, rows in named if rows][:MOST_SERIES]
    bin_seconds = _bin_seconds([rows for _, rows in shown], _most_points(len(shown))) if shown else None
    return tuple(_series(name, _points(rows, bin_seconds)) for name, rows in shown)


def overlay_view(named: Sequence[tuple[str, Sequence[PrintedTrial]]]) -> IntervalView | None:
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
    bin_seconds = _bin_seconds([rows for *_, trial in shown for rows in trial.clients], _most_points(len(shown)))
    if any(len(trial.clients) > 1 for *_, trial in shown):  # clients do not print at the same moments
        longest = max(_longest_step(rows) for *_, trial in shown for rows in trial.clients)
        bin_seconds = max(bin_seconds or 1, ceil(longest))
    return IntervalView(
        series=tuple(
            _series(name, _added_up([_points(rows, bin_seconds) for rows in trial.clients]), group)
            for group, name, trial in shown
        ),
        bin_seconds=bin_seconds,
        not_shown=sum(len(trials) for _, trials in whole) - len(shown),
        has_p99_of_slowest=any(trial.has_p99_of_slowest for *_, trial in shown),
    )


def _name(trial_index: int, client_number: int, clients: int) -> str:
    name = f"trial {trial_index + 1}"
    return name if clients == 1 else f"{name}, client {client_number}"


def _most_points(series: int) -> int:
    """Of each of so many series in one figure."""
    return min(MOST_POINTS, MOST_OF_FIGURE // max(series, 1))


def _bin_seconds(series: Sequence[Sequence[PrintedRow]], most: int) -> int | None:
    if max(len(rows) for rows in series) <= most:
        return None
    longest: float = max(row["elapsed_seconds"] for rows in series for row in rows)
    seconds: int = max(1, ceil(longest / most))
    return seconds


def _longest_step(rows: Sequence[PrintedRow]) -> float:
    ends: list[float] = [0.0, *(row["elapsed_seconds"] for row in rows)]
    step: float = max(after - before for before, after in pairwise(ends))
    return step


def _points(rows: Sequence[PrintedRow], bin_seconds: int | None) -> list[_Point]:
    points = [
        _Point(
            row["elapsed_seconds"],
            row["throughput_ops_s"],
            row["p99_ms"],
            row.get("gc_ms"),
            row.get("gc_count"),
            row.get("errors"),
        )
        for row in rows
    ]
    return points if bin_seconds is None else _binned(points, bin_seconds)


def _binned(points: Sequence[_Point], seconds: int) -> list[_Point]:
    """The mean rate, the highest p99 and the sums of each bin; its end is its place on the time axis."""
    bins: dict[int, list[_Point]] = defaultdict(list)
    for point in points:
        bins[max(0, ceil(point.elapsed_seconds / seconds) - 1)].append(point)
    merged = []
    for number, members in sorted(bins.items()):
        rates = [point.rate for point in members if point.rate is not None]
        merged.append(
            _Point(
                float((number + 1) * seconds),
                fmean(rates) if rates else None,
                _highest([point.p99 for point in members]),
                _sum([point.gc_ms for point in members]),
                _sum([point.gc_count for point in members]),
                _sum([point.errors for point in members]),
            )
        )
    return merged


def _added_up(clients: Sequence[Sequence[_Point]]) -> list[_Point]:
    """The clients of a trial, where all of them have a point: rates and errors added up, the highest p99.

    Each client sees the collections of all the database's nodes: the most that one saw.
    """
    if len(clients) == 1:
        return list(clients[0])
    at: dict[float, list[_Point]] = defaultdict(list)
    for points in clients:
        for point in points:
            at[point.elapsed_seconds].append(point)
    return [
        _Point(
            elapsed,
            _sum([point.rate for point in members]),
            _highest([point.p99 for point in members]),
            _highest([point.gc_ms for point in members]),
            _highest([point.gc_count for point in members]),
            _sum([point.errors for point in members]),
        )
        for elapsed, members in sorted(at.items())
        if len(members) == len(clients)
    ]


def _series(name: str, points: Sequence[_Point], group: int | None = None) -> Series:
    return Series(
        name=name,
        elapsed_seconds=[point.elapsed_seconds for point in points],
        throughput_ops_s=[point.rate for point in points],
        latency_p99_ms=[point.p99 for point in points],
        gc_ms=[point.gc_ms for point in points],
        gc_count=[point.gc_count for point in points],
        errors=[point.errors for point in points],
        group=group,
    )


def _sum(values: Sequence[Number | None]) -> Number | None:
    """None as soon as one is unknown."""
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def _highest(values: Sequence[Number | None]) -> Number | None:
    return max((value for value in values if value is not None), default=None)

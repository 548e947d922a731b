"""A run over time in few points: mean rates, highest p99s, sums. Coarser ones follow from them; no p99 is averaged."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, fsum, isfinite, log2
from typing import NamedTuple, TypeVar

from submissions.analysis.curves.steady_state import Interval, Row, WarmUp, intervals, spread, trial_window, warm_up

Number = TypeVar("Number", int, float)
T = TypeVar("T")

MOST_POINTS = 2048  # of one client's series; more than a chart draws, so that bins of a chart are hardly wider for it
MOST_OF_ALL = 8192  # of all series of a submission together
FEWEST_POINTS = 64  # that a series may have, however many there are


class Point(NamedTuple):
    """A printed row, or several of them together; sums are of its own stretch of time."""

    elapsed_seconds: float  # the end of it
    rate_sum: float | None
    rates: int  # how many rates are in the sum
    p99_ms: float | None
    gc_ms: float | None
    gc_count: int | None
    errors: int | None

    @property
    def rate_ops_s(self) -> float | None:
        return None if self.rate_sum is None else self.rate_sum / self.rates


@dataclass(frozen=True, slots=True)
class ClientCurve:
    """The series of one client: a point for each printed row, or for each `width_s` seconds of a long one.

    Widths are powers of two: bins of several series have a common multiple, and a bin of a chart has whole ones.
    """

    printed: int  # rows
    end_s: float  # of the last one
    longest_step_s: float  # between two of them
    width_s: float | None
    points: tuple[Point, ...]
    intervals: tuple[Interval, ...]


@dataclass(frozen=True, slots=True)
class TrialCurve:
    """The series of its clients, over all operation types together; of a client that printed nothing it is empty."""

    index: int  # from 0
    clients: tuple[ClientCurve, ...]
    # The tool prints a p99 for each operation type only: the points have that of the slowest type, which
    # the p99 over all of them does not exceed.
    has_p99_of_slowest: bool = False

    @property
    def is_whole(self) -> bool:
        return bool(self.clients) and all(client.printed for client in self.clients)

    @property
    def end_s(self) -> float:
        return max((client.end_s for client in self.clients), default=0.0)


@dataclass(frozen=True, slots=True)
class WarmUpTest:
    """The answer of MSER-5 to the intervals of a submission as they were printed, however few points are stored."""

    end_s: float | None  # 0.0: no warm-up; None: unknown, and `why` says why
    why: WarmUp | None
    change: float | None  # of the throughput without it, a fraction; None where there is none
    series: int  # how many were averaged for the test
    shortest: int  # intervals of the shortest


@dataclass(frozen=True, slots=True)
class RunCurves:
    """What is drawn and computed of a submission's intervals; `warm_up` is None where no trial has a whole series."""

    trials: tuple[TrialCurve, ...]
    warm_up: WarmUpTest | None


@dataclass(frozen=True, slots=True)
class PrintedTrial:
    """The rows of each client, over all its operation types together; a client may have none."""

    index: int  # from 0
    clients: tuple[tuple[Row, ...], ...]
    has_p99_of_slowest: bool = False  # as of TrialCurve


def run_curves(trials: Sequence[PrintedTrial]) -> RunCurves:
    count = sum(bool(rows) for trial in trials for rows in trial.clients)
    most = min(MOST_POINTS, max(FEWEST_POINTS, MOST_OF_ALL // max(count, 1)))
    curves, recorded = [], []
    for trial in trials:
        series = [intervals(rows) for rows in trial.clients]
        clients = (client_curve(rows, own, most) for rows, own in zip(trial.clients, series, strict=True))
        curves.append(TrialCurve(trial.index, tuple(clients), trial.has_p99_of_slowest))
        if series and all(series):
            recorded.append(series)
    return RunCurves(tuple(curves), _warm_up_test(recorded) if recorded else None)


def client_curve(rows: Sequence[Row], series: Sequence[Interval] = (), most: int | None = None) -> ClientCurve:
    """Of the rows and their intervals, in at most so many points; without `most` in as many as there are rows."""
    ends = [row.end_s for row in rows]
    end = max(ends, default=0.0)
    points = [_point(row) for row in rows]
    width = None
    if most is not None and len(points) > most:
        width = 2.0 ** ceil(log2(end / most)) if end > 0 else 1.0
        points, series = binned(points, width), _joined(series, width)
    return ClientCurve(
        printed=len(rows),
        end_s=end,
        longest_step_s=max((after - before for before, after in pairwise([0.0, *ends])), default=0.0),
        width_s=width,
        points=tuple(points),
        intervals=tuple(series),
    )


def is_usable(row: Row) -> bool:
    """Whether it has a place on the time axis."""
    return isfinite(row.end_s)


def bin_seconds(curves: Sequence[ClientCurve], most: int, least: int = 0) -> int | None:
    """Whole seconds of the bins in which none of these series has more than `most` points; None: it needs no bins.

    At least `least` seconds, and a multiple of the widths of the series, which makes it longer by less than one.
    """
    widest = max((curve.width_s for curve in curves if curve.width_s is not None), default=None)
    has_many = max(curve.printed for curve in curves) > most
    if widest is None and not least and not has_many:
        return None
    seconds = max(1, least, ceil(max(curve.end_s for curve in curves) / most) if has_many else 1)
    return seconds if widest is None else int(ceil(seconds / widest) * widest)


def binned(points: Iterable[Point], seconds: float) -> list[Point]:
    """The mean rate, the highest p99 and the sums of each bin; its end is its place on the time axis."""
    return [
        Point(
            (number + 1) * float(seconds),
            fsum(rates) if (rates := [point.rate_sum for point in members if point.rate_sum is not None]) else None,
            sum(point.rates for point in members),
            highest([point.p99_ms for point in members]),
            total([point.gc_ms for point in members]),
            total([point.gc_count for point in members]),
            total([point.errors for point in members]),
        )
        for number, members in _by_bin(((point.elapsed_seconds, point) for point in points), seconds)
    ]


def total(values: Sequence[Number | None]) -> Number | None:
    """None as soon as one is unknown."""
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def highest(values: Sequence[Number | None]) -> Number | None:
    return max((value for value in values if value is not None), default=None)


def _point(row: Row) -> Point:
    rates = 0 if row.rate_ops_s is None else 1
    return Point(row.end_s, row.rate_ops_s, rates, row.p99_ms, row.gc_ms, row.gc_count, row.errors)


def _by_bin(placed: Iterable[tuple[float, T]], seconds: float) -> list[tuple[int, list[T]]]:
    bins: dict[int, list[T]] = defaultdict(list)
    for end, member in placed:
        bins[max(0, ceil(end / seconds) - 1)].append(member)
    return sorted(bins.items(), key=lambda pair: pair[0])


def _joined(series: Sequence[Interval], seconds: float) -> list[Interval]:
    """The intervals that end in one bin as one, with all that the figures of a window are made of."""
    return [_together(members) for _, members in _by_bin(((one.end_s, one) for one in series), seconds)]


def _together(members: Sequence[Interval]) -> Interval:
    counted = [(one.operations, one.seconds) for one in members if one.operations is not None]
    p99s = [one.p99_ms for one in members if one.p99_ms is not None]
    return Interval(
        start_s=members[0].start_s,
        end_s=members[-1].end_s,
        operations=sum(done for done, _ in counted) if counted else None,
        errors=total([one.errors for one in members]),
        p99_ms=max(p99s, default=None),
        least_p99_ms=min(p99s, default=None),
        counted_s=sum(seconds for _, seconds in counted),
        printed=len(members),
    )


def _warm_up_test(trials: Sequence[Sequence[Sequence[Interval]]]) -> WarmUpTest:
    series = [client for clients in trials for client in clients]
    shortest = min(map(len, series))
    end = warm_up(series)
    if isinstance(end, WarmUp):
        return WarmUpTest(None, end, None, len(series), shortest)
    whole, steady = (_throughput(trials, start) for start in (0.0, end))
    change = steady / whole - 1 if end and whole and steady is not None else None
    return WarmUpTest(end, None, change, len(series), shortest)


def _throughput(trials: Sequence[Sequence[Sequence[Interval]]], start_s: float) -> float | None:
    """The mean of the trials from a moment on; None where none has figures."""
    end_s = max(client[-1].end_s for clients in trials for client in clients)
    figures = [trial_window(clients, start_s=start_s, end_s=end_s) for clients in trials]
    known = [one for one in figures if one is not None]
    return spread(known).mean if known else None

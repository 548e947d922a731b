"""The steady part of a run: the figures inside a window of its interval series, and where its warm-up ends."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from statistics import fmean, median
from typing import NamedTuple

from submissions.analysis.trials import Spread, headline

BATCH = 5  # observations of a batch: the 5 of MSER-5
FEWEST_BATCHES = 10
FEWEST_INTERVALS = BATCH * FEWEST_BATCHES
_SLACK_S = 1e-6  # of a bound typed with fewer digits than a sum of floats has
_SHORT = 0.9  # of the usual length: the last interval ends when the run does
_CLEARLY = 0.5
_UNEVEN = 1.1  # between the usual lengths of two series


class Row(NamedTuple):  # a day has 86,400 of them: a dataclass takes three times as long
    """What a tool printed of one interval; its rate and operations include failed ones, None is unknown."""

    end_s: float  # since the trial's start
    operations: int | None
    errors: int | None
    rate_ops_s: float | None
    p99_ms: float | None
    gc_ms: float | None = None
    gc_count: int | None = None


class Interval(NamedTuple):
    """One stretch of a client's series; `operations` are the successful ones.

    Of a long run it may be several printed intervals together (interval_curves.py): `p99_ms` is the highest of them.
    """

    start_s: float
    end_s: float
    operations: float | None
    errors: int | None
    p99_ms: float | None
    least_p99_ms: float | None = None  # of several, where their p99s differ
    counted_s: float | None = None  # of several, where the operations of some are unknown: the seconds of the others
    printed: int = 1

    @property
    def seconds(self) -> float:
        return self.end_s - self.start_s

    @property
    def counted_seconds(self) -> float:
        """In which its operations were done."""
        return self.seconds if self.counted_s is None else self.counted_s

    @property
    def lowest_p99_ms(self) -> float | None:
        return self.p99_ms if self.least_p99_ms is None else self.least_p99_ms

    @property
    def rate_ops_s(self) -> float | None:
        return None if self.operations is None else self.operations / self.seconds


@dataclass(frozen=True, slots=True)
class WindowFigures:
    """The figures of the intervals that lie entirely inside a window.

    The p99s are the lowest and the highest of the intervals: a percentile of the window cannot be computed from them.
    """

    start_s: float  # of the first interval inside
    end_s: float  # of the last one
    seconds: float  # covered by intervals whose operations are known
    operations: float  # successful ones in these seconds, of all clients
    throughput_ops_s: float
    errors: int | None  # None where an interval has no count
    p99_low_ms: float | None
    p99_high_ms: float | None
    intervals: int


class WarmUp(Enum):
    """Why no end of the warm-up can be determined."""

    TOO_SHORT = "too short"
    NEVER_STEADY = "never steady"
    UNEVEN = "uneven"  # the series have intervals of different lengths: they have no common observations


def intervals(rows: Sequence[Row]) -> tuple[Interval, ...]:
    """The stretches between the rows, the first from 0.

    A row that does not end after the one before it is added to that one: its operations count, its time is
    already covered.
    """
    found: list[Interval] = []
    for row in rows:
        start = found[-1].end_s if found else 0.0
        if row.end_s > start:
            found.append(_interval(row, start))
        elif found:
            found[-1] = _joined(found[-1], row)
    return tuple(found)


def _interval(row: Row, start_s: float) -> Interval:
    done: float | None = row.operations
    if done is None and row.rate_ops_s is not None:
        done = row.rate_ops_s * (row.end_s - start_s)
    if done is not None and row.errors is not None:
        done = max(done - row.errors, 0.0)
    return Interval(start_s, row.end_s, done, row.errors, row.p99_ms)


def _joined(before: Interval, row: Row) -> Interval:
    # a rate over no time counts no operation
    done = 0.0 if row.operations is None else max(row.operations - (row.errors or 0), 0)
    return Interval(
        before.start_s,
        before.end_s,
        None if before.operations is None else before.operations + done,
        _sum([before.errors, row.errors]),
        max((p99 for p99 in (before.p99_ms, row.p99_ms) if p99 is not None), default=None),
    )


def window(series: Sequence[Interval], *, start_s: float, end_s: float) -> WindowFigures | None:
    """One client between two moments; None where no interval whose operations are known lies inside.

    throughput = successful operations / seconds covered. An interval that a bound cuts is excluded: it is
    unknown when inside it its operations were done.
    """
    inside = [one for one in series if one.start_s >= start_s - _SLACK_S and one.end_s <= end_s + _SLACK_S]
    counted = [(one.operations, one.counted_seconds) for one in inside if one.operations is not None]
    if not counted:
        return None
    operations = sum(done for done, _ in counted)
    seconds = sum(length for _, length in counted)
    lows = [p99 for one in inside if (p99 := one.lowest_p99_ms) is not None]
    highs = [one.p99_ms for one in inside if one.p99_ms is not None]
    return WindowFigures(
        start_s=inside[0].start_s,
        end_s=inside[-1].end_s,
        seconds=seconds,
        operations=operations,
        throughput_ops_s=operations / seconds,
        errors=_sum([one.errors for one in inside]),
        p99_low_ms=min(lows, default=None),
        p99_high_ms=max(highs, default=None),
        intervals=sum(one.printed for one in inside),
    )


def trial_window(clients: Sequence[Sequence[Interval]], *, start_s: float, end_s: float) -> WindowFigures | None:
    """All clients of a trial: their rates are added up, as in the headline. None where a client has no figures."""
    parts = [window(series, start_s=start_s, end_s=end_s) for series in clients]
    known = [part for part in parts if part is not None]
    if not known or len(known) < len(parts):
        return None
    lows = [part.p99_low_ms for part in known if part.p99_low_ms is not None]
    highs = [part.p99_high_ms for part in known if part.p99_high_ms is not None]
    return WindowFigures(
        start_s=min(part.start_s for part in known),
        end_s=max(part.end_s for part in known),
        seconds=max(part.seconds for part in known),
        operations=sum(part.operations for part in known),
        throughput_ops_s=sum(part.throughput_ops_s for part in known),
        errors=_sum([part.errors for part in known]),
        p99_low_ms=min(lows, default=None),
        p99_high_ms=max(highs, default=None),
        intervals=sum(part.intervals for part in known),
    )


def spread(trials: Sequence[WindowFigures]) -> Spread:
    """The mean of the trials' throughputs in a window, with its interval. ValueError without a trial."""
    rates = [trial.throughput_ops_s for trial in trials]
    if rates and not any(rates):  # nothing but failures: no spread of zeros
        return Spread(0.0, None, None, None, len(rates))
    return headline(rates)


def warm_up(series: Sequence[Sequence[Interval]]) -> float | WarmUp:
    """The seconds that MSER-5 would cut from the start of a submission's series; 0.0 for none.

    The observations are the rates of the intervals, of several series (trials, clients) the mean of their first,
    second, ... intervals, as far as the shortest goes: chance cancels out, what all have in common stays. A last
    interval that is shorter than the others and positions where a rate is unknown are excluded.
    """
    steps = [float(median([interval.seconds for interval in one])) for one in series if one]
    if not steps or len(steps) < len(series):
        return WarmUp.TOO_SHORT
    if max(steps) > _UNEVEN * min(steps):
        return WarmUp.UNEVEN
    whole = [one[:-1] if one[-1].seconds < _SHORT * step else one for one, step in zip(series, steps, strict=True)]
    known = []
    for together in zip(*whole, strict=False):
        rates = [rate for one in together if (rate := one.rate_ops_s) is not None]
        if len(rates) == len(together):
            known.append((max(one.end_s for one in together), fmean(rates)))
    if len(known) < FEWEST_INTERVALS:
        return WarmUp.TOO_SHORT
    cut = mser_5([rate for _, rate in known])
    if cut is None:
        return WarmUp.NEVER_STEADY
    return known[cut - 1][0] if cut else 0.0


def mser_5(observations: Sequence[float]) -> int | None:
    """How many of the first observations to cut: the marginal standard error rule on means of five.

    Of m batch means Z, the d that minimises sum((Z_i - mean(Z_d+1..Z_m))^2) / (m - d)^2 over the kept ones,
    i = d+1..m: K. P. White, "An effective truncation heuristic for bias reduction in simulation output",
    Simulation 69(6), 1997; batches of five: S. C. Spratt, "Heuristics for the startup problem", University of
    Virginia, 1998. As usual d is looked for in the first half, since among the last few batches values are close by
    chance; where the half itself is best, the series is too short to be steady: None. Against the same chance the
    leftmost local minimum is taken (F. L. Oliveira et al., "pyMSER", J. Chem. Theory Comput. 20(19), 2024), unless
    the least of all is under _CLEARLY of it. What is left over after the last whole batch is not used. ValueError for
    fewer than FEWEST_INTERVALS observations.
    """
    count = len(observations) // BATCH
    if count < FEWEST_BATCHES:
        raise ValueError(f"MSER-5 needs {FEWEST_INTERVALS} observations")
    import numpy

    means = numpy.asarray(observations[: count * BATCH], dtype=float).reshape(count, BATCH).mean(axis=1)
    means -= means.mean()  # sums of squares of small numbers keep their digits
    kept = numpy.arange(count, 0, -1)
    sums = numpy.cumsum(means[::-1])[::-1]
    squares = numpy.cumsum(means[::-1] ** 2)[::-1]
    errors = ((squares - sums**2 / kept) / kept**2)[: count // 2 + 1]
    slack = 1e-12 * errors[0]  # of equal ones the earliest: rounding must not choose
    rises = numpy.flatnonzero(errors[1:] >= errors[:-1] - slack)
    leftmost = int(rises[0]) if rises.size else count // 2
    least = int(numpy.flatnonzero(errors <= errors.min() + slack)[0])
    cut = least if errors[least] + slack < _CLEARLY * errors[leftmost] else leftmost
    return cut * BATCH if cut < count // 2 else None


def _sum(values: Sequence[int | None]) -> int | None:
    """None as soon as one is unknown: the sum of the others would be too small."""
    known = [value for value in values if value is not None]
    return sum(known) if known and len(known) == len(values) else None

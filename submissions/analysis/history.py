"""Where a series of results of one workload on equal clusters changes its level."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

FEWEST_POINTS = 10  # with fewer, a step cannot be told from the noise between equal runs
FALSE_ALARMS = 0.05  # at most this share of the histories without any change shows one
# The t-test of a change point is made at the best of all positions, with standard deviations that are too
# small in short series: by simulation (the tests) this share of FALSE_ALARMS keeps the promise from 10 to
# 500 points.
_FOR_THE_SEARCH = 0.4
# Points looked at together. A level that comes and goes is detected by a window that holds one end of it only;
# a window that holds both takes it for noise, and the longer ones find small changes.
_WINDOWS = (10, 20, 50)
_FIRST_PASS = 10  # times the p-value: Otava's own, for what the second pass then judges


@dataclass(frozen=True, slots=True)
class ChangePoint:
    """The level changes at point `index`, the first of the new level; means of the segments beside it.

    A segment reaches to the next change point, or to the end of the series.
    """

    index: int
    mean_before: float
    mean_after: float
    n_before: int
    n_after: int
    p_value: float  # of the t-test between the two segments, not corrected for the search

    @property
    def percent(self) -> float:
        """Change of the mean."""
        return (self.mean_after / self.mean_before - 1) * 100


def change_points(series: Sequence[float]) -> list[ChangePoint] | None:
    """The change points of positive values in the order of their measurement; None below FEWEST_POINTS.

    Hunter's variant of e-divisive means (Fleming et al. 2023, doi.org/10.1145/3578244.3583719), by Apache
    Otava. It uses no random numbers: the same series always has the same change points.
    """
    if len(series) < FEWEST_POINTS:
        return None
    if min(series) <= 0:
        raise ValueError("throughputs and latencies are positive")
    figures = [float(figure) for figure in series]
    max_pvalue = FALSE_ALARMS * _FOR_THE_SEARCH / len(figures)
    found = _settled(_proposed(figures, max_pvalue), figures, max_pvalue)
    places = [0, *(int(one.index) for one in found), len(figures)]
    return [
        ChangePoint(
            index=places[number],
            mean_before=float(one.stats.mean_1),
            mean_after=float(one.stats.mean_2),
            n_before=places[number] - places[number - 1],
            n_after=places[number + 1] - places[number],
            p_value=float(one.stats.pvalue),
        )
        for number, one in enumerate(found, start=1)
    ]


def _proposed(figures: list[float], max_pvalue: float) -> list[Any]:
    from otava.analysis import split  # here: it loads scipy.stats, which takes a second

    by_index = {
        int(one.index): one
        for window in _WINDOWS
        for one in split(figures, window_len=window, max_pvalue=max_pvalue * _FIRST_PASS)
    }
    return [by_index[index] for index in sorted(by_index)]


def _settled(found: list[Any], figures: list[float], max_pvalue: float) -> list[Any]:
    """Each with the statistics of the segments that are really beside it, and significant by them.

    Otava 0.8.0, having dropped a point, computes those of its next two anew, not of its two neighbours.
    """
    from otava.analysis import TTestSignificanceTester, merge

    tester = TTestSignificanceTester(max_pvalue)
    while True:
        intervals = tester.get_intervals(found)
        fresh = [tester.change_point(one.to_candidate(), figures, intervals) for one in found]
        found = merge(list(fresh), figures, max_pvalue, min_magnitude=0.0)
        if len(found) == len(fresh):
            return fresh

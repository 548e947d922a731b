"""Sums of floats in which the order of additions makes no difference."""

from collections.abc import Iterable
from math import fsum


def added(partials: list[float], figure: float) -> list[float]:
    """The exact sum as floats that do not overlap (Shewchuk 1997), with one figure more."""
    new = []
    for partial in partials:
        high, low = (figure, partial) if abs(figure) >= abs(partial) else (partial, figure)
        figure = high + low
        if rest := low - (figure - high):
            new.append(rest)
    return [*new, figure]


def total(partials: Iterable[float]) -> float:
    """Rounded once."""
    return fsum(partials)

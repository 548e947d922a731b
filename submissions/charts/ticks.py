"""Where an axis has its ticks, and what they read: "100 k", "$10/h", "Sep 2015"."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from math import ceil, floor, isclose, log10
from typing import Any

_UNITS = ((1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k"))
_DIGITS = 4
_NICE = (1, 2, 2.5, 5, 10)
_SECONDS = (1, 5, 15, 30, 60, 300, 900, 1800, 3600, 7200, 10800, 21600, 43200)
_DAY = 86400
_DAYS = (1, 2, 7, 14)
_MONTHS = (1, 2, 3, 6, 12, 24, 60, 120)

_ROOM = 0.07  # beside the outermost points, of a logarithmic axis
_MOST_LOG_TICKS = 12
_MOST_IN_A_DECADE = 6  # of an axis too short for a power of ten: few points, and more ticks would crowd them

Range = tuple[float, float]  # of powers of ten
Tick = tuple[float, str]  # where, in the axis's own measure, and its words


def short(value: float) -> str:
    """A round number in few characters: 100000 -> "100 k", 0.25 -> "0.25"."""
    for size, unit in _UNITS:
        if abs(value) >= size * 0.9999:
            return f"{_trimmed(value / size)}{unit}"
    return _trimmed(value)


def linear(low: float, high: float, most: int) -> list[Tick]:
    """Round numbers from low to high, at most about `most`."""
    if high <= low:
        return [(low, short(low))]
    rough = (high - low) / max(most, 1)
    size = 10.0 ** floor(log10(rough))
    step = next(size * nice for nice in _NICE if size * nice >= rough * 0.9999)
    return [(at, short(at)) for at in _multiples(step, low, high)]


def logarithmic(low: float, high: float, most: int, step: float | None = None) -> list[Tick]:
    """`low`, `high` and the places are powers of ten; between them 2 and 5 where there is room."""
    decades = high - low
    digits: Sequence[int] = (1,) if step == 1 or decades * 3 > most else (1, 2, 5)
    places = [
        power + log10(digit)
        for power in range(floor(low), ceil(high) + 1)
        for digit in digits
        if low - 1e-9 <= power + log10(digit) <= high + 1e-9
    ]
    every = max(1, ceil(len(places) / max(most, 1)))
    if len(places) < 2 and step is None:
        return [
            (log10(at), words) for at, words in linear(10.0**low, 10.0**high, min(most, _MOST_IN_A_DECADE)) if at > 0
        ]
    return [(at, short(10.0**at)) for at in places[::every]]


def log_range(values: Iterable[float]) -> Range:
    """At least a factor of two wide."""
    places = [log10(value) for value in values if value > 0] or [0.0]
    low, high = min(places), max(places)
    room = max((high - low) * _ROOM, (0.3 - (high - low)) / 2, 0.05)
    return low - room, high + room


def log_axis(between: Range, words: str) -> dict[str, Any]:
    """Of a figure; `words` has a place for the number of a tick: "${}/h"."""
    ticks = logarithmic(*between, _MOST_LOG_TICKS)
    places = {"tickvals": [10**at for at, _ in ticks], "ticktext": [words.format(number) for _, number in ticks]}
    return {"type": "log", "range": between, "tickmode": "array", **places}


def dates(low: float, high: float, most: int) -> list[Tick]:
    """Seconds since 1970, UTC."""
    span = max(high - low, 1)
    for seconds in _SECONDS:
        if span / seconds <= most:
            pattern = "%H:%M:%S" if seconds < 60 else "%H:%M" if span < _DAY else "%d %b %H:%M"
            return [(at, _moment(at).strftime(pattern)) for at in _multiples(seconds, low, high)]
    for days in _DAYS:
        if span / (days * _DAY) <= most:
            return [(at, _moment(at).strftime("%d %b %Y").lstrip("0")) for at in _multiples(days * _DAY, low, high)]
    return _months(low, high, most)


def _months(low: float, high: float, most: int) -> list[Tick]:
    first, last = _moment(low), _moment(high)
    count = (last.year - first.year) * 12 + last.month - first.month + 1
    step = next((months for months in _MONTHS if count / months <= most), _MONTHS[-1])
    ticks = []
    for month in range(first.year * 12, last.year * 12 + 13, step):
        at = datetime(month // 12, month % 12 + 1, 1, tzinfo=UTC)
        if low <= at.timestamp() <= high:
            ticks.append((at.timestamp(), at.strftime("%Y" if step >= 12 else "%b %Y")))
    return ticks


def _multiples(step: float, low: float, high: float) -> list[float]:
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return [place * step for place in range(first, last + 1)]


def _moment(seconds: float) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)


def _trimmed(value: float) -> str:
    if isclose(value, 0, abs_tol=1e-12):
        return "0"
    digits = max(0, _DIGITS - 1 - floor(log10(abs(value))))
    text = f"{value:.{min(digits, 12)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text

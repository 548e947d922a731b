"""The axes of a figure: what they measure, from where to where, as Plotly would choose."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import isfinite, log10
from typing import Any

from submissions.charts import ticks
from submissions.charts.ticks import Tick
from submissions.formatting.figures import Figure

_ROOM = 0.05  # free at an end that no range fixes, of the whole
_LEAST = 1e-9  # a shorter axis has no ticks of its own
_LOG, _DATE, _CATEGORY = "log", "date", "category"


@dataclass(slots=True)
class Axis:
    """`low` and `high` are in its own measure: powers of ten, seconds since 1970, or the place of a category."""

    key: str  # "x", "y2"
    options: dict[str, Any]
    kind: str
    categories: dict[str, int] = field(default_factory=dict)
    low: float = 0.0
    high: float = 1.0

    @property
    def is_reversed(self) -> bool:
        return self.options.get("autorange") == "reversed"

    @property
    def is_visible(self) -> bool:
        return bool(self.options.get("visible", True))

    @property
    def has_grid(self) -> bool:
        return self.is_visible and self.kind != _CATEGORY and bool(self.options.get("showgrid", True))

    @property
    def title(self) -> str:
        title = self.options.get("title")
        return str((title.get("text") if isinstance(title, dict) else title) or "")

    @property
    def domain(self) -> tuple[float, float]:
        low, high = self.options.get("domain", (0, 1))
        return float(low), float(high)

    def measure(self, value: Any) -> float | None:
        """A value of the figure in the measure of the axis; None where it has no place there."""
        if value is None:
            return None
        if self.kind == _CATEGORY:
            return self.categories.get(str(value)) if isinstance(value, str) else float(value)
        if self.kind == _DATE:
            return _seconds(value)
        known = float(value)
        if not isfinite(known) or (self.kind == _LOG and known <= 0):
            return None
        return log10(known) if self.kind == _LOG else known

    def fraction(self, measured: float) -> float:
        """0 at the start of the axis, 1 at its end."""
        share = (measured - self.low) / (self.high - self.low)
        return 1 - share if self.is_reversed else share

    def ticks(self, most: int) -> list[Tick]:
        if "tickvals" in self.options:
            return self._own_ticks()
        if self.kind == _CATEGORY:
            return [(float(place), name) for name, place in self.categories.items()]
        if self.kind == _DATE:
            return ticks.dates(self.low, self.high, most)
        found = (
            ticks.logarithmic(self.low, self.high, most, self.options.get("dtick"))
            if self.kind == _LOG
            else ticks.linear(self.low, self.high, most)
        )
        before, after = self.options.get("tickprefix", ""), self.options.get("ticksuffix", "")
        return [(at, f"{before}{words}{after}") for at, words in found]

    def _own_ticks(self) -> list[Tick]:
        places = [self.measure(value) for value in self.options["tickvals"]]
        texts = self.options.get("ticktext") or [ticks.short(value) for value in self.options["tickvals"]]
        within = [(at, words) for at, words in zip(places, texts, strict=True) if at is not None]
        return [(at, str(words)) for at, words in within if self.low - 1e-9 <= at <= self.high + 1e-9]


def axes_of(figure: Figure) -> dict[str, Axis]:
    """By key; each axis that a trace has, or the layout names."""
    layout = figure["layout"]
    keys = {trace.get(f"{letter}axis", letter) for trace in figure["data"] for letter in "xy"} | {"x", "y"}
    return {key: _axis(key, layout.get(f"{key[0]}axis{key[1:]}", {}), figure) for key in sorted(keys)}


def _axis(key: str, options: dict[str, Any], figure: Figure) -> Axis:
    traces = [trace for trace in figure["data"] if trace.get(f"{key[0]}axis", key[0]) == key]
    values = [value for trace in traces for value in trace.get(key[0]) or ()]
    kind = options.get("type") or (_CATEGORY if any(isinstance(value, str) for value in values) else "linear")
    axis = Axis(key, options, kind)
    if kind == _CATEGORY:
        names = [*options.get("categoryarray", ()), *(value for value in values if isinstance(value, str))]
        axis.categories = {name: place for place, name in enumerate(dict.fromkeys(names))}
        axis.low, axis.high = options.get("range") or (-0.5, max(len(axis.categories), 1) - 0.5)
    else:
        axis.low, axis.high = _range(axis, traces)
    return axis


def _extent(axis: Axis, traces: Iterable[dict[str, Any]]) -> Iterator[float]:
    """The measures that must have a place: of marks, and of the ends of bars and error bars."""
    letter = axis.key[0]
    for trace in traces:
        values = list(trace.get(letter) or ())
        if trace["type"] == "bar" and (letter == "x") == (trace.get("orientation") == "h"):
            yield 0.0
            base = trace.get("base") or [0] * len(values)
            values = [None if value is None else value + low for value, low in zip(values, base, strict=True)]
        for place, value in enumerate(values):
            measured = axis.measure(value)
            if measured is not None:
                yield measured
                yield from (end for end in ends(axis, trace, place, value) if end is not None)


def ends(axis: Axis, trace: dict[str, Any], place: int, value: Any) -> tuple[float | None, float | None]:
    """The measures where the mark's error bar along the axis begins and ends."""
    bar = trace.get(f"error_{axis.key[0]}")
    if not bar or not bar.get("visible", True):
        return None, None
    above, below = bar.get("array"), bar.get("arrayminus")
    up = above[place] if above is not None else None
    down = (below if below is not None else above)[place] if above is not None or below is not None else None
    if up is None or down is None:
        return None, None
    return axis.measure(value - down), axis.measure(value + up)


def _range(axis: Axis, traces: Iterable[dict[str, Any]]) -> tuple[float, float]:
    fixed = axis.options.get("range")
    if fixed is not None:
        ends = [_seconds(end) if axis.kind == _DATE else float(end) for end in fixed]
        return ends[0], ends[1]
    places = list(_extent(axis, traces))
    low, high = min(places, default=0.0), max(places, default=1.0)
    is_zero_based = axis.kind == "linear" and axis.options.get("rangemode") == "tozero"
    if is_zero_based:
        low, high = min(low, 0.0), max(high, 0.0)
    if high - low <= _LEAST * max(abs(low), abs(high), 1):
        wider = max(0.5, _ROOM * abs(low))
        low, high = (low, max(high, 0.0) + 1) if is_zero_based else (low - wider, high + wider)
    room = (high - low) * _ROOM
    return (low if is_zero_based and low == 0 else low - room), (high if is_zero_based and high == 0 else high + room)


def _seconds(value: Any) -> float:
    moment = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()

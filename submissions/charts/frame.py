"""Where things are in a drawing: its margins, its panels, and the pixels of a measure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from submissions.charts import text
from submissions.charts.axes import Axis
from submissions.charts.ticks import Tick
from submissions.formatting.figures import Figure

TEXT = 12.0  # the size of ticks and labels
LINE = 14.0
_EDGE = 4.0
_LEGEND_LINE = 20.0
_MOST_LABEL = 0.4  # of the width, for the names of rows
_TICK_ROOM = {"x": 76.0, "y": 36.0}  # pixels for each


@dataclass(frozen=True, slots=True)
class Panel:
    """The part of the drawing between two axes, in pixels."""

    x_axis: Axis
    y_axis: Axis
    left: float
    right: float
    top: float
    bottom: float

    def x(self, measured: float) -> float:
        return self.left + (self.right - self.left) * self.x_axis.fraction(measured)

    def y(self, measured: float) -> float:
        return self.bottom - (self.bottom - self.top) * self.y_axis.fraction(measured)

    def scales(self) -> tuple[float, ...]:
        """For many points: the lower ends of x and y, their pixels, and the pixels of one more of each."""
        x, y = self.x_axis, self.y_axis
        left, bottom = self.x(x.low), self.y(y.low)
        wide, tall = (self.x(x.high) - left) / (x.high - x.low), (self.y(y.high) - bottom) / (y.high - y.low)
        return x.low, y.low, left, bottom, wide, tall

    def ticks(self, axis: Axis) -> list[Tick]:
        length = self.right - self.left if axis is self.x_axis else self.bottom - self.top
        return axis.ticks(max(2, int(length / _TICK_ROOM[axis.key[0]])))


@dataclass(frozen=True, slots=True)
class LegendItem:
    name: str
    trace: dict[str, Any]
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Frame:
    width: float
    height: float
    panels: Mapping[tuple[str, str], Panel]
    legend: Sequence[LegendItem]
    left: float
    right: float
    top: float
    bottom: float

    def panel(self, trace: Mapping[str, Any]) -> Panel:
        return self.panels[trace.get("xaxis", "x"), trace.get("yaxis", "y")]


def frame_of(figure: Figure, axes: Mapping[str, Axis], width: float, height: float) -> Frame:
    legend, legend_height = _legend(figure, width)
    pairs = list(dict.fromkeys((trace.get("xaxis", "x"), trace.get("yaxis", "y")) for trace in figure["data"])) or [
        ("x", "y")
    ]
    notes = figure["layout"].get("annotations") or ()
    titled = any(axes[y].title and axes[y].is_visible for _, y in pairs)
    above = max((LINE * len(text.lines(note["text"])) for note in notes if _is_above(note)), default=0.0)
    top = _EDGE + legend_height + above + (LINE + 6 if titled else 6)
    below = any(axes[x].is_visible and axes[x].title for x, _ in pairs)
    bottom = height - (LINE + 6) - (LINE + 6 if below else 2)
    left = max(_left(axes[y], width, (bottom - top) * (axes[y].domain[1] - axes[y].domain[0])) for _, y in pairs)
    beside = [text.block_width(text.lines(note["text"]), TEXT) + 10 for note in notes if _is_beside(note)]
    right = width - max([14.0, *beside])
    panels = {}
    for x, y in pairs:
        start, end = axes[x].domain
        low, high = axes[y].domain
        wide, tall = right - left, bottom - top
        panels[x, y] = Panel(
            axes[x], axes[y], left + wide * start, left + wide * end, bottom - tall * high, bottom - tall * low
        )
    return Frame(width, height, panels, legend, left, right, top, bottom)


def row_name(name: str, width: float) -> list[str]:
    """The lines of a category's name, as wide as a drawing allows."""
    return [text.shortened(line, TEXT, width * _MOST_LABEL) for line in text.lines(name)]


def _left(axis: Axis, width: float, length: float) -> float:
    if not axis.is_visible:
        return 8.0
    names = [words for _, words in axis.ticks(max(2, int(length / _TICK_ROOM["y"])))]
    return 8 + max((text.block_width(row_name(name, width), TEXT) for name in names), default=0.0)


def _is_above(note: Mapping[str, Any]) -> bool:
    return note.get("yref") == "paper" and note.get("y") == 1 and note.get("yanchor") == "bottom"


def _is_beside(note: Mapping[str, Any]) -> bool:
    return note.get("xref") == "paper" and note.get("x") == 1 and note.get("xanchor") == "left"


def _legend(figure: Figure, width: float) -> tuple[list[LegendItem], float]:
    """In lines above the panels."""
    named = [trace for trace in figure["data"] if trace.get("name")]
    is_shown = figure["layout"].get("showlegend", len(named) > 1)
    items: list[LegendItem] = []
    x, y = _EDGE, _EDGE + _LEGEND_LINE / 2
    for trace in named if is_shown else ():
        if not trace.get("showlegend", True):
            continue
        name = text.shortened(" ".join(text.lines(trace["name"])), TEXT, width - 40)
        room = 24 + text.width(name, TEXT) + 14
        if x + room > width and x > _EDGE:
            x, y = _EDGE, y + _LEGEND_LINE
        items.append(LegendItem(name, trace, x, y))
        x += room
    return items, (y + _LEGEND_LINE / 2 - _EDGE if items else 0.0)

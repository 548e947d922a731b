"""The marks of a figure's traces: lines, symbols, bars, and the error bars of both."""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from math import cos, pi, sin
from operator import itemgetter
from typing import Any

from submissions.charts import text
from submissions.charts.axes import ends
from submissions.charts.frame import TEXT, Frame, Panel
from submissions.charts.text import number as px
from submissions.charts.theme import Theme
from submissions.formatting.figures import DOT, Figure

_DASHES = {"dot": "2 4", "dash": "7 4", "dashdot": "7 3 2 3", "longdash": "12 5", "longdashdot": "12 4 2 4"}
_NO_STEP = ("0", "-0")
_STAR = [
    (sin(pi * k / 5) * (1 if k % 2 == 0 else 0.42), -cos(pi * k / 5) * (1 if k % 2 == 0 else 0.42)) for k in range(10)
]


def draw(figure: Figure, frame: Frame, theme: Theme, key: str) -> Iterator[str]:
    stacked: dict[tuple[str, Any], float] = {}
    for index, trace in enumerate(figure["data"]):
        panel = frame.panel(trace)
        if trace["type"] == "bar":
            drawn = "".join(_bars(trace, panel, figure["layout"], theme, stacked, f"{key}-p{index}"))
        else:
            drawn = "".join(_scatter(trace, panel, theme))
        yield f'<g data-trace="{index}">{drawn}</g>'


def symbol(name: str, x: float, y: float, radius: float) -> str:
    """An element without its colours, not closed: the caller adds attributes."""
    shape = name.removesuffix("-open")
    if shape == "circle":
        return f'<circle cx="{px(x)}" cy="{px(y)}" r="{px(radius)}"'
    return f'<path d="M{px(x)} {px(y)}{_outline(shape, radius)}"'


@lru_cache(maxsize=100)
def _outline(shape: str, radius: float) -> str:
    return _SHAPES.get(shape, _square)(radius)


def _polygon(corners: Sequence[tuple[float, float]]) -> str:
    """A path from its middle, so that the first pair of its numbers is where the mark is."""
    x, y = 0.0, 0.0
    steps: list[str] = []
    for corner_x, corner_y in corners:
        steps.append(_step(px(corner_x - x), px(corner_y - y), is_first=not steps))
        x, y = corner_x, corner_y
    return "".join(steps) + "z"


def _step(across: str, down: str, *, is_first: bool) -> str:
    """In few letters: a chart has hundreds of marks, for a desk and for a phone."""
    if not is_first and down in _NO_STEP:
        return f"h{across}"
    if not is_first and across in _NO_STEP:
        return f"v{down}"
    return f"{'m' if is_first else 'l'}{across}{'' if down.startswith('-') else ' '}{down}"


def _square(r: float) -> str:
    s = r * 0.9
    return _polygon([(-s, -s), (s, -s), (s, s), (-s, s)])


def _cross(r: float) -> str:
    t = r * 0.36
    return _polygon(
        [(-t, -r), (t, -r), (t, -t), (r, -t), (r, t), (t, t), (t, r), (-t, r), (-t, t), (-r, t), (-r, -t), (-t, -t)]
    )


def _saltire(r: float) -> str:
    d, t = r * 0.95, r * 0.45
    return _polygon(
        [
            (0, -t),
            (d - t, -d),
            (d, t - d),
            (t, 0),
            (d, d - t),
            (d - t, d),
            (0, t),
            (t - d, d),
            (-d, d - t),
            (-t, 0),
            (-d, t - d),
            (t - d, -d),
        ]
    )


_SHAPES: dict[str, Callable[[float], str]] = {
    "square": _square,
    "diamond": lambda r: _polygon([(0, -r * 1.2), (r * 1.2, 0), (0, r * 1.2), (-r * 1.2, 0)]),
    "triangle-up": lambda r: _polygon([(0, -r * 1.15), (r * 1.1, r * 0.8), (-r * 1.1, r * 0.8)]),
    "triangle-down": lambda r: _polygon([(0, r * 1.15), (r * 1.1, -r * 0.8), (-r * 1.1, -r * 0.8)]),
    "cross": _cross,
    "x": _saltire,
    "star": lambda r: _polygon([(r * 1.25 * x, r * 1.25 * y) for x, y in _STAR]),
    "line-ns": lambda r: f"m0 {px(-r)}v{px(2 * r)}",
}


def _scatter(trace: dict[str, Any], panel: Panel, theme: Theme) -> Iterator[str]:
    places = list(points(trace, panel))
    mode = trace.get("mode", "lines+markers")
    marker, line = trace.get("marker") or {}, trace.get("line") or {}
    yield from _fill(trace, places, panel, theme)
    if "lines" in mode:
        yield _line(places, line, theme.colour(line.get("color") or marker.get("color")))
    yield from _error_bars(trace, panel, places, theme)
    if "markers" in mode:
        yield from _markers(places, marker, theme, trace.get("opacity", 1))


def points(trace: dict[str, Any], panel: Panel) -> Iterator[tuple[float, float] | None]:
    """The pixels of each point; None where the figure has a gap."""
    measure_x, measure_y = panel.x_axis.measure, panel.y_axis.measure
    x_low, y_low, left, bottom, wide, tall = panel.scales()
    for x, y in zip(trace.get("x") or (), trace.get("y") or (), strict=False):
        across, up = measure_x(x), measure_y(y)
        yield None if across is None or up is None else (left + wide * (across - x_low), bottom + tall * (up - y_low))


def path(places: Sequence[tuple[float, float] | None], shape: str = "linear") -> str:
    parts, is_down, last = [], False, 0.0
    for place in places:
        if place is None:
            is_down = False
            continue
        x, y = place
        if not is_down:
            parts.append(f"M{px(x)} {px(y)}")
        elif shape == "hv":
            parts.append(f"H{px(x)}" if abs(y - last) < 0.05 else f"H{px(x)}V{px(y)}")
        else:
            parts.append(f"L{px(x)} {px(y)}")
        is_down, last = True, y
    return "".join(parts)


def stroke(line: dict[str, Any], colour: str) -> str:
    dash = _DASHES.get(str(line.get("dash")))
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return f'stroke="{colour}" stroke-width="{line.get("width", 2)}"{dashed}'


def _line(places: Sequence[tuple[float, float] | None], line: dict[str, Any], colour: str) -> str:
    drawn = path(places, line.get("shape", "linear"))
    return f'<path d="{drawn}" fill="none" stroke-linejoin="round" {stroke(line, colour)}/>'


def _fill(
    trace: dict[str, Any], places: Sequence[tuple[float, float] | None], panel: Panel, theme: Theme
) -> Iterator[str]:
    known = [place for place in places if place is not None]
    if trace.get("fill") != "tozeroy" or len(known) < 2:
        return
    above = path(known, (trace.get("line") or {}).get("shape", "linear"))
    down = f"V{px(panel.bottom)}H{px(known[0][0])}z"
    yield f'<path d="{above}{down}" fill="{theme.colour(trace.get("fillcolor"))}" stroke="none"/>'


def _markers(
    places: Sequence[tuple[float, float] | None], marker: dict[str, Any], theme: Theme, whole: float
) -> Iterator[str]:
    radius = marker.get("size", 6) / 2
    if is_dots(marker):
        yield _dots(places, radius, theme.colour(marker["color"]), marker.get("opacity", whole))
        return
    name, colours, faint = marker.get("symbol", "circle"), marker.get("color"), marker.get("opacity", whole)
    width = (marker.get("line") or {}).get("width", 2)
    marks = (
        ((_of(colours, place), _of(faint, place), str(_of(name, place))), at)
        for place, at in enumerate(places)
        if at is not None
    )
    for (colour, opacity, shape), alike in groupby(marks, key=itemgetter(0)):
        drawn = "".join(f"{symbol(shape, *at, radius)}/>" for _, at in alike)
        yield f"<g {_look(theme.colour(colour), opacity, shape, width)}>{drawn}</g>"


def is_dots(marker: dict[str, Any]) -> bool:
    """Whether its marks are so small and alike that they are one path, which words may cover."""
    return marker.get("size", 6) <= DOT and isinstance(marker.get("color"), str)


def _dots(places: Sequence[tuple[float, float] | None], radius: float, colour: str, opacity: float) -> str:
    """One path of round ends, each place once, in steps of a pixel: thousands of elements would be slow to lay out.

    Overlapping dots of a path do not add up, as they would each by itself.
    """
    steps, x, y = [], 0, 0
    for at in sorted({(round(place[0]), round(place[1])) for place in places if place is not None}):
        down = at[1] - y
        steps.append(f"m{at[0] - x}{'' if down < 0 else ' '}{down}h0")
        x, y = at
    look = f'fill="none" stroke="{colour}" stroke-width="{px(2 * radius)}" stroke-linecap="round"'
    return f'<path d="{"".join(steps)}" {look} stroke-opacity="{opacity}"/>'


def _look(colour: str, opacity: float, shape: str, width: float) -> str:
    """Attributes that each symbol inherits: as `opacity` would, those of fill and stroke let overlaps show."""
    is_open = shape.endswith("-open") or shape.startswith("line-")
    paint = f'fill="none" stroke="{colour}" stroke-width="{width}"' if is_open else f'fill="{colour}"'
    return f'{paint} {"stroke" if is_open else "fill"}-opacity="{opacity}"' if opacity != 1 else paint


def _error_bars(
    trace: dict[str, Any], panel: Panel, places: Sequence[tuple[float, float] | None], theme: Theme
) -> Iterator[str]:
    """A line along its axis; with caps where the figure gives them a width."""
    for axis in (panel.x_axis, panel.y_axis):
        letter = axis.key[0]
        bar = trace.get(f"error_{letter}")
        if not bar:
            continue
        parts, cap = [], bar.get("width", 4)
        for place, (value, at) in enumerate(zip(trace[letter], places, strict=False)):
            low, high = ends(axis, trace, place, value)
            if at is None or low is None or high is None:
                continue
            if letter == "x":
                parts.append(f"M{px(panel.x(low))} {px(at[1])}H{px(panel.x(high))}")
                parts += [f"M{px(panel.x(end))} {px(at[1] - cap)}v{px(2 * cap)}" for end in (low, high) if cap]
            else:
                parts.append(f"M{px(at[0])} {px(panel.y(low))}V{px(panel.y(high))}")
                parts += [f"M{px(at[0] - cap)} {px(panel.y(end))}h{px(2 * cap)}" for end in (low, high) if cap]
        if parts:
            colour = theme.colour(bar.get("color"))
            opacity = f' opacity="{trace["opacity"]}"' if "opacity" in trace else ""
            look = f'stroke="{colour}" stroke-width="{bar.get("thickness", 2)}"{opacity}'
            yield f'<path d="{"".join(parts)}" fill="none" {look}/>'


def _bars(
    trace: dict[str, Any],
    panel: Panel,
    layout: dict[str, Any],
    theme: Theme,
    stacked: dict[tuple[str, Any], float],
    key: str,
) -> Iterator[str]:
    """Horizontal ones: charts of this site have no others."""
    marker = trace.get("marker") or {}
    thick = trace.get("width", 1 - layout.get("bargap", 0.2))
    patterns = (marker.get("pattern") or {}).get("shape")
    colours, outline = marker.get("color"), marker.get("line") or {}
    if any(patterns or ()):
        yield _stripes(key, theme.colour(_of(colours, 0)))
    for place, (value, name) in enumerate(zip(trace["x"], trace["y"], strict=True)):
        row = panel.y_axis.measure(name)
        if value is None or row is None:
            continue
        start = (trace.get("base") or {place: 0})[place]
        if layout.get("barmode") == "stack":
            start = stacked.get((trace.get("yaxis", "y"), name), 0.0)
            stacked[trace.get("yaxis", "y"), name] = start + value
        left, right = panel.x(start), panel.x(start + value)
        top, bottom = sorted((panel.y(row - thick / 2), panel.y(row + thick / 2)))
        fill = f"url(#{key})" if _of(patterns, place) else theme.colour(_of(colours, place))
        edge = (
            f' stroke="{theme.colour(outline.get("color") or theme.line)}" stroke-width="{outline["width"]}"'
            if outline.get("width")
            else ""
        )
        yield (
            f'<rect x="{px(left)}" y="{px(top)}" width="{px(right - left)}" height="{px(bottom - top)}"'
            f' fill="{fill.replace("rgba(0,0,0,0)", "none")}"{edge}/>'
        )
        yield _inside(trace, place, (left, right), (top + bottom) / 2, theme)
    yield from _error_bars(trace, panel, list(points(trace, panel)), theme)


def _inside(trace: dict[str, Any], place: int, across: tuple[float, float], middle: float, theme: Theme) -> str:
    """The words in a bar, if they have room."""
    words = _of(trace.get("text"), place) if trace.get("text") else ""
    if not words:
        return ""
    line = " ".join(text.lines(words))
    left, right = across
    font = trace.get("insidetextfont") or {}
    colour = theme.colour(_of(font.get("color"), place)) if font else "#000000"
    if trace.get("insidetextanchor") == "start":
        line = text.shortened(line, TEXT - 1, right - left - 6)
        place_of = f'x="{px(left + 3)}"'
    else:
        place_of = f'x="{px((left + right) / 2)}" text-anchor="middle"'
    return (
        f'<text {place_of} y="{px(middle + 4)}" font-size="{px(TEXT - 1)}" fill="{colour}">{text.markup(line)}</text>'
    )


def _stripes(key: str, colour: str) -> str:
    return (
        f'<pattern id="{key}" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
        f'<rect width="3" height="6" fill="{colour}"/></pattern>'
    )


def _of(value: Any, place: int) -> Any:
    """A figure has one value for all marks, or a list with one for each."""
    return value[place] if isinstance(value, list | tuple) else value

"""A figure as SVG, from the plain dict that Plotly draws in the browser: the kinds of traces that this site has."""

from collections.abc import Iterator
from dataclasses import dataclass

from submissions.charts import marks, notes, text
from submissions.charts.axes import Axis, axes_of
from submissions.charts.frame import LINE, TEXT, Frame, Panel, frame_of, row_name
from submissions.charts.notes import Label
from submissions.charts.text import number as px
from submissions.charts.theme import FAMILY, PAGE, Theme
from submissions.formatting.figures import Figure

_BESIDE = 12.0  # a panel, at its right
DEFAULT_HEIGHT = 450.0  # Plotly's own
WIDE, NARROW = 960.0, 380.0  # in pixels: of a desk, of a phone


@dataclass(frozen=True, slots=True)
class Drawing:
    """`body` goes into an svg element of this size; `labels` are those that had room."""

    body: str
    width: float
    height: float
    frame: Frame
    labels: tuple[Label, ...]


def drawing(
    figure: Figure, width: float, height: float | None = None, *, theme: Theme = PAGE, key: str = "c"
) -> Drawing:
    """The figure at this size. `key` is the start of the ids inside, unique on a page."""
    tall = float(height or figure["layout"].get("height", DEFAULT_HEIGHT))
    axes = axes_of(figure)
    frame = frame_of(figure, axes, width, tall)
    written, labels = notes.annotations(figure, frame, theme)
    parts = [
        *_grid(frame, theme),
        *notes.shapes(figure, frame, theme),
        *marks.draw(figure, frame, theme, key),
        *_axes(frame, theme),
        *written,
        f'<g data-legend="">{"".join(_legend(frame, theme))}</g>' if frame.legend else "",
    ]
    return Drawing("".join(parts), width, tall, frame, tuple(labels))


def svg(
    figure: Figure, key: str, title: str, description: str = "", *, width: float = WIDE, theme: Theme = PAGE
) -> str:
    """An element that stands alone: on a page with its CSS variables, in a file with the theme FILE."""
    drawn = drawing(figure, width, theme=theme, key=key)
    font = "" if theme.is_page else f' font-family="{FAMILY}, system-ui, sans-serif"'
    more = f'<desc id="{key}-desc">{text.markup(description)}</desc>' if description else ""
    names = f"{key}-title {key}-desc" if description else f"{key}-title"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {px(drawn.width)} {px(drawn.height)}" role="img"'
        f' aria-labelledby="{names}" font-size="{px(TEXT)}"{font} data-margins="{_margins(drawn.frame)}">'
        f'<title id="{key}-title">{text.markup(title)}</title>{more}{drawn.body}</svg>'
    )


def page_svgs(figure: Figure, key: str, title: str, note: str = "") -> str:
    """For a desk and for a phone: what fits one is unreadable on the other. charts.css shows one of them."""
    words = f"{description(figure)} {note}".strip()
    return "".join(
        svg(figure, f"{key}-{name}", title, words, width=width).replace("<svg ", f'<svg class="drawing {name}" ', 1)
        for name, width in (("wide", WIDE), ("narrow", NARROW))
    )


def description(figure: Figure) -> str:
    """What is drawn, for those who do not see it: the axes, and how many points of which series."""
    axes = axes_of(figure)
    titles = {
        letter: [" ".join(text.lines(axis.title)) for axis in axes.values() if axis.key[0] == letter] for letter in "xy"
    }
    across, up = (", ".join(title for title in dict.fromkeys(titles[letter]) if title) for letter in "xy")
    names = dict.fromkeys(" ".join(text.lines(trace["name"])) for trace in figure["data"] if trace.get("name"))
    points = sum(value is not None for trace in figure["data"] for value in trace.get("x") or ())
    parts = [f"Across: {across}." if across else "", f"Up: {up}." if up else "", f"{points:,} points"]
    return " ".join(part for part in parts if part) + (f": {', '.join(names)}." if names else ".")


def _margins(frame: Frame) -> str:
    """Left, right, top, bottom, in pixels of the drawing."""
    sides = (frame.left, frame.width - frame.right, frame.top, frame.height - frame.bottom)
    return " ".join(px(side) for side in sides)


def _grid(frame: Frame, theme: Theme) -> Iterator[str]:
    for panel in frame.panels.values():
        lines = []
        if panel.x_axis.has_grid:
            lines += [f"M{px(panel.x(at))} {px(panel.top)}V{px(panel.bottom)}" for at, _ in panel.ticks(panel.x_axis)]
        if panel.y_axis.has_grid:
            lines += [f"M{px(panel.left)} {px(panel.y(at))}H{px(panel.right)}" for at, _ in panel.ticks(panel.y_axis)]
        if lines:
            yield f'<path d="{"".join(lines)}" stroke="{theme.line}" fill="none"/>'


def _axes(frame: Frame, theme: Theme) -> Iterator[str]:
    done: set[str] = set()
    for panel in frame.panels.values():
        if panel.y_axis.key not in done and panel.y_axis.is_visible:
            yield from _y_axis(panel, frame, theme)
        if _is_bottom(panel, frame) and panel.x_axis.key not in done and panel.x_axis.is_visible:
            yield from _x_axis(panel, theme)
            done.add(panel.x_axis.key)
        done.add(panel.y_axis.key)


def _is_bottom(panel: Panel, frame: Frame) -> bool:
    """An axis that several panels share is below the last of them."""
    return panel.bottom >= max(other.bottom for other in frame.panels.values() if other.x_axis is panel.x_axis)


def _x_axis(panel: Panel, theme: Theme) -> Iterator[str]:
    y = panel.bottom
    yield f'<path d="M{px(panel.left)} {px(y)}H{px(panel.right)}" stroke="{theme.muted}" fill="none"/>'
    if panel.x_axis.options.get("showticklabels", True):
        words = "".join(_x_ticks(panel, y + LINE + 2))
        yield f'<g data-ticks="{panel.x_axis.key}" text-anchor="middle" fill="{theme.muted}">{words}</g>'
    if panel.x_axis.title:
        words = text.shortened(" ".join(text.lines(panel.x_axis.title)), TEXT, panel.right)
        middle = max((panel.left + panel.right) / 2, text.width(words, TEXT) / 2)
        place = f'x="{px(middle)}" y="{px(y + 2 * LINE + 6)}"'
        yield f'<text {place} text-anchor="middle" fill="{theme.ink}">{text.markup(words)}</text>'


def _x_ticks(panel: Panel, y: float) -> Iterator[str]:
    """Words that would touch the ones before them are left out."""
    free = 0.0
    for at, words in panel.ticks(panel.x_axis):
        half = text.width(words, TEXT) / 2
        x = min(panel.x(at), panel.right + _BESIDE - half)
        if x - half >= free:
            yield f'<text x="{px(x)}" y="{px(y)}">{text.markup(" ".join(text.lines(words)))}</text>'
            free = x + half + 6


def _y_axis(panel: Panel, frame: Frame, theme: Theme) -> Iterator[str]:
    rows = []
    for at, words in panel.ticks(panel.y_axis):
        lines = row_name(words, frame.width)
        first = panel.y(at) + TEXT * 0.36 - LINE * (len(lines) - 1) / 2
        rows += [
            f'<text x="{px(panel.left - 6)}" y="{px(first + LINE * place)}">{text.markup(line)}</text>'
            for place, line in enumerate(lines)
        ]
    colour = theme.ink if _has_names(panel.y_axis) else theme.muted
    yield f'<g text-anchor="end" fill="{colour}">{"".join(rows)}</g>'
    if panel.y_axis.title:
        words = text.shortened(" ".join(text.lines(panel.y_axis.title)), TEXT, frame.width - 4)
        yield f'<text x="2" y="{px(panel.top - 8)}" fill="{theme.ink}">{text.markup(words)}</text>'


def _has_names(axis: Axis) -> bool:
    return axis.kind == "category"


def _legend(frame: Frame, theme: Theme) -> Iterator[str]:
    for item in frame.legend:
        marker, line = item.trace.get("marker") or {}, item.trace.get("line") or {}
        mode = "bar" if item.trace["type"] == "bar" else item.trace.get("mode", "lines+markers")
        colour = marker.get("color")
        colour = theme.colour(line.get("color") or (colour if isinstance(colour, str) else None))
        if "lines" in mode:
            yield f'<path d="M{px(item.x)} {px(item.y)}h20" fill="none" {marks.stroke(line, colour)}/>'
        if "markers" in mode or mode == "bar":
            shape = marker.get("symbol", "circle") if mode != "bar" else "square"
            paint = (
                f'fill="none" stroke="{colour}" stroke-width="2"'
                if str(shape).endswith("-open")
                else f'fill="{colour}"'
            )
            yield f"{marks.symbol(str(shape), item.x + 10, item.y, 5)} {paint}/>"
        yield f'<text x="{px(item.x + 24)}" y="{px(item.y + 4)}" fill="{theme.ink}">{text.markup(item.name)}</text>'

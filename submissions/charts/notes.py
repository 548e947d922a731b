"""What is written into a drawing: annotations, and direct labels, which never overlap."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from submissions.charts import text
from submissions.charts.axes import Axis
from submissions.charts.frame import LINE, TEXT, Frame, Panel
from submissions.charts.marks import is_dots, points, stroke
from submissions.charts.text import number as px
from submissions.charts.theme import Theme
from submissions.formatting.figures import Figure

LABEL, ISO = "label", "iso"  # names of annotations: of a point, and of a line of equal value
_LABEL_SIZE, _ISO_SIZE = 12.0, 11.0
_GAP = 9.0  # between a point and its label


@dataclass(frozen=True, slots=True)
class Box:
    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: "Box") -> bool:
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )

    def is_in(self, panel: Panel, right: float) -> bool:
        return self.left >= panel.left and self.right <= right and self.top >= panel.top and self.bottom <= panel.bottom


@dataclass(frozen=True, slots=True)
class Label:
    """A direct label where it is drawn; `index` is its annotation's, `dx` and `dy` lead from its point to it."""

    index: int
    words: str
    box: Box
    dx: float
    dy: float


def shapes(figure: Figure, frame: Frame, theme: Theme) -> Iterator[str]:
    for shape in figure["layout"].get("shapes") or ():
        panel = next(iter(frame.panels.values()))
        x0, x1 = (_place(shape, f"x{end}", "xref", panel.x_axis, panel, frame, is_measure=False) for end in "01")
        y0, y1 = (_place(shape, f"y{end}", "yref", panel.y_axis, panel, frame, is_measure=False) for end in "01")
        if shape["type"] == "rect":
            left, right = (min(max(x, frame.left), frame.right) for x in sorted((x0, x1)))
            yield (
                f'<rect x="{px(left)}" y="{px(min(y0, y1))}" width="{px(right - left)}"'
                f' height="{px(abs(y1 - y0))}" fill="{theme.colour(shape.get("fillcolor"))}"/>'
            )
        else:
            line = shape.get("line") or {}
            yield f'<path d="M{px(x0)} {px(y0)}L{px(x1)} {px(y1)}" {stroke(line, theme.colour(line.get("color")))}/>'


def annotations(figure: Figure, frame: Frame, theme: Theme) -> tuple[list[str], list[Label]]:
    """The elements, and the direct labels among them."""
    drawn: list[str] = []
    labels: list[Label] = []
    notes = list(enumerate(figure["layout"].get("annotations") or ()))
    taken = list(_marked(figure, frame)) if any("name" in note for _, note in notes) else []
    # points need their words more than lines do
    for index, note in sorted(notes, key=lambda pair: (LABEL, ISO).index(pair[1]["name"]) if "name" in pair[1] else 2):
        panel = _panel_of(note, frame)
        at = (
            _place(note, "x", "xref", panel.x_axis, panel, frame),
            _place(note, "y", "yref", panel.y_axis, panel, frame),
        )
        if note.get("name") not in (LABEL, ISO):
            drawn.append(_plain(note, at, frame, theme))
            continue
        label = _free(index, note, at, taken, panel, frame)
        if label is not None:
            taken.append(label.box)
            labels.append(label)
            drawn.append(_label(label, theme, is_iso=note["name"] == ISO))
    return drawn, labels


def _marked(figure: Figure, frame: Frame) -> Iterator[Box]:
    """Where symbols are, which a label may not cover. Faint ones may be written over."""
    for trace in figure["data"]:
        marker = trace.get("marker") or {}
        radius, faint = marker.get("size", 6) / 2, marker.get("opacity", 1)
        if trace["type"] == "bar" or "markers" not in trace.get("mode", "markers") or is_dots(marker):
            continue
        differs = isinstance(faint, list | tuple)
        for place, at in enumerate(points(trace, frame.panel(trace))):
            if at is not None and (not differs or faint[place] == 1):
                yield Box(at[0] - radius, at[1] - radius, at[0] + radius, at[1] + radius)


def _free(
    index: int, note: dict[str, Any], at: tuple[float, float], taken: Sequence[Box], panel: Panel, frame: Frame
) -> Label | None:
    """The first place beside its point where a label covers nothing; None where there is none."""
    is_iso = note["name"] == ISO
    size = _ISO_SIZE if is_iso else _LABEL_SIZE
    words = " ".join(text.lines(note["text"]))
    wide, tall = text.width(words, size), size + 2
    x, y = at
    for dx, dy in _iso_places(wide, tall) if is_iso else _label_places(wide, tall):
        box = Box(x + dx, y + dy, x + dx + wide, y + dy + tall)
        if box.is_in(panel, frame.width - 2) and not any(box.overlaps(other) for other in taken):
            return Label(index, words, box, dx, dy)
    return None


def _label_places(wide: float, tall: float) -> list[tuple[float, float]]:
    """From the point to the corner of its label: above on the left first, where nothing is better."""
    near = _GAP * 0.6
    return [
        (-wide - near, -tall - near / 2),
        (-wide / 2, -tall - _GAP),
        (-wide - _GAP, -tall / 2),
        (near, near / 2),
        (_GAP, -tall / 2),
        (-wide / 2, _GAP),
        (near, -tall - near / 2),
        (-wide - near, near / 2),
        (-_GAP, -tall - _GAP),  # above, where there is room on the right only
    ]


def _iso_places(wide: float, tall: float) -> list[tuple[float, float]]:
    """The point is where its line leaves the panel."""
    return [(-wide - 6, 3), (-wide - 6, tall), (4, 3), (-wide - 2 * tall, tall * 2)]


def _label(label: Label, theme: Theme, *, is_iso: bool) -> str:
    size = _ISO_SIZE if is_iso else _LABEL_SIZE
    look = f'fill="{theme.muted}" font-size="11"' if is_iso else f'fill="{theme.ink}"'
    return (
        f'<text x="{px(label.box.left)}" y="{px(label.box.top + size)}" {look} stroke="{theme.paper}" stroke-width="3"'
        f' paint-order="stroke" data-note="{label.index}" data-dx="{px(label.dx)}" data-dy="{px(label.dy)}"'
        f">{text.markup(label.words)}</text>"
    )


def _plain(note: dict[str, Any], at: tuple[float, float], frame: Frame, theme: Theme) -> str:
    x, y = at
    rows = text.lines(note["text"])
    anchor = {"left": "start", "right": "end"}.get(note.get("xanchor", "center"), "middle")
    size = (note.get("font") or {}).get("size", TEXT)
    colour = theme.colour((note.get("font") or {}).get("color"))
    if note.get("textangle"):
        where = f'transform="translate({px(x + size)} {px(y - 4)}) rotate({note["textangle"]})"'
        return f'<text {where} font-size="{px(size)}" fill="{colour}">{text.markup(rows[0])}</text>'
    if note.get("xref") == "paper" and note.get("xanchor") == "left":
        x += 8
    base = {"bottom": y - 4 - LINE * (len(rows) - 1), "top": y + size}.get(note.get("yanchor", "middle"))
    base = y + size * 0.36 - LINE * (len(rows) - 1) / 2 if base is None else base
    wide = text.block_width(rows, size)
    if anchor == "middle":
        x = min(max(x, wide / 2), frame.width - wide / 2)
    return "".join(
        f'<text x="{px(x)}" y="{px(base + LINE * place)}" text-anchor="{anchor}" font-size="{px(size)}"'
        f' fill="{colour}">{text.markup(row)}</text>'
        for place, row in enumerate(rows)
    )


def _panel_of(note: dict[str, Any], frame: Frame) -> Panel:
    y = note.get("yref", "y")
    return next((panel for (_, key), panel in frame.panels.items() if key == y), next(iter(frame.panels.values())))


def _place(
    note: dict[str, Any], key: str, ref: str, axis: Axis, panel: Panel, frame: Frame, *, is_measure: bool = True
) -> float:
    """In pixels. On a logarithmic axis an annotation is at a power of ten, a shape at its value, as in Plotly."""
    value: Any = note[key]
    is_x = key.startswith("x")
    if note.get(ref) == "paper":
        share = float(value)
        if is_x:
            return frame.left + (frame.right - frame.left) * share
        return frame.bottom - (frame.bottom - frame.top) * share
    measured = float(value) if axis.kind == "log" and is_measure else axis.measure(value)
    at = axis.low if measured is None else measured
    return panel.x(at) if is_x else panel.y(at)

"""The numbers of a figure as rows: what a chart draws, for programs to read."""

import re
from collections.abc import Iterator, Sequence
from html import unescape
from typing import Any

COLUMNS = ("series", "x_axis", "x", "y_axis", "y", "low", "high", "note")
_BREAK = re.compile(r"<br ?/?>")


def rows(figure: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    """A row for each mark, in the order of COLUMNS; unknown is None.

    `low` and `high` are the ends of the mark's error bar, on the axis along which it lies.
    """
    for trace in figure["data"]:
        xs, ys = list(trace.get("x", ())), list(trace.get("y", ()))
        notes = trace.get("text")
        series = plain(trace.get("name"))
        axes = [_axis_title(figure["layout"], trace.get(f"{axis}axis", axis)) for axis in "xy"]
        for place, (x, y) in enumerate(zip(xs, ys, strict=False)):
            low, high = _bar(trace, place, x, y)
            note = notes[place] if isinstance(notes, list | tuple) and place < len(notes) else None
            yield series, axes[0], plain(x), axes[1], plain(y), low, high, plain(note)


def plain(value: Any) -> Any:
    """A text without the markup that Plotly reads; other values unchanged."""
    return unescape(_BREAK.sub(" ", value)) if isinstance(value, str) else value


def _axis_title(layout: dict[str, Any], axis: str) -> str | None:
    """`axis` is "x", "y2", ...; a figure names it xaxis, yaxis2."""
    title = layout.get(f"{axis[0]}axis{axis[1:]}", {}).get("title")
    text: str | None = plain(title.get("text") if isinstance(title, dict) else title)
    return text


def _bar(trace: dict[str, Any], place: int, x: Any, y: Any) -> tuple[Any, Any]:
    for name, value in (("error_x", x), ("error_y", y)):
        bar = trace.get(name) or {}
        above = _at(bar.get("array"), place)
        below = _at(bar.get("arrayminus"), place) if not bar.get("symmetric", "arrayminus" not in bar) else above
        if value is not None and above is not None and below is not None:
            return value - below, value + above
    return None, None


def _at(values: Sequence[Any] | None, place: int) -> Any:
    return values[place] if values is not None and place < len(values) else None

"""A card of 1200 x 630 pixels for a link to a page: its title, its finding, and its chart or key figure, as PNG.

Drawn by resvg, without a browser and without fonts of the machine: those of fonts/ are the project's own.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchsite.redis.cache import evictable_cache
from submissions.charts import text
from submissions.charts.svg import drawing
from submissions.charts.text import number as px
from submissions.charts.theme import FAMILY, FILE
from submissions.formatting.figures import Figure

WIDTH, HEIGHT = 1200, 630
CACHED_SECONDS = 7 * 24 * 3600
_LOOK = "2"  # another one for each change of how a card looks: cached ones are of the old
_EDGE = 40.0
_FOOT = 60.0  # with the day and the address
_ZOOM = 1.5  # a card is seen at half its size: the text of its chart is larger than on a page
_FONTS = Path(__file__).parent / "fonts"
_ACCENT = "#0072B2"
_BOLD = f' font-family="{FAMILY} SemiBold"'
_INK = f'fill="{FILE.ink}"'
_MUTED = f'fill="{FILE.muted}"'
_MOST_ROWS, _MOST_LINES = 6, 12  # of names at the side of a chart


@dataclass(frozen=True, slots=True)
class Card:
    """What a picture of a page shows. `key_figure` ("440", "M ops/$") is drawn where there is no chart."""

    title: str
    finding: str
    address: str  # as readers type it: "bench.example/value/"
    day: str  # ISO
    figure: Figure | None = None
    key_figure: tuple[str, str] | None = None
    credits: str = ""  # a line


def card_png(card: Card) -> bytes:
    """The picture; one of the same content is drawn once a week."""
    markup = card_svg(card)
    digest = hashlib.sha256(f"{_LOOK}:{markup}".encode()).hexdigest()
    return bytes(evictable_cache.get_or_set(f"card:{digest}", partial(png_of, markup), CACHED_SECONDS) or b"")


def png_of(markup: str) -> bytes:
    """An SVG of this package as PNG, at its own size."""
    import resvg_py

    fonts = sorted(str(path) for path in _FONTS.glob("*.ttf"))
    return bytes(resvg_py.svg_to_bytes(svg_string=markup, skip_system_fonts=True, font_files=fonts, font_family=FAMILY))


def card_svg(card: Card) -> str:
    wide = WIDTH - 2 * _EDGE
    title = _cut(text.wrapped(card.title, 38, wide), 2)
    finding = _cut(text.wrapped(card.finding, 25, wide), 2 if card.figure or card.key_figure else 6)
    below = 40.0 + 48 * len(title)
    picture_top = below + 34 * len(finding) + 14
    credits = [text.shortened(card.credits, 18, wide)] if card.credits else []
    foot = text.shortened(f"{card.day} · {card.address}", 20, wide - 140)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}"'
        f' font-family="{FAMILY}"><rect width="{WIDTH}" height="{HEIGHT}" fill="{FILE.paper}"/>'
        f'<rect width="{WIDTH}" height="10" fill="{_ACCENT}"/>'
        f"{_lines(title, 38, 40 + 38, 48, _INK + _BOLD)}"
        f"{_lines(finding, 25, below + 25, 34, _INK)}"
        f"{_picture(card, picture_top)}"
        f"{_lines(credits, 18, HEIGHT - _FOOT, 0, _MUTED)}"
        f"{_lines([foot], 20, HEIGHT - 26, 0, _MUTED)}"
        f'<text x="{px(WIDTH - _EDGE)}" y="{HEIGHT - 26}" font-size="22"{_BOLD} text-anchor="end" fill="{_ACCENT}">'
        "Benchsite</text></svg>"
    )


def _picture(card: Card, top: float) -> str:
    bottom = HEIGHT - _FOOT - (24 if card.credits else 0)
    if card.figure is not None:
        figure = _for_card(card.figure)
        width, height = (WIDTH - 2 * _EDGE) / _ZOOM, (bottom - top) / _ZOOM
        drawn = drawing(figure, width, height, theme=FILE)
        return f'<g transform="translate({px(_EDGE)} {px(top)}) scale({_ZOOM})" font-size="12">{drawn.body}</g>'
    if card.key_figure is not None:
        value, unit = card.key_figure
        middle = (top + bottom) / 2 + 50
        number = f'<tspan font-size="150"{_BOLD}>{text.markup(value)}</tspan>'
        words = f'<tspan font-size="52"> {text.markup(unit)}</tspan>'
        return f'<text x="{px(_EDGE)}" y="{px(middle)}" {_INK}>{number}{words}</text>'
    return ""


def _for_card(figure: Figure) -> Figure:
    """The part that can be read at the size of a card: the first panel, and of it the first rows."""
    layout = {key: value for key, value in figure["layout"].items() if key != "height"}
    is_one = all(trace.get("yaxis", "y") == "y" for trace in figure["data"])
    if not is_one:
        layout["yaxis"] = {key: value for key, value in layout.get("yaxis", {}).items() if key != "domain"}
    traces = [trace for trace in figure["data"] if trace.get("yaxis", "y") == "y"]
    if layout.get("yaxis", {}).get("type") == "category":
        names = list(dict.fromkeys(name for trace in traces for name in trace["y"]))
        rows = names[: min(_MOST_ROWS, _MOST_LINES // max((len(text.lines(name)) for name in names), default=1))]
        traces = [_of_rows(trace, set(rows)) for trace in traces]
        layout["annotations"] = [note for note in layout.get("annotations", ()) if note.get("y") in rows]
        layout["yaxis"] = {**layout["yaxis"], "categoryarray": rows, "autorange": "reversed", "range": None}
    return {"data": traces, "layout": layout}


def _of_rows(trace: dict[str, Any], names: set[str]) -> dict[str, Any]:
    """Each list of a trace has a value for each of its marks."""
    is_shown = [name in names for name in trace["y"]]

    def part(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: part(one) for key, one in value.items()}
        if isinstance(value, list | tuple) and len(value) == len(is_shown):
            return [one for one, is_kept in zip(value, is_shown, strict=True) if is_kept]
        return value

    return {key: part(value) for key, value in trace.items()}


def _lines(lines: Sequence[str], size: float, first: float, step: float, look: str) -> str:
    return "".join(
        f'<text x="{px(_EDGE)}" y="{px(first + step * place)}" font-size="{px(size)}" {look}>{text.markup(line)}</text>'
        for place, line in enumerate(lines)
    )


def _cut(lines: list[str], most: int) -> list[str]:
    return lines if len(lines) <= most else [*lines[: most - 1], f"{lines[most - 1].rstrip(' .,;')} …"]

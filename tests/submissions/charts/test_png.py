"""The card of a link: always its size, never blank, drawn once for the same content."""

import struct
import zlib
from uuid import uuid4

import pytest

from submissions.charts import png
from submissions.charts.png import Card, card_png, card_svg, png_of

FIGURE = {
    "data": [
        {
            "type": "bar",
            "orientation": "h",
            "x": list(range(1, 21)),
            "y": [f"row {row}" for row in range(20)],
            "name": "",
        }
    ],
    "layout": {"yaxis": {"type": "category", "autorange": "reversed"}, "height": 900},
}
ADDRESS = "bench.example/value/?by=provider"


def card(**changes):
    values = {"title": "Operations per dollar", "finding": "AWS leads.", "address": ADDRESS, "day": "2026-11-22"}
    return Card(**{**values, **changes})


def size(picture):
    return struct.unpack(">II", picture[16:24])


def colours(picture):
    """How many bytes the pixels take in the file: of one colour alone they take next to none."""
    place, data = 8, b""
    while place < len(picture):
        length, kind = struct.unpack(">I4s", picture[place : place + 8])
        data += picture[place + 8 : place + 8 + length] if kind == b"IDAT" else b""
        place += 12 + length
    return len(set(zlib.decompress(data)))


@pytest.mark.parametrize("shown", [{"figure": FIGURE}, {"key_figure": ("440", "M ops/$")}, {}])
def test_a_card_is_1200_by_630_and_not_blank(shown):
    picture = png_of(card_svg(card(**shown)))

    assert picture.startswith(b"\x89PNG\r\n")
    assert size(picture) == (1200, 630)
    assert colours(picture) > 20


def test_a_card_has_the_title_the_finding_the_day_and_the_address():
    markup = card_svg(card(figure=FIGURE, finding="<b>AWS</b> leads."))

    for words in ("Operations per dollar", "&lt;b&gt;AWS&lt;/b&gt; leads.", "2026-11-22", ADDRESS):
        assert words in markup


def test_a_chart_of_many_rows_shows_the_first_ones_in_a_size_to_read():
    markup = card_svg(card(figure=FIGURE))

    assert ">row 0<" in markup
    assert ">row 5<" in markup
    assert ">row 6<" not in markup


def test_the_same_content_is_drawn_once(monkeypatch, clear_cache):
    drawn = []
    monkeypatch.setattr(png, "png_of", lambda markup: drawn.append(markup) or b"picture")

    once, twice = card(finding=f"once {uuid4()}"), card(finding=f"twice {uuid4()}")

    answers = [card_png(once), card_png(once), card_png(twice)]

    assert answers == [b"picture"] * 3
    assert len(drawn) == 2


def test_letters_of_other_languages_have_shapes_in_the_font():
    latin, cyrillic, empty = (png_of(card_svg(card(title=title))) for title in ("Größe", "Стоимость", ""))

    assert len({latin, cyrillic, empty}) == 3

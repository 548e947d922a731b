"""What the server draws is what the figure holds: each point at its value, in the reader's colours."""

import re
from math import log10
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.charts.svg import NARROW, WIDE, drawing, svg
from submissions.charts.theme import FILE, PAGE

TENTH = 0.051  # of a pixel: coordinates are rounded to a tenth
VALUES = st.floats(1e-6, 1e12)
POINTS = st.lists(st.tuples(VALUES, st.none() | VALUES), min_size=1, max_size=40)


def figure(*traces, **layout):
    return {"data": [{"type": "scatter", **trace} for trace in traces], "layout": {"height": 400, **layout}}


def places(markup, trace=0):
    """Where the symbols of a trace are, in the order of its points."""
    root = ElementTree.fromstring(f"<svg>{markup}</svg>")
    [group] = [part for part in root.iter("g") if part.get("data-trace") == str(trace)]
    for mark in group.iter():
        if mark.tag == "circle":
            yield float(mark.get("cx")), float(mark.get("cy"))
        elif mark.tag == "path" and "stroke-linejoin" not in mark.attrib:
            yield tuple(float(part) for part in re.match(r"M(\S+) (-?[\d.]+)", mark.get("d")).groups())


@given(POINTS, st.sampled_from(["linear", "log"]), st.sampled_from(["circle", "square", "star", "x"]))
def test_every_point_is_drawn_at_its_value(points, kind, symbol):
    one = figure(
        {"x": [x for x, _ in points], "y": [y for _, y in points], "mode": "markers", "marker": {"symbol": symbol}},
        xaxis={"type": kind},
        yaxis={"type": kind},
    )
    drawn = drawing(one, WIDE)
    [panel] = drawn.frame.panels.values()
    known = [(x, y) for x, y in points if y is not None]

    marks = list(places(drawn.body))

    assert len(marks) == len(known)
    for (x, y), (across, down) in zip(known, marks, strict=True):
        assert across == pytest.approx(panel.x(panel.x_axis.measure(x)), abs=TENTH)
        assert down == pytest.approx(panel.y(panel.y_axis.measure(y)), abs=TENTH)
        assert panel.left - TENTH <= across <= panel.right + TENTH
        assert panel.top - TENTH <= down <= panel.bottom + TENTH


@given(st.lists(st.none() | st.floats(0, 1e9), min_size=1, max_size=12), st.sampled_from([WIDE, NARROW]))
def test_bars_are_as_long_as_their_values(values, width):
    names = [f"row {place}" for place in range(len(values))]
    bars = {"type": "bar", "orientation": "h", "x": values, "y": names}
    drawn = drawing({"data": [bars], "layout": {"yaxis": {"type": "category"}}}, width)
    [panel] = drawn.frame.panels.values()

    lengths = [float(part) for part in re.findall(r'<rect [^>]*? width="([^"]+)"', drawn.body)]

    known = [value for value in values if value is not None]
    assert lengths == [pytest.approx(panel.x(value) - panel.x(0), abs=2 * TENTH) for value in known]


def test_a_gap_in_a_line_stays_a_gap():
    drawn = drawing(figure({"x": [1, 2, 3, 4, 5], "y": [1, 2, None, 4, 5], "mode": "lines"}), WIDE)

    [line] = re.findall(r'<path d="(M[^"]+)" fill="none" stroke-linejoin', drawn.body)
    assert line.count("M") == 2
    assert line.count("L") == 2


def test_error_bars_end_where_the_figure_says():
    error = {"type": "data", "array": [5, None], "arrayminus": [2, None], "width": 0}
    drawn = drawing(figure({"x": [1, 2], "y": [10, 20], "mode": "markers", "error_y": error}), WIDE)
    [panel] = drawn.frame.panels.values()

    [(low, high)] = re.findall(r'<path d="M[\d.]+ ([\d.]+)V([\d.]+)"', drawn.body.split("data-trace")[1])
    assert (float(low), float(high)) == (
        pytest.approx(panel.y(8), abs=TENTH),
        pytest.approx(panel.y(15), abs=TENTH),
    )


def test_a_page_has_variables_for_light_and_dark_and_a_file_has_colours():
    one = figure({"x": [1], "y": [1], "mode": "markers", "marker": {"color": "#D55E00"}})

    on_page = svg(one, "bars", "Value")
    in_file = svg(one, "bars", "Value", theme=FILE)

    assert 'fill="var(--series-0)"' in on_page
    assert "#" not in re.sub(r"&#\w+;", "", on_page)
    assert 'fill="#D55E00"' in in_file
    assert "var(" not in in_file


def test_every_word_has_a_colour_of_its_own():
    one = figure(
        {"x": [1, 2], "y": [1, 2], "mode": "lines", "name": "one"},
        {"x": [1], "y": [1], "name": "two"},
        xaxis={"title": {"text": "across"}},
        yaxis={"title": {"text": "up"}},
        annotations=[{"x": 1, "y": 1, "text": text, **name} for text, name in (("a", {}), ("b", {"name": "label"}))],
    )
    root = ElementTree.fromstring(svg(one, "bars", "Value", theme=FILE))

    words = [part for part in root.iter("{*}text") if "fill" not in part.attrib]
    groups = [part for part in root.iter("{*}g") if "fill" in part.attrib]
    assert [part.text for part in words if not any(part in list(group) for group in groups)] == []


def test_the_policy_has_nothing_to_refuse_and_an_uploaders_markup_stays_text():
    hostile = "&lt;script&gt;alert(1)&lt;/script&gt;<br>\"' onload=x"
    one = figure(
        {"x": [1, 2], "y": [hostile, "b"], "mode": "markers", "name": hostile},
        {"x": [1], "y": ["b"], "name": "other"},
        yaxis={"type": "category"},
        annotations=[{"x": 1, "y": "b", "text": hostile, "name": "label"}],
    )

    markup = svg(one, "bars", "<b>title</b>", "<i>x</i>\x00")

    assert not re.search(r"\sstyle=|<style|<script|\son\w+=\"", markup)
    root = ElementTree.fromstring(markup)
    assert "alert(1)" in "".join(root.itertext())
    assert root.get("role") == "img"
    assert [root.find("{*}title").text, root.find("{*}desc").text] == ["<b>title</b>", "<i>x</i>"]
    assert root.get("aria-labelledby") == "bars-title bars-desc"


@given(
    st.lists(st.tuples(st.floats(0.1, 100), st.floats(1e3, 1e6)), min_size=1, max_size=30),
    st.sampled_from([WIDE, NARROW]),
)
def test_direct_labels_cover_neither_each_other_nor_a_mark(points, width):
    one = figure(
        {"x": [x for x, _ in points], "y": [y for _, y in points], "mode": "markers", "marker": {"size": 10}},
        xaxis={"type": "log"},
        yaxis={"type": "log"},
        annotations=[
            {"x": log10(x), "y": log10(y), "text": f"{place} × ccx33", "name": "label", "showarrow": False}
            for place, (x, y) in enumerate(points)
        ],
    )
    drawn = drawing(one, width)

    boxes = [label.box for label in drawn.labels]
    assert boxes
    for place, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[place + 1 :])
        for x, y in places(drawn.body):
            assert not (box.left < x < box.right and box.top < y < box.bottom)
        assert box.left >= 0
        assert box.right <= width


@pytest.mark.parametrize(
    ("axis", "values", "words"),
    [
        ({"type": "log"}, [1e3, 1e6], ["1 k", "10 k", "100 k", "1 M"]),
        ({"type": "log", "tickprefix": "$", "ticksuffix": "/h"}, [0.1, 10], ["$0.1/h", "$1/h", "$10/h"]),
        ({"rangemode": "tozero"}, [1, 100], ["0", "20", "40", "60", "80", "100"]),
        ({"tickvals": [1, 2], "ticktext": ["50 %", "90 %"]}, [1, 2], ["50 %", "90 %"]),
        ({"type": "date"}, ["2015-01-01", "2016-01-01"], ["Jan 2015", "Mar 2015", "Jan 2016"]),
    ],
)
def test_ticks_read_as_people_write_numbers(axis, values, words):
    drawn = drawing(figure({"x": [1, 2], "y": [1, 1], "mode": "markers"} | {"x": values}, xaxis=axis), WIDE, theme=PAGE)

    shown = ["".join(part.itertext()) for part in ElementTree.fromstring(f"<svg>{drawn.body}</svg>").iter("text")]
    assert [word for word in words if word not in shown] == []

"""A run over time: a panel for what is known, a word for what never happened, shade outside the window."""

import json
import re
from itertools import pairwise

import pytest

from submissions.charts.svg import NARROW, WIDE, drawing
from submissions.records.curves.activity_series import ActivitySeries
from submissions.records.curves.interval_chart import Series, intervals_figure, never_seen

FULL = Series("trial 1", [1.0, 2.0], [10.0, 11.0], [3.0, 4.0], [0.0, 13.0], [0, 1], [0, 2])
QUIET = Series("trial 2", [1.0, 2.0], [10.0, 11.0], [None, None], [0.0, 0.0], [0, 0], [0, 0])
BARE = Series("trial 3", [1.0], [10.0], [None])


def titles(figure):
    return [axis["title"]["text"] for name, axis in figure["layout"].items() if name.startswith("yaxis")]


def test_there_is_a_panel_for_each_known_quantity():
    assert titles(intervals_figure([FULL])) == ["Throughput (ops/s)", "p99 (ms)", "GC (ms)", "Errors"]
    assert titles(intervals_figure([BARE])) == ["Throughput (ops/s)"]
    assert titles(intervals_figure([QUIET])) == ["Throughput (ops/s)"]


ACTIVITY = ActivitySeries("trial 2", 1, [1.0, 2.0], (50.0, 90.0), (0.0, 12.5), ())


def test_what_the_hosts_did_has_panels_below_on_the_same_time_axis():
    figure = intervals_figure([FULL, QUIET], activity=[ACTIVITY])

    assert titles(figure) == [
        *("Throughput (ops/s)", "p99 (ms)", "GC (ms)", "Errors"),
        *("Client CPU (%)", "GC pauses (ms/s)"),
    ]
    assert [name for name in figure["layout"] if name.startswith("xaxis")] == ["xaxis"]
    of_hosts = [trace for trace in figure["data"] if trace["yaxis"] in ("y5", "y6")]
    assert [(trace["name"], trace["y"]) for trace in of_hosts] == [
        ("trial 2", [50.0, 90.0]),
        ("trial 2", [0.0, 12.5]),
    ]
    throughput = next(trace for trace in figure["data"] if trace["name"] == "trial 2")
    assert {trace["line"]["color"] for trace in of_hosts} == {throughput["line"]["color"]}
    assert not any(trace["showlegend"] for trace in of_hosts)
    domains = [axis["domain"] for name, axis in figure["layout"].items() if name.startswith("yaxis")]
    assert domains[-1][0] == 0
    assert all(upper[0] > lower[1] for upper, lower in pairwise(domains))


def test_a_load_tool_that_saw_no_collection_does_not_contradict_the_logs_of_the_hosts():
    assert never_seen([QUIET], has_gc=True) == ["No operation failed during the run."]


def test_what_never_happened_is_a_word_and_what_is_unknown_is_none():
    assert never_seen([QUIET]) == [
        "No garbage collection occurred during the run.",
        "No operation failed during the run.",
    ]
    assert never_seen([QUIET, FULL]) == []
    assert never_seen([QUIET, BARE]) == []
    assert never_seen([BARE]) == []
    assert never_seen([]) == []


def test_the_panels_do_not_overlap():
    layout = intervals_figure([FULL])["layout"]

    domains = [axis["domain"] for name, axis in layout.items() if name.startswith("yaxis")]
    assert domains[0][1] == 1
    assert domains[-1][0] == 0
    assert all(upper[0] > lower[1] for upper, lower in pairwise(domains))


def test_collections_have_their_number():
    gc = intervals_figure([FULL])["data"][2]

    assert (gc["y"], gc["customdata"], gc["yaxis"]) == ([0.0, 13.0], [0, 1], "y3")
    assert "%{customdata} garbage collections" in gc["hovertemplate"]


def test_outside_the_window_is_shade():
    layout = intervals_figure([FULL], (0.5, 1.5), has_brush=True)["layout"]

    assert [(shape["x0"], shape["x1"]) for shape in layout["shapes"]] == [(0.0, 0.5), (1.5, 2.0)]
    assert (layout["dragmode"], layout["selectdirection"]) == ("select", "h")
    assert "dragmode" not in intervals_figure([FULL])["layout"]
    assert intervals_figure([FULL], (0.0, 2.0))["layout"].get("shapes", []) == []


def test_series_of_a_group_share_a_colour_and_differ_in_their_dash():
    one = Series("#4, trial 1", [1.0], [1.0], [None], group=0)
    two = Series("#4, trial 2", [1.0], [1.0], [None], group=0)
    other = Series("#1, trial 1", [1.0], [1.0], [None], group=1)

    lines = [trace["line"] for trace in intervals_figure([one, two, other])["data"]]

    assert [line["color"] for line in lines] == ["#D55E00", "#D55E00", "#0072B2"]
    assert [line["dash"] for line in lines] == ["solid", "dash", "solid"]


def test_the_figure_is_json():
    json.dumps(intervals_figure([FULL, QUIET, BARE], (0.0, 1.0)), allow_nan=False)


def axes_of(*p99s):
    series = Series("trial 1", [float(at) for at in range(len(p99s))], [10.0] * len(p99s), p99s)
    layout = intervals_figure([series])["layout"]
    return layout["yaxis"], layout["yaxis2"]


def test_p99_has_a_logarithmic_axis_so_that_a_warm_up_does_not_flatten_the_rest():
    rate, p99 = axes_of(3_500.0, 10.0, 12.0)

    assert rate["rangemode"] == "tozero"
    assert p99["type"] == "log"
    low, high = p99["range"]
    assert 10**low < 10 < 3_500 < 10**high


def test_a_p99_of_zero_is_not_lost_on_a_logarithmic_axis():
    _, p99 = axes_of(0.0, 10.0, None)

    assert "type" not in p99
    assert p99["rangemode"] == "tozero"


LONG = Series("trial 1", [float(at) for at in range(1, 101)], [10.0] * 100, [3.0] * 100)


def test_the_warm_up_is_shaded_over_all_panels_and_named():
    figure = intervals_figure([LONG], (20.0, 100.0), warm_up_s=10.0)

    grey, warm_up = figure["layout"]["shapes"]
    assert (warm_up["x0"], warm_up["x1"], warm_up["y0"], warm_up["y1"], warm_up["yref"]) == (0, 10, 0, 1, "paper")
    assert warm_up["fillcolor"] != grey["fillcolor"]
    assert [note["text"] for note in figure["layout"]["annotations"]] == ["warm-up"]


def test_the_picture_has_the_shade_and_its_words_inside_the_throughput():
    figure = intervals_figure([LONG], warm_up_s=10.0)

    for drawn in (drawing(figure, width) for width in (WIDE, NARROW)):
        throughput = drawn.frame.panels["x", "y"]
        ((left, wide),) = re.findall(r'<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"', drawn.body)
        assert float(wide) == pytest.approx(throughput.x(10.0) - throughput.x(0.0), abs=0.1)
        ((x, y),) = re.findall(r'<text x="([\d.]+)" y="([\d.]+)"[^>]*>warm-up</text>', drawn.body)
        assert float(x) == pytest.approx(float(left), abs=0.1)
        assert throughput.top <= float(y) <= throughput.bottom


def test_without_a_warm_up_nothing_is_written_into_the_chart():
    assert not intervals_figure([LONG])["layout"].get("annotations")

"""The percentile curve: each nine the same room, the maximum where the last value stands."""

import json

import pytest

from submissions.analysis.curves.histograms import CurvePoint
from submissions.records.curves.percentile_chart import PercentileLine, percentile_figure, percentile_words

POINTS = [
    CurvePoint(0.0, 0.5, 1),
    CurvePoint(50.0, 1.0, 500),
    CurvePoint(99.0, 9.0, 990),
    CurvePoint(100.0, 80.0, 1000),
]


def test_the_axis_counts_nines_and_ends_at_the_last_value():
    figure = percentile_figure([PercentileLine("#4", POINTS)], is_log=False)

    [trace] = figure["data"]
    assert trace["x"] == pytest.approx([1, 2, 100, 1000])
    assert trace["y"] == [0.5, 1.0, 9.0, 80.0]
    assert trace["text"] == ["0 %", "50 %", "99 %", "100 %"]
    axis = figure["layout"]["xaxis"]
    assert axis["type"] == "log"
    assert dict(zip(axis["ticktext"], axis["tickvals"], strict=True)) == {
        "50 %": 2,
        "90 %": 10,
        "99 %": 100,
        "99.9 %": 1000,
        "99.99 %": 10_000,
        "99.999 %": 100_000,
    }


def test_the_latency_axis_is_linear_or_logarithmic():
    lines = [PercentileLine("#4", POINTS)]

    assert percentile_figure(lines, is_log=False)["layout"]["yaxis"].get("type") is None
    assert percentile_figure(lines, is_log=True)["layout"]["yaxis"]["type"] == "log"


def test_the_maximum_never_stands_before_the_point_before_it():
    few = [CurvePoint(0.0, 1.0, 1), CurvePoint(99.0, 2.0, 2), CurvePoint(100.0, 2.0, 2)]

    [trace] = percentile_figure([PercentileLine("#4", few)], is_log=False)["data"]

    assert trace["x"] == pytest.approx([1, 100, 100])


@pytest.mark.parametrize(
    ("percentile", "words"),
    [(0.0, "0 %"), (10.0, "10 %"), (40.951, "40.95 %"), (99.9, "99.9 %"), (99.99382963, "99.9938 %"), (100.0, "100 %")],
)
def test_a_percentile_has_the_digits_that_tell_it_from_its_neighbours(percentile, words):
    assert percentile_words(percentile) == words


def test_markup_in_a_name_is_text_and_the_figure_is_json():
    figure = percentile_figure([PercentileLine("<b>x</b>", POINTS)], is_log=True)

    assert figure["data"][0]["name"] == "&lt;b&gt;x&lt;/b&gt;"
    json.dumps(figure, allow_nan=False)

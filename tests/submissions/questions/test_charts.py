"""Figures are plain values: what is drawn is what was given, in its unit, and text stays text."""

import json
from decimal import Decimal
from pathlib import Path

from django.contrib.staticfiles import finders
from plotly.offline import get_plotlyjs_version

from submissions.questions.value.chart import Bar, System, value_bars, value_scatter
from submissions.records.curves.interval_chart import Series, intervals_figure

AWS = System(4, "3 x m3.2xlarge", "aws", Decimal("1.596"), 90748.0, Decimal("204694736.8421"), "/s/4/")
GCE = System(1, "3 x n1-standard-8", "gce", Decimal("0.912"), 111394.0, Decimal("439713157.8947"), "/s/1/")
DEARER = System(9, "6 x m3.2xlarge", "aws", Decimal("3.192"), 150000.0, Decimal("169172932.3308"), "/s/9/")


def traces(figure):
    return {trace["name"]: trace for trace in figure["data"]}


def test_the_scatter_draws_each_system_at_its_cost_and_throughput():
    drawn = traces(value_scatter([AWS, GCE, DEARER]))

    assert (drawn["AWS"]["x"], drawn["AWS"]["y"]) == ([1.596, 3.192], [90748.0, 150000.0])
    assert (drawn["Google Cloud"]["x"], drawn["Google Cloud"]["y"]) == ([0.912], [111394.0])
    assert drawn["Google Cloud"]["customdata"] == [[439.7131578947, "/s/1/"]]


def test_the_front_leads_from_the_cheapest_to_the_fastest_and_leaves_out_what_is_beaten():
    front = traces(value_scatter([AWS, GCE, DEARER]))["Pareto front"]

    assert (front["x"], front["y"]) == ([0.912, 3.192], [111394.0, 150000.0])


def test_each_provider_has_a_shape_and_a_colour_of_its_own_on_every_page():
    both = traces(value_scatter([AWS, GCE]))
    alone = traces(value_scatter([GCE]))

    assert both["AWS"]["marker"] == {"color": "#D55E00", "symbol": "circle", "size": 11}
    assert both["Google Cloud"]["marker"] == {"color": "#0072B2", "symbol": "square", "size": 11}
    assert alone["Google Cloud"]["marker"] == both["Google Cloud"]["marker"]


def test_axes_name_the_quantity_and_the_unit():
    layout = value_scatter([AWS])["layout"]

    assert layout["xaxis"]["title"]["text"] == "Cluster cost (USD/h)"
    assert layout["yaxis"]["title"]["text"] == "Throughput (ops/s)"


def test_an_uploaders_markup_is_shown_as_text():
    hostile = System(1, '<a href="javascript:x">', "<b>", Decimal(1), 1.0, Decimal(3600), "/submissions/1/")

    trace = value_scatter([hostile])["data"][0]

    assert trace["text"] == ['&lt;a href="javascript:x"&gt;']
    assert trace["name"] == "&lt;b&gt;"


def test_a_bar_reaches_the_best_and_a_circle_that_is_no_interval_marks_the_worst():
    figure = value_bars([Bar("gce\nn = 3", 440e6, 400e6), Bar("aws", 205e6)])

    bars, worst = figure["data"]
    assert bars["x"] == [440.0, 205.0]
    assert bars["y"] == ["gce<br>n = 3", "aws"]
    assert "error_x" not in bars
    assert (worst["mode"], worst["x"], worst["y"]) == ("markers", [400.0], ["gce<br>n = 3"])


def test_intervals_draw_throughput_and_p99_and_leave_out_what_no_row_has():
    with_p99 = Series("trial 1", [1.0, 2.0], [10.0, None], [3.0, 4.0])
    without = Series("trial 2", [1.0], [20.0], [None])

    figure = intervals_figure([with_p99, without])

    assert [(trace["name"], trace["yaxis"], trace["y"]) for trace in figure["data"]] == [
        ("trial 1", "y", [10.0, None]),
        ("trial 1", "y2", [3.0, 4.0]),
        ("trial 2", "y", [20.0]),
    ]


def test_figures_are_json_without_a_template_of_plotlys_own():
    for figure in (
        value_scatter([AWS, GCE]),
        value_bars([Bar("a", 1.0)]),
        intervals_figure([]),
    ):
        assert "template" not in figure["layout"]
        json.dumps(figure, allow_nan=False)


def test_the_vendored_bundle_is_the_version_that_figures_are_made_for():
    bundle = Path(finders.find("vendor/plotly/plotly-basic.min.js"))

    with bundle.open() as lines:
        assert f"v{get_plotlyjs_version()}" in lines.readline() + lines.readline()

"""Figures are plain values: what is drawn is what was given, in its unit, and text stays text."""

import gzip
import json
from decimal import Decimal
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from plotly.offline import get_plotlyjs_version

from submissions.charts.svg import page_svgs
from submissions.formatting.chart_style import provider_styles
from submissions.formatting.figures import checked
from submissions.metrics import LATENCY_P99, OPS_PER_USD
from submissions.questions.boards.ranking_chart import Row, ranking_figure
from submissions.questions.compare.chart import ResultBar, compare_bars
from submissions.questions.sizing.chart import CostBar, sizing_bars
from submissions.questions.value.chart import MOST_POINTS, System, value_scatter
from submissions.records.curves.interval_chart import Series, intervals_figure

AWS = System(
    4, "3 x m3.2xlarge", "aws", Decimal("1.596"), 90748.0, Decimal("204694736.8421"), "/s/4/", label="3× m3.2xlarge"
)
GCE = System(
    1, "3 x n1-standard-8", "gce", Decimal("0.912"), 111394.0, Decimal("439713157.8947"), "/s/1/", "3× n1-standard-8"
)
DEARER = System(
    9, "6 x m3.2xlarge", "aws", Decimal("3.192"), 150000.0, Decimal("169172932.3308"), "/s/9/", "6× m3.2xlarge"
)


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

    assert both["AWS"]["marker"] == {"color": "#D55E00", "symbol": "circle", "size": 11, "opacity": [0.35]}
    assert both["Google Cloud"]["marker"] == {"color": "#0072B2", "symbol": "square", "size": 11, "opacity": [1]}
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


def test_costs_and_throughputs_are_logarithmic_so_that_equal_value_is_a_diagonal():
    layout = value_scatter([AWS, GCE, DEARER])["layout"]

    assert (layout["xaxis"]["type"], layout["yaxis"]["type"]) == ("log", "log")
    lines = [line for line in layout["shapes"] if line["type"] == "line"]
    values = [(line[f"y{end}"] * 3600 / line[f"x{end}"]) for line in lines for end in "01"]
    words = [note["text"] for note in layout["annotations"] if note["name"] == "iso"]
    assert values[::2] == pytest.approx(values[1::2])
    assert words == ["100 M ops/$", "200 M ops/$", "500 M ops/$"]
    assert values[::2] == pytest.approx([1e8, 2e8, 5e8])


def test_the_front_has_its_names_and_what_is_beaten_is_faint():
    figure = value_scatter([AWS, GCE, DEARER])

    assert [note["text"] for note in figure["layout"]["annotations"] if note["name"] == "label"] == [
        "3× n1-standard-8",
        "6× m3.2xlarge",
    ]
    assert traces(figure)["AWS"]["marker"]["opacity"] == [0.35, 1]


def test_a_scatter_has_at_most_500_points_the_front_among_them():
    many = [
        System(key, "", "aws", Decimal(700 - key), 1000.0 + key % 699, Decimal(3600 * 1000) / (700 - key))
        for key in range(MOST_POINTS + 200)
    ]

    points, front = (traces(value_scatter(many))[name] for name in ("AWS", "Pareto front"))

    assert len(points["x"]) + len(front["x"]) == MOST_POINTS
    assert len(gzip.compress(page_svgs(value_scatter(many), "value", "Value").encode())) < 12_000
    assert points["marker"]["opacity"].count(1) == len(front["x"])
    assert len(traces(value_scatter(many[:300]))["AWS"]["x"]) == 300


def test_a_cloud_has_one_colour_in_all_charts():
    ranking = ranking_figure([Row("AWS", "aws", 2.0), Row("GCE", "gce", 1.0)], OPS_PER_USD)
    bars = compare_bars([ResultBar("#1", "aws", 1.0, None, None), ResultBar("#2", "gce", 1.0, None, None)])
    costs = sizing_bars([CostBar(name, name, Decimal(1), False, "") for name in ("aws", "gce")])
    points = traces(value_scatter([AWS, GCE]))

    colours = ["#D55E00", "#0072B2"]
    assert traces(ranking)["best result"]["marker"]["color"] == colours
    assert bars["data"][0]["marker"]["color"] == colours
    assert [trace["marker"]["color"] for trace in costs["data"]] == colours
    assert [points[name]["marker"]["color"] for name in ("AWS", "Google Cloud")] == colours


def test_an_unknown_cloud_keeps_its_colour_whatever_is_beside_it():
    alone, beside = provider_styles(["acme"]), provider_styles(["acme", "aaa", "zzz"])

    assert alone["acme"] == beside["acme"]
    assert alone["acme"]["color"] not in {style["color"] for style in provider_styles(["aws", "gce"]).values()}


def test_a_ranking_is_dots_and_ranges_with_the_value_at_the_end_of_its_row():
    rows = [Row("gce\n3 results", "gce", 440e6, (400e6, 440e6), 410e6, (420e6, 460e6)), Row("aws", "aws", 205e6)]

    figure = ranking_figure(rows, OPS_PER_USD)

    drawn = traces(figure)
    assert drawn["best result"]["x"] == [440.0, 205.0]
    assert drawn["best result"]["y"] == ["gce<br>3 results", "aws"]
    assert drawn["median"]["x"] == [410.0]
    assert drawn["all results"]["error_x"]["arrayminus"] == [40.0]
    assert (drawn["95 % interval of the best"]["error_x"]["array"], drawn["all results"]["error_x"]["array"]) == (
        [20.0],
        [0.0],
    )
    assert [note["text"] for note in figure["layout"]["annotations"]] == ["440 M ops/$", "205 M ops/$"]
    assert ranking_figure(rows[1:], LATENCY_P99)["layout"]["annotations"][0]["text"].endswith(" ms")


def test_intervals_draw_throughput_and_p99_and_leave_out_what_no_row_has():
    with_p99 = Series("trial 1", [1.0, 2.0], [10.0, None], [3.0, 4.0])
    without = Series("trial 2", [1.0], [20.0], [None])

    figure = intervals_figure([with_p99, without])

    assert [(trace["name"], trace["yaxis"], trace["y"]) for trace in figure["data"]] == [
        ("trial 1", "y", [10.0, None]),
        ("trial 1", "y2", [3.0, 4.0]),
        ("trial 2", "y", [20.0]),
    ]


@pytest.mark.parametrize(
    "figure",
    [
        value_scatter([AWS, GCE]),
        ranking_figure([Row("a", "aws", 1.0)], OPS_PER_USD),
        sizing_bars([CostBar("3× m3.2xlarge", "aws", Decimal("1"), is_extrapolated=True, url="/s/1/")]),
    ],
)
def test_figures_are_json_as_plotly_would_make_it_without_a_template_of_its_own(figure):
    assert json.loads(json.dumps(checked(figure), allow_nan=False)) == json.loads(json.dumps(figure, allow_nan=False))


def test_the_vendored_bundle_is_the_version_that_figures_are_made_for():
    bundle = Path(finders.find("vendor/plotly/plotly-basic.min.js"))

    with bundle.open() as lines:
        assert f"v{get_plotlyjs_version()}" in lines.readline() + lines.readline()

"""The scatter of a workload with thousands of results: all of them, in a drawing that a phone can load."""

import gzip
import re
from decimal import Decimal

from submissions.charts.svg import page_svgs, svg
from submissions.formatting.chart_style import cloud_colour
from submissions.formatting.figures import MOST_POINTS, checked, point_count
from submissions.questions.value.chart import System, value_scatter
from submissions.questions.value.pareto import Mark

CLOUDS = ("aws", "gce", "azure")


def system(key):
    return System(key, f"{key}", CLOUDS[key % 3], Decimal(key), 1000.0 * key, Decimal(3600), label=f"1× type-{key}")


def mark(key):
    hourly = Decimal(1) + Decimal(key * 37 % 997) / 100
    return Mark(key, CLOUDS[key % 3], f"1× type-{key}", hourly, 500.0 + key * 91 % 6007, Decimal(1800) + key)


def of_pack():
    """As the value page of Redis has it: 200 named results, 2,474 others."""
    return value_scatter([system(key) for key in range(1, 201)], [mark(key) for key in range(1_000, 3_474)])


def test_all_2674_results_are_in_the_figure_and_only_the_named_ones_are_marks_of_their_own():
    figure = of_pack()
    dots = [trace for trace in figure["data"] if trace.get("legendgroup", "").startswith("dots")]

    assert sum(len(trace["x"]) for trace in dots) == 2_474
    assert sum(len(trace["x"]) for trace in figure["data"] if trace["mode"] == "markers") == 2_674
    assert {trace["marker"]["color"] for trace in dots} == {cloud_colour(cloud) for cloud in CLOUDS}
    assert dots[0]["customdata"][0][1] == f"/submissions/{1_000 + 2}/"
    assert point_count({"data": [trace for trace in figure["data"] if trace not in dots]}) <= MOST_POINTS
    checked(figure)


def test_the_drawing_for_a_desk_and_a_phone_is_small():
    drawn = page_svgs(of_pack(), "pareto", "Cost against throughput")

    assert len(drawn) < 120_000
    assert len(gzip.compress(drawn.encode())) < 30_000
    assert drawn.count("<circle") < 2 * 210


def test_a_dot_is_drawn_where_its_result_is():
    at = system(6)
    beside = Mark(9, "gce", "", at.hourly_usd, at.throughput_ops_s, at.ops_per_usd)
    drawn = svg(value_scatter([system(3), at, system(300)], [beside]), "pareto", "")

    circles = [(round(float(x)), round(float(y))) for x, y in re.findall(r'cx="([\d.]+)" cy="([\d.]+)"', drawn)]
    [dot] = re.findall(r'd="m(\d+) (\d+)h0"', drawn)
    assert (int(dot[0]), int(dot[1])) in circles


def test_the_legend_names_a_cloud_that_has_dots_alone():
    figure = value_scatter([system(3), system(6)], [mark(1_000)])

    assert [trace["name"] for trace in figure["data"] if trace.get("showlegend", True)] == ["Google Cloud", "AWS"]


def test_each_cloud_of_the_redis_results_has_a_colour_of_its_own():
    clouds = ("aws", "gce", "azure", "alicloud", "upcloud", "vultr", "hcloud", "ovh")

    assert len({cloud_colour(cloud) for cloud in clouds}) == len(clouds)

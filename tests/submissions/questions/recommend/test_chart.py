"""The chart of a recommendation: every priced candidate, what is asked for as lines, the answers by name."""

import csv
import re
from decimal import Decimal
from io import StringIO
from math import isclose
from urllib.parse import urlencode

import pytest
from django.http import QueryDict

from submissions.charts.svg import NARROW, svg
from submissions.formatting.figures import checked
from submissions.questions.recommend.chart import Mark, candidates_figure
from submissions.questions.recommend.page import charts
from tests.pages import faults, links
from tests.submissions.questions.recommend.results import cluster, workload

ASK = {"service": "cassandra", "target_ops_s": "100000", "max_p99_ms": "10", "budget_usd_month": "5000"}


def mark(usd=1000.0, rate=50_000.0, provider="aws", is_within=True, label=""):
    return Mark(f"{provider} <b>", provider, usd, rate, is_within, "/submissions/1/", label)


def figure_of(**ask):
    [chart] = charts(QueryDict(urlencode({**ASK, **ask})))
    return chart


def points(figure):
    return {
        (round(x), y, trace["marker"]["symbol"].endswith("-open"))
        for trace in figure["data"]
        for x, y in zip(trace["x"], trace["y"], strict=True)
    }


def test_each_cloud_has_its_colour_and_what_misses_the_p99_is_open():
    figure = checked(
        candidates_figure([mark(), mark(is_within=False), mark(provider="gce"), mark(label="Cheapest: a")])
    )

    looks = [(trace["name"], trace["marker"]["symbol"], trace["marker"]["color"]) for trace in figure["data"]]
    assert [(name, symbol) for name, symbol, _ in looks] == [
        ("AWS", "circle"),
        ("AWS", "circle"),
        ("AWS, not within the limits", "circle-open"),
        ("Google Cloud", "square"),
    ]
    assert looks[0][2] == looks[2][2] != looks[3][2]
    assert [trace["showlegend"] for trace in figure["data"]] == [True, False, True, True]
    assert figure["data"][1]["marker"]["size"] > figure["data"][0]["marker"]["size"]
    assert figure["data"][0]["text"][0] == "aws &lt;b&gt;"


def test_the_target_and_the_budget_are_lines_with_words_and_both_axes_are_logarithmic():
    figure = candidates_figure([mark()], target_ops_s=80_000.0, budget_usd_month=5000.0)

    layout = figure["layout"]
    assert (layout["xaxis"]["type"], layout["yaxis"]["type"]) == ("log", "log")
    budget, target = layout["shapes"]
    assert (budget["x0"], budget["x1"]) == (5000.0, 5000.0)
    assert (target["y0"], target["y1"]) == (80_000.0, 80_000.0)
    assert layout["xaxis"]["range"][1] > 3.698
    assert [note["text"] for note in layout["annotations"]] == ["budget $5,000/month", "target 80 k ops/s"]


def test_the_cheapest_at_the_edge_of_a_phone_keeps_its_name():
    beside = [mark(usd=5000.0, rate=13_800.0), mark(rate=12_000.0), mark(usd=20_000.0, rate=60_000.0)]
    figure = candidates_figure([mark(rate=13_800.0, label="Cheapest: 3× i3.xlarge"), *beside], target_ops_s=5000.0)

    assert "Cheapest: 3× i3.xlarge" in svg(figure, "chart", "Title", width=NARROW)


@pytest.mark.parametrize("limits", [{}, {"target_ops_s": 1e12, "budget_usd_month": 1e9}, {"budget_usd_month": 0.0}])
def test_no_limit_and_one_far_from_every_cluster_is_no_line(limits):
    figure = candidates_figure([mark()], **limits)

    assert figure["layout"]["shapes"] == []
    assert figure["layout"]["xaxis"]["range"][1] < 4


@pytest.mark.django_db
def test_the_chart_has_every_priced_candidate_and_counts_the_others():
    cluster(120_000.0, nodes=3, latency_p99_ms=4.0)
    cluster(130_000.0, nodes=6, latency_p99_ms=22.0)
    cluster(50_000.0, nodes=2, latency_p99_ms=None, workload=workload("other", {"read": 0.7, "update": 0.3}))
    cluster(140_000.0, instance_type="free", usd=None)

    chart = figure_of()

    assert points(chart.figure) == {
        (2190, 120_000.0, False),
        (4380, 130_000.0, True),
        (1460, 50_000.0, True),
    }
    assert "1 cluster without a price is not shown." in chart.shown_caveats
    assert "Filled: p99 of at most 10 ms. Open: above it, or unknown." in chart.shown_caveats


@pytest.mark.django_db
def test_the_answer_is_named_and_a_click_leads_to_its_result():
    row = cluster(120_000.0, instance_type="i4i.large", latency_p99_ms=4.0)
    cluster(20_000.0, instance_type="small", latency_p99_ms=4.0)

    figure = figure_of().figure

    assert "Cheapest: 3× i4i.large" in [note["text"] for note in figure["layout"]["annotations"]]
    [answer] = [trace for trace in figure["data"] if trace["y"] == [120_000.0]]
    assert answer["customdata"] == [["", row.get_absolute_url()]]
    assert "3× i4i.large" in answer["text"][0]


@pytest.mark.django_db
def test_without_an_answer_the_nearest_is_named():
    cluster(20_000.0, instance_type="small", latency_p99_ms=4.0)

    notes = figure_of().figure["layout"]["annotations"]
    assert "Nearest: 3× small" in [note["text"] for note in notes]


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/", "/recommend/"])
def test_the_chart_stands_on_both_pages_with_its_frame_and_its_numbers(client, address):
    cluster(120_000.0, latency_p99_ms=4.0)

    page = client.get(address, ASK)

    html = page.content.decode()
    assert html.count('<svg class="drawing ') == 2
    assert "css/charts.css" in html
    frame = re.search(r"http://testserver(/embed/candidates/[^&]*(?:&amp;amp;[^&]*)*)&quot;", html)[1]
    assert client.get(frame.replace("&amp;amp;", "&")).status_code == 200
    [numbers] = links(page, "key=candidates&format=csv")
    _header, row = csv.reader(StringIO(client.get(numbers).getvalue().decode()))
    assert any(value and isclose(float(value), 120_000.0) for value in row if value.replace(".", "").isdigit())
    assert faults(page) == []


@pytest.mark.django_db
@pytest.mark.parametrize("ask", [{}, {"service": "nothing"}, {"target_ops_s": "many", "service": "cassandra"}])
def test_there_is_no_chart_without_candidates(client, ask):
    cluster(120_000.0, usd=None)

    assert 'class="chart"' not in client.get("/recommend/", ask).content.decode()
    assert 'class="chart"' not in client.get("/recommend/", ASK).content.decode()


@pytest.mark.django_db
def test_a_budget_in_cents_is_a_line_too():
    cluster(120_000.0, latency_p99_ms=4.0)

    [shape, _] = figure_of(budget_usd_month="2000.50").figure["layout"]["shapes"]
    assert Decimal(shape["x0"]) == Decimal("2000.50")
    assert "budget" in text_of_notes(figure_of())


def text_of_notes(chart):
    return " ".join(note["text"] for note in chart.figure["layout"]["annotations"])

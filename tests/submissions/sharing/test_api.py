"""Figures as rows: each mark with its axes, its error bar and its words."""

from submissions.metrics import OPS_PER_USD
from submissions.questions.boards.ranking_chart import Row, ranking_figure
from submissions.questions.compare.chart import ResultBar, compare_bars
from submissions.records.curves.interval_chart import Series, intervals_figure
from submissions.sharing.api import rows_of


def test_a_ranking_has_the_ends_of_its_ranges():
    gce = Row("gce\n3 results", "gce", 4e8, spread=(1e8, 4e8), median=2e8, interval=(3e8, 5e8))
    figure = ranking_figure([gce, Row("a & b", "aws", 2e8)], OPS_PER_USD)

    assert list(rows_of(figure)) == [
        ("95 % interval of the best", "Value (M ops/$)", 400.0, None, "gce 3 results", 300.0, 500.0, None),
        ("all results", "Value (M ops/$)", 400.0, None, "gce 3 results", 100.0, 400.0, None),
        ("median", "Value (M ops/$)", 200.0, None, "gce 3 results", None, None, None),
        ("best result", "Value (M ops/$)", 400.0, None, "gce 3 results", None, None, None),
        ("best result", "Value (M ops/$)", 200.0, None, "a & b", None, None, None),
    ]


def test_panels_have_axes_of_their_own():
    figure = compare_bars([ResultBar("#4", "aws", 10.0, 2_000_000.0, None), ResultBar("#1", "gce", 20.0, None, None)])

    assert list(rows_of(figure)) == [
        (None, "Throughput (ops/s)", 10.0, None, "#4", None, None, None),
        (None, "Throughput (ops/s)", 20.0, None, "#1", None, None, None),
        (None, "Value (M ops/$)", 2.0, None, "#4", None, None, None),
        (None, "Value (M ops/$)", None, None, "#1", None, None, None),
    ]


def test_lines_have_a_row_for_each_point():
    figure = intervals_figure([Series("trial 1", [1.0, 2.0], [10.0, None], [3.0, 4.0])])

    time = "Time since the trial's start (s)"
    assert [(row[0], row[2], row[3], row[4]) for row in rows_of(figure)] == [
        ("trial 1", 1.0, "Throughput (ops/s)", 10.0),
        ("trial 1", 2.0, "Throughput (ops/s)", None),
        ("trial 1", 1.0, "p99 (ms)", 3.0),
        ("trial 1", 2.0, "p99 (ms)", 4.0),
    ]
    assert {row[1] for row in rows_of(figure)} == {time}


def test_symmetric_error_bars_reach_as_far_on_both_sides():
    figure = {
        "data": [{"x": [1], "y": [10.0], "error_y": {"type": "data", "array": [2.5]}, "text": ["one<br>two"]}],
        "layout": {"xaxis": {"title": "nodes"}},
    }

    assert list(rows_of(figure)) == [(None, "nodes", 1, None, 10.0, 7.5, 12.5, "one two")]

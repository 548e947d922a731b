"""No chart sends more points than a reader can tell apart: the others are in tables, in CSV and in the API."""

import json
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest

from runners.plan_schema.load_plan import MAX_STEPS
from runners.series.chart import runs_figure
from submissions.analysis.cluster_size.scaling import Point, scaling
from submissions.analysis.curves.histograms import CurvePoint
from submissions.analysis.curves.interval_curves import PrintedTrial, run_curves
from submissions.analysis.curves.load_curve import AtLimit, LatencyLimit
from submissions.analysis.curves.steady_state import Row
from submissions.analysis.history import ChangePoint
from submissions.analysis.host_metrics.flame import Flame, Frame
from submissions.choices import PricingModel
from submissions.formatting.figures import MOST_POINTS, checked, new_figure, plain, point_count, sampled
from submissions.ingest.document.submission import MAX_TRIALS
from submissions.load_curves.chart import Mark, load_curve_figure
from submissions.machines.chart import price_figure
from submissions.machines.prices import MachinePrices, PricePoint
from submissions.metrics import THROUGHPUT
from submissions.questions.boards import ranking_chart
from submissions.questions.compare import chart as compare
from submissions.questions.databases import chart as databases
from submissions.questions.grid.chart import EMPTY_CELL, grid_heatmap
from submissions.questions.grid.page import MOST_SHOWN_COLUMNS, MOST_SHOWN_ROWS
from submissions.questions.history.chart import metric_figure
from submissions.questions.history.query import Change, MetricHistory
from submissions.questions.leaderboard import chart as leaderboard
from submissions.questions.recommend.chart import Mark as Candidates
from submissions.questions.recommend.chart import candidates_figure
from submissions.questions.recommend.grid import chart as cost_of_p99
from submissions.questions.recommend.query import MOST_CONSIDERED
from submissions.questions.scaling.chart import most_sizes, series_figure
from submissions.questions.scaling.query import ScalingResult, Series, SeriesKey, SeriesPoint
from submissions.questions.sizing import chart as sizing
from submissions.questions.value.chart import MOST_ROWS, System, value_scatter
from submissions.questions.value.pareto import CHART_ROWS
from submissions.records.curves.activity_series import ActivitySeries
from submissions.records.curves.flame_chart import flame_figure
from submissions.records.curves.interval_chart import intervals_figure
from submissions.records.curves.interval_series import interval_view, live_series, overlay_view
from submissions.records.curves.percentile_chart import PercentileLine, percentile_figure
from submissions.records.curves.percentile_curves import MOST_CURVES

START = datetime(2015, 1, 1, tzinfo=UTC)


def rows(count=3_000):
    return tuple(Row(float(second), None, 1, 1.0, float(second), 1.0) for second in range(1, count + 1))


@cache
def printed(trials, clients=1):
    return run_curves([PrintedTrial(index, (rows(),) * clients) for index in range(trials)]).trials


def of_one_result():
    seconds = tuple(float(second) for second in range(300))
    hosts = tuple(ActivitySeries(f"hosts {n}", n, seconds, seconds, seconds, seconds) for n in range(12))
    view = interval_view(printed(3, clients=4), hosts)
    return intervals_figure(view.series, activity=view.activity)


def of_several_results():
    return intervals_figure(overlay_view([(f"#{n}", printed(2, clients=2)) for n in range(6)]).series)


def of_a_run():
    return intervals_figure(live_series([(f"trial {n}", rows()) for n in range(20)]))


def of_percentiles():
    points = [CurvePoint(100 * (1 - 0.95**n), float(n), n) for n in range(400)]
    return percentile_figure([PercentileLine(str(n), points) for n in range(MOST_CURVES)], is_log=False)


def of_a_history():
    points = tuple(
        SimpleNamespace(
            pk=n, measured_at=START + timedelta(hours=n), throughput_ops_s=100.0, throughput_low_ops_s=None,
            throughput_high_ops_s=None, trials_count=1, averaged_over=None, service_version="2.1",
            get_absolute_url=lambda: "/submissions/1/",
        )
        for n in range(500)
    )  # fmt: skip
    changes = tuple(
        Change(ChangePoint(place, 100.0, 110.0, 50, 50, 0.001), points[place - 1], points[place], ())
        for place in range(50, 500, 50)
    )
    return metric_figure(MetricHistory(THROUGHPUT, points, changes))


def of_load_curve():
    latencies = {"p50": 1.0, "p95": 2.0, "p99": 4.0, "p999": 8.0}
    marks = [Mark(100.0 * n, latencies, f"{n} threads", is_peak=n == MAX_TRIALS) for n in range(1, MAX_TRIALS + 1)]
    return load_curve_figure(marks, LatencyLimit("p999", 8.0), AtLimit(500.0, (500.0, 600.0), ()))


def of_scaling():
    result = scaling([Point(nodes, 100.0 * nodes**0.9, None) for nodes in range(1, 401)])
    points = tuple(SeriesPoint(scaled, 1, None, 1.0, 1.0) for scaled in result.points)
    series = tuple(Series(SeriesKey("aws", f"type-{n}"), points, result, ()) for n in range(20))
    chart = ScalingResult(None, (), series, series[0])
    return series_figure(series[0], chart.others, most_sizes(chart))


def of_value():
    """All of them on the front: the worst that a chart may have to draw."""
    return value_scatter([System(n, "", "aws", Decimal(n), 100.0 * n, Decimal(n)) for n in range(1, CHART_ROWS + 1)])


def of_prices():
    history = tuple(PricePoint(date(2020, 1, 1) + timedelta(days=n), Decimal(n)) for n in range(1, 400))
    return price_figure(MachinePrices(history=dict.fromkeys(PricingModel, history)), date(2026, 11, 27))


def of_a_profile():
    return flame_figure(Flame(2_000, tuple(Frame(f"f{n}", n % 80, n / 2000, 1 / (n + 1), 0.0) for n in range(2_000))))


def of_a_grid():
    cells = [[EMPTY_CELL] * MOST_SHOWN_COLUMNS] * MOST_SHOWN_ROWS
    names = [str(n) for n in range(MOST_SHOWN_ROWS)]
    return grid_heatmap(names, names[:MOST_SHOWN_COLUMNS], cells, "")


def of_a_series_of_runs():
    cells = [
        SimpleNamespace(
            number=cell,
            words=f"threads {cell}",
            results=[SimpleNamespace(pk=n, throughput_ops_s=100.0 * cell + n + 1) for n in range(5)],
            throughput_ops_s=100.0 * cell + 50,
        )
        for cell in range(60)
    ]
    return runs_figure(SimpleNamespace(with_figures=cells))


def of_a_recommendation():
    shown = [Candidates(f"{n}", "aws", 100.0 * n, 1000.0 * n, n % 2 == 0, "/") for n in range(1, MOST_CONSIDERED + 1)]
    named = [replace(mark, label=f"Answer {n}") for n, mark in enumerate(shown[:3])]
    return candidates_figure([*shown, *named], target_ops_s=50_000.0, budget_usd_month=5_000.0)


FIGURES = {
    "runners/series/chart.py": (of_a_series_of_runs,),
    "submissions/records/curves/interval_chart.py": (of_one_result, of_several_results, of_a_run),
    "submissions/records/curves/percentile_chart.py": (of_percentiles,),
    "submissions/records/curves/flame_chart.py": (of_a_profile,),
    "submissions/questions/history/chart.py": (of_a_history,),
    "submissions/questions/scaling/chart.py": (of_scaling,),
    "submissions/load_curves/chart.py": (of_load_curve,),
    "submissions/questions/value/chart.py": (of_value,),
    "submissions/questions/grid/chart.py": (of_a_grid,),
    "submissions/questions/recommend/chart.py": (of_a_recommendation,),
    "submissions/machines/chart.py": (of_prices,),
}
# of a few groups, results, configurations or steps
BARS = {
    "runners/views/load_curve_chart.py": MAX_STEPS,
    "submissions/questions/databases/chart.py": databases,
    "submissions/questions/recommend/grid/chart.py": cost_of_p99,
    "submissions/questions/compare/chart.py": compare,
    "submissions/questions/boards/ranking_chart.py": ranking_chart,
    "submissions/questions/sizing/chart.py": sizing,
}


every_figure = pytest.mark.parametrize(
    "draw", [draw for of_module in FIGURES.values() for draw in of_module], ids=lambda f: f.__name__
)


@cache
def drawn(draw):
    return draw()


@every_figure
def test_no_chart_sends_more_than_500_points(draw):
    assert 50 < point_count(drawn(draw)) <= MOST_POINTS


@every_figure
def test_each_figure_is_what_plotly_would_make_of_it(draw):
    figure = drawn(draw)

    assert as_json(checked(figure)) == as_json(figure)


def test_a_property_that_plotly_does_not_know_is_refused_while_the_site_is_developed(settings):
    figure = new_figure()
    figure.add_scatter(x=[1], y=[1], colour="#000000")

    settings.DEBUG = True

    with pytest.raises(ValueError, match="colour"):
        plain(figure)


def as_json(figure):
    """Plotly leaves out empty lists of a layout."""
    layout = {name: value for name, value in figure["layout"].items() if value != []}
    return json.loads(json.dumps(figure | {"layout": layout}, allow_nan=False))


def test_changes_of_a_figure_add_up_and_what_is_not_stated_is_left_out():
    figure = new_figure()
    figure.add_bar(x=[1, None], name=None, marker={"color": "#000000", "size": None})
    figure.update_traces(marker={"line": {"width": 1}}, x=[2])
    figure.update_xaxes(title_text="Nodes", range=None)
    figure.update_layout(xaxis={"title": {"standoff": 4}, "type": "log"}, shapes=[{"x0": 1, "x1": None}])

    assert plain(figure) == {
        "data": [{"type": "bar", "x": [2], "marker": {"color": "#000000", "line": {"width": 1}}}],
        "layout": {"xaxis": {"title": {"text": "Nodes", "standoff": 4}, "type": "log"}, "shapes": [{"x0": 1}]},
    }


def test_every_module_that_draws_is_tested():
    root = Path(__file__).parents[3]
    drawing = {
        str(path.relative_to(root))
        for folder in ("submissions", "runners")
        for path in (root / folder).rglob("*.py")
        if "= new_figure()" in path.read_text()
    }

    assert drawing == FIGURES.keys() | BARS.keys()
    assert max(MOST_ROWS, leaderboard.MOST_ROWS, sizing.MOST_BARS) <= 20


def test_a_merged_point_has_the_highest_p99_not_an_average():
    (series,) = live_series([("trial 1", rows())])

    assert len(series.latency_p99_ms) == 300
    assert list(series.latency_p99_ms) == [float(10 * n) for n in range(1, 301)]


def test_a_sampled_curve_keeps_its_ends():
    assert sampled(range(1_000), 4) == [0, 333, 666, 999]
    assert sampled([1, 2], 4) == [1, 2]

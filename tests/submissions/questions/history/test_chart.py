"""The chart of a history: measurements with their intervals, levels between changes, versions where they change."""

from datetime import UTC, datetime, timedelta

from submissions.metrics import LATENCY_P99, THROUGHPUT
from submissions.questions.history.chart import MOST_VERSION_MARKS, Level, Mark, history_figure

START = datetime(2015, 1, 1, tzinfo=UTC)


def mark(day, value, version="2.1", low=None, high=None):
    return Mark(START + timedelta(days=day), value, f"#{day}", version, low, high, f"/submissions/{day}/")


def day(number):
    return (START + timedelta(days=number)).isoformat()


def test_measurements_stand_at_their_time_with_an_interval_where_there_is_one():
    (points,) = history_figure([mark(1, 100.0), mark(3, 110.0, low=100.0, high=125.0)], [], THROUGHPUT)["data"]

    assert (points["x"], points["y"]) == ([day(1), day(3)], [100.0, 110.0])
    assert (points["error_y"]["array"], points["error_y"]["arrayminus"]) == ([None, 15.0], [None, 10.0])
    assert points["customdata"][1] == [2, "/submissions/3/"]


def test_a_change_is_a_line_with_its_size_and_each_level_its_mean():
    marks = [mark(number, 100.0 if number < 2 else 120.0) for number in range(4)]

    figure = history_figure(marks, [Level(0, 1, 100.0), Level(2, 3, 120.0, "+20.0 %")], THROUGHPUT)

    assert [(trace["x"], trace["y"]) for trace in figure["data"][1:]] == [
        ([day(0), day(1)], [100.0, 100.0]),
        ([day(2), day(3)], [120.0, 120.0]),
    ]
    assert [note["text"] for note in figure["layout"]["annotations"]] == ["+20.0 %", "2.1"]
    assert [shape["x0"] for shape in figure["layout"]["shapes"]] == [day(2), day(0)]


def test_a_version_is_told_where_it_begins():
    marks = [mark(0, 1.0, "2.1"), mark(1, 1.0, "2.1"), mark(2, 1.0, "<2.2>"), mark(3, 1.0, ""), mark(4, 1.0, "2.1")]

    notes = history_figure(marks, [], LATENCY_P99)["layout"]["annotations"]

    assert [(note["x"], note["text"]) for note in notes] == [
        (day(0), "2.1"),
        (day(2), "&lt;2.2&gt;"),
        (day(4), "2.1"),
    ]


def test_many_versions_do_not_hide_the_points():
    figure = history_figure([mark(number, 1.0, str(number)) for number in range(40)], [], THROUGHPUT)

    assert len(figure["layout"]["annotations"]) == MOST_VERSION_MARKS


def test_the_axis_begins_at_zero_and_names_its_unit():
    layout = history_figure([mark(1, 5.0)], [], LATENCY_P99)["layout"]

    assert layout["yaxis"]["rangemode"] == "tozero"
    assert layout["yaxis"]["title"]["text"] == "p99 (ms)"


def test_measurements_of_one_moment_have_no_time_axis_and_those_of_an_hour_have_hours_around_them():
    together = history_figure([mark(1, 100.0), mark(1, 110.0)], [], THROUGHPUT)["layout"]["xaxis"]
    near = history_figure([mark(1, 100.0), mark(1.01, 110.0)], [], THROUGHPUT)["layout"]["xaxis"]
    apart = history_figure([mark(1, 100.0), mark(3, 110.0)], [], THROUGHPUT)["layout"]["xaxis"]

    assert "type" not in together
    assert (together["tickvals"], together["ticktext"]) == ([1, 2], ["#1", "#1"])
    assert together["title"]["text"] == "All measured at 2015-01-02 00:00 UTC"
    assert near["range"] == ["2015-01-01T23:00:00+00:00", "2015-01-02T01:14:24+00:00"]
    assert "range" not in apart

"""Interval series for a chart: few points, sums and averages only of what may be averaged."""

from submissions.ingest.curves.interval_curves import curves_of_content
from submissions.ingest.curves.intervals import COLUMNS
from submissions.records.curves.interval_chart import Series
from submissions.records.curves.interval_series import IntervalView, interval_view, overlay_view


def row(elapsed, rate, p99, operation="total", **others):
    values = {"operation": operation, "elapsed_seconds": elapsed, "throughput_ops_s": rate, "p99_ms": p99, **others}
    return [values.get(column) for column in COLUMNS]


def trials(*clients_of_each):
    content = {
        "columns": list(COLUMNS),
        "trials": [{"index": index, "clients": clients} for index, clients in enumerate(clients_of_each)],
    }
    return curves_of_content(content).trials


def series(name, elapsed, rates, p99s, group=None):
    nothing = [None] * len(elapsed)
    return Series(name, elapsed, rates, p99s, nothing, nothing, nothing, group)


def test_each_client_of_each_trial_is_a_series_of_the_rows_over_all_types():
    one = [row(1.0, 100.0, 4.0), row(1.0, 60.0, 3.0, "write"), row(2.0, 120.0, None)]
    other = [row(1.0, 90.0, 5.0)]

    assert interval_view(trials([one], [one, other])) == IntervalView(
        series=(
            series("trial 1", [1.0, 2.0], [100.0, 120.0], [4.0, None]),
            series("trial 2, client 1", [1.0, 2.0], [100.0, 120.0], [4.0, None]),
            series("trial 2, client 2", [1.0], [90.0], [5.0]),
        ),
        bin_seconds=None,
        not_shown=0,
    )


def test_a_tool_that_names_its_only_type_has_a_series_too():
    view = interval_view(trials([[row(1.0, 100.0, 4.0, "write")]]))

    assert view.series == (series("trial 1", [1.0], [100.0], [4.0]),)


def test_a_long_series_is_binned_by_mean_rate_and_highest_p99():
    rows = [row(float(second), 100.0 + second % 2, float(second % 10)) for second in range(1, 601)]

    view = interval_view(trials([rows]))

    assert view.bin_seconds == 2
    assert view.series[0].elapsed_seconds[:3] == [2.0, 4.0, 6.0]
    assert view.series[0].throughput_ops_s[:3] == [100.5, 100.5, 100.5]
    assert view.series[0].latency_p99_ms[:5] == [2.0, 4.0, 6.0, 8.0, 9.0]
    assert len(view.series[0].elapsed_seconds) == 300


def test_an_unknown_percentile_stays_unknown_in_a_bin():
    rows = [row(float(second), None, None) for second in range(1, 601)]

    view = interval_view(trials([rows]))

    assert set(view.series[0].throughput_ops_s) == {None}
    assert set(view.series[0].latency_p99_ms) == {None}


def test_series_beyond_the_most_are_counted_not_drawn():
    view = interval_view(trials(*([[row(1.0, 1.0, 1.0)]] for _ in range(15))))

    assert (len(view.series), view.not_shown) == (12, 3)


def test_no_rows_are_no_chart():
    assert interval_view(trials([[]])) is None
    assert interval_view(()) is None
    assert overlay_view([("#1", ()), ("#2", trials([[]]))]) is None
    assert overlay_view([]) is None


def test_collections_and_errors_are_added_up_in_a_bin_and_unknown_when_one_is():
    rows = [row(float(s), 100.0, 1.0, gc_ms=2.0, gc_count=1, errors=s % 2) for s in range(1, 601)]
    rows[3][COLUMNS.index("errors")] = None

    [found] = interval_view(trials([rows])).series

    assert (found.gc_ms[:2], found.gc_count[:2], found.errors[:3]) == ([4.0, 4.0], [2, 2], [1, None, 1])


def test_a_file_of_an_older_site_without_these_columns_is_read():
    columns = ["operation", "elapsed_seconds", "throughput_ops_s", "p99_ms"]
    content = {"columns": columns, "trials": [{"index": 0, "clients": [[["total", 1.0, 100.0, 4.0]]]}]}

    view = interval_view(curves_of_content(content).trials)

    assert view.series == (series("trial 1", [1.0], [100.0], [4.0]),)
    assert (view.has_gc, view.has_errors) == (False, False)


def test_submissions_share_a_time_axis_each_in_its_own_colour():
    one = trials([[row(1.0, 100.0, 4.0)]], [[row(1.0, 110.0, 5.0)]])
    other = trials([[row(2.0, 50.0, 9.0)]])

    assert overlay_view([("#4", one), ("#1", other)]) == IntervalView(
        series=(
            series("#4, trial 1", [1.0], [100.0], [4.0], 0),
            series("#4, trial 2", [1.0], [110.0], [5.0], 0),
            series("#1, trial 1", [2.0], [50.0], [9.0], 1),
        ),
        bin_seconds=None,
        not_shown=0,
    )


def test_the_clients_of_a_trial_are_one_series_of_an_overlay():
    one = [row(1.1, 100.0, 4.0, errors=1, gc_ms=5.0), row(2.1, 110.0, 5.0, errors=0, gc_ms=0.0)]
    other = [row(1.0, 50.0, 9.0, errors=2, gc_ms=5.0), row(2.0, 60.0, 3.0, errors=0, gc_ms=0.0)]
    late = [row(3.9, 70.0, 3.0, errors=0, gc_ms=0.0)]

    view = overlay_view([("#4", trials([one, [*other, *late]]))])

    # the longest step is 1.9 s, so a bin is 2 s: 100 of the one with the mean of 50 and 60 of the other, then
    # 110 with 70; the collections were seen by both clients, the errors were their own
    [found] = view.series
    assert view.bin_seconds == 2
    assert (found.elapsed_seconds, found.throughput_ops_s) == ([2.0, 4.0], [155.0, 180.0])
    assert (found.latency_p99_ms, found.errors, found.gc_ms) == ([9.0, 5.0], [3, 0], [5.0, 0.0])


def test_each_of_six_submissions_has_the_same_share_of_an_overlay():
    many = trials(*([[row(1.0, 1.0, 1.0)]] for _ in range(5)))

    view = overlay_view([(f"#{number}", many) for number in range(6)])

    assert [one.group for one in view.series] == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    assert view.not_shown == 18


def test_a_p99_that_is_only_a_bound_has_a_caveat():
    types = [row(1.0, 100.0, None), row(1.0, None, 3.0, "read"), row(1.0, None, 9.0, "update")]

    for view in (interval_view(trials([types])), overlay_view([("#4", trials([types]))])):
        assert view.series[0].latency_p99_ms == [9.0]
        assert view.caveats == [
            "The p99 is that of the slowest operation type: the load tool prints none for all types together."
        ]

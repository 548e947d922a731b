"""Curves as they are stored: the same from a log and from its interval file, and small for a long run."""

import io

from submissions.ingest.curves import intervals
from submissions.ingest.curves.interval_curves import curves_of_content, curves_of_results, packed, unpacked
from submissions.ingest.document.readings import Interval, Latency
from submissions.ingest.logs.trial_results import TrialResult


def row(second, operation="total", p99=4.0):
    return Interval(operation, float(second), 100 + second % 7, second % 2, 100.5, Latency(p99=p99), 1, 3.5)


def result(*clients):
    return TrialResult(throughput_ops_s=100.0, intervals=tuple(map(tuple, clients)))


def seconds(count):
    return [row(second) for second in range(1, count + 1)]


def test_what_was_packed_is_read_as_it_was():
    curves = curves_of_results([result(seconds(80), seconds(5_000)), result([])], {0, 1})

    assert unpacked(packed(curves)) == curves
    assert unpacked(packed(curves_of_results([], set()))).trials == ()


def test_a_log_and_its_interval_file_give_the_same():
    types = [row(1), row(1, "read", 5.0), row(1, "write", 9.0), row(2)]
    silent = [row(1, p99=None), row(1, "read", 5.0), row(1, "write", 9.0), row(2, p99=None), row(2, "read", 2.0)]
    trials = [result(types, silent), result(seconds(3_000))]
    content = intervals.unpacked(io.BytesIO(intervals.packed(trials)))

    assert curves_of_content(content) == curves_of_results(trials, {0, 1})


def test_only_the_trials_that_the_figures_are_made_of_have_curves():
    trials = [result(seconds(3)), result(seconds(4))]
    content = intervals.unpacked(io.BytesIO(intervals.packed(trials)))

    [of_results] = curves_of_results(trials, {1}).trials

    assert (of_results.index, of_results.end_s) == (1, 4.0)
    assert curves_of_content(content, elsewhere={0}).trials == (of_results,)


def test_a_row_without_a_place_in_time_is_left_out():
    [trial] = curves_of_results([result([row(1), row(float("inf")), row(float("nan")), row(2)])], {0}).trials

    assert [point.elapsed_seconds for point in trial.clients[0].points] == [1.0, 2.0]


def test_the_curves_of_150_000_intervals_are_small():
    curves = packed(curves_of_results([result(seconds(50_000)) for _ in range(3)], {0, 1, 2}))

    assert len(curves) < 150_000

"""Load curves: points, the peak, and the highest measured rate that keeps a limit."""

import pytest

from submissions.analysis.curves.load_curve import (
    AtLimit,
    Confidence,
    LatencyLimit,
    LoadTrial,
    at_limit,
    keeps,
    load_points,
    peak,
)
from submissions.choices import LatencyKind

LIMIT = LatencyLimit("p99", 10.0, 0.001)


def trial(rate, p99=5.0, *, offered=None, threads=None, **facts):
    usual = {"latency_kind": LatencyKind.RESPONSE_TIME, "operations": 1_000_000, "errors": 0}
    return LoadTrial(0, offered, threads, rate, {"p99": p99}, **{**usual, **facts})


def open_loop(*points):
    """(offered, p99 of each trial); the system does what it is offered."""
    return load_points([trial(offered, p99, offered=offered) for offered, *p99s in points for p99 in p99s])


def test_trials_of_one_load_are_a_point_and_the_lowest_load_comes_first():
    points = load_points(
        [
            trial(50_000.0, threads=200),
            trial(30_000.0, offered=30_000.0, threads=200),
            trial(10_000.0, offered=10_000.0, threads=200),
            trial(48_000.0, threads=100),
            trial(10_100.0, offered=10_000.0, threads=200),
        ]
    )

    assert [(point.offered_ops_s, point.threads, point.trials_count) for point in points] == [
        (10_000.0, 200, 2),
        (30_000.0, 200, 1),
        (None, 100, 1),  # what is offered without a rate is more than any rate
        (None, 200, 1),
    ]
    assert points[0].throughput_ops_s == 10_050.0


def test_the_peak_is_the_highest_mean_and_no_failed_point_where_others_are_whole():
    points = load_points([trial(10.0, threads=1), trial(30.0, threads=2), trial(20.0, threads=3)])
    failed = load_points([trial(10.0, threads=1), trial(30.0, threads=2, is_failed=True)])

    assert peak(points).threads == 2
    assert peak(failed).threads == 1
    with pytest.raises(ValueError, match="empty"):
        peak([])


def test_the_highest_rate_keeps_the_limit_in_every_trial():
    found = at_limit(open_loop((10_000.0, 2, 2, 2), (40_000.0, 6, 9, 8), (48_000.0, 9, 11, 9), (60_000.0, 50)), LIMIT)

    assert found == AtLimit(40_000.0, (40_000.0, 48_000.0), (Confidence.CONFIRMED,), index=1)


def test_a_load_that_was_not_reached_is_not_kept_and_the_offered_rate_ends_the_bracket():
    points = load_points([trial(30_000.0, offered=30_000.0), trial(48_000.0, 1.0, offered=50_000.0)])

    assert keeps(points[1], LIMIT) is False
    assert at_limit(points, LIMIT).bracket == (30_000.0, 50_000.0)
    assert keeps(load_points([trial(49_000.0, 1.0, offered=50_000.0)])[0], LIMIT) is True  # 98 %


def test_fewer_random_arrivals_than_their_mean_are_no_unreached_load_where_the_latency_counts_the_wait():
    kinds = LatencyKind.RESPONSE_TIME, LatencyKind.SERVICE_TIME
    short = {"offered": 172.0, "operations": 3659}  # of 22 s, by chance 3 % fewer than 172 a second

    assert [keeps(load_points([trial(166.4, 1.0, latency_kind=kind, **short)])[0], LIMIT) for kind in kinds] == [
        True,
        False,
    ]
    assert keeps(load_points([trial(155.0, 1.0, latency_kind=kinds[0], **short)])[0], LIMIT) is False


def test_beyond_a_load_that_broke_the_limit_nothing_counts():
    found = at_limit(open_loop((10_000.0, 2), (20_000.0, 30), (30_000.0, 3)), LIMIT)

    assert found.ops_s == 10_000.0
    assert found.bracket == (10_000.0, 20_000.0)
    assert Confidence.NOT_MONOTONIC in found.confidence


def test_unknown_percentiles_and_errors_keep_nothing():
    points = load_points(
        [trial(10.0, offered=10.0), trial(20.0, None, offered=20.0), trial(30.0, offered=30.0, errors=None)]
    )

    assert [keeps(point, LIMIT) for point in points] == [True, None, None]
    found = at_limit(points, LIMIT)
    assert (found.ops_s, found.bracket) == (10.0, (10.0, None))
    assert {Confidence.UNKNOWN_POINTS, Confidence.NO_UPPER_BOUND} <= {*found.confidence}
    assert keeps(points[0], LatencyLimit("p999", 10.0)) is None


def test_too_many_errors_break_a_limit_even_where_the_latency_is_unknown():
    [point] = load_points([trial(10.0, None, operations=998, errors=2)])

    assert keeps(point, LIMIT) is False
    assert keeps(point, LatencyLimit("p99", 10.0, 0.01)) is None


def test_without_any_point_that_keeps_it_the_bracket_has_only_its_upper_end():
    found = at_limit(open_loop((10_000.0, 30), (20_000.0, 40)), LIMIT)

    assert found == AtLimit(None, (None, 10_000.0), (Confidence.NONE_KEPT,))
    assert at_limit([], LIMIT) == AtLimit(None, (None, None), ())


def test_of_threads_that_get_slower_the_bracket_never_ends_below_the_rate():
    points = load_points(
        [trial(40.0, threads=100), trial(48.0, threads=200), trial(45.0, 20, threads=300), trial(50.0, 30, threads=400)]
    )

    assert at_limit(points, LIMIT).bracket == (48.0, 50.0)
    assert at_limit(points[:3], LIMIT).bracket == (48.0, None)


def test_beside_response_times_a_service_time_neither_keeps_nor_breaks_a_limit():
    measured = [trial(10.0, offered=10.0), trial(60.0, 2.0, threads=200, latency_kind=LatencyKind.SERVICE_TIME)]
    points = load_points(measured)

    assert [keeps(point, LIMIT) for point in points] == [True, None]
    assert peak(points).throughput_ops_s == 60.0
    assert keeps(load_points(measured[1:])[0], LIMIT) is True


@pytest.mark.parametrize(
    ("trials", "expected"),
    [
        ([trial(10.0)], {Confidence.SINGLE_TRIAL}),
        ([trial(10.0)] * 2, {Confidence.FEW_TRIALS}),
        ([trial(10.0)] * 3, {Confidence.CONFIRMED}),
        ([trial(10.0, operations=9_999)], {Confidence.SINGLE_TRIAL, Confidence.FEW_OPERATIONS}),
        ([trial(10.0, operations=10_000)], {Confidence.SINGLE_TRIAL}),
        (
            [trial(10.0, latency_kind=LatencyKind.SERVICE_TIME)],
            {Confidence.SINGLE_TRIAL, Confidence.COORDINATED_OMISSION},
        ),
        (
            [trial(10.0, latency_kind=LatencyKind.UNKNOWN)],
            {Confidence.SINGLE_TRIAL, Confidence.UNKNOWN_LATENCY_KIND},
        ),
    ],
)
def test_what_a_rate_rests_on_is_said(trials, expected):
    assert {*at_limit(load_points(trials), LIMIT).confidence} == {*expected, Confidence.NO_UPPER_BOUND}


def test_a_p999_needs_ten_times_as_many_operations():
    assert LatencyLimit("p99").fewest_operations == 10_000
    assert LatencyLimit("p999").fewest_operations == 100_000


@pytest.mark.parametrize(
    ("values", "name"),
    [(("p90",), "percentile"), (("p99", 0.0), "max_ms"), (("p99", float("nan")), "max_ms"), (("p99", 1, 2), "share")],
)
def test_a_limit_that_makes_no_sense_is_refused_by_its_field(values, name):
    with pytest.raises(ValueError, match=name):
        LatencyLimit(*values)

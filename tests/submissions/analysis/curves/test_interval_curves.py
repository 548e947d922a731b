"""Few points of a long run: what charts and windows compute from them is what the printed rows give."""

import random
from math import fsum

import pytest

from submissions.analysis.curves.interval_curves import (
    FEWEST_POINTS,
    MOST_OF_ALL,
    MOST_POINTS,
    PrintedTrial,
    bin_seconds,
    binned,
    client_curve,
    run_curves,
)
from submissions.analysis.curves.steady_state import Row, WarmUp, intervals, trial_window, warm_up


def rows(count, step=1.0, seed=1):
    """With gaps: a rate, a p99 or a count of errors is unknown now and then, and warm-up for a tenth of the time."""
    chance = random.Random(seed)
    found = []
    for number in range(1, count + 1):
        rate = 300.0 if number < count / 10 else 1000.0 + chance.randrange(100)
        unknown = chance.randrange(1000)
        found.append(
            Row(
                number * step,
                None if unknown == 1 else int(rate * step),
                None if unknown == 2 else chance.randrange(3),
                None if unknown == 1 else rate,
                None if unknown == 3 else chance.random() * 10,
                float(chance.randrange(5)),
                chance.randrange(2),
            )
        )
    return tuple(found)


def curve(*series):
    return run_curves([PrintedTrial(0, series)]).trials[0].clients


def printed(series):
    """As it was printed."""
    return client_curve(series, intervals(series))


def test_a_series_that_is_no_longer_than_the_most_has_a_point_for_each_row():
    series = rows(MOST_POINTS)

    [found] = curve(series)

    assert found == printed(series)
    assert (found.width_s, len(found.points), found.points[4].elapsed_seconds) == (None, MOST_POINTS, 5.0)


@pytest.mark.parametrize(
    ("count", "step"),
    [(5_000, 1.0), (10_000, 0.25), pytest.param(86_400, 1.0, marks=pytest.mark.slow), (3_000, 10.0)],
)
def test_the_bins_of_a_chart_are_those_of_the_printed_rows(count, step):
    series = rows(count, step)
    [found] = curve(series)
    assert len(found.points) <= MOST_POINTS

    for most in (300, 250, 41):
        seconds = bin_seconds([found], most)
        plain = bin_seconds([printed(series)], most)

        assert plain <= seconds < plain + found.width_s
        for stored, exact in zip(binned(found.points, seconds), binned(printed(series).points, seconds), strict=True):
            assert stored._replace(rate_sum=None) == exact._replace(rate_sum=None)
            assert stored.rate_ops_s == pytest.approx(exact.rate_ops_s, rel=1e-12)


def test_a_window_of_whole_bins_has_the_figures_of_the_printed_intervals():
    series = rows(10_000)
    [found] = curve(series)

    start, end = 100 * found.width_s, 900 * found.width_s
    stored = trial_window([found.intervals], start_s=start, end_s=end)
    exact = trial_window([intervals(series)], start_s=start, end_s=end)

    assert stored.intervals == exact.intervals == end - start
    assert (stored.errors, stored.seconds, stored.operations) == (exact.errors, exact.seconds, exact.operations)
    assert (stored.p99_low_ms, stored.p99_high_ms) == (exact.p99_low_ms, exact.p99_high_ms)
    assert stored.throughput_ops_s == pytest.approx(exact.throughput_ops_s, rel=1e-12)


def test_a_window_excludes_the_bins_that_it_cuts():
    [found] = curve(rows(20_000))

    figures = trial_window([found.intervals], start_s=1.0, end_s=3 * found.width_s + 1)

    assert (figures.start_s, figures.end_s) == (found.width_s, 3 * found.width_s)


def test_the_warm_up_is_that_of_the_printed_intervals():
    series = rows(20_000)

    test = run_curves([PrintedTrial(0, (series,))]).warm_up

    assert (test.end_s, test.series, test.shortest) == (warm_up([intervals(series)]), 1, 20_000)
    assert test.end_s == pytest.approx(2000, abs=5)
    assert test.change > 0.05


def test_without_a_warm_up_the_reason_is_there():
    assert run_curves([PrintedTrial(0, (rows(28),))]).warm_up.why == WarmUp.TOO_SHORT
    assert run_curves([PrintedTrial(0, ((),))]).warm_up is None
    assert run_curves([]).trials == ()


def test_many_series_share_the_points():
    series = rows(900)
    of_30, of_130 = (curve(*[series] * clients) for clients in (30, MOST_OF_ALL // FEWEST_POINTS + 2))

    assert sum(len(client.points) for client in of_30) <= MOST_OF_ALL
    assert max(len(client.points) for client in of_130) <= FEWEST_POINTS


def test_series_of_different_widths_share_the_bins_of_the_widest():
    short, long = curve(rows(300))[0], curve(rows(30_000))[0]

    seconds = bin_seconds([short, long], 250)

    assert seconds % long.width_s == 0
    assert fsum(point.rate_sum for point in binned(long.points, seconds)) == pytest.approx(
        fsum(row.rate_ops_s for row in rows(30_000) if row.rate_ops_s is not None)
    )
    assert len(binned(short.points, seconds)) == 3


def test_a_client_that_printed_nothing_has_an_empty_curve():
    trial = run_curves([PrintedTrial(0, (rows(5), ()))]).trials[0]

    assert [client.printed for client in trial.clients] == [5, 0]
    assert not trial.is_whole
    assert trial.end_s == 5.0

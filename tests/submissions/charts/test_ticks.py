"""Ticks of logarithmic axes: round numbers, and few where the axis is shorter than a power of ten."""

from submissions.charts.ticks import log_axis, log_range


def words(*values):
    return log_axis(log_range(values), "{}")["ticktext"]


def test_an_axis_shorter_than_a_power_of_ten_has_few_ticks():
    assert words(12_000, 15_500, 17_400) == ["12 k", "14 k", "16 k", "18 k", "20 k"]


def test_a_longer_axis_has_powers_of_ten():
    assert {"10", "100", "1 k"} <= set(words(10, 1_000))

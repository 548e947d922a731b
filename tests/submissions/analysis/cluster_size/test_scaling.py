"""Scaling of a series: what the article of 2011 says, whose fault a flat curve is, and no NaN anywhere."""

from math import isfinite

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import pearsonr

from submissions.analysis.cluster_size.scaling import Point, law_curve, linearity_r2, scaling, shown_range
from submissions.analysis.cluster_size.usl import Usl

# Netflix, November 2011: nodes, writes/s, clients
NETFLIX = (
    Point(48, 174373, 10),
    Point(96, 366828, 20),
    Point(144, 537172, 30),
    Point(288, 1099837, 60),
)


def test_the_288_nodes_of_netflix_are_105_percent_as_efficient_as_the_48():
    found = scaling(NETFLIX)

    assert [round(size.efficiency, 4) for size in found.points] == [1.0, 1.0518, 1.0269, 1.0512]
    assert found.largest.efficiency == (1099837 / 288) / (174373 / 48)
    assert f"{found.largest.efficiency:.1%}" == "105.1%"


def test_netflixs_clusters_lie_on_a_line():
    found = scaling(NETFLIX)

    assert round(found.linearity_r2, 5) == 0.99978
    assert found.linearity_r2 == pytest.approx(
        pearsonr([p.node_count for p in NETFLIX], [p.throughput_ops_s for p in NETFLIX]).statistic ** 2, rel=1e-9
    )


def test_each_client_of_netflix_wrote_about_17500_times_a_second():
    per_client = [size.per_client for size in scaling(NETFLIX).points]

    # "about 17,500" in the article: within 5 % at each size, and 17,437 at the smallest
    assert [round(rate, 1) for rate in per_client] == [17437.3, 18341.4, 17905.7, 18330.6]
    assert all(abs(rate / 17500 - 1) < 0.05 for rate in per_client)


def test_clients_that_grow_with_the_nodes_by_design_are_no_limit():
    assert scaling(NETFLIX).client_bound is False


def test_one_client_before_three_and_six_nodes_was_the_ceiling():
    assert scaling([Point(3, 90748, 1), Point(6, 89100, 1)]).client_bound is True


@pytest.mark.parametrize(
    ("points", "bound"),
    [
        pytest.param([(3, 100, 1), (6, 200, 1)], False, id="one client did twice as much: it had room"),
        pytest.param([(3, 100, 1), (6, 104, 1)], True, id="4 % more is flat"),
        pytest.param([(3, 100, 1), (6, 120, 1)], False, id="20 % more is not flat"),
        pytest.param([(3, 100, 1), (12, 200, 2)], True, id="throughput followed the clients, not the nodes"),
        pytest.param([(3, 100, 1), (6, 100, 2)], False, id="more clients changed nothing: the database is the limit"),
        pytest.param([(3, 100, 1), (6, 190, 1), (12, 195, 1)], True, id="the ceiling is reached on the way"),
        pytest.param([(3, 100, 1), (6, 90, 3)], False, id="far more clients, no more throughput"),
        pytest.param([(10, 100, 1), (11, 100, 1)], None, id="a tenth more nodes tells nothing"),
        pytest.param([(3, 100, None), (6, 100, None)], None, id="clients unknown"),
        pytest.param([(3, 100, 1), (6, 100, None)], None, id="clients of one size unknown"),
        pytest.param([(3, 100, 1), (6, 100, None), (12, 100, 1)], True, id="the known ones say it"),
        pytest.param([(3, 100, 1)], None, id="one size"),
    ],
)
def test_whether_the_clients_were_the_limit(points, bound):
    assert scaling([Point(*point) for point in points]).client_bound is bound


def test_two_sizes_have_an_efficiency_and_neither_line_nor_law():
    found = scaling([Point(6, 300.0, None), Point(3, 200.0, None)])

    assert [size.point.node_count for size in found.points] == [3, 6]
    assert [size.efficiency for size in found.points] == [1.0, 0.75]
    assert (found.linearity_r2, found.usl, found.client_bound) == (None, None, None)
    assert [size.per_client for size in found.points] == [None, None]


def test_the_same_throughput_at_every_size_has_no_r2():
    assert linearity_r2([3, 6, 9], [100.0, 100.0, 100.0]) is None


def test_the_ideal_line_goes_through_the_smallest_cluster():
    assert scaling(NETFLIX).ideal(288) == pytest.approx(6 * 174373)


def test_a_peak_beyond_the_largest_cluster_is_extrapolated():
    law = Usl(1000.0, 0.02, 0.0005)  # peak at 44.3 nodes
    small = scaling([Point(n, law.throughput(n), None) for n in (3, 6, 12, 24)])
    large = scaling([Point(n, law.throughput(n), None) for n in (3, 12, 24, 60)])

    assert (small.is_peak_extrapolated, large.is_peak_extrapolated) == (True, False)
    assert scaling(NETFLIX).is_peak_extrapolated is False
    assert (shown_range(small), shown_range(large)) == (pytest.approx(48.0), 60.0)


def test_the_curve_of_a_law_runs_from_one_node_to_its_end():
    law = Usl(1000.0, 0.02, 0.0005)

    curve = law_curve(law, 48)

    assert (curve[0], curve[-1]) == ((1, pytest.approx(1000.0)), (48, pytest.approx(law.throughput(48))))
    assert law_curve(law, 1) == [(1.0, pytest.approx(1000.0))]


@pytest.mark.parametrize(
    "points", [[], [Point(3, 1.0, None), Point(3, 2.0, None)], [Point(3, 0.0, None)], [Point(0, 1.0, None)]]
)
def test_what_is_no_series_is_refused(points):
    with pytest.raises(ValueError, match=r"at least one|occurs twice|must be positive"):
        scaling(points)


points = st.builds(
    Point,
    node_count=st.integers(1, 1_000_000),
    throughput_ops_s=st.floats(1e-6, 1e10),
    client_count=st.none() | st.integers(1, 10_000),
)


@given(series=st.lists(points, min_size=1, max_size=8, unique_by=lambda point: point.node_count))
@settings(max_examples=150, deadline=None)
def test_no_series_has_a_figure_that_is_no_number(series):
    found = scaling(series)

    figures = [value for size in found.points for value in (size.efficiency, size.per_node, size.per_client)]
    figures += [found.linearity_r2, found.ideal(288), shown_range(found)]
    figures += [] if found.usl is None else [found.usl.lambda_, found.usl.sigma, found.usl.kappa, found.usl.peak_nodes]
    assert all(value >= 0 and isfinite(value) for value in figures if value is not None)
    assert found.linearity_r2 is None or found.linearity_r2 <= 1
    assert found.points[0].efficiency == 1


@given(series=st.lists(points, min_size=2, max_size=6, unique_by=lambda point: point.node_count))
@settings(max_examples=100, deadline=None)
def test_the_unit_of_the_throughput_changes_no_finding(series):
    doubled = [Point(p.node_count, p.throughput_ops_s * 2, p.client_count) for p in series]

    first, second = scaling(series), scaling(doubled)

    assert [size.efficiency for size in first.points] == [size.efficiency for size in second.points]
    assert first.client_bound == second.client_bound

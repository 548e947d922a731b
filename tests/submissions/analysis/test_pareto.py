"""The Pareto front of cost and throughput, against the definition written as a brute force."""

from hypothesis import given
from hypothesis import strategies as st

from submissions.analysis.pareto import Point, pareto_front

# few different values, so that ties in one or both are common
AXIS = st.integers(1, 6).map(float)
PLACES = st.lists(st.tuples(AXIS, AXIS), max_size=25)


def dominates(one: Point, other: Point) -> bool:
    return (
        one.hourly_usd <= other.hourly_usd
        and one.throughput_ops_s >= other.throughput_ops_s
        and (one.hourly_usd, one.throughput_ops_s) != (other.hourly_usd, other.throughput_ops_s)
    )


@given(PLACES)
def test_the_front_is_exactly_what_nothing_dominates(places):
    points = [Point(usd, ops, key) for key, (usd, ops) in enumerate(places)]

    front = pareto_front(points)

    assert set(front) == {p for p in points if not any(dominates(q, p) for q in points)}
    assert len(front) == len(set(front))
    assert front == sorted(front, key=lambda p: (p.hourly_usd, p.key))


def test_a_dearer_and_slower_system_is_not_on_the_front():
    gce = Point(0.912, 111394.0, 1)
    aws = Point(1.596, 90748.0, 4)

    assert pareto_front([aws, gce]) == [gce]


def test_equal_systems_both_stay():
    assert pareto_front([Point(1.0, 5.0, 2), Point(1.0, 5.0, 1)]) == [
        Point(1.0, 5.0, 1),
        Point(1.0, 5.0, 2),
    ]


def test_at_one_price_only_the_fastest_stays():
    assert pareto_front([Point(1.0, 5.0, 1), Point(1.0, 6.0, 2)]) == [Point(1.0, 6.0, 2)]


def test_no_points_have_no_front():
    assert pareto_front([]) == []

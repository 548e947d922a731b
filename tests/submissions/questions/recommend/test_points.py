"""Which results of one cluster can be an answer."""

from itertools import permutations

from submissions.questions.recommend.points import Point, with_point

SERVICE, RESPONSE, UNKNOWN = "service_time", "response_time", "unknown"


def point(pk, rate, p99, kind=SERVICE, throttled=False):
    return Point(pk, rate, p99, kind, is_of_slowest=False, is_throttled=throttled)


def test_what_another_one_does_at_least_as_well_is_left_out_in_whatever_order_they_come():
    points = [
        point(1, 100.0, 5.0),
        point(2, 200.0, 9.0),
        point(3, 150.0, 9.5),  # 2 does more, faster
        point(4, 90.0, 2.0, throttled=True),
        point(5, 90.0, 5.0, throttled=True),  # 1 does more, and its capacity is known
        point(6, 150.0, 1.0, RESPONSE),
    ]

    for order in permutations(points):
        front = []
        for one in order:
            front = with_point(front, one)
        assert [one.pk for one in front] == [1, 2, 4, 6]


def test_of_equal_ones_the_newest_stays_and_a_known_p99_covers_an_unknown_one():
    assert [one.pk for one in with_point([point(1, 1.0, 1.0)], point(2, 1.0, 1.0))] == [2]
    assert [one.pk for one in with_point([point(2, 1.0, 1.0)], point(1, 1.0, 1.0))] == [2]
    assert [one.pk for one in with_point([point(1, 1.0, 1.0)], point(2, 1.0, None))] == [1]
    assert [one.pk for one in with_point([point(1, 1.0, None, UNKNOWN)], point(2, 2.0, None))] == [2]

"""Exact sums, and the trust levels of shelves."""

from fractions import Fraction
from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from submissions.choices import Trust
from submissions.tallies.shelf import SHELVES, added, by_shelf, total, trusts_of


def sum_of(figures):
    parts = []
    for figure in figures:
        parts = added(parts, figure)
    return parts


@given(st.lists(st.floats(1e-6, 1e12), min_size=1, max_size=40))
def test_a_sum_is_exact_until_it_is_rounded(figures):
    parts = sum_of(figures)

    assert sum(map(Fraction, parts)) == sum(map(Fraction, figures))
    assert total(parts) == float(sum(map(Fraction, figures)))


def test_the_order_makes_no_difference():
    assert len({total(sum_of(order)) for order in permutations([0.1, 1e17, -1e17 / 3, 1e-9])}) == 1


def test_historical_results_are_on_the_default_shelf_only_of_a_workload_without_logs():
    assert Trust.HISTORICAL in trusts_of(None, has_proven=False)
    assert Trust.HISTORICAL not in trusts_of(None, has_proven=True)
    assert trusts_of(Trust.HISTORICAL, has_proven=True) == {Trust.HISTORICAL}
    assert trusts_of(Trust.RUN_BY_US, has_proven=True) == {Trust.RUN_BY_US, Trust.REPRODUCED}


def test_shelves_that_take_the_same_are_counted_once():
    asked = []

    def count(trusts):
        asked.append(trusts)
        return len(trusts), 0

    numbers = by_shelf(count, ["uploaded", "log_verified"], has_proven=True)

    assert dict(zip(SHELVES, numbers, strict=True))[Trust.UPLOADED] == (2, 0)
    assert len(asked) == len(set(asked)) == 3

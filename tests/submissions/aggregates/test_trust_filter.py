"""Exact sums, and the trust levels that filters take."""

from fractions import Fraction
from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from submissions.aggregates.exact_sums import added, total
from submissions.aggregates.trust_filter import TRUST_FILTERS, by_trust_filter, levels_of
from submissions.choices import Trust


def sum_of(figures):
    partials = []
    for figure in figures:
        partials = added(partials, figure)
    return partials


@given(st.lists(st.floats(1e-6, 1e12), min_size=1, max_size=40))
def test_a_sum_is_exact_until_it_is_rounded(figures):
    parts = sum_of(figures)

    assert sum(map(Fraction, parts)) == sum(map(Fraction, figures))
    assert total(parts) == float(sum(map(Fraction, figures)))


def test_the_order_makes_no_difference():
    assert len({total(sum_of(order)) for order in permutations([0.1, 1e17, -1e17 / 3, 1e-9])}) == 1


def test_the_default_takes_historical_results_only_of_a_workload_without_logs():
    assert Trust.HISTORICAL in levels_of(None, has_proven=False)
    assert Trust.HISTORICAL not in levels_of(None, has_proven=True)
    assert levels_of(Trust.HISTORICAL, has_proven=True) == {Trust.HISTORICAL}
    assert levels_of(Trust.RUN_BY_US, has_proven=True) == {Trust.RUN_BY_US, Trust.REPRODUCED}


def test_filters_that_take_the_same_levels_are_counted_once():
    asked = []

    def count(levels):
        asked.append(levels)
        return len(levels), 0

    numbers = by_trust_filter(count, ["uploaded", "log_verified"], has_proven=True)

    assert dict(zip(TRUST_FILTERS, numbers, strict=True))[Trust.UPLOADED] == (2, 0)
    assert len(asked) == len(set(asked)) == 3

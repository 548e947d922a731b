"""The simulation of likelihoods, with fewer draws. The whole one: python -m bench.likelihood"""

from math import log

import pytest

from bench.likelihood import World, shares

DRAWS = 1_500


@pytest.mark.parametrize("count", [1, 5, 15])
def test_of_equal_clusters_the_likelihood_of_the_best_is_what_happens_within_five_points(count):
    found = shares(World("equal"), count, DRAWS)

    assert found.told == pytest.approx(found.true, abs=0.05)


@pytest.mark.parametrize(("count", "true"), [(5, 0.40), (15, 0.23)])
def test_without_the_others_it_is_far_too_high(count, true):
    found = shares(World("equal"), count, 500)

    assert found.alone == pytest.approx(0.70, abs=0.01)
    assert found.true == pytest.approx(true, abs=0.03)


@pytest.mark.parametrize("world", [World("differ", 0.2), World("differ a little", 0.06), World("one", far=log(2))])
def test_of_clusters_that_differ_it_does_not_promise_more_than_what_happens(world):
    for count in (2, 5, 15):
        found = shares(world, count, 500)

        assert found.true - 0.16 < found.told < found.true + 0.02


def test_the_same_seed_gives_the_same_shares():
    assert shares(World("equal"), 5, 20) == shares(World("equal"), 5, 20)

"""How far a result is from a question: limits missed, figures unknown, the logarithms of the factors."""

from decimal import Decimal
from math import inf, log

import pytest

from submissions.questions.recommend.aggregate import ClusterKey
from submissions.questions.recommend.candidates import Candidate, Slot
from submissions.questions.recommend.form import RecommendParams
from submissions.questions.recommend.points import Point
from submissions.questions.recommend.ranking.misses import Limit, distance, misses, nearest_first
from submissions.questions.recommend.ranking.prices import Price
from submissions.questions.recommend.ranking.sentences import budget_words, reason, shortfall

ASKED = RecommendParams(target_ops_s=80_000.0, max_p99_ms=10.0, budget_usd_month=Decimal(5000))


def candidate(rate, p99, month, machine="m", pk=1, measured=0, below=0.0):
    key = ClusterKey("aws", "us-east-1", "on_demand", machine, "[]", True)
    point = Point(pk, rate, p99, "service_time", False, False, p99_below_ms=below, measured=measured)
    hourly = None if month is None else Decimal(month) / 730
    return Candidate(Slot(1, key, 3), point, Price(hourly))


def test_a_miss_is_the_factor_by_which_a_limit_is_broken():
    assert misses(candidate(145_000.0, 7.8, 4000), ASKED) == []
    far = misses(candidate(40_000.0, 25.0, 6000), ASKED)
    assert [miss.limit for miss in far] == [Limit.RATE, Limit.P99, Limit.BUDGET]
    assert [miss.factor for miss in far] == pytest.approx([2.0, 2.5, 1.2])
    assert distance(candidate(40_000.0, 25.0, 6000), ASKED) == (3, 0, pytest.approx(log(2 * 2.5 * 1.2)))
    assert distance(candidate(40_000.0, None, None), ASKED) == (3, 2, pytest.approx(log(2)))
    nothing_is_free = RecommendParams(budget_usd_month=Decimal(0))
    assert distance(candidate(1.0, 1.0, 100), nothing_is_free) == (1, 0, inf)


def test_fewest_misses_first_then_the_least_then_cost_then_the_newest():
    one_far = candidate(145_000.0, 9.0, 50_000, "far")
    unknown = candidate(145_000.0, None, 4000, "unknown")
    two_near = candidate(79_000.0, 10.5, 4000, "two")
    cheap = candidate(90_000.0, 20.0, 2000, "cheap", pk=3, measured=1)
    dear = candidate(90_000.0, 20.0, 3000, "dear", pk=9, measured=9)
    newer = candidate(90_000.0, 20.0, 3000, "newer", pk=2, measured=10)

    assert nearest_first([unknown, two_near, dear, newer, one_far, cheap], ASKED) == [
        cheap, newer, dear, one_far, unknown, two_near,
    ]  # fmt: skip


def test_of_one_cluster_the_nearest_load_stands_for_it():
    peak, lower = candidate(200_000.0, 30.0, 4000, pk=1), candidate(90_000.0, 9.0, 4000, pk=2)

    assert nearest_first([peak, lower], ASKED) == [lower]


@pytest.mark.parametrize(
    ("figures", "words"),
    [
        ((49_600.0, 5.0, 4000), "62 % of the rate"),
        ((90_000.0, 12.0, 4000), "p99 12.0 ms"),
        ((90_000.0, 5.0, 6017), "1.2 times the budget"),
        ((90_000.0, None, 4000), "p99 unknown"),
        ((90_000.0, 5.0, None), "no price"),
        ((90_000.0, 5.0, 4999), "costs more"),
        ((40_000.0, 12.0, 6017), "50 % of the rate"),  # that which it misses most
    ],
)
def test_each_has_one_reason(figures, words):
    assert reason(candidate(*figures), ASKED, Decimal(1)) == words


def test_what_a_nearest_one_misses_is_said_with_its_figures():
    same = candidate(90_000.0, 5.0, 730)
    assert reason(same, ASKED, same.usd_per_month) == "costs the same"
    near = shortfall(candidate(35_000.0, 25.5, 4000), ASKED)
    assert near == "Too slow: 35 k of 80 k ops/s, p99 25.5 instead of 10 ms"
    assert shortfall(candidate(90_000.0, 5.0, 6017), ASKED) == "20 % over budget"
    assert (budget_words(818.0), budget_words(1.001)) == ("818 times the budget", "just over budget")
    assert shortfall(candidate(90_000.0, 9.0, 4000, below=12.0), ASKED) == "A lower load did not keep the p99"

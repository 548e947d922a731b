"""Shared ranks: by hand, against the pairwise test, and for any entries."""

import math
import random
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_ind

from submissions.analysis.compare import Verdict
from submissions.analysis.ranking import MOST_RANKED, Entry, ranked
from submissions.analysis.significance import PooledSpread

A = Entry("a", 1000.0, (1000.0, 1010.0, 990.0))
NEAR = Entry("near", 995.0, (995.0, 1004.0, 986.0))
FAR = Entry("far", 500.0, (500.0, 505.0, 495.0))
FAR_TOO = Entry("far too", 498.0, (498.0, 502.0, 494.0))
POOLED = PooledSpread(sd=0.05, freedom=40)


def ranks(ranking):
    return [(entry.entry.key, entry.rank) for entry in ranking]


def test_ties_share_a_rank_and_the_next_begins_behind_them():
    ranking = ranked([FAR, A, FAR_TOO, NEAR], None, higher_is_better=True)

    assert ranks(ranking) == [("a", "1-2"), ("near", "1-2"), ("far", "3-4"), ("far too", "3-4")]
    assert [entry.verdict for entry in ranking] == [None, Verdict.WITHIN_NOISE, Verdict.WORSE, Verdict.WORSE]
    assert [entry.is_leading for entry in ranking] == [True, True, False, False]


def test_where_lower_is_better_the_lowest_leads():
    assert ranks(ranked([A, FAR], None, higher_is_better=False)) == [("far", "1"), ("a", "2")]


def test_single_trials_are_judged_by_the_workloads_spread():
    one, other = Entry("one", 100.0, (100.0,)), Entry("other", 60.0, (60.0,))

    ranking = ranked([one, other], POOLED, higher_is_better=True)

    # log(0.6) = -0.511, standard error 0.05 x sqrt(2) = 0.0707: t = 7.2
    assert ranks(ranking) == [("one", "1"), ("other", "2")]
    assert ranking[1].verdict == Verdict.WORSE


def test_without_any_known_spread_all_are_tied():
    ranking = ranked([Entry("one", 100.0, (100.0,)), Entry("other", 1.0, (1.0,))], None, higher_is_better=True)

    assert ranks(ranking) == [("one", "1-2"), ("other", "1-2")]
    assert (ranking[1].ratio, ranking[1].interval, ranking[1].verdict) == (0.01, None, Verdict.TOO_FEW_TRIALS)


def test_a_rank_is_measured_from_its_first_member():
    """b is tied with a, and c with b, but c differs from a: c begins a rank of its own."""
    chain = [Entry(name, figure, (figure,)) for name, figure in (("a", 100.0), ("b", 88.0), ("c", 77.0))]

    # three pairs; log(0.88) = -0.128 is 1.8 standard errors, log(0.77) = -0.261 is 3.7
    ranking = ranked(chain, POOLED, higher_is_better=True)

    assert ranks(ranking) == [("a", "1-2"), ("b", "1-2"), ("c", "3")]


def test_every_pair_counts_in_the_correction():
    """A difference that two alone would show is none among twenty: the board picked the extremes itself."""
    top, low = Entry("top", 100.0, (100.0,)), Entry("low", 84.0, (84.0,))
    between = [Entry(f"between {n}", 92.0, (92.0,)) for n in range(18)]

    assert ranks(ranked([top, low], POOLED, higher_is_better=True)) == [("top", "1"), ("low", "2")]
    assert {entry.rank for entry in ranked([top, *between, low], POOLED, higher_is_better=True)} == {"1-20"}


def test_trials_that_contradict_the_figure_are_a_tie():
    """A mean of 500.5 from 1 and 1,000 precedes a single 400, although the logs of its trials are lower."""
    wild, steady = Entry("wild", 500.5, (1.0, 1000.0)), Entry("steady", 400.0, (400.0,))

    ranking = ranked([wild, steady], POOLED, higher_is_better=True)

    assert ranks(ranking) == [("wild", "1-2"), ("steady", "1-2")]
    assert ranking[1].verdict == Verdict.WITHIN_NOISE


def test_trials_that_vary_more_than_the_workload_are_judged_by_welch():
    one, other = (1000.0, 1300.0, 1100.0, 900.0), (700.0, 500.0, 800.0)
    oracle = ttest_ind([math.log(x) for x in other], [math.log(x) for x in one], equal_var=False)

    ranking = ranked([Entry("one", 1075.0, one), Entry("other", 667.0, other)], POOLED, higher_is_better=True)

    interval = oracle.confidence_interval(0.95)
    assert ranking[1].interval == pytest.approx((math.exp(interval.low), math.exp(interval.high)), rel=1e-9)
    assert ranking[1].verdict == (Verdict.WORSE if oracle.pvalue < 0.05 else Verdict.WITHIN_NOISE)


def test_trials_that_vary_less_than_the_workload_are_judged_by_its_spread():
    """Two lucky pairs of trials: 3 % apart, each within 0.1 %, where equal runs differ by 5 %."""
    one, other = Entry("one", 1000.0, (1000.5, 999.5)), Entry("other", 970.0, (970.5, 969.5))

    ranking = ranked([one, other], POOLED, higher_is_better=True)

    # log(0.97) = -0.0305 +- t(0.975, 80) x 0.05: both sides' 40 degrees of freedom
    assert ranking[1].verdict == Verdict.WITHIN_NOISE
    assert ranking[1].interval == pytest.approx((0.97 * math.exp(-0.0995030), 0.97 * math.exp(0.0995030)), rel=1e-4)


def test_nobody_and_one_are_boards_too():
    assert ranked([], POOLED, higher_is_better=True) == []
    assert ranks(ranked([A], None, higher_is_better=True)) == [("a", "1")]


def test_more_than_can_be_ranked_is_refused():
    with pytest.raises(ValueError, match="at most"):
        ranked([Entry(str(n), 1.0, (1.0,)) for n in range(MOST_RANKED + 1)], None, higher_is_better=True)


@pytest.mark.parametrize(
    ("name", "spreads"),
    [
        ("all alike", [0.08] * 12),
        ("two noisy ones among quiet ones", [0.03] * 10 + [0.12] * 2),
        ("each its own", [0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.1, 0.11, 0.12, 0.13]),
    ],
)
def test_equal_systems_differ_on_at_most_one_board_of_twenty(name, spreads):
    draw = random.Random(5)
    boards = 400

    def trials(spread):
        return tuple(math.exp(draw.gauss(0, spread)) for _ in range(3))

    wrong = 0
    for _ in range(boards):
        entries = [Entry(str(n), fmean(figures), figures) for n, figures in enumerate(map(trials, spreads))]
        wrong += ranked(entries, None, higher_is_better=True)[0].last != len(entries)

    # 5 % and two standard errors of so many boards
    assert wrong / boards <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / boards), name


FIGURES = st.floats(min_value=1e-3, max_value=1e9)
TRIALS = st.lists(FIGURES, min_size=1, max_size=4)
BOARDS = st.lists(TRIALS, min_size=1, max_size=8).map(
    lambda boards: [Entry(str(n), sum(trials) / len(trials), tuple(trials)) for n, trials in enumerate(boards)]
)
SPREADS = st.none() | st.builds(PooledSpread, sd=st.floats(0.001, 1.0), freedom=st.integers(1, 500))


@given(BOARDS, SPREADS, st.booleans(), st.randoms(use_true_random=False))
def test_any_board_has_whole_ranks_whatever_the_order(board, pooled, higher_is_better, draw):
    shuffled = list(board)
    draw.shuffle(shuffled)

    ranking = ranked(board, pooled, higher_is_better=higher_is_better)

    assert ranked(shuffled, pooled, higher_is_better=higher_is_better) == ranking
    assert [row.entry.figure for row in ranking] == sorted((entry.figure for entry in board), reverse=higher_is_better)
    assert all(row.first <= place <= row.last for place, row in enumerate(ranking, start=1))
    for row in ranking:
        assert math.isfinite(row.ratio)
        assert row.ratio > 0
        assert row.interval is None or all(math.isfinite(end) and end >= 0 for end in row.interval)


@given(BOARDS, SPREADS)
def test_a_verdict_has_the_sign_of_the_figures_and_of_the_trials(board, pooled):
    leader, *others = ranked(board, pooled, higher_is_better=True)

    assert (leader.ratio, leader.verdict, leader.first) == (1.0, None, 1)
    for row in others:
        assert row.ratio <= 1
        if row.verdict == Verdict.WORSE:
            low, high = row.interval
            assert low * high < 1  # the middle of the interval, on the scale of the logs
            assert high < 1  # a difference among all pairs is one of the pair alone

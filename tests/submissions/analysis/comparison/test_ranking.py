"""A leaderboard: ties with the leader, and the ranks that noise allows."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.analysis.comparison.noise import Runs, WorkloadNoise
from submissions.analysis.comparison.ranking import MOST_RANKED, Entry, ranked
from submissions.analysis.comparison.significance import PooledSpread
from submissions.analysis.comparison.verdicts import Side, Verdict

KNOWN = WorkloadNoise(of_runs=PooledSpread(sd=0.05, freedom=40))


def entry(key, *trials):
    return Entry(key, Side(sum(trials) / len(trials), trials))


A, NEAR, FAR = entry("a", 1000.0), entry("near", 995.0), entry("far", 500.0)


def ranks(ranking):
    return [(row.entry.key, row.rank) for row in ranking]


def test_ties_are_with_the_leader_and_ranks_cover_what_noise_leaves_open():
    ranking = ranked([FAR, A, entry("far too", 498.0), NEAR], KNOWN, higher_is_better=True)

    assert ranks(ranking) == [("a", "1-2"), ("near", "1-2"), ("far", "3-4"), ("far too", "3-4")]
    assert [row.verdict for row in ranking] == [None, Verdict.WITHIN_NOISE, Verdict.WORSE, Verdict.WORSE]


def test_where_lower_is_better_the_lowest_leads():
    assert ranks(ranked([A, FAR], KNOWN, higher_is_better=False)) == [("far", "1"), ("a", "2")]


def test_what_is_inconclusive_is_not_tied():
    ranking = ranked([A, entry("b", 880.0)], WorkloadNoise(), higher_is_better=True)

    assert (ranking[1].verdict, ranking[1].rank) == (Verdict.INCONCLUSIVE, "1-2")


def test_a_chain_of_near_ones_is_no_tie_of_its_ends():
    """b may be as good as a, and c as b, but c is worse than a."""
    chain = [entry(name, figure) for name, figure in (("a", 100.0), ("b", 88.0), ("c", 77.0))]

    ranking = ranked(chain, KNOWN, higher_is_better=True)

    assert ranks(ranking) == [("a", "1-2"), ("b", "1-3"), ("c", "2-3")]


def test_a_tie_spans_no_more_than_the_interval_allows():
    board = [entry(f"{number:02}", 1000.0 * 0.985**number) for number in range(30)]

    for row in ranked(board, KNOWN, higher_is_better=True):
        if row.verdict == Verdict.WITHIN_NOISE:
            low, high = row.judgement.interval
            assert low <= 1 <= high
            assert row.ratio >= 0.8


def test_a_board_of_other_groups_changes_no_verdict():
    """The same pair among two and among twenty: it was "within noise" on one page and a factor on the next."""
    top, low = entry("top", 100.0), entry("low", 84.0)
    between = [entry(f"between {number}", 92.0) for number in range(18)]

    few = ranked([top, low], KNOWN, higher_is_better=True)
    many = ranked([top, *between, low], KNOWN, higher_is_better=True)

    assert few[-1].judgement == many[-1].judgement


def test_a_leader_by_one_lucky_run_may_be_behind_over_all_runs():
    lucky = Entry("lucky", Side(1500.0, (1500.0,), Runs(6, math.log(1000.0), 0.0004)))
    steady = Entry("steady", Side(1400.0, (1400.0,), Runs(6, math.log(1380.0), 0.0004)))

    ranking = ranked([lucky, steady], WorkloadNoise(), higher_is_better=True)

    assert ranking[1].verdict == Verdict.BETTER
    assert ranks(ranking) == [("lucky", "2"), ("steady", "1")]


def test_nobody_and_one_are_boards_too():
    assert ranked([], KNOWN, higher_is_better=True) == []
    assert ranks(ranked([A], KNOWN, higher_is_better=True)) == [("a", "1")]


def test_more_than_can_be_ranked_is_refused():
    with pytest.raises(ValueError, match="at most"):
        ranked([entry(str(n), 1.0) for n in range(MOST_RANKED + 1)], KNOWN, higher_is_better=True)


FIGURES = st.floats(min_value=1e-3, max_value=1e9)
BOARDS = st.lists(st.lists(FIGURES, min_size=1, max_size=4), min_size=1, max_size=8).map(
    lambda boards: [entry(str(number), *trials) for number, trials in enumerate(boards)]
)


@given(BOARDS, st.booleans(), st.randoms(use_true_random=False))
def test_any_board_has_whole_ranks_whatever_the_order(board, higher_is_better, draw):
    shuffled = list(board)
    draw.shuffle(shuffled)

    ranking = ranked(board, KNOWN, higher_is_better=higher_is_better)

    assert ranked(shuffled, KNOWN, higher_is_better=higher_is_better) == ranking
    assert [row.entry.figure for row in ranking] == sorted((row.figure for row in board), reverse=higher_is_better)
    assert all(row.first <= place <= row.last for place, row in enumerate(ranking, start=1))
    assert all(math.isfinite(row.ratio) and row.ratio > 0 for row in ranking)
    assert all(row.verdict != Verdict.BETTER for row in ranking)  # single runs are ranked by what is judged


def test_of_the_best_of_a_longer_list_the_last_rank_is_open_where_the_others_may_be_as_good():
    ranking = ranked([A, NEAR, FAR, entry("far too", 498.0)], KNOWN, higher_is_better=True, has_more=True)

    assert ranks(ranking) == [("a", "1-2"), ("near", "1-2"), ("far", "3+"), ("far too", "3+")]
    assert [row.is_exact for row in ranking] == [False, False, False, False]

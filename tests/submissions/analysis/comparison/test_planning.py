"""How many runs a verdict needs."""

from math import inf

import pytest

from submissions.analysis.comparison import planning
from submissions.analysis.comparison.planning import MOST_PLANNED, Plan, more_rounds, more_runs


def plan(distance, *, variance=1.0, freedom=inf, pairs=1):
    return Plan(distance, variance, freedom, variance, pairs)


@pytest.mark.parametrize(("distance", "needed"), [(0.8, 26), (1.0, 17), (0.5, 64)])
def test_at_five_percent_the_runs_are_those_of_cohens_tables(monkeypatch, distance, needed):
    # Cohen, Statistical power analysis, 1988, table 2.4.1: two-sided 5 %, power 0.8; Welch's test takes one more
    monkeypatch.setattr(planning, "LEVEL", 0.05)

    assert more_runs(plan(distance), 0) - needed in (0, 1)


def test_rounds_are_those_of_the_paired_test(monkeypatch):
    # Cohen's d of 0.5 in pairs: 34
    monkeypatch.setattr(planning, "LEVEL", 0.05)

    assert more_rounds(plan(0.5), 0) == 34


def test_runs_that_are_there_count_and_one_more_is_the_least():
    assert more_runs(plan(1.0), 10) == more_runs(plan(1.0), 0) - 10
    assert more_runs(plan(1.0), MOST_PLANNED) == 1


@pytest.mark.parametrize("distance", [0.0, 0.2])
def test_a_difference_too_small_to_plan_for_has_no_number(distance):
    assert more_runs(plan(distance), 1) is None


def test_an_estimate_from_few_runs_is_planned_with_at_its_upper_limit():
    assert more_runs(plan(1.0, freedom=4), 1) > more_runs(plan(1.0, freedom=40), 1) > more_runs(plan(1.0), 1)


def test_more_pairs_need_more_runs():
    assert more_runs(plan(1.0, pairs=45), 1) > more_runs(plan(1.0), 1)

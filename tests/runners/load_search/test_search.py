"""The search for the highest rate that keeps a limit, on systems whose knee is known."""

from random import Random

import pytest

from runners.load_search.search import (
    USUAL_STEPS,
    Bracket,
    End,
    Ended,
    NextStep,
    Purpose,
    Search,
    Step,
    bracket_of,
    next_step,
)
from tests.runners.load_search.queueing import a_queue, searched

USUAL = Search(trials=3, max_steps=12)
PEAK = Step(None, 1000.0, keeps_limit=False)


def outcomes(seed: int, *, noise: float):
    for index in range(100):
        random = Random(1000 * seed + index)
        queue = a_queue(random)
        yield queue, *searched(queue, random, noise=noise, search=USUAL)


def is_inside(queue, bracket: Bracket) -> bool:
    low, high = bracket.low_ops_s, bracket.high_ops_s
    return low is not None and high is not None and low <= queue.knee_ops_s <= high


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_known_knee_is_inside_the_bracket_in_95_of_100_searches_at_8_percent_noise(seed):
    results = list(outcomes(seed, noise=0.08))

    assert sum(is_inside(queue, ended.bracket) for queue, ended, _ in results) >= 95
    assert max(len(steps) for *_, steps in results) <= 12
    widths = sorted(
        ended.bracket.high_ops_s / ended.bracket.low_ops_s
        for queue, ended, _ in results
        if is_inside(queue, ended.bracket)
    )
    assert widths[len(widths) // 2] <= 1.5  # a bracket from nothing to everything would always be right


def test_without_noise_every_knee_is_inside_a_bracket_of_a_quarter():
    for queue, ended, steps in outcomes(1, noise=0.0):
        assert is_inside(queue, ended.bracket)
        assert ended.end == End.FOUND
        assert ended.bracket.high_ops_s / ended.bracket.low_ops_s <= 1.2501
        assert ended.bracket.low_trials == 4  # its own step and three that confirm it
        assert sum(step.offered_ops_s == ended.bracket.low_ops_s for step in steps) == 4


def test_the_same_steps_lead_to_the_same_decision():
    [*_, (_, ended, steps)] = outcomes(4, noise=0.08)

    for count in range(len(steps)):
        decided = next_step(steps[:count], USUAL)
        assert isinstance(decided, NextStep)
        assert decided.offered_ops_s == steps[count].offered_ops_s
    assert next_step(steps, USUAL) == ended


def test_the_first_step_has_no_throttle_and_the_second_the_rate_of_the_plan():
    assert next_step([], USUAL) == NextStep(None, Purpose.PEAK)
    assert next_step([PEAK], USUAL).offered_ops_s == pytest.approx(700)
    assert next_step([PEAK], Search(3, start_ops_s=123.0)) == NextStep(123.0, Purpose.BRACKET)


def test_a_limit_that_threads_keep_without_a_throttle_is_searched_for_at_offered_rates():
    peak = Step(None, 1000.0, keeps_limit=True)

    assert next_step([peak], USUAL) == NextStep(pytest.approx(850), Purpose.BRACKET)
    assert next_step([peak, _kept(850)], USUAL) == NextStep(pytest.approx(1062.5), Purpose.BRACKET)
    assert bracket_of([peak]) == Bracket(None, None, 0, 0)


def test_where_no_rate_keeps_the_limit_the_lowest_that_broke_it_is_the_answer():
    steps = [PEAK]
    while not isinstance(decided := next_step(steps, USUAL), Ended):
        steps.append(Step(decided.offered_ops_s, decided.offered_ops_s, keeps_limit=False))

    assert decided.end == End.NEVER
    assert decided.bracket.low_ops_s is None
    assert min(step.offered_ops_s for step in steps[1:]) < 10


def test_a_confirming_trial_that_breaks_the_limit_leads_to_a_lower_rate():
    steps = [PEAK, _kept(700), _kept(837), _broken(935), _kept(837), _broken(837)]

    decided = next_step(steps, USUAL)

    assert decided == NextStep(pytest.approx(700), Purpose.CONFIRM)
    assert bracket_of(steps) == Bracket(700, 935, 1, 2, contradiction=(837, 837))


def test_the_upper_end_has_three_trials_that_broke_the_limit():
    steps = [PEAK, _kept(700), _broken(837), _kept(700), _kept(700), _kept(700)]

    assert next_step(steps, USUAL) == NextStep(837, Purpose.UPPER_END)
    assert next_step([*steps, _broken(837)], USUAL) == NextStep(837, Purpose.UPPER_END)
    assert next_step([*steps, _broken(837), _broken(837)], USUAL) == Ended(End.FOUND, Bracket(700, 837, 4, 3))


def test_an_upper_end_that_keeps_the_limit_after_all_moves_up():
    steps = [PEAK, _kept(700), _broken(837), _kept(700), _kept(700), _kept(700), _kept(837)]

    decided = next_step(steps, USUAL)

    assert decided.purpose == Purpose.UPPER_END
    assert decided.offered_ops_s >= 837 * 1.24


def test_the_upper_end_is_the_lowest_rate_that_broke_the_limit_above_the_highest_that_kept_it():
    """A search on a noisy machine, whose three trials that broke the limit are far apart."""
    steps = [Step(None, 388.0, keeps_limit=True), _broken(330), _broken(165), _broken(82.5), _kept(20.6)]

    assert next_step(steps, Search(trials=1, max_steps=5)) == Ended(End.STEPS_ENDED, Bracket(20.6, 82.5, 1, 1))
    assert bracket_of([*steps, _kept(100)]).high_ops_s == 165  # above every rate that a trial kept


def test_a_limit_that_broke_below_every_rate_that_kept_it_has_no_lower_end():
    assert bracket_of([PEAK, _broken(700), _broken(350), _kept(350)]) == Bracket(None, 350, 0, 1)


@pytest.mark.parametrize("trials", [1, 3])
def test_the_usual_number_of_steps_is_that_of_simulated_searches(trials):
    search = Search(trials=trials)
    counts = []
    for index in range(200):
        random = Random(index)
        counts.append(len(searched(a_queue(random), random, noise=0.08, search=search)[1]))

    assert sum(counts) / len(counts) == pytest.approx(USUAL_STEPS + trials, rel=0.1)


def test_when_the_steps_are_used_up_the_bracket_so_far_is_the_answer():
    steps = [PEAK, _kept(700), _broken(837), _kept(700)]

    assert next_step(steps, Search(trials=3, max_steps=4)) == Ended(End.STEPS_ENDED, Bracket(700, 837, 2, 1))


@pytest.mark.parametrize(("saturated", "end"), [(True, End.CLIENT_BOUND), (False, End.FOUND), (None, End.FOUND)])
def test_a_client_that_was_saturated_whenever_the_limit_broke_is_the_ceiling(saturated, end):
    broken = [Step(837, 800, keeps_limit=False, is_client_saturated=saturated)] * 3

    assert next_step([PEAK, *[_kept(700)] * 4, *broken], USUAL).end == end


def _kept(rate: float) -> Step:
    return Step(rate, rate, keeps_limit=True)


def _broken(rate: float) -> Step:
    return Step(rate, rate * 0.99, keeps_limit=False)

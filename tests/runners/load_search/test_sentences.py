"""What a search has found, in words."""

import pytest

from runners.load_search.sentences import few_operations, finding, load_words

SLO = {"percentile": "p99", "max_ms": 20.0, "max_error_share": 0.001}
KEPT = "700 ops/s kept p99 ≤ 20 ms with at most 0.1 % errors in all 4 trials"
TOO_MUCH = "935 ops/s is too much (3 trials up to there broke it)"


def search(end, low=700.0, high=935.0):
    ends = {"low_ops_s": low, "high_ops_s": high}
    return {"end": end, **ends, "low_trials": 4, "high_trials": 3}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (search("found"), f"Found: {KEPT}; {TOO_MUCH}."),
        (search(None), f"So far, {KEPT}; {TOO_MUCH}."),
        (search("steps_ended"), f"The search ended after all its 12 steps: {KEPT}; {TOO_MUCH}."),
        (search("time_ended", high=None), f"The time of the run was over after 12 steps: {KEPT}."),
        (
            search("never", low=None, high=7.0),
            "No rate kept p99 ≤ 20 ms with at most 0.1 % errors in all its trials: 7 ops/s is too much.",
        ),
        (
            search("client_bound"),
            f"Found: {KEPT}; {TOO_MUCH}. A load client's processors were saturated there: the ceiling may be the "
            "client's, not the database's.",
        ),
    ],
)
def test_a_finding_names_the_bracket_and_why_the_search_ended(content, words):
    assert finding(SLO, content, 12) == words


def test_a_plan_names_its_loads():
    assert load_words({"slo": SLO}) == "highest rate that keeps p99 ≤ 20 ms with at most 0.1 % errors"
    assert load_words({"steps": [500.0, {"threads": 1}]}) == "500 ops/s, 1 thread"


def test_too_few_operations_for_the_percentile_are_stated():
    assert few_operations(SLO, 10_000, 1).startswith("1 trial has fewer than 10,000 operations")

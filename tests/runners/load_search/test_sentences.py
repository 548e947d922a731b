"""What a search has found, in words."""

import pytest

from runners.load_search.sentences import evidence, far_below, few_operations, finding, load_words

SLO = {"percentile": "p99", "max_ms": 20.0, "max_error_share": 0.001}
FOUND = "Highest rate found: 700 ops/s. 935 ops/s was too much. Between 700 and 935 ops/s nothing is known."


def search(end, low=700.0, high=935.0):
    ends = {"low_ops_s": low, "high_ops_s": high}
    return {"end": end, **ends, "low_trials": 4 if low else 0, "high_trials": 3 if high else 0}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (search("found"), FOUND),
        (search(None), FOUND.replace("found", "so far")),
        (search("steps_ended"), f"{FOUND} Stopped after 12 steps."),
        (
            search("found") | {"contradiction": [750.0, 800.0]},
            "Highest rate found: 700 ops/s. 935 ops/s was too much. Above 700 ops/s trials contradict each other: "
            "750 ops/s broke the limit, 800 ops/s kept it.",
        ),
        (
            search("time_ended", high=None),
            "Highest rate found: 700 ops/s. No higher rate has broken the limit. Stopped at the deadline of the run, "
            "after 12 steps.",
        ),
        (search("never", low=None, high=7.0), "No rate is known to keep the limit. 7 ops/s was too much."),
        (search(None, low=None, high=None), "No rate so far is known to keep the limit."),
        (
            search("client_bound"),
            f"{FOUND} A load client's processors were saturated there: the ceiling may be the client's, not the "
            "database's.",
        ),
    ],
)
def test_a_finding_says_the_answer_first_and_then_what_is_not_known(content, words):
    assert finding(content, 12) == words


@pytest.mark.parametrize(
    ("content", "ends"),
    [
        (search("found"), ": 4 trials at 700 ops/s kept it, 3 trials at up to 935 ops/s broke it"),
        (search("never", low=None), ": 3 trials at up to 935 ops/s broke it"),
        (search(None, low=None, high=None), ""),
    ],
)
def test_the_evidence_is_the_limit_and_the_trials_of_both_ends(content, ends):
    assert evidence(SLO, content) == f"The limit is p99 ≤ 20 ms with at most 0.1 % errors{ends}."


def test_a_limit_that_breaks_far_below_the_peak_is_called_so():
    assert far_below(82.5, 388.0) == (
        "Already 82.5 ops/s broke the limit, 21.3 % of the 388 ops/s without a throttle: the machine is too noisy for "
        "this limit, or the limit is too strict."
    )


def test_a_plan_names_its_loads():
    assert load_words({"slo": SLO}) == "highest rate that keeps p99 ≤ 20 ms with at most 0.1 % errors"
    assert load_words({"steps": [500.0, {"threads": 1}]}) == "500 ops/s, 1 thread"


def test_too_few_operations_for_the_percentile_are_stated():
    assert few_operations(SLO, 10_000, 1).startswith("1 trial has fewer than 10,000 operations")

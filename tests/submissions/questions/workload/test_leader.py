"""The sentence about who leads a ranking: one test for each thing that it can say."""

import pytest

from submissions.analysis.ranking import Entry, ranked
from submissions.choices import LatencyKind
from submissions.metrics import HOURLY_USD, LATENCY_P99, OPS_PER_USD, THROUGHPUT
from submissions.questions.workload.leader import is_tied, leader_sentence, ranking_terms

VALUE = ranking_terms(OPS_PER_USD)


def sentence(terms, **trials):
    """Of a ranking by the mean of the trials of each name."""
    entries = [Entry(name, sum(values) / len(values), tuple(values)) for name, values in trials.items()]
    ranking = ranked(entries, None, higher_is_better=terms.higher_is_better)
    return leader_sentence([(entry.entry.key, entry) for entry in ranking], terms)


def around(figure):
    """Three trials that vary by 1 %."""
    return [figure, figure * 1.01, figure * 0.99]


def test_nothing_ranked_is_no_sentence():
    assert leader_sentence([], VALUE) == ""


def test_a_single_entry_leads_nobody():
    assert sentence(VALUE, AWS=[440e6]) == "Only AWS can be ranked: 440 M ops/$."


def test_a_lead_beyond_noise_has_its_factor():
    assert sentence(VALUE, AWS=around(205e6), GCP=around(440e6)) == "GCP offers the best value: 440 M ops/$, 2.15× AWS."


def test_a_small_lead_is_a_percentage():
    assert sentence(VALUE, AWS=around(205e6), GCP=around(220e6)) == (
        "GCP offers the best value: 220 M ops/$, 7.32 % more than AWS."
    )


def test_single_trials_are_not_conclusive():
    assert sentence(VALUE, AWS=[205e6], GCP=[440e6]) == (
        "GCP offers the best value: 440 M ops/$, 2.15× AWS. Not yet conclusive: one run each."
    )
    assert sentence(VALUE, AWS=[440e6], GCP=[440e6]) == (
        "AWS offers the best value: 440 M ops/$, as much as GCP. Not yet conclusive: one run each."
    )


def test_equal_trials_are_too_few_too():
    assert sentence(VALUE, AWS=[205e6, 205e6], GCP=[440e6]) == (
        "GCP offers the best value: 440 M ops/$, 2.15× AWS. Not yet conclusive: too few trials."
    )


def test_entries_within_noise_are_tied():
    terms = ranking_terms(THROUGHPUT)

    assert sentence(terms, a=around(1000.0), b=around(1004.0), c=around(500.0)) == (
        "b and a are statistically tied for the highest throughput (1,000 ops/s)."
    )
    assert sentence(terms, a=around(1000.0), b=around(990.0)) == (
        "a and b are statistically tied for the highest throughput (1,000 to 990 ops/s)."
    )


def test_of_many_ties_the_first_three_are_named():
    ties = {f"t{number}": around(1000.0 - number) for number in range(5)}

    assert sentence(ranking_terms(THROUGHPUT), **ties).startswith("t0, t1, t2 and 2 more are statistically tied")


def test_a_lowest_latency_is_compared_with_the_next():
    terms = ranking_terms(LATENCY_P99, LatencyKind.SERVICE_TIME)

    assert sentence(terms, AWS=around(9.0), GCP=around(3.0)) == (
        "GCP has the lowest p99 service time: 3 ms, against 9 ms for AWS."
    )


def test_conditions_follow_the_figures():
    terms = ranking_terms(OPS_PER_USD, conditions="at the prices of 2020-06-30")

    assert sentence(terms, AWS=[205e6]) == "Only AWS can be ranked: 205 M ops/$ (at the prices of 2020-06-30)."
    assert sentence(terms, AWS=[205e6], GCP=[440e6]) == (
        "GCP offers the best value: 440 M ops/$, 2.15× AWS (at the prices of 2020-06-30). "
        "Not yet conclusive: one run each."
    )
    assert sentence(terms, AWS=around(440e6), GCP=around(439e6)) == (
        "AWS and GCP are statistically tied for the best value (440 to 439 M ops/$, at the prices of 2020-06-30)."
    )


def test_only_three_metrics_are_ranked():
    with pytest.raises(ValueError, match="hourly_usd"):
        ranking_terms(HOURLY_USD)


def test_a_leader_that_shares_its_rank_is_tied():
    single = Entry("a", 1.0, (1.0,)), Entry("b", 2.0, (2.0,))

    assert is_tied(ranked(single, None, higher_is_better=True))
    assert not is_tied(ranked(single[:1], None, higher_is_better=True))

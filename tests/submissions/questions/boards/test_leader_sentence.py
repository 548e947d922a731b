"""The sentence about who leads a ranking: one test for each thing that it can say."""

from datetime import date
from math import log

import pytest

from submissions.analysis.comparison.noise import Runs, WorkloadNoise
from submissions.analysis.comparison.ranking import Entry, ranked
from submissions.analysis.comparison.verdicts import Side
from submissions.choices import LatencyKind, PricingModel, Trust
from submissions.metrics import HOURLY_USD, LATENCY_P99, OPS_PER_USD, THROUGHPUT
from submissions.questions.boards.leader_sentence import has_ranges, leader_sentence, ranking_terms
from submissions.questions.boards.likeness import Circumstances

VALUE = ranking_terms(OPS_PER_USD)


def sentence(terms, **figures):
    """Of a ranking of one run each."""
    entries = [Entry(name, Side(figure, (figure,))) for name, figure in figures.items()]
    ranking = ranked(entries, WorkloadNoise(), higher_is_better=terms.higher_is_better)
    return leader_sentence([(entry.entry.key, entry) for entry in ranking], terms)


def test_nothing_ranked_is_no_sentence():
    assert leader_sentence([], VALUE) == ""


def test_a_single_entry_leads_nobody():
    assert sentence(VALUE, AWS=440e6) == "Only AWS has comparable results: 440 M ops/$."


def test_a_lead_beyond_noise_has_its_factor():
    assert sentence(VALUE, AWS=205e6, GCP=440e6) == "GCP offers the best value: 440 M ops/$, 2.15× AWS."


def test_a_lead_that_noise_may_explain_is_not_conclusive_and_says_what_is_missing():
    assert sentence(VALUE, AWS=205e6, GCP=240e6) == (
        "GCP offers the best value: 240 M ops/$, 1.17× AWS. Not yet conclusive: one run each; "
        "4 more runs of each would detect the difference."
    )


def test_a_small_lead_is_a_percentage():
    assert sentence(VALUE, AWS=400e6, GCP=430e6) == (
        "GCP offers the best value: 430 M ops/$, 7.5 % more than AWS. Too close to call: each was run once."
    )


def test_what_is_as_good_as_equal_is_tied_and_what_is_open_is_not():
    terms = ranking_terms(THROUGHPUT)

    assert sentence(terms, a=1000.0, b=1004.0, c=500.0) == (
        "b and a are statistically tied for the highest throughput (1 k ops/s)."
    )
    assert sentence(terms, a=1000.0, b=990.0, c=880.0) == (
        "a and b are statistically tied for the highest throughput (1 k to 990 ops/s). "
        "Not yet conclusive against c: one run each; 6 more runs of each would detect the difference."
    )


def test_of_many_ties_the_first_three_are_named():
    ties = {f"t{number}": 1000.0 - number for number in range(5)}

    assert sentence(ranking_terms(THROUGHPUT), **ties).startswith("t0, t1, t2 and 2 more are statistically tied")


def test_a_lucky_leader_is_named_with_those_that_are_ahead_over_all_runs():
    entries = [
        Entry(name, Side(figure, (figure,), Runs(6, log(mean), 0.0004)))
        for name, figure, mean in (("lucky", 1500.0, 1000.0), ("steady", 1400.0, 1380.0))
    ]
    ranking = [(row.entry.key, row) for row in ranked(entries, WorkloadNoise(), higher_is_better=True)]

    assert leader_sentence(ranking, ranking_terms(THROUGHPUT)).endswith(
        " Over all their runs steady is ahead of lucky."
    )


def test_a_lowest_latency_is_compared_with_the_next():
    terms = ranking_terms(LATENCY_P99, LatencyKind.SERVICE_TIME)

    assert sentence(terms, AWS=9.0, GCP=3.0) == "GCP has the lowest p99 service time: 3.0 ms, against 9.0 ms for AWS."


def test_conditions_follow_the_figures():
    terms = ranking_terms(OPS_PER_USD, conditions="at the prices of 2020-06-30")

    assert sentence(terms, AWS=205e6) == "Only AWS has comparable results: 205 M ops/$ (at the prices of 2020-06-30)."
    assert sentence(terms, AWS=205e6, GCP=440e6) == (
        "GCP offers the best value: 440 M ops/$, 2.15× AWS (at the prices of 2020-06-30)."
    )
    assert sentence(terms, AWS=440e6, GCP=439e6) == (
        "AWS and GCP are statistically tied for the best value (440 to 439 M ops/$, at the prices of 2020-06-30)."
    )


def test_only_three_metrics_are_ranked():
    with pytest.raises(ValueError, match="hourly_usd"):
        ranking_terms(HOURLY_USD)


def test_noise_leaves_ranks_open_or_not():
    near, far = (Entry("a", Side(figure, (figure,))) for figure in (1.9, 0.2))
    top = Entry("b", Side(2.0, (2.0,)))

    assert has_ranges(ranked([top, near], WorkloadNoise(), higher_is_better=True))
    assert not has_ranges(ranked([top, far], WorkloadNoise(), higher_is_better=True))


def test_what_is_not_alike_is_said_where_it_is_compared():
    entries = [Entry(name, Side(figure, (figure,))) for name, figure in (("GCP", 988e6), ("AWS", 200e6))]
    ranking = [(row.entry.key, row) for row in ranked(entries, WorkloadNoise(), higher_is_better=True)]
    gcp = Circumstances(Trust.LOG_VERIFIED, PricingModel.SPOT, date(2020, 6, 30))
    aws = Circumstances(Trust.RUN_BY_US, PricingModel.ON_DEMAND, date(2026, 7, 1))

    assert leader_sentence(ranking, VALUE, {"GCP": gcp, "AWS": aws}) == (
        "GCP offers the best value: 988 M ops/$, 4.94× AWS (GCP spot, AWS on demand; "
        "priced on 2020-06-30 and 2026-07-01; GCP log verified, AWS run by us)."
    )
    assert leader_sentence(ranking, VALUE, {"GCP": gcp, "AWS": gcp}) == leader_sentence(ranking, VALUE)


def test_ties_and_open_verdicts_say_it_too():
    entries = [Entry(name, Side(figure, (figure,))) for name, figure in (("a", 1e3), ("b", 1003.0), ("c", 880.0))]
    ranking = [(row.entry.key, row) for row in ranked(entries, WorkloadNoise(), higher_is_better=True)]
    known = {name: Circumstances(trust) for name, trust in zip("bac", list(Trust)[1:4], strict=True)}

    tie, open_verdict = leader_sentence(ranking, ranking_terms(THROUGHPUT), known).split(". ", 1)
    assert tie.endswith("(1 k ops/s; b uploaded, a log verified)")
    assert open_verdict.startswith("Not yet conclusive against c (b uploaded, c run by owner): one run each")

"""The value question in words."""

from datetime import date
from decimal import Decimal

import pytest

from submissions.pricing.terms import PriceTerms
from submissions.questions.value import sentences
from submissions.questions.value.query import value_of, value_offer
from submissions.questions.value.valuation import ValueParams
from tests.factories import PriceFactory, SubmissionFactory
from tests.measured import measured

pytestmark = pytest.mark.django_db


CAVEAT = "Value at the prices of the measurement date: AWS and Google Cloud list prices of 2015-06-01."


def result(**params):
    params = ValueParams(**params)
    return value_of(params, value_offer(params))


def priced(hourly_usd, throughput, **fields):
    return SubmissionFactory(hourly_usd=Decimal(str(hourly_usd)), throughput_ops_s=float(throughput), **fields)


def test_the_finding_names_the_limit():
    priced(1, 100, latency_p99_ms=4.0)

    assert sentences.finding(result(max_p99_ms=7.5)) == (
        "Only AWS has comparable results: 0.36 M ops/$ "
        "(at the prices of the measurement date, p99 service time of at most 7.5 ms)."
    )
    assert sentences.finding(result(max_p99_ms=1.0)) == "No priced result of this workload is within these limits."


def test_one_system_may_beat_all_others():
    best = priced(1, 200)
    priced(2, 100)

    assert sentences.front_finding(result()) == (
        f"One system beats all others in both cost and throughput: #{best.pk}, 3× m3.2xlarge · AWS us-east-1."
    )


def test_a_front_of_several_is_counted():
    priced(1, 100)
    priced(2, 200)

    assert sentences.front_finding(result()) == (
        "2 of 2 systems are on the Pareto front: no other is both cheaper and faster."
    )


def test_the_caveats_have_the_dates_of_the_prices():
    measured(1000.0, provider="aws")
    measured(500.0, provider="gce")

    assert sentences.ranking_caveats(result()) == [
        CAVEAT,
        "Where noise leaves the order open, the table shows a range of ranks.",
    ]
    assert sentences.scatter_caveats(result())[0] == CAVEAT


def test_a_range_is_explained_where_there_is_one():
    measured(1000.0)
    measured(500.0)

    assert sentences.ranking_caveats(result())[1] == (
        "Each dot is a group's best result; the line spans all of its results, the tick is their median."
    )


def test_other_prices_have_the_date_since_which_they_are_in_force():
    SubmissionFactory(hourly_usd=None)
    PriceFactory(usd=Decimal("0.5"), valid_from=date(2020, 1, 1))
    priced(1, 100)

    [caveat, *_] = sentences.ranking_caveats(result(terms=PriceTerms(day=date(2021, 1, 1))))

    assert caveat == "Value at the prices of 2021-01-01: AWS list price of 2020-01-01."

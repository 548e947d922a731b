"""The first page in words."""

from decimal import Decimal

import pytest

from submissions.home import sentences
from submissions.home.query import home_result, value_of
from submissions.pricing.terms import PriceTerms
from tests.factories import SubmissionFactory

pytestmark = pytest.mark.django_db


def priced(hourly_usd, throughput, **fields):
    return SubmissionFactory(hourly_usd=Decimal(str(hourly_usd)), throughput_ops_s=float(throughput), **fields)


def shown():
    return value_of(home_result("").workload, PriceTerms())


def test_the_chart_says_how_many_clusters_are_outperformed():
    priced(1, 100)
    priced(2, 200)
    assert sentences.chart_finding(shown()) == (
        "Cost against throughput: 2 clusters, none outperformed by one that costs no more."
    )

    priced(2, 150)
    assert sentences.chart_finding(shown()) == (
        "Cost against throughput: 1 of 3 clusters is outperformed by one that costs no more."
    )


def test_the_caveats_say_what_is_excluded():
    priced(1, 100)

    assert sentences.chart_caveats(shown())[-1] == (
        "Excluded: results without a price, without a raw log, or with a data-quality flag that makes their rate "
        "or price unreliable."
    )

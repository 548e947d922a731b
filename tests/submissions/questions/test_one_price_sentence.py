"""The price of a result is dated in the same words on every page that shows its cost."""

from datetime import date
from decimal import Decimal

import pytest

from tests.factories import PriceFactory, SubmissionFactory
from tests.pages import text

pytestmark = pytest.mark.django_db

WORDS = "AWS list price, unchanged since 2015-06-01, seen 2026-10-15"
SEEN = {"price_last_seen": date(2026, 10, 15), "node_groups__price_last_seen": date(2026, 10, 15)}


@pytest.fixture
def row():
    PriceFactory(last_seen=date(2026, 10, 15))

    return SubmissionFactory(**SEEN, hourly_usd=Decimal("1.596"))


@pytest.mark.parametrize(
    "address",
    [
        "/",
        "/?prices=then",
        "/submissions/{pk}/",
        "/value/?workload={workload}",
        "/value/?workload={workload}&prices=then",
        "/workloads/{workload}/?metric=ops_per_usd",
        "/compare/?s={pk}&s={other}",
        "/recommend/sizes/?workload={workload}&target_ops_s=90000",
        "/recommend/?service=cassandra&target_ops_s=50000",
        "/services/cassandra/",
        "/search/?q=cassandra",
    ],
)
def test_every_page_with_the_cost_of_a_result_dates_it_in_one_sentence(client, row, address):
    other = SubmissionFactory(**SEEN, throughput_ops_s=80_000.0)
    page = text(client.get(address.format(pk=row.pk, other=other.pk, workload=row.workload.fingerprint)))

    assert WORDS in page
    assert "prices of 20" not in page.replace("at the prices of 20", "")

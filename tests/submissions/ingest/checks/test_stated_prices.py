"""What a submitter states about prices, against the price book and against what can be stored."""

from datetime import date
from decimal import Decimal

import pytest

from benchsite.http.refusals import Refusal
from submissions.choices import Flag
from submissions.ingest.pipeline import prepare_document
from submissions.pricing.book.quotes import DatedPrice, PriceBook
from tests.documents import document


def book(**changes):
    price = {
        "provider": "aws",
        "region": "us-east-1",
        "sku": "m3.2xlarge",
        "unit": "hour",
        "pricing_model": "on_demand",
        "usd": Decimal("0.532"),
        "valid_from": date(2015, 1, 1),
        "source": "list",
    }
    return PriceBook([DatedPrice(**{**price, **changes})])


def flags(usd, *, known=None, **changes):
    made = document({"nodes/0/hourly_usd": usd, "trials/0/duration_s": None, **changes})
    return prepare_document(made, book=known or book()).flags


@pytest.mark.parametrize(
    ("usd", "is_off"), [("0.27", False), ("0.26", True), ("1.06", False), ("1.07", True), ("0.00000001", True)]
)
def test_a_price_off_the_books_by_more_than_two_is_flagged(usd, is_off):
    assert (Flag.STATED_PRICE_OFF in flags(usd)) is is_off


def test_a_missing_or_an_early_date_hides_nothing():
    assert Flag.STATED_PRICE_OFF in flags("0.01", measured_at=None)
    assert Flag.STATED_PRICE_OFF in flags("0.01", measured_at="2003-01-01T00:00:00Z")


def test_a_discount_that_the_book_does_not_have_may_be_deep_but_not_absurd():
    spot = {"nodes/0/pricing_model": "spot"}

    assert Flag.STATED_PRICE_OFF not in flags("0.08", **spot)
    assert Flag.STATED_PRICE_OFF in flags("0.01", **spot)


def test_what_the_book_does_not_know_is_not_doubted():
    assert flags("0.01", known=PriceBook()) == ()
    assert Flag.STATED_PRICE_OFF not in flags("0.532", **{"nodes/1/hourly_usd": "90"})  # a client costs the run


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"nodes/0/hourly_usd": "0.00000001", "trials/0/throughput_ops_s": 1e10}, "#/nodes/0/hourly_usd"),
        ({"nodes/0/hourly_usd": "100000", "nodes/0/count": 1_000_000}, "#/nodes/0/hourly_usd"),
        ({"nodes/0/hourly_usd": "100000", "trials/0/throughput_ops_s": 1e-6}, "#/trials/0/throughput_ops_s"),
    ],
)
def test_figures_that_no_column_holds_are_refused_by_name(changes, pointer):
    with pytest.raises(Refusal) as refused:
        prepare_document(document(changes), book=PriceBook())

    assert [fault.pointer for fault in refused.value.faults] == [pointer]

"""Prices in force on a day, one line for each thing; types that are priced by vCPU and GiB under their name."""

from datetime import date
from decimal import Decimal

import pytest
from django.http import QueryDict

from submissions.pricing.machines.search import PAGE_SIZE, LineKey, PageForm, history, page_of, prices_of
from tests.factories import PriceFactory
from tests.pages import faults, text

pytestmark = pytest.mark.django_db


def search(query=""):
    prices, form = prices_of(QueryDict(query)), PageForm(QueryDict(query))
    assert prices.is_valid(), prices.errors
    assert form.is_valid(), form.errors
    return page_of(prices, form.cleaned_data["after"])


def history_of(query):
    prices = prices_of(QueryDict(query))
    assert prices.is_valid(), prices.errors
    return history(prices.form.cleaned_data)


@pytest.fixture
def m3():
    """Two on-demand prices of one type, a spot price of the later day."""
    for usd, day, model in (
        ("0.56", date(2014, 4, 1), "on_demand"),
        ("0.532", date(2015, 6, 1), "on_demand"),
        ("0.07", date(2015, 6, 1), "spot"),
    ):
        PriceFactory(usd=Decimal(usd), valid_from=day, pricing_model=model)


def amounts(page):
    return [(line.key.sku, [price and price.usd for price in line.prices]) for line in page.lines]


def test_the_newest_price_of_each_basis_is_in_force(m3):
    page = search("at=2015-07-02")

    assert amounts(page) == [("m3.2xlarge", [Decimal("0.532"), Decimal("0.07"), None, None, None, None])]
    assert page.lines[0].key == LineKey("aws", "us-east-1", "m3.2xlarge", "hour")
    # 32 days later
    assert amounts(search("at=2015-07-03")) == [
        ("m3.2xlarge", [Decimal("0.532"), None, None, None, None, None])
    ]  # 32 days later
    assert page.lines[0].newest == date(2015, 6, 1)
    assert page.lines[0].sources == ("AWS price list of 2015-06-01",)


def test_on_an_earlier_day_the_earlier_price_is_in_force(m3):
    assert amounts(search("at=2015-05-31")) == [("m3.2xlarge", [Decimal("0.56"), None, None, None, None, None])]
    assert amounts(search("at=2015-06-01"))[0][1][0] == Decimal("0.532")
    assert search("at=2014-03-31").lines == ()


def test_a_search_narrows_by_provider_region_and_the_start_of_a_name(m3):
    PriceFactory(sku="m3.xlarge", region="eu-west-1")
    PriceFactory(provider="gce", sku="n1-standard-8")

    def found(query):
        return [line.key.sku for line in search(query).lines]

    assert found("q=M3.") == ["m3.xlarge", "m3.2xlarge"]
    assert found("provider=gce") == ["n1-standard-8"]
    assert found("provider=aws&region=eu-west-1") == ["m3.xlarge"]
    assert found("q=%25") == []


def test_the_history_of_an_instance_type_is_complete_and_newest_first(m3):
    found = history_of("provider=aws&region=us-east-1&instance_type=m3.2xlarge")

    assert [(price.valid_from, price.pricing_model, price.usd) for price in found] == [
        (date(2015, 6, 1), "on_demand", Decimal("0.532")),
        (date(2015, 6, 1), "spot", Decimal("0.07")),
        (date(2014, 4, 1), "on_demand", Decimal("0.56")),
    ]
    assert history_of("provider=aws&instance_type=m3.2xlarge") is None


def test_pages_follow_one_another_without_a_gap():
    for number in range(PAGE_SIZE + 5):
        for region in ("eu-west-1", "us-east-1"):
            PriceFactory(sku=f"type-{number:03}", region=region)

    first = search()
    second = search(f"after={first.next_cursor}")
    third = search(f"after={second.next_cursor}")

    keys = [line.key for page in (first, second, third) for line in page.lines]
    assert len(keys) == len(set(keys)) == 2 * (PAGE_SIZE + 5)
    assert keys == sorted(keys)
    assert third.next_cursor is None


@pytest.mark.parametrize("query", ["after=abc", "at=2015-13-01", "at=today", "at=01/02/2015", f"q={'a' * 101}"])
def test_a_bad_search_is_refused_by_field(query):
    prices, form = prices_of(QueryDict(query)), PageForm(QueryDict(query))

    assert list({**prices.errors, **form.errors}) == [query.partition("=")[0]]


@pytest.fixture
def rates():
    for region in ("us-central1", "europe-west3"):
        for sku, usd in (("n2-vcpu", "0.02"), ("n2-memory-gib", "0.003")):
            for model in ("on_demand", "reserved_1y"):
                PriceFactory(
                    provider="gce",
                    region=region,
                    sku=sku,
                    usd=Decimal(usd),
                    pricing_model=model,
                    valid_from=date(2026, 7, 22),
                )
    PriceFactory(provider="gce", region="us-west1", sku="n2-vcpu", usd=Decimal("0.02"), valid_from=date(2026, 7, 22))


def composed(client, **query):
    page = client.get("/prices/", {"at": "2026-08-01", **query})
    assert faults(page) == []
    return [(line.region, line.prices) for line, _ in page.context["composed"]], text(page)


def test_a_type_is_found_under_its_name_with_the_sum_of_its_parts(client, rates):
    found, words = composed(client, q="n2-standard-8")

    # 8 x 0.02 + 32 x 0.003; half a machine (us-west1) has no price
    prices = (Decimal("0.256"), None, Decimal("0.256"), None, None, None)
    assert found == [("europe-west3", prices), ("us-central1", prices)]
    assert "n2-standard-8 is 8× n2-vcpu + 32× n2-memory-gib." in words


@pytest.mark.parametrize("query", [{"instance_type": "n2-standard-8"}, {"q": "N2-STANDARD-8", "provider": "gce"}])
def test_the_exact_name_finds_it_too_and_a_region_narrows(client, rates, query):
    found, _ = composed(client, region="us-central1", **query)

    assert [region for region, _ in found] == ["us-central1"]


@pytest.mark.parametrize("query", [{"q": "n2-"}, {"q": "m5.large"}, {}, {"q": "n2-standard-8", "at": "2026-07-21"}])
def test_other_searches_compose_nothing(client, rates, query):
    assert composed(client, **query)[0] == []

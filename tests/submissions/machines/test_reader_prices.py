"""What a reader pays for machine types: a discount, and a currency."""

from decimal import Decimal

import pytest
from django.utils import timezone

from submissions.choices import PricingModel
from tests.benchsite.http.stored_pages import keys
from tests.factories import PriceFactory
from tests.machines import measured
from tests.pages import links, text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("types")]

LIST, MACHINE, COMPARE = "/machines/", "/machines/aws/i4i.2xlarge/", "/machines/compare/"
BOTH = {"a": "aws:i4i.2xlarge", "b": "gce:z3-highmem-8-highlssd"}
OWN = {"discount": "aws:50", "currency": "EUR"}
EUR = Decimal(1) / Decimal("1.1172")  # for one USD, on 2026-10-30


def test_the_list_is_at_the_readers_prices_and_sorted_by_them(client):
    order = {"provider": "aws", "q": "i4i", **OWN}
    [row] = client.get("/api/v1/machines/", order).json()["machines"]
    cheapest = client.get("/api/v1/machines/", {"ordering": "-hourly_usd", "discount": "gce:50"}).json()["machines"][0]
    page = text(client.get(LIST, order))

    assert Decimal(row["hourly_usd"]) == Decimal("0.343")
    assert row["hourly"] == str(round(Decimal("0.343") * EUR, 8))
    assert row["monthly"] == str(round(Decimal("0.343") * 730 * EUR, 2))
    assert cheapest["instance_type"] == "i4i.2xlarge"  # 0.686 against 0.576
    assert "€0.307" in page
    assert "€ per month of 730 h" in page


def test_a_machine_type_is_at_the_readers_prices_but_for_spot_and_the_past(client):
    spot = {"region": "us-east-1", "sku": "i4i.2xlarge", "pricing_model": PricingModel.SPOT}
    PriceFactory(**spot, usd=Decimal("0.2"), last_seen=timezone.now().date())

    answer = client.get("/api/v1/machines/aws/i4i.2xlarge/", OWN).json()
    page = client.get(MACHINE, OWN)

    costs = {(each["region"], each["pricing_model"]): Decimal(each["hourly_usd"]) for each in answer["prices"]}
    assert costs["us-east-1", "on_demand"] == Decimal("0.343")
    assert costs["us-east-1", "spot"] == Decimal("0.2")
    assert {"pricing_model": "on_demand", "valid_from": "2023-12-11", "hourly_usd": "0.686"}.items() <= next(
        each for each in answer["history"] if each["valid_from"] == "2023-12-11"
    ).items()
    assert "It costs €0.31/h, €224/month on demand in us-east-1." in text(page)
    assert "on demand: $0.69/h since 2023-12-11" in page.content.decode()
    assert "/machines/aws/i4i.2xlarge/?discount=aws%3A50&currency=EUR&region=eu-west-1#prices" in [
        link if link.startswith("/") else f"{MACHINE}{link}" for link in links(page)
    ]


def test_the_value_of_a_machine_type_and_its_results_are_at_the_readers_prices(client):
    measured(throughput_ops_s=50_000.0)

    at_list, own = (client.get("/api/v1/machines/aws/i4i.2xlarge/", given).json() for given in ({}, OWN))

    [before], [value] = at_list["best_value"], own["best_value"]
    assert Decimal(value["hourly_usd"]) == Decimal(before["hourly_usd"]) / 2
    assert float(value["ops_per_usd"]) == pytest.approx(2 * float(before["ops_per_usd"]))
    assert value["ops_per_unit"] == str(round(Decimal(value["ops_per_usd"]) / EUR, 4))
    assert "M ops/€" in text(client.get(MACHINE, OWN))


def test_two_machine_types_are_compared_at_the_readers_prices(client):
    a = measured(throughput_ops_s=50_000.0, hourly_usd=Decimal("0.686"))
    measured(
        "z3-highmem-8-highlssd", "gce", workload=a.workload, throughput_ops_s=50_000.0, hourly_usd=Decimal("1.1519")
    )

    at_list, own = (client.get(COMPARE, {**BOTH, **given}) for given in ({}, OWN))

    ratios = [response.context["result"].pairs[0].comparison.ops_per_usd.ratio for response in (at_list, own)]
    assert ratios[1] == pytest.approx(ratios[0] / 2)
    assert "z3-highmem-8-highlssd costs €753/month on demand, i4i.2xlarge €224/month: 3.36 times as much." in text(own)
    assert "On demand, € per month" in text(own)


@pytest.mark.parametrize("url", [LIST, MACHINE, f"{COMPARE}?a=aws:i4i.2xlarge&b=aws:c7g.large", "/api/v1/machines/"])
def test_a_discounted_answer_is_private_and_nothing_of_it_is_stored(client, settings, url):
    settings.PAGE_CACHE_SECONDS = 60
    measured(throughput_ops_s=50_000.0)
    client.get(url)  # what every reader shares
    before = set(keys("*"))

    response = client.get(f"{url}{'&' if '?' in url else '?'}discount=aws:50&currency=EUR")

    assert response.status_code == 200
    assert response["Cache-Control"] == "private, no-store"
    assert set(keys("*")) == before


@pytest.mark.parametrize("url", [LIST, MACHINE, COMPARE, "/api/v1/machines/"])
def test_a_wrong_discount_is_refused(client, url):
    response = client.get(url, {"discount": "aws:100"})

    assert response.status_code == 400
    assert "less than 100" in response.content.decode()

"""The price list of one place, sorted in the heads of its columns and limited by the size of machines."""

from decimal import Decimal

import pytest

from submissions.models import InstanceType
from tests.factories import PriceFactory
from tests.pages import faults, links

pytestmark = pytest.mark.django_db

PLACE = {"provider": "aws", "region": "us-east-1"}
SIZES = {"a.large": (2, 8.0, "0.3"), "b.large": (8, 16.0, "0.1"), "c.large": (4, 64.0, "0.2")}


@pytest.fixture(autouse=True)
def book(db):
    for name, (vcpus, memory, usd) in SIZES.items():
        InstanceType.objects.create(provider="aws", name=name, vcpus=vcpus, memory_gib=memory, source="test")
        PriceFactory(**PLACE, sku=name, usd=Decimal(usd))
    PriceFactory(**PLACE, sku="gp3", unit="gib_month", usd=Decimal("0.08"))
    PriceFactory(provider="aws", region="eu-west-1", sku="a.large", usd=Decimal("0.9"))


def names(response):
    return [line.key.sku for line in response.context["page"].lines]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, ["a.large", "b.large", "c.large", "gp3"]),
        ({"ordering": "monthly_usd"}, ["b.large", "c.large", "a.large", "gp3"]),
        ({"ordering": "-monthly_usd"}, ["a.large", "c.large", "b.large", "gp3"]),
        ({"ordering": "-vcpus"}, ["b.large", "c.large", "a.large", "gp3"]),
        ({"ordering": "memory_gib"}, ["a.large", "b.large", "c.large", "gp3"]),
        ({"min_vcpus": "4"}, ["b.large", "c.large"]),
        ({"min_memory_gib": "20", "ordering": "vcpus"}, ["c.large"]),
    ],
    ids=str,
)
def test_lines_of_one_place_have_the_order_and_the_size_that_is_asked_for(client, query, expected):
    response = client.get("/prices/", {**PLACE, **query})

    assert names(response) == expected
    assert faults(response) == []


def test_a_heading_sorts_by_its_column_and_the_other_way_at_the_next_click(client):
    first = client.get("/prices/", PLACE)
    assert "?provider=aws&region=us-east-1&ordering=monthly_usd" in links(first)

    second = client.get("/prices/", {**PLACE, "ordering": "monthly_usd"})
    assert "?provider=aws&region=us-east-1&ordering=-monthly_usd" in links(second)
    assert 'aria-sort="ascending"' in second.content.decode()


def test_a_sorted_list_without_a_place_opens_on_the_reference_region_and_is_refused_in_all_regions(client):
    assert names(client.get("/prices/", {"ordering": "monthly_usd"}))[0] == "b.large"

    refused = client.get("/prices/", {"provider": "aws", "region": "", "ordering": "monthly_usd"})
    assert refused.status_code == 400
    assert "choose a provider and a region" in str(refused.context["problems"])


def test_pages_follow_one_another(client):
    for number in range(60):
        PriceFactory(**PLACE, sku=f"m{number:02}.large", usd=Decimal(number + 1))
    first = client.get("/prices/", {**PLACE, "ordering": "monthly_usd"})
    [address] = [link for link in links(first) if "page=2" in link]
    second = client.get(f"/prices/{address}")

    assert len(names(first)) == 50
    assert not set(names(first)) & set(names(second))
    assert names(second)[-1] == "gp3"


def test_only_machine_types_lead_to_their_pages(client):
    found = links(client.get("/prices/", PLACE), "/machines/")

    assert {"/machines/aws/a.large/", "/machines/aws/b.large/"} <= set(found)
    assert "/machines/aws/gp3/" not in found

"""The page of the price book."""

from datetime import date
from decimal import Decimal

import pytest
from django.utils import timezone

from benchsite.redis.cache import evictable_cache
from submissions.models import InstanceType
from tests.factories import PriceFactory
from tests.pages import HOSTILE, faults, links, text

pytestmark = pytest.mark.django_db

URL = "/prices/"


def test_an_empty_book_says_what_to_do(client):
    response = client.get(URL)

    assert "The price book is empty." in text(response)
    assert "load_prices" in text(response)


def test_a_price_leads_to_its_history(client):
    PriceFactory(usd=Decimal("0.56"), valid_from=date(2014, 4, 1))
    PriceFactory(usd=Decimal("0.532"), valid_from=date(2015, 6, 1))

    response = client.get(URL)
    [address] = links(response, "instance_type=m3.2xlarge")
    page = client.get(address)

    assert [str(price.usd) for price in page.context["history"]] == ["0.53200000", "0.56000000"]
    assert "newest first" in text(page)
    assert faults(response) == faults(page) == []


def test_the_exports_are_addresses_of_the_api_that_carry_the_search_and_its_day(client):
    PriceFactory()
    PriceFactory(provider="gce", sku="n1-standard-8")

    response = client.get(URL, {"provider": "gce", "at": "2020-01-01", "region": ""})

    csv, json = links(response, "/api/v1/prices/")
    assert csv == "/api/v1/prices/?provider=gce&at=2020-01-01&format=csv"
    assert client.get(csv).getvalue().decode().splitlines() == [
        "provider,region,instance_type,unit,pricing_model,usd,valid_from,last_seen,source",
        "gce,us-east-1,n1-standard-8,hour,on_demand,0.532,2015-06-01,2015-06-01,AWS price list of 2015-06-01",
    ]
    assert client.get(json).json() == {
        "next": None,
        "results": [
            {
                "provider": "gce",
                "region": "us-east-1",
                "instance_type": "n1-standard-8",
                "unit": "hour",
                "pricing_model": "on_demand",
                "usd": "0.532",
                "valid_from": "2015-06-01",
                "last_seen": "2015-06-01",
                "source": "AWS price list of 2015-06-01",
            }
        ],
    }


@pytest.mark.parametrize("name", ["csv", "json"])
def test_a_format_of_the_page_leads_to_the_api_at_the_prices_of_today(client, name):
    PriceFactory()

    response = client.get(URL, {"provider": "aws", "format": name})

    today = timezone.now().date()
    assert response.headers["Location"] == f"/api/v1/prices/?provider=aws&at={today}&format={name}"
    assert client.get(response.headers["Location"]).status_code == 200


def test_an_address_with_the_start_of_a_name_as_instance_type_still_finds_it(client):
    PriceFactory()

    response = client.get(URL, {"instance_type": "m3."})

    assert response.headers["Location"] == "/prices/?q=m3."
    found = links(client.get("/prices/?q=m3."), "instance_type=")
    assert [address.rpartition("instance_type=")[2] for address in found] == ["m3.2xlarge"]


def names(response):
    return [address.rpartition("instance_type=")[2] for address in links(response, "instance_type=")]


@pytest.fixture
def three_clouds():
    for provider, here, there, sku in (
        ("aws", "us-east-1", "af-south-1", "m5.large"),
        ("azure", "eastus", "australiacentral", "Standard_D2s_v5"),
        ("gce", "us-central1", "africa-south1", "n2-standard-2"),
    ):
        PriceFactory(provider=provider, region=here, sku=sku, usd=Decimal("0.096"))
        PriceFactory(provider=provider, region=there, sku=f"{sku}x")


@pytest.mark.usefixtures("three_clouds")
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", ["m5.large"]),
        ("?provider=", ["m5.large"]),
        ("?provider=gce", ["n2-standard-2"]),
        ("?provider=azure&at=2016-01-01", ["Standard_D2s_v5"]),
        ("?provider=gce&region=", ["n2-standard-2x", "n2-standard-2"]),
        ("?provider=aws&region=af-south-1", ["m5.largex"]),
        ("?q=m5", ["m5.largex", "m5.large"]),
    ],
)
def test_the_page_opens_on_the_reference_region_of_the_provider_and_shows_what_an_address_names(client, query, found):
    assert names(client.get(f"{URL}{query}")) == found


@pytest.mark.usefixtures("three_clouds")
def test_the_links_of_the_page_keep_its_region(client):
    response = client.get(f"{URL}?provider=azure")

    assert "Prices of Azure in eastus on" in text(response)
    assert 'name="region" maxlength="50" value="eastus"' in response.content.decode()
    [csv, _] = links(response, "/api/v1/prices/")
    assert "provider=azure" in csv
    assert "region=eastus" in csv
    assert faults(response) == []


@pytest.mark.usefixtures("three_clouds")
def test_a_region_of_another_provider_leads_to_one_that_has_prices(client):
    response = client.get(f"{URL}?provider=gce&region=us-east-1")

    assert names(response) == []
    assert names(client.get(f"{URL}{links(response, '[?]provider=gce')[0]}")) == ["n2-standard-2"]


def test_a_machine_has_its_vcpus_its_memory_and_its_price_a_month(client):
    InstanceType.objects.create(provider="aws", name="m5.large", vcpus=2, memory_gib=8, source="a table")
    PriceFactory(sku="m5.large", usd=Decimal("0.096"))
    PriceFactory(sku="gp3", unit="gib_month", usd=Decimal("0.08"))

    disk, machine = client.get(URL).content.decode().split("<tbody>")[1].split("</tr>")[:2]

    for cell in ('data-label="vCPU">', 'data-label="Memory" data-unit=" GiB">', 'data-label="On demand, a month">'):
        assert cell in machine
    assert "$70.08" in machine  # 730 h
    assert "$58" not in disk  # a month of a GiB-month is none


@pytest.mark.usefixtures("three_clouds")
@pytest.mark.parametrize("start", ["Standard_D2", "standard_d2"])
def test_a_name_with_capitals_is_found_however_it_is_typed(client, start):
    assert names(client.get(f"{URL}?q={start}")) == ["Standard_D2s_v5x", "Standard_D2s_v5"]


def test_providers_have_their_names(client):
    PriceFactory(provider="gce", sku="n1-standard-8")

    assert "Google Cloud" in text(client.get(URL))


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ({"at": "soon"}, "at"),
        ({"on": "2026-13-45"}, "on"),
        ({"provider": HOSTILE}, "provider"),
        ({"after": "x"}, "after"),
        ({"format": "xls"}, "format"),
    ],
)
def test_a_bad_parameter_is_named(client, query, name):
    PriceFactory()

    response = client.get(URL, query)

    assert response.status_code == 400
    assert f"{name}: " in text(response)
    assert faults(response) == []


def test_hostile_searches_are_words(client):
    PriceFactory()

    response = client.get(URL, {"q": HOSTILE})

    assert response.status_code == 200
    assert "<script>alert" not in response.content.decode()
    assert "No price matches this search." in text(response)
    assert faults(response) == []


def test_a_new_price_is_seen_at_once(client):
    PriceFactory(sku="m5.large", usd=Decimal("0.096"), valid_from=date(2025, 1, 1), last_seen=date(2026, 1, 1))
    assert "0.093" not in client.get("/prices/?q=m5.&at=2025-06-01").content.decode()

    PriceFactory(sku="m5.large", usd=Decimal("0.093"), valid_from=date(2025, 5, 1), last_seen=date(2026, 1, 1))

    evictable_cache.clear()
    assert "0.093" in client.get("/prices/?q=m5.&at=2025-06-01").content.decode()
    assert "0.093" not in client.get("/prices/?q=m5.&at=2025-04-30").content.decode()

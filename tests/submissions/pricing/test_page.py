"""The page of the price book."""

from datetime import date
from decimal import Decimal

import pytest

from tests.factories import PriceFactory, UserFactory
from tests.pages import HOSTILE, faults, links, text

pytestmark = pytest.mark.django_db

URL = "/prices/"


def test_an_empty_book_tells_what_to_do(client):
    response = client.get(URL)

    assert "The price book is empty." in text(response)
    assert "load_prices" in text(response)


def test_a_price_leads_to_its_history(client):
    PriceFactory(usd=Decimal("0.56"), valid_from=date(2014, 4, 1))
    PriceFactory(usd=Decimal("0.532"), valid_from=date(2015, 6, 1))

    response = client.get(URL)
    [address] = links(response, "instance_type=m3.2xlarge&?$|instance_type=m3.2xlarge$")[:1]
    page = client.get(address)

    assert [str(price.usd) for price in page.context["history"]] == ["0.53200000", "0.56000000"]
    assert "newest first" in text(page)
    assert faults(response) == faults(page) == []


def test_the_exports_carry_the_search(client):
    PriceFactory()
    PriceFactory(provider="gce", sku="n1-standard-8")

    response = client.get(URL, {"provider": "gce", "at": "2020-01-01", "region": ""})

    csv, json = links(response, "format=")
    assert csv == "?provider=gce&at=2020-01-01&format=csv"
    assert client.get(URL + csv).getvalue().decode().splitlines() == [
        "provider,region,instance_type,unit,pricing_model,usd,valid_from,source",
        "gce,us-east-1,n1-standard-8,hour,on_demand,0.532,2015-06-01,AWS price list of 2015-06-01",
    ]
    assert client.get(URL + json).json() == {
        "results": [
            {
                "provider": "gce",
                "region": "us-east-1",
                "instance_type": "n1-standard-8",
                "unit": "hour",
                "pricing_model": "on_demand",
                "usd": "0.532",
                "valid_from": "2015-06-01",
                "source": "AWS price list of 2015-06-01",
            }
        ]
    }


@pytest.mark.parametrize(
    ("query", "name"), [({"at": "soon"}, "at"), ({"after": "x"}, "after"), ({"format": "xls"}, "format")]
)
def test_a_bad_parameter_is_named(client, query, name):
    PriceFactory()

    response = client.get(URL, query)

    assert response.status_code == 400
    assert f"{name}: " in text(response)
    assert faults(response) == []


def test_hostile_searches_are_words(client):
    PriceFactory()

    response = client.get(URL, {"instance_type": HOSTILE, "provider": HOSTILE[:50]})

    assert response.status_code == 200
    assert "<script>alert" not in response.content.decode()
    assert "No price fits this search." in text(response)
    assert faults(response) == []


@pytest.mark.parametrize("rows", [1, 30])
def test_the_page_costs_the_same_with_one_row_and_with_thirty(client, rows, django_assert_num_queries):
    for number in range(rows):
        PriceFactory(sku="m3.2xlarge", region=f"r{number}")
    client.force_login(UserFactory())

    # providers, keys, prices, history; session and account
    with django_assert_num_queries(6):
        address = {"provider": "aws", "region": "r0", "instance_type": "m3.2xlarge"}
        assert client.get(URL, address).status_code == 200

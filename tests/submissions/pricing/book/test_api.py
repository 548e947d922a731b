"""The price book in the API."""

from datetime import date
from decimal import Decimal

import pytest

from tests.factories import PriceFactory

pytestmark = pytest.mark.django_db

PRICES = "/api/v1/prices/"


def test_prices_are_dated_and_money_is_a_string(client):
    PriceFactory(usd=Decimal("0.532"), valid_from=date(2015, 6, 1))
    PriceFactory(usd=Decimal("0.5"), valid_from=date(2017, 1, 1))

    rows = client.get(f"{PRICES}?provider=aws&region=us-east-1&instance_type=m3.2xlarge&at=2016-01-01").json()[
        "results"
    ]

    assert rows == [
        {
            "provider": "aws",
            "region": "us-east-1",
            "instance_type": "m3.2xlarge",
            "unit": "hour",
            "pricing_model": "on_demand",
            "usd": "0.532",
            "valid_from": "2015-06-01",
            "last_seen": "2015-06-01",
            "source": "AWS price list of 2015-06-01",
        }
    ]


def test_the_price_history_is_paged_to_its_end(client):
    for n in range(5):
        PriceFactory(sku=f"type-{n}")

    seen, address = [], f"{PRICES}?page_size=2"
    while address:
        page = client.get(address).json()
        seen += [row["instance_type"] for row in page["results"]]
        address = page["next"]

    assert seen == [f"type-{n}" for n in range(5)]


@pytest.mark.parametrize(
    "query", ["at=yesterday", "at=2016-13-01", "provider=%00", "pricing_model=free", "instance_typ=x", "q=%00"]
)
def test_a_bad_price_query_is_named(client, faults, query):
    assert list(faults(client.get(f"{PRICES}?{query}"))) == [f"#/{query.partition('=')[0]}"]


def test_the_csv_has_every_price_of_the_search(client):
    for n in range(60):
        PriceFactory(sku=f"m{n:02}", usd=Decimal("0.532"))
    PriceFactory(sku="c3.large")

    response = client.get(PRICES, {"q": "m", "at": "2020-01-01", "format": "csv"})

    lines = response.getvalue().decode().splitlines()
    assert lines[0] == "provider,region,instance_type,unit,pricing_model,usd,valid_from,last_seen,source"
    assert lines[1] == "aws,us-east-1,m00,hour,on_demand,0.532,2015-06-01,2015-06-01,AWS price list of 2015-06-01"
    assert len(lines) == 61

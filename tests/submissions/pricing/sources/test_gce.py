"""Google's Cloud Billing Catalog through the unchanged SDK, over REST as the API answers."""

import json
from datetime import date
from decimal import Decimal
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core.management import CommandError, call_command

from submissions.choices import PricingModel
from submissions.models import Price
from submissions.pricing.book.quotes import DatedPrice
from submissions.pricing.sources import PriceSourceError, gce

TODAY = date(2026, 11, 20)


def sku(description, usage_type, *tiers, usage_unit="h", family="Compute", regions=("us-central1",)):
    """A catalogue entry; a tier is (start of usage, units, nanos)."""
    return {
        "name": "services/6F81-5844-456A/skus/2E27-4F75-95CD",
        "skuId": "2E27-4F75-95CD",
        "description": description,
        "category": {
            "serviceDisplayName": "Compute Engine",
            "resourceFamily": family,
            "resourceGroup": "x",
            "usageType": usage_type,
        },
        "serviceRegions": list(regions),
        "pricingInfo": [
            {
                "summary": "",
                "pricingExpression": {
                    "usageUnit": usage_unit,
                    "displayQuantity": 1,
                    "tieredRates": [
                        {
                            "startUsageAmount": start,
                            "unitPrice": {"currencyCode": "USD", "units": str(units), "nanos": nanos},
                        }
                        for start, units, nanos in tiers
                    ],
                },
                "currencyConversionRate": 1,
                "effectiveTime": "2026-11-19T10:00:00.000Z",
            }
        ],
        "serviceProviderName": "Google",
    }


CATALOGUE = [
    sku(
        "N1 Predefined Instance Core running in Americas",
        "OnDemand",
        (0, 0, 31611000),
        regions=["us-central1", "us-east1"],
    ),
    sku("N1 Predefined Instance Ram running in Americas", "OnDemand", (0, 0, 4237000), usage_unit="GiBy.h"),
    sku("Spot Preemptible N1 Predefined Instance Core running in Americas", "Preemptible", (0, 0, 6655000)),
    sku("Commitment v1: Cpu in Americas for 1 Year", "Commit1Yr", (0, 0, 19915000)),
    sku("Commitment v1: N2D AMD Ram in Americas for 3 Year", "Commit3Yr", (0, 0, 1661000), usage_unit="GiBy.h"),
    sku("N1 Predefined Sole Tenancy Instance Core running in Americas", "OnDemand", (0, 0, 31611000)),
    sku("Storage PD Capacity", "OnDemand", (0, 0, 0), (30, 0, 40000000), usage_unit="GiBy.mo", family="Storage"),
    sku("SSD backed PD Capacity in Iowa", "OnDemand", (0, 0, 170000000), usage_unit="GiBy.mo", family="Storage"),
    sku("Regional SSD backed PD Capacity", "OnDemand", (0, 0, 340000000), usage_unit="GiBy.mo", family="Storage"),
    sku("SSD backed Local Storage", "OnDemand", (0, 0, 80000000), usage_unit="GiBy.mo", family="Storage"),
    sku("Licensing Fee for Windows Server", "OnDemand", (0, 1, 500000000)),
    sku("M1 Memory-optimized Instance Core running in Americas", "OnDemand", (0, 1, 500000000)),
]


class Catalogue:
    """services.skus.list, five entries a page."""

    def __init__(self, answer_type):
        self.answer_type = answer_type
        self.asked = []
        self.fails_with = None

    def __call__(self, path, headers, body):
        where = urlsplit(path)
        query = parse_qs(where.query)
        self.asked.append((where.path, query.get("currencyCode"), query.get("pageToken")))
        start = int(query.get("pageToken", ["0"])[0])
        if self.fails_with and start:
            status, text = self.fails_with
            error = {"error": {"code": status, "message": text, "status": "ERROR"}}
            return self.answer_type(status, json.dumps(error).encode())
        end = start + 5
        page = {"skus": CATALOGUE[start:end], "nextPageToken": str(end) if end < len(CATALOGUE) else ""}
        return self.answer_type(200, json.dumps(page).encode())


@pytest.fixture
def catalogue(answer):
    return Catalogue(answer)


def price(name, usd, unit="hour", model="on_demand", region="us-central1"):
    return DatedPrice("gce", region, name, unit, model, Decimal(usd), TODAY, "Cloud Billing Catalog API")


def test_all_pages_of_the_catalogue_are_read(serve, catalogue):
    found = list(gce.fetch([], today=TODAY, endpoint=serve(catalogue)))

    assert found == [
        price("n1-vcpu", "0.031611"),
        price("n1-vcpu", "0.031611", region="us-east1"),
        price("n1-memory-gib", "0.004237"),
        price("n1-vcpu", "0.006655", model="spot"),
        price("n1-vcpu", "0.019915", model="reserved_1y"),
        price("n2d-memory-gib", "0.001661", model="reserved_3y"),
        price("pd-standard", "0.04", "gib_month"),  # the first 30 GiB are free once per account
        price("pd-ssd", "0.17", "gib_month"),
        price("local-ssd", "0.08", "gib_month"),
        price("m1-vcpu", "1.5"),
    ]
    skus = "/v1/services/6F81-5844-456A/skus"
    assert catalogue.asked == [(skus, ["USD"], None), (skus, ["USD"], ["5"]), (skus, ["USD"], ["10"])]


def test_only_the_chosen_regions_are_read(serve, catalogue):
    found = list(gce.fetch(["us-east1"], today=TODAY, endpoint=serve(catalogue)))

    assert found == [price("n1-vcpu", "0.031611", region="us-east1")]


@pytest.mark.parametrize(
    ("description", "model", "good"),
    [
        ("N2 Instance Core running in Frankfurt", "on_demand", "n2-vcpu"),
        ("Spot Preemptible N2 Instance Ram running in Americas", "spot", "n2-memory-gib"),
        ("Preemptible N1 Predefined Instance Ram running in Japan", "spot", "n1-memory-gib"),
        ("Custom Instance Core running in Americas", "on_demand", "n1-custom-vcpu"),
        ("Custom Extended Instance Ram running in Americas", "on_demand", "n1-custom-extended-memory-gib"),
        ("N2D AMD Custom Instance Ram running in Americas", "on_demand", "n2d-custom-memory-gib"),
        ("E2 Instance Core running in Americas", "on_demand", "e2-vcpu"),
        ("Compute optimized Core running in Americas", "on_demand", "c2-vcpu"),
        ("C2D AMD Instance Core running in Americas", "on_demand", "c2d-vcpu"),
        ("T2D AMD Instance Ram running in Americas", "on_demand", "t2d-memory-gib"),
        ("Micro Instance with burstable CPU running in Americas", "on_demand", "f1-micro"),
        ("Small Instance with 1 VCPU running in Americas", "on_demand", "g1-small"),
        ("Commitment v1: Compute optimized Cpu in Americas for 3 Years", "reserved_3y", "c2-vcpu"),
        ("Commitment v1: E2 Ram in Americas for 1 Year", "reserved_1y", "e2-memory-gib"),
        ("SSD backed Local Storage attached to Spot Preemptible VMs", "spot", "local-ssd"),
        ("Hyperdisk Balanced IOPS in Iowa", "on_demand", "hyperdisk-balanced-iops"),
    ],
)
def test_a_description_names_its_product(description, model, good):
    name, _ = gce.product_of(description, PricingModel(model))

    assert name == good


@pytest.mark.parametrize(
    "description",
    [
        "N2 Sole Tenancy Instance Core running in Americas",
        "N2D AMD Confidential Instance Core running in Americas",
        "Regional Storage PD Capacity",
        "Storage PD Snapshot",
        "Nvidia Tesla T4 GPU running in Americas",
        "Commitment v1: Local SSD in Americas for 1 Year",
        "Hyperdisk Storage Pools Balanced Capacity",
        "",
    ],
)
def test_other_products_are_excluded(description):
    assert gce.product_of(description, PricingModel.ON_DEMAND) is None


def test_a_monthly_product_listed_by_the_hour_is_priced_by_the_month(serve, answer):
    entry = sku("SSD backed PD Capacity", "OnDemand", (0, 0, 1000000), usage_unit="GiBy.h", family="Storage")
    page = answer(200, json.dumps({"skus": [entry]}).encode())
    endpoint = serve(lambda *_: page)

    assert list(gce.fetch([], today=TODAY, endpoint=endpoint)) == [price("pd-ssd", "0.73", "gib_month")]


@pytest.mark.django_db
def test_the_command_stores_the_catalogue_once(serve, catalogue, capsys):
    endpoint = serve(catalogue)

    call_command("load_prices", "--source", "gce", "--endpoint", endpoint)
    call_command("load_prices", "--source", "gce", "--endpoint", endpoint)

    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("gce: 10 new prices, 0 unchanged")
    assert second.startswith("gce: 0 new prices, 10 unchanged")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (429, "Google throttles the catalogue: try again later"),
        (403, "Google denies access: enable the Cloud Billing API"),
        (500, "Google answered: 500"),
    ],
)
def test_an_interrupted_catalogue_stores_nothing(serve, catalogue, status, reason):
    catalogue.fails_with = (status, "no")

    with pytest.raises(CommandError, match=reason):
        call_command("load_prices", "--source", "gce", "--endpoint", serve(catalogue))

    assert not Price.objects.exists()


def test_without_credentials_the_error_says_which_are_needed():
    with pytest.raises(PriceSourceError, match="Google needs credentials: set GOOGLE_APPLICATION_CREDENTIALS"):
        list(gce.fetch([], today=TODAY))


def test_a_refused_connection_is_reported(refused):
    with pytest.raises(PriceSourceError, match="Google cannot be reached: check the network"):
        list(gce.fetch([], today=TODAY, endpoint=refused))

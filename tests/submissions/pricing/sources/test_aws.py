"""The AWS Price List API through an unchanged boto3, in the API's own wire format."""

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from urllib.parse import parse_qs

import pytest
from django.core.management import CommandError, call_command

from submissions.models import Price, PriceLoad
from submissions.pricing.book.quotes import DatedPrice
from submissions.pricing.sources import PriceSourceError, aws
from tests.factories import PriceFactory

TODAY = date(2026, 11, 20)


def dimension(usd, unit="Hrs", **more):
    return {"unit": unit, "pricePerUnit": {"USD": usd}, "beginRange": "0", "endRange": "Inf", **more}


def on_demand(*dimensions):
    return {"SKU.JRTCKXETXF": {"priceDimensions": {str(n): d for n, d in enumerate(dimensions)}, "termAttributes": {}}}


def lease(length, purchase, *dimensions, offering="standard"):
    return {
        "priceDimensions": {str(n): d for n, d in enumerate(dimensions)},
        "termAttributes": {"LeaseContractLength": length, "OfferingClass": offering, "PurchaseOption": purchase},
    }


def machine(name, usd, *, region="us-east-1", reserved=(), **attributes):
    facts = {
        "instanceType": name,
        "regionCode": region,
        "locationType": "AWS Region",
        "operatingSystem": "Linux",
        "tenancy": "Shared",
        "preInstalledSw": "NA",
        "capacitystatus": "Used",
        "usagetype": f"BoxUsage:{name}",
        "marketoption": "OnDemand",
        **attributes,
    }
    terms = {"OnDemand": on_demand(dimension(usd)), "Reserved": {str(n): term for n, term in enumerate(reserved)}}
    return {"product": {"productFamily": "Compute Instance", "attributes": facts}, "terms": terms}


def usage(family, usagetype, *dimensions, region="us-east-1", **attributes):
    return {
        "product": {
            "productFamily": family,
            "attributes": {"usagetype": usagetype, "regionCode": region, **attributes},
        },
        "terms": {"OnDemand": on_demand(*dimensions)},
    }


M5_LARGE = machine(
    "m5.large",
    "0.0960000000",
    reserved=[
        lease("1yr", "No Upfront", dimension("0.0605000000")),
        lease("1yr", "All Upfront", dimension("0.0000000000"), dimension("494", "Quantity")),
        lease("1yr", "No Upfront", dimension("0.0700000000"), offering="convertible"),
        lease("3yr", "No Upfront", dimension("0.0415000000")),
    ],
)
EC2 = [
    M5_LARGE,
    machine("m5.xlarge", "0.1920000000"),
    machine("m5.large", "0.1020000000", tenancy="Dedicated"),
    machine("m5.large", "0.0000000000", capacitystatus="AllocatedCapacityReservation"),
    machine("m5.large", "0.1070000000", region="eu-west-1"),
    usage("Storage", "EBS:VolumeUsage.gp3", dimension("0.0800000000", "GB-Mo")),
    usage("Storage", "EBS:SnapshotUsage", dimension("0.0500000000", "GB-Mo")),
    usage("System Operation", "EBS:VolumeP-IOPS.gp3", dimension("0.0050000000", "IOPS-Mo")),
    usage("Provisioned Throughput", "EBS:VolumeP-Throughput.gp3", dimension("40.9600000000", "GiBps-mo")),
]
TRAFFIC = [
    usage(
        "Data Transfer",
        "DataTransfer-Regional-Bytes",
        dimension("0.0100000000", "GB"),
        region="",
        transferType="IntraRegion",
        fromRegionCode="us-east-1",
    ),
    usage(
        "Data Transfer",
        "EU-DataTransfer-Regional-Bytes",
        dimension("0.0100000000", "GB"),
        region="",
        transferType="IntraRegion",
        fromRegionCode="eu-west-1",
    ),
]


class PriceList:
    """GetProducts: filters by the attributes, two products a page."""

    def __init__(self, answer_type):
        self.answer_type = answer_type
        self.asked = []
        self.breaks_on_page = None

    def __call__(self, path, headers, body):
        assert headers["X-Amz-Target"] == "AWSPriceListService.GetProducts"
        request = json.loads(body)
        self.asked.append(request)
        start = int(request.get("NextToken", 0))
        if start and self.breaks_on_page == start // 2:
            error = {"__type": "ThrottlingException", "Message": "Rate exceeded"}
            return self.answer_type(400, json.dumps(error).encode(), "application/x-amz-json-1.1")
        goods = {"AmazonEC2": EC2, "AWSDataTransfer": TRAFFIC}[request["ServiceCode"]]
        found = [product for product in goods if self.matches(product, request["Filters"])]
        page = {"FormatVersion": "aws_v1", "PriceList": [json.dumps(p) for p in found[start : start + 2]]}
        if start + 2 < len(found):
            page["NextToken"] = str(start + 2)
        return self.answer_type(200, json.dumps(page).encode(), "application/x-amz-json-1.1")

    @staticmethod
    def matches(product, filters):
        facts = {**product["product"]["attributes"], "productFamily": product["product"]["productFamily"]}
        return all(facts.get(each["Field"]) == each["Value"] for each in filters)


@pytest.fixture
def price_list(serve, answer, monkeypatch):
    api = PriceList(answer)
    monkeypatch.setenv("AWS_ENDPOINT_URL_PRICING", serve(api))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "a-key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "a-secret")
    return api


def price(sku, usd, unit="hour", model="on_demand", region="us-east-1", source="AWS Price List API"):
    return DatedPrice("aws", region, sku, unit, model, Decimal(usd), TODAY, source)


def test_the_linux_prices_of_a_region_are_read(price_list):
    assert list(aws.fetch(["us-east-1"], today=TODAY)) == [
        price("m5.large", "0.0960000000"),
        price("m5.large", "0.0605000000", model="reserved_1y"),
        price("m5.large", "0.0415000000", model="reserved_3y"),
        price("m5.xlarge", "0.1920000000"),
        price("gp3", "0.08", "gib_month"),
        price("gp3-iops", "0.005", "iops_month"),
        price("gp3-throughput", "0.04", "mibps_month"),  # 40.96 for a GiB/s, which has 1,024 MiB/s
        price("cross-zone", "0.01", "gb"),
    ]


def test_without_a_region_all_pages_of_all_regions_are_read(price_list):
    found = list(aws.fetch([], today=TODAY))

    # five machines match but for tenancy and capacity: three, on two pages
    assert [p.region for p in found if p.sku == "m5.large" and p.pricing_model == "on_demand"] == [
        "us-east-1",
        "eu-west-1",
    ]
    assert [p.region for p in found if p.sku == "cross-zone"] == ["us-east-1", "eu-west-1"]
    assert [request.get("NextToken") for request in price_list.asked[:2]] == [None, "2"]


def test_the_spot_price_is_that_of_the_most_expensive_zone(price_list, serve, answer, monkeypatch):
    asked = []

    def spot(path, headers, body):
        asked.append(parse_qs(body.decode()))
        items = "".join(
            f"<item><instanceType>m5.large</instanceType><productDescription>Linux/UNIX</productDescription>"
            f"<spotPrice>{usd}</spotPrice><timestamp>2026-11-19T20:00:00.000Z</timestamp>"
            f"<availabilityZone>{zone}</availabilityZone></item>"
            for zone, usd in (("us-east-1a", "0.035100"), ("us-east-1b", "0.041200"))
        )
        text = (
            '<DescribeSpotPriceHistoryResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">'
            f"<requestId>r</requestId><spotPriceHistorySet>{items}</spotPriceHistorySet><nextToken/>"
            "</DescribeSpotPriceHistoryResponse>"
        )
        return answer(200, text.encode(), "text/xml")

    monkeypatch.setenv("AWS_ENDPOINT_URL_EC2", serve(spot))

    found = list(aws.fetch(["us-east-1"], today=TODAY, with_spot=True))

    assert found[-1] == price("m5.large", "0.041200", model="spot", source="EC2 spot price history")
    assert asked[0]["StartTime"] == asked[0]["EndTime"] == ["2026-11-20T00:00:00Z"]


def test_an_upfront_payment_is_spread_over_the_hours_of_its_term():
    product = machine(
        "c5.large",
        "0.085",
        reserved=[lease("1yr", "Partial Upfront", dimension("0.026"), dimension("227.76", "Quantity"))],
    )

    # 227.76 / 8,760 h = 0.026
    assert list(aws.machine_prices(product, TODAY))[1] == price("c5.large", "0.052", model="reserved_1y")


@pytest.mark.parametrize("other", [{"marketoption": "CapacityBlock"}, {"locationType": "AWS Local Zone"}])
def test_other_products_of_the_same_name_are_excluded(other):
    assert list(aws.machine_prices(machine("p5.48xlarge", "31.464", **other), TODAY)) == []


def test_a_price_in_another_currency_or_of_zero_is_not_a_price():
    product = machine("m5.large", "0.0000000000")
    chinese = machine("m5.large", "1")
    next(iter(chinese["terms"]["OnDemand"].values()))["priceDimensions"]["0"]["pricePerUnit"] = {"CNY": "0.708"}

    assert list(aws.machine_prices(product, TODAY)) == []
    assert list(aws.machine_prices(chinese, TODAY)) == []


def test_an_unknown_unit_is_not_guessed():
    product = usage("Storage", "EBS:VolumeUsage.gp3", dimension("0.08", "Furlongs"))

    assert list(aws.usage_prices(product, TODAY)) == []


@pytest.mark.django_db
def test_the_command_stores_the_prices_of_the_list(price_list, capsys):
    call_command("load_prices", "--source", "aws", "--region", "us-east-1")

    assert capsys.readouterr().out.startswith("aws: 8 new prices, 0 unchanged, 0 missing")
    assert Price.objects.get(sku="m5.large", pricing_model="reserved_1y").usd == Decimal("0.0605")


@pytest.mark.django_db
def test_a_price_that_the_cloud_still_has_is_confirmed_and_a_changed_one_is_a_new_row(price_list):
    PriceFactory(sku="m5.large", usd=Decimal("0.096"), valid_from=date(2019, 11, 13))
    PriceFactory(sku="m5.xlarge", usd=Decimal("0.2"), valid_from=date(2019, 11, 13))

    call_command("load_prices", "--source", "aws", "--region", "us-east-1", verbosity=0)

    today = datetime.now(UTC).date()
    rows = Price.objects.filter(sku__in=["m5.large", "m5.xlarge"], pricing_model="on_demand").order_by("sku", "id")
    assert list(rows.values_list("usd", "valid_from", "last_seen")) == [
        (Decimal("0.096"), date(2019, 11, 13), today),
        (Decimal("0.2"), date(2019, 11, 13), date(2019, 11, 13)),
        (Decimal("0.192"), today, today),
    ]
    assert PriceLoad.objects.get(source="aws").succeeded_at.date() == today


@pytest.mark.django_db
def test_an_interrupted_list_stores_nothing(price_list):
    price_list.breaks_on_page = 1

    with pytest.raises(CommandError, match=r"AWS throttles the price list \(ThrottlingException\): try again later"):
        call_command("load_prices", "--source", "aws")

    assert not Price.objects.exists()


@pytest.mark.django_db
def test_a_region_without_prices_is_an_error(price_list):
    with pytest.raises(CommandError, match="aws has no price for mars-north-1"):
        call_command("load_prices", "--source", "aws", "--region", "mars-north-1")


def test_without_credentials_the_error_says_which_are_needed(serve, answer, monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL_PRICING", serve(PriceList(answer)))

    with pytest.raises(PriceSourceError, match="AWS needs credentials: set AWS_PROFILE"):
        list(aws.fetch(["us-east-1"], today=TODAY))


def test_a_refused_connection_names_the_address(refused, monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "a-key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "a-secret")
    monkeypatch.setenv("AWS_ENDPOINT_URL_PRICING", refused)

    with pytest.raises(PriceSourceError, match=f"AWS cannot be reached.*{refused}"):
        list(aws.fetch(["us-east-1"], today=TODAY))

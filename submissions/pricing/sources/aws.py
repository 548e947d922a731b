"""Prices from AWS: the Price List API for machines, volumes and traffic, EC2 for spot prices.

Credentials and endpoints come from boto3's own chain (AWS_PROFILE, AWS_ENDPOINT_URL_PRICING, ...).
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import boto3  # type: ignore[import-untyped]
from botocore.config import Config  # type: ignore[import-untyped]
from botocore.exceptions import (  # type: ignore[import-untyped]
    BotoCoreError,
    ClientError,
    EndpointConnectionError,
    NoCredentialsError,
    PartialCredentialsError,
)

from submissions.choices import PricingModel
from submissions.pricing.book.quotes import DatedPrice, Unit
from submissions.pricing.providers import CROSS_ZONE_SKU
from submissions.pricing.sources import PriceSourceError

SOURCE = "AWS Price List API"
SPOT_SOURCE = "EC2 spot price history"
# The API has three endpoints, each with the prices of all regions.
API_REGION = "us-east-1"
_CONFIG = Config(connect_timeout=10, read_timeout=60)

# "Used" excludes the lines of idle capacity reservations, which repeat the type at another price.
_MACHINES = {
    "operatingSystem": "Linux",
    "tenancy": "Shared",
    "preInstalledSw": "NA",
    "capacitystatus": "Used",
}
_VOLUME_FAMILIES = ("Storage", "System Operation", "Provisioned Throughput")
# usage types carry the region's own prefix everywhere but in us-east-1: "APN1-EBS:VolumeUsage.gp3"
_USAGE = re.compile(r"(?:[A-Z0-9]+-)?(?P<what>EBS:.+|DataTransfer-Regional-Bytes)")
_USAGE_SKUS = {
    "EBS:VolumeUsage": ("standard", Unit.GIB_MONTH),
    "EBS:VolumeUsage.gp2": ("gp2", Unit.GIB_MONTH),
    "EBS:VolumeUsage.gp3": ("gp3", Unit.GIB_MONTH),
    "EBS:VolumeUsage.piops": ("io1", Unit.GIB_MONTH),
    "EBS:VolumeUsage.io2": ("io2", Unit.GIB_MONTH),
    "EBS:VolumeUsage.st1": ("st1", Unit.GIB_MONTH),
    "EBS:VolumeUsage.sc1": ("sc1", Unit.GIB_MONTH),
    "EBS:VolumeP-IOPS.gp3": ("gp3-iops", Unit.IOPS_MONTH),
    "EBS:VolumeP-IOPS.piops": ("io1-iops", Unit.IOPS_MONTH),
    "EBS:VolumeP-IOPS.io2": ("io2-iops", Unit.IOPS_MONTH),
    "EBS:VolumeP-IOPS.io2.tier2": ("io2-iops-tier2", Unit.IOPS_MONTH),
    "EBS:VolumeP-IOPS.io2.tier3": ("io2-iops-tier3", Unit.IOPS_MONTH),
    "EBS:VolumeP-Throughput.gp3": ("gp3-throughput", Unit.MIBPS_MONTH),
    "DataTransfer-Regional-Bytes": (CROSS_ZONE_SKU, Unit.GB),
}
# what the list's unit has to be multiplied by to be ours
_UNIT_FACTORS = {
    "gb-mo": Decimal(1),
    "gb-month": Decimal(1),
    "iops-mo": Decimal(1),
    "gb": Decimal(1),
    "mibps-mo": Decimal(1),
    "gibps-mo": 1 / Decimal(1024),
}
_LEASES = {"1yr": (PricingModel.RESERVED_1Y, 1), "3yr": (PricingModel.RESERVED_3Y, 3)}
_HOURS_PER_YEAR = 365 * 24
# The first that is offered; the upfront part of the later ones is spread over the whole term.
_PURCHASES = ("No Upfront", "Partial Upfront", "All Upfront")


def fetch(regions: Sequence[str], *, today: date, with_spot: bool = False) -> Iterator[DatedPrice]:
    """Linux prices of `regions` (none: all), on demand and reserved; with EBS and traffic.

    Raises PriceSourceError.
    """
    try:
        session = boto3.Session()  # our own: boto3's shared session caches the credentials that it found first
        client = session.client("pricing", region_name=API_REGION, config=_CONFIG)
        everywhere: Sequence[dict[str, str]] = ({},)
        for where in [{"regionCode": region} for region in regions] or everywhere:
            for product in _products(client, "AmazonEC2", {**_MACHINES, **where}):
                yield from machine_prices(product, today)
            for family in _VOLUME_FAMILIES:
                for product in _products(client, "AmazonEC2", {"productFamily": family, **where}):
                    yield from usage_prices(product, today)
        for product in _products(client, "AWSDataTransfer", {"transferType": "IntraRegion"}):
            yield from (price for price in usage_prices(product, today) if not regions or price.region in regions)
        if with_spot:
            for region in regions:
                yield from _spot_prices(session, region, today)
    except (BotoCoreError, ClientError) as error:
        raise PriceSourceError(explain(error)) from error


def machine_prices(product: Mapping[str, Any], today: date) -> Iterator[DatedPrice]:
    """The prices of one instance type in one region: on demand, reserved for one and three years."""
    attributes = product["product"]["attributes"]
    # capacity blocks and local zones are other products under the same name
    if attributes.get("marketoption", "OnDemand") != "OnDemand":
        return
    if attributes.get("locationType", "AWS Region") != "AWS Region":
        return
    prices = {**_on_demand(product["terms"]), **_reserved(product["terms"])}
    for model, usd in prices.items():
        yield DatedPrice(
            "aws",
            attributes["regionCode"],
            attributes["instanceType"],
            Unit.HOUR,
            model,
            usd,
            today,
            SOURCE,
        )


def usage_prices(product: Mapping[str, Any], today: date) -> Iterator[DatedPrice]:
    """The price of a kind of volume, or of traffic between zones; nothing for other products."""
    attributes = product["product"]["attributes"]
    usage = _USAGE.fullmatch(attributes.get("usagetype", ""))
    region = attributes.get("regionCode") or attributes.get("fromRegionCode")
    if not usage or not region or usage["what"] not in _USAGE_SKUS:
        return
    sku, unit = _USAGE_SKUS[usage["what"]]
    for term in product["terms"].get("OnDemand", {}).values():
        for dimension in term["priceDimensions"].values():
            usd = _usd(dimension)
            factor = _UNIT_FACTORS.get(dimension["unit"].lower())
            if usd and factor and dimension.get("beginRange", "0") == "0":
                yield DatedPrice("aws", region, sku, unit, PricingModel.ON_DEMAND, usd * factor, today, SOURCE)


def explain(error: Exception) -> str:
    """What the operator can do about an error of boto3."""
    if isinstance(error, NoCredentialsError | PartialCredentialsError):
        return "AWS needs credentials: set AWS_PROFILE or AWS_ACCESS_KEY_ID, or run on a machine with a role."
    if isinstance(error, EndpointConnectionError):
        return f"AWS cannot be reached: {error} Check the network and AWS_ENDPOINT_URL_PRICING."
    if isinstance(error, ClientError):
        code = error.response.get("Error", {}).get("Code", "")
        if "Throttl" in code or code in {"RequestLimitExceeded", "TooManyRequestsException"}:
            return f"AWS throttles the price list ({code}): try again later, or fewer regions with --region."
        if code in {"AccessDeniedException", "UnauthorizedOperation"}:
            needed = "pricing:GetProducts and, for --spot, ec2:DescribeSpotPriceHistory"
            return f"AWS denies access: the role needs {needed}. {error}"
    return f"AWS answered: {error}"


def _products(client: Any, service: str, filters: Mapping[str, str]) -> Iterator[Mapping[str, Any]]:
    pages = client.get_paginator("get_products").paginate(
        ServiceCode=service,
        FormatVersion="aws_v1",
        Filters=[{"Type": "TERM_MATCH", "Field": field, "Value": value} for field, value in filters.items()],
    )
    for page in pages:
        for text in page["PriceList"]:
            yield json.loads(text)


def _on_demand(terms: Mapping[str, Any]) -> dict[PricingModel, Decimal]:
    for term in terms.get("OnDemand", {}).values():
        for dimension in term["priceDimensions"].values():
            if dimension["unit"] == "Hrs" and (usd := _usd(dimension)):
                return {PricingModel.ON_DEMAND: usd}
    return {}


def _reserved(terms: Mapping[str, Any]) -> dict[PricingModel, Decimal]:
    offers: dict[tuple[PricingModel, str], Decimal] = {}
    for term in terms.get("Reserved", {}).values():
        facts = term["termAttributes"]
        if facts.get("OfferingClass", "standard") != "standard" or facts["LeaseContractLength"] not in _LEASES:
            continue
        model, years = _LEASES[facts["LeaseContractLength"]]
        offers[model, facts["PurchaseOption"]] = _hourly_equivalent(term, years)
    hourly = {}
    for model, _ in _LEASES.values():
        for purchase in _PURCHASES:
            if usd := offers.get((model, purchase)):
                hourly[model] = usd
                break
    return hourly


def _hourly_equivalent(term: Mapping[str, Any], years: int) -> Decimal:
    hourly = upfront = Decimal(0)
    for dimension in term["priceDimensions"].values():
        usd = _usd(dimension) or Decimal(0)
        if dimension["unit"] == "Hrs":
            hourly += usd
        else:
            upfront += usd
    return hourly + upfront / (_HOURS_PER_YEAR * years)


def _usd(dimension: Mapping[str, Any]) -> Decimal | None:
    text = dimension["pricePerUnit"].get("USD")  # China is listed in CNY
    return Decimal(text) if text else None


def _spot_prices(session: boto3.Session, region: str, today: date) -> Iterator[DatedPrice]:
    """The price of each type in the most expensive zone at the start of the day: across zones nobody pays more."""
    client = session.client("ec2", region_name=region, config=_CONFIG)
    midnight = datetime.combine(today, time.min, UTC)
    dearest: dict[str, Decimal] = {}
    pages = client.get_paginator("describe_spot_price_history").paginate(
        ProductDescriptions=["Linux/UNIX"], StartTime=midnight, EndTime=midnight
    )
    for page in pages:
        for entry in page["SpotPriceHistory"]:
            usd = Decimal(entry["SpotPrice"])
            name = entry["InstanceType"]
            dearest[name] = max(usd, dearest.get(name, usd))
    for name, usd in sorted(dearest.items()):
        yield DatedPrice("aws", region, name, Unit.HOUR, PricingModel.SPOT, usd, today, SPOT_SOURCE)

"""Prices from Google's Cloud Billing Catalog: what a vCPU, a GiB of memory and a disk cost.

Credentials come from the SDK's own chain (application default credentials).
"""

import re
from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from google.api_core.client_options import ClientOptions
from google.api_core.exceptions import (
    Forbidden,
    GoogleAPICallError,
    RetryError,
    ServiceUnavailable,
    TooManyRequests,
)
from google.auth.credentials import AnonymousCredentials
from google.auth.exceptions import DefaultCredentialsError, GoogleAuthError
from google.cloud.billing_v1 import CloudCatalogClient, ListSkusRequest, Sku
from requests.exceptions import RequestException

from submissions.choices import PricingModel
from submissions.pricing.book.quotes import DatedPrice, Unit
from submissions.pricing.cost import HOURS_PER_MONTH
from submissions.pricing.sources import PriceSourceError

SOURCE = "Cloud Billing Catalog API"
COMPUTE_ENGINE = "services/6F81-5844-456A"
_PAGE_SIZE = 5000  # the API's largest

_MODELS = {
    "OnDemand": PricingModel.ON_DEMAND,
    "Preemptible": PricingModel.SPOT,
    "Commit1Yr": PricingModel.RESERVED_1Y,
    "Commit3Yr": PricingModel.RESERVED_3Y,
}
# The catalogue distinguishes products only by their descriptions; what does not match one of these
# to its last word (sole tenancy, regional disks, confidential machines, ...) is another product.
_FAMILIES = {
    "N1 Predefined": "n1",
    "Custom": "n1-custom",
    "N1 Custom": "n1-custom",
    "N2": "n2",
    "N2 Custom": "n2-custom",
    "N2D AMD": "n2d",
    "N2D AMD Custom": "n2d-custom",
    "E2": "e2",
    "Compute optimized": "c2",
    "C2D AMD": "c2d",
    "C3": "c3",
    "T2D AMD": "t2d",
    "Memory-optimized": "m1",
    "M1 Memory-optimized": "m1",
}
_EXTENDED = {
    "Custom Extended": "n1-custom",
    "N1 Custom Extended": "n1-custom",
    "N2 Custom Extended": "n2-custom",
    "N2D AMD Custom Extended": "n2d-custom",
}
# N1's commitments name no family
_COMMITTED = {
    "": "n1",
    "N1": "n1",
    "N2": "n2",
    "N2D AMD": "n2d",
    "E2": "e2",
    "Compute optimized": "c2",
    "C2D AMD": "c2d",
    "C3": "c3",
    "T2D AMD": "t2d",
    "Memory-optimized": "m1",
}
_DISKS = {
    "Storage PD Capacity": ("pd-standard", Unit.GIB_MONTH),
    "Balanced PD Capacity": ("pd-balanced", Unit.GIB_MONTH),
    "SSD backed PD Capacity": ("pd-ssd", Unit.GIB_MONTH),
    "Extreme PD Capacity": ("pd-extreme", Unit.GIB_MONTH),
    "Extreme PD IOPS": ("pd-extreme-iops", Unit.IOPS_MONTH),
    "SSD backed Local Storage": ("local-ssd", Unit.GIB_MONTH),
    "SSD backed Local Storage attached to Spot Preemptible VMs": ("local-ssd", Unit.GIB_MONTH),
    "SSD backed Local Storage attached to Preemptible VMs": ("local-ssd", Unit.GIB_MONTH),
    "Hyperdisk Balanced Capacity": ("hyperdisk-balanced", Unit.GIB_MONTH),
    "Hyperdisk Balanced IOPS": ("hyperdisk-balanced-iops", Unit.IOPS_MONTH),
    "Hyperdisk Balanced Throughput": ("hyperdisk-balanced-throughput", Unit.MIBPS_MONTH),
    "Hyperdisk Extreme Capacity": ("hyperdisk-extreme", Unit.GIB_MONTH),
    "Hyperdisk Extreme IOPS": ("hyperdisk-extreme-iops", Unit.IOPS_MONTH),
}
_SHARED_CORE = {
    "Micro Instance with burstable CPU": "f1-micro",
    "Small Instance with 1 VCPU": "g1-small",
}
_MACHINE = re.compile(r"(?:(?:Spot )?Preemptible )?(?P<family>.+?)(?: Instance)? (?P<part>Core|Ram)(?: running in .+)?")
_SHARED = re.compile(r"(?:(?:Spot )?Preemptible )?(?P<what>.+?)(?: running in .+)?")
_COMMITMENT = re.compile(r"Commitment v1: (?:(?P<family>.+?) )?(?P<part>Cpu|Ram)(?: in .+?)? for [13] Years?")
_DISK = re.compile(r"(?P<what>.+?)(?: in .+)?")


def fetch(regions: Sequence[str], *, today: date, endpoint: str | None = None) -> Iterator[DatedPrice]:
    """Prices of `regions` (none: all). `endpoint` replaces Google's, without credentials.

    Raises PriceSourceError.
    """
    request = ListSkusRequest(parent=COMPUTE_ENGINE, currency_code="USD", page_size=_PAGE_SIZE)
    try:
        for sku in _client(endpoint).list_skus(request=request):
            for price in sku_prices(sku, today):
                if not regions or price.region in regions:
                    yield price
    except (GoogleAPICallError, GoogleAuthError, RetryError, RequestException) as error:
        raise PriceSourceError(explain(error)) from error


def sku_prices(sku: Sku, today: date) -> Iterator[DatedPrice]:
    """The price of a catalogue entry in each of its regions; nothing for products that we do not price."""
    model = _MODELS.get(sku.category.usage_type)
    product = model and product_of(sku.description, model)
    if not model or not product or not sku.pricing_info:
        return
    name, unit = product
    usd = _unit_price(sku.pricing_info[-1].pricing_expression, unit)
    if usd is None:
        return
    for region in sku.service_regions:
        yield DatedPrice("gce", region, name, unit, model, usd, today, SOURCE)


def product_of(description: str, model: PricingModel) -> tuple[str, Unit] | None:
    """The price book's SKU and unit for a description of the catalogue."""
    if parts := _COMMITMENT.fullmatch(description):
        family = _COMMITTED.get(parts["family"] or "")
        return _part(family, parts["part"]) if family else None
    if model in {PricingModel.RESERVED_1Y, PricingModel.RESERVED_3Y}:
        return None
    if (parts := _DISK.fullmatch(description)) and parts["what"] in _DISKS:
        return _DISKS[parts["what"]]
    if (parts := _SHARED.fullmatch(description)) and parts["what"] in _SHARED_CORE:
        return _SHARED_CORE[parts["what"]], Unit.HOUR
    if parts := _MACHINE.fullmatch(description):
        if parts["family"] in _EXTENDED and parts["part"] == "Ram":
            return f"{_EXTENDED[parts['family']]}-extended-memory-gib", Unit.HOUR
        family = _FAMILIES.get(parts["family"])
        return _part(family, parts["part"]) if family else None
    return None


def explain(error: Exception) -> str:
    """What the operator can do about an error of Google's SDK."""
    if isinstance(error, DefaultCredentialsError):
        return (
            "Google needs credentials: set GOOGLE_APPLICATION_CREDENTIALS or run "
            "`gcloud auth application-default login`."
        )
    if isinstance(error, TooManyRequests):
        return f"Google throttles the catalogue: try again later. {error}"
    if isinstance(error, Forbidden):
        return f"Google denies access: enable the Cloud Billing API for the project. {error}"
    if isinstance(error, ServiceUnavailable | RequestException | RetryError):
        return f"Google cannot be reached: check the network and --endpoint. {error}"
    return f"Google answered: {error}"


def _client(endpoint: str | None) -> CloudCatalogClient:
    if endpoint is None:
        return CloudCatalogClient(transport="rest")
    return CloudCatalogClient(
        transport="rest",
        credentials=AnonymousCredentials(),  # type: ignore[no-untyped-call]
        client_options=ClientOptions(api_endpoint=endpoint),
    )


def _part(family: str, part: str) -> tuple[str, Unit]:
    return f"{family}-{'memory-gib' if part == 'Ram' else 'vcpu'}", Unit.HOUR


def _unit_price(expression: Any, unit: Unit) -> Decimal | None:
    """USD for one of our units: of the first tier that is not free (the free one is per account)."""
    for tier in expression.tiered_rates:
        usd = Decimal(tier.unit_price.units) + Decimal(tier.unit_price.nanos).scaleb(-9)
        if usd > 0:
            return _per(usd, expression.usage_unit, unit)
    return None


def _per(usd: Decimal, usage_unit: str, unit: Unit) -> Decimal | None:
    is_hourly = usage_unit.split(".")[-1] == "h"
    is_monthly = usage_unit.split(".")[-1] == "mo"
    if unit == Unit.HOUR:
        return usd if is_hourly else None
    if is_monthly:
        return usd
    return usd * HOURS_PER_MONTH if is_hourly else None

"""What a plan may choose from: regions, and instance types with their hardware and price there."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from runners.plans.equivalents import Hardware
from submissions.choices import PricingModel
from submissions.formatting.numbers import dollars, significant
from submissions.formatting.text import plural
from submissions.models import InstanceType, Price, priced_places
from submissions.pricing.providers import PROVIDERS_WITH_RATES, billing_of

ARM = "arm64"
_PARTS = re.compile(r"(\d+)")
_SIZE = re.compile(r"[.]|-(?=\d)")  # begins here: m5.2xlarge, n1-standard-8


@dataclass(frozen=True, slots=True)
class Offer:
    """An instance type; None is unknown. The price is that of a region, on demand."""

    name: str
    vcpus: int | None
    memory_gib: float | None
    local_disk_gib: float | None
    hourly_usd: Decimal | None
    arch: str | None = None

    def __str__(self) -> str:
        """ "4 vCPUs, 16 GiB, 150 GiB local, $0.226/h"; unknown facts are left out."""
        facts = [
            plural(self.vcpus, "vCPU") if self.vcpus else "",
            "Arm" if self.arch == ARM else "",
            f"{significant(self.memory_gib)} GiB" if self.memory_gib else "",
            f"{significant(self.local_disk_gib)} GiB local" if self.local_disk_gib else "",
            f"${dollars(self.hourly_usd)}/h" if self.hourly_usd else "",
        ]
        return ", ".join(fact for fact in facts if fact)

    @property
    def hardware(self) -> Hardware:
        return Hardware(self.name, self.vcpus, self.memory_gib, self.local_disk_gib, self.hourly_usd)


def regions_of(provider: str) -> list[str]:
    """Those in the price book. One query."""
    return [region for priced, region in priced_places() if priced == provider]


def offers_of(provider: str, region: str | None, *, on: date) -> list[Offer]:
    """The types with a price in the region, or all known types where none has; by family and size. Two queries."""
    rates = _rates_of(provider, region, on) if region else {}
    known = InstanceType.objects.filter(provider=provider)
    every = [_offer(row, provider, rates) for row in known]
    every += [Offer(sku, None, None, None, rates[sku]) for sku in _unlisted(provider, rates, every)]
    priced = [offer for offer in every if offer.hourly_usd is not None]
    return sorted(priced or every, key=_by_family_and_size)


def offer_named(offers: Sequence[Offer], name: str) -> Offer | None:
    return next((offer for offer in offers if offer.name == name), None)


def _rates_of(provider: str, region: str, on: date) -> dict[str, Decimal]:
    """USD per hour of every type, and of every part of types, in force on a day."""
    prices = Price.objects.filter(
        provider=provider,
        region=region,
        unit=Price.Unit.HOUR,
        pricing_model=PricingModel.ON_DEMAND,
        valid_from__lte=on,
    )
    newest = prices.order_by("sku", "-valid_from").distinct("sku")
    return dict(newest.values_list("sku", "usd"))


def _offer(row: InstanceType, provider: str, rates: Mapping[str, Decimal]) -> Offer:
    usd = _hourly_usd(row.name, provider, rates)
    return Offer(row.name, row.vcpus, row.memory_gib, row.local_disk_gib, usd, row.arch)


def _hourly_usd(name: str, provider: str, rates: Mapping[str, Decimal]) -> Decimal | None:
    if name in rates:
        return rates[name]
    parts = billing_of(provider).machine_rates(name)
    if not parts or any(sku not in rates for sku, _ in parts):
        return None
    return sum((rates[sku] * quantity for sku, quantity in parts), Decimal(0))


def _unlisted(provider: str, rates: Mapping[str, Decimal], listed: Sequence[Offer]) -> list[str]:
    """Types with a price whose hardware is unknown, where every price is that of a type."""
    if provider in PROVIDERS_WITH_RATES:
        return []
    return sorted(set(rates) - {offer.name for offer in listed})


def _by_family_and_size(offer: Offer) -> tuple[list[tuple[int, str]], int, list[tuple[int, str]]]:
    """m5.xlarge before m5.2xlarge before m5.16xlarge, and all of them before m10.xlarge."""
    return _natural(_SIZE.split(offer.name)[0]), offer.vcpus or 0, _natural(offer.name)


def _natural(name: str) -> list[tuple[int, str]]:
    """m5 before m10."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in _PARTS.split(name)]

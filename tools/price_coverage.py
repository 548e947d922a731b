"""Writes the tables of docs/prices.md: what has a price, and when it was last seen: by kind, and by region."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from submissions.choices import PricingModel
from submissions.formatting.names import provider_name
from submissions.pricing.book.quotes import DatedPrice, Unit
from submissions.pricing.providers import (
    CROSS_REGION_SKU,
    CROSS_ZONE_SKU,
    EGRESS_SKU,
    OBJECT_STORAGE_SKU,
    SNAPSHOT_SKU,
    billing_of,
)
from submissions.pricing.sources import snapshot

PAGE = Path(__file__).resolve().parents[1] / "docs" / "prices.md"
MARK = "<!-- made by python -m tools.price_coverage; do not edit below -->\n"
_PARTS = ("-vcpu", "-memory-gib")  # of machines: no types
_CLOUDS = ("aws", "azure", "gce")
# by SKU, else by unit
_KINDS = {
    CROSS_ZONE_SKU: "traffic between zones",
    CROSS_REGION_SKU: "traffic to other regions",
    EGRESS_SKU: "traffic to the internet",
    SNAPSHOT_SKU: "snapshots of disks",
    OBJECT_STORAGE_SKU: "object storage",
    Unit.GIB_MONTH: "volumes",
    Unit.DISK_MONTH: "volumes",
    Unit.IOPS_MONTH: "provisioned IOPS",
    Unit.MIBPS_MONTH: "provisioned throughput",
}
_NO_VOLUMES = (SNAPSHOT_SKU, OBJECT_STORAGE_SKU)

Place = tuple[str, str]  # provider, region


@dataclass(slots=True)
class Priced:
    """What has a price on one basis in one region, and when the latest of them was seen."""

    names: set[str] = field(default_factory=set)
    last_seen: date = date.min

    def add(self, name: str, last_seen: date) -> None:
        self.names.add(name)
        self.last_seen = max(self.last_seen, last_seen)

    def __str__(self) -> str:
        return f"{len(self.names):,} ({self.last_seen})" if self.names else "none"


@dataclass(slots=True)
class Regions:
    """Where a kind of price is known, and when it was last seen in each region."""

    last_seen: dict[str, date] = field(default_factory=dict)

    def add(self, region: str, last_seen: date) -> None:
        self.last_seen[region] = max(last_seen, self.last_seen.get(region, date.min))

    def __str__(self) -> str:
        if not self.last_seen:
            return "none"
        first, last = min(self.last_seen.values()), max(self.last_seen.values())
        return f"{len(self.last_seen)} ({last if first == last else f'{first} to {last}'})"


@dataclass(frozen=True, slots=True)
class Coverage:
    types: Mapping[tuple[Place, str], Priced]  # by place and pricing model
    volumes: Mapping[Place, Priced]
    kinds: Mapping[tuple[str, str], Regions]  # by kind and provider


def renewed(page: str) -> str:
    """The page with the table of the shipped prices below its mark."""
    head = page.partition(MARK)[0]
    return f"{head}{MARK}\n{table(coverage(snapshot.read_prices(), snapshot.read_hardware()))}"


def coverage(prices: Iterable[DatedPrice], catalogue: Iterable[snapshot.Hardware]) -> Coverage:
    """Types with a price of their own, and those whose vCPUs and GiB have one."""
    types: dict[tuple[Place, str], Priced] = defaultdict(Priced)
    volumes: dict[Place, Priced] = defaultdict(Priced)
    parts: dict[tuple[Place, str], dict[str, date]] = defaultdict(dict)
    kinds: dict[tuple[str, str], Regions] = defaultdict(Regions)
    for price in prices:
        place = price.provider, price.region
        kinds[_kind_of(price), price.provider].add(price.region, price.last_seen)
        if price.unit in (Unit.GIB_MONTH, Unit.DISK_MONTH) and price.sku not in _NO_VOLUMES:
            volumes[place].add(_volume_of(price), price.last_seen)
        elif price.unit == Unit.HOUR and price.sku.endswith(_PARTS):
            parts[place, price.pricing_model][price.sku] = price.last_seen
        elif price.unit == Unit.HOUR:
            types[place, price.pricing_model].add(price.sku, price.last_seen)
    for item in catalogue:
        rates = [sku for sku, _ in billing_of(item.provider).machine_rates(item.name)]
        for (place, model), known in parts.items():
            if rates and place[0] == item.provider and all(sku in known for sku in rates):
                types[place, model].add(item.name, min(known[sku] for sku in rates))
    return Coverage(types, volumes, kinds)


def _kind_of(price: DatedPrice) -> str:
    if price.unit == Unit.HOUR:
        return f"machines, {PricingModel(price.pricing_model).label}"
    return _KINDS.get(price.sku) or _KINDS[Unit(price.unit)]


def _volume_of(price: DatedPrice) -> str:
    """A size class is one of a kind."""
    return price.sku.rpartition("-")[0] if price.unit == Unit.DISK_MONTH else price.sku


def table(found: Coverage) -> str:
    """Markdown."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Coverage) -> Iterator[str]:
    yield f"| regions with a price | {' | '.join(map(provider_name, _CLOUDS))} |"
    yield f"|{'---|' * (len(_CLOUDS) + 1)}"
    machines = [f"machines, {model.label}" for model in PricingModel]
    for kind in (*machines, *dict.fromkeys(_KINDS.values())):
        yield f"| {kind} | {' | '.join(str(found.kinds.get((kind, cloud), Regions())) for cloud in _CLOUDS)} |"
    yield ""
    bases = [model.label for model in PricingModel]
    yield f"| provider | region | {' | '.join(bases)} | kinds of volumes |"
    yield f"|{'---|' * (len(bases) + 3)}"
    places = {place for place, _ in found.types} | set(found.volumes)
    for place in sorted(places):
        cells = [str(found.types.get((place, model), Priced())) for model in PricingModel]
        volumes = str(found.volumes.get(place, Priced()))
        yield f"| {provider_name(place[0])} | {place[1]} | {' | '.join(cells)} | {volumes} |"


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text()))

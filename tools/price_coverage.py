"""Writes the table of docs/prices.md: how many types have a price, by provider, region and basis."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from submissions.choices import PricingModel
from submissions.formatting.names import provider_name
from submissions.pricing.book.quotes import DatedPrice, Unit
from submissions.pricing.providers import billing_of
from submissions.pricing.sources import snapshot

PAGE = Path(__file__).resolve().parents[1] / "docs" / "prices.md"
MARK = "<!-- made by python -m tools.price_coverage; do not edit below -->\n"
_PARTS = ("-vcpu", "-memory-gib")  # of machines: no types

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


@dataclass(frozen=True, slots=True)
class Coverage:
    types: Mapping[tuple[Place, str], Priced]  # by place and pricing model
    volumes: Mapping[Place, Priced]


def renewed(page: str) -> str:
    """The page with the table of the shipped prices below its mark."""
    head = page.partition(MARK)[0]
    return f"{head}{MARK}\n{table(coverage(snapshot.read_prices(), snapshot.read_hardware()))}"


def coverage(prices: Iterable[DatedPrice], catalogue: Iterable[snapshot.Hardware]) -> Coverage:
    """Types with a price of their own, and those whose vCPUs and GiB have one."""
    types: dict[tuple[Place, str], Priced] = defaultdict(Priced)
    volumes: dict[Place, Priced] = defaultdict(Priced)
    parts: dict[tuple[Place, str], dict[str, date]] = defaultdict(dict)
    for price in prices:
        place = price.provider, price.region
        if price.unit == Unit.GIB_MONTH:
            volumes[place].add(price.sku, price.last_seen)
        elif price.unit == Unit.HOUR and price.sku.endswith(_PARTS):
            parts[place, price.pricing_model][price.sku] = price.last_seen
        elif price.unit == Unit.HOUR:
            types[place, price.pricing_model].add(price.sku, price.last_seen)
    for item in catalogue:
        rates = [sku for sku, _ in billing_of(item.provider).machine_rates(item.name)]
        for (place, model), known in parts.items():
            if rates and place[0] == item.provider and all(sku in known for sku in rates):
                types[place, model].add(item.name, min(known[sku] for sku in rates))
    return Coverage(types, volumes)


def table(found: Coverage) -> str:
    """Markdown."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Coverage) -> Iterator[str]:
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

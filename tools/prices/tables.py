"""Reads dated tables of prices, each known by its columns: what open projects publish of the clouds' lists.

- prices of EC2 of one day by region and type, on four bases (the module ec2-instances-info);
- the changes of EC2's or Azure's prices on demand (the generated tables of Karpenter's providers for AWS and Azure);
- the changes of GCE's prices on demand and spot (the initial prices of Karpenter's GCP provider);
- any table in the columns of the price book itself.
"""

import csv
import gzip
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

from submissions.choices import PricingModel
from submissions.pricing.book.quotes import DatedPrice, Unit

Row = Mapping[str, str]

_EC2_DAY_SOURCE = "ec2-instances-info of {day}"
_GCE_SOURCE = "karpenter-provider-gcp, prices seen on {day}"
_DAY_IN_NAME = re.compile(r"\d{4}-\d{2}-\d{2}")
# The first that is offered, as everywhere in the price book.
_BASES = {
    PricingModel.ON_DEMAND: ("on_demand_usd_h",),
    PricingModel.RESERVED_1Y: ("reserved_1y_standard_no_upfront", "reserved_1y_standard_all_upfront"),
    PricingModel.RESERVED_3Y: ("reserved_3y_standard_no_upfront", "reserved_3y_standard_all_upfront"),
    PricingModel.SPOT: ("spot_avg",),
}


def read_table(path: Path) -> list[DatedPrice]:
    """Raises ValueError where the columns are not known, or the day of a table without dates is not in its name."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8", newline="") as text:
        rows = csv.DictReader(text)
        columns = set(rows.fieldnames or ())
        for needed, read in _TABLES:
            if needed <= columns:
                return list(read(list(rows), path.name))
    raise ValueError(f"{path.name} is not a table of prices: its columns are {', '.join(sorted(columns)) or 'missing'}")


def _ec2_day(rows: Sequence[Row], name: str) -> Iterator[DatedPrice]:
    found = _DAY_IN_NAME.search(name)
    if not found:
        raise ValueError(f"{name} has no day in its name, and no column with it")
    day = date.fromisoformat(found[0])
    for row in rows:
        for model, columns in _BASES.items():
            usd = next((Decimal(row[column]) for column in columns if row.get(column)), Decimal(0))
            if usd > 0:
                yield _price("aws", row["region"], row["instance_type"], model, usd, day, _EC2_DAY_SOURCE)


def _on_demand_changes(rows: Sequence[Row], name: str) -> Iterator[DatedPrice]:
    """Of EC2, or of Azure where the name of the table begins with it; a price of 0 is no longer in the list."""
    provider = "azure" if name.startswith("azure") else "aws"
    source = f"karpenter-provider-{provider}, prices seen on {{day}}"
    prices = []
    for row in rows:
        day, usd = date.fromisoformat(row["seen_on"]), Decimal(row["on_demand_usd_h"])
        prices.append(_price(provider, row["region"], row["instance_type"], PricingModel.ON_DEMAND, usd, day, source))
    return _confirmed(_as_linux(prices) if provider == "azure" else prices)


def _gce_changes(rows: Sequence[Row], name: str) -> Iterator[DatedPrice]:
    prices = []
    for row in rows:
        day, usd = date.fromisoformat(row["seen_on"]), Decimal(row["usd_h"])
        model = PricingModel(row["basis"])
        prices.append(_price("gce", row["region"], row["machine_type"], model, usd, day, _GCE_SOURCE))
    return _confirmed(prices)


def _own_columns(rows: Sequence[Row], name: str) -> Iterator[DatedPrice]:
    for row in rows:
        day = date.fromisoformat(row["valid_from"])
        yield DatedPrice(
            provider=row["provider"],
            region=row["region"],
            sku=row["sku"],
            unit=row["unit"],
            pricing_model=row["pricing_model"],
            usd=Decimal(row["usd"]),
            valid_from=day,
            source=row["source"],
            last_seen=date.fromisoformat(row.get("last_seen") or row["valid_from"]),
        )


def _price(
    provider: str, region: str, name: str, model: PricingModel, usd: Decimal, day: date, source: str
) -> DatedPrice:
    return DatedPrice(provider, region, name, Unit.HOUR, model, usd, day, source.format(day=day))


def _confirmed(prices: Sequence[DatedPrice]) -> Iterator[DatedPrice]:
    """Changes, from snapshots that each had every price: the last confirms what has not changed since."""
    days = sorted({price.valid_from for price in prices})
    histories: dict[tuple[str, ...], list[DatedPrice]] = defaultdict(list)
    for price in prices:
        histories[price.series].append(price)
    for history in histories.values():
        history.sort(key=lambda price: price.valid_from)
        ends = [days[bisect_left(days, later.valid_from) - 1] for later in history[1:]]
        for price, last_seen in zip(history, [*ends, days[-1]], strict=True):
            if price.usd > 0:
                yield replace(price, last_seen=last_seen)


_TABLES: Sequence[tuple[set[str], Callable[[Sequence[Row], str], Iterator[DatedPrice]]]] = (
    ({"provider", "region", "sku", "unit", "pricing_model", "usd", "valid_from", "source"}, _own_columns),
    ({"seen_on", "region", "machine_type", "basis", "usd_h"}, _gce_changes),
    ({"seen_on", "region", "instance_type", "on_demand_usd_h"}, _on_demand_changes),
    ({"region", "instance_type", "on_demand_usd_h", "spot_avg"}, _ec2_day),
)

# Karpenter's table of Azure has, of some types on some days, the price with a licence of Windows: so much more a vCPU.
_WINDOWS_USD = Decimal("0.046")
_WINDOWS_USD_OF_B = Decimal("0.0046")  # burstable types
_WINDOWS_TOLERANCE = Decimal("0.0011")  # prices are rounded to a tenth of a cent
_AZURE_SIZE = re.compile(r"Standard_(?P<family>[A-Z]+)(?P<vcpus>\d+).*")


def _as_linux(prices: Sequence[DatedPrice]) -> list[DatedPrice]:
    """A price that is another one of its series plus the licence of Windows becomes that other one."""
    seen: dict[tuple[str, ...], set[Decimal]] = defaultdict(set)
    for price in prices:
        seen[price.series].add(price.usd)
    return [replace(price, usd=_without_windows(price, seen[price.series])) for price in prices]


def _without_windows(price: DatedPrice, others: set[Decimal]) -> Decimal:
    size = _AZURE_SIZE.fullmatch(price.sku)
    if not size:
        return price.usd
    licence = int(size["vcpus"]) * (_WINDOWS_USD_OF_B if size["family"] == "B" else _WINDOWS_USD)
    linux = [usd for usd in others if usd > 0 and abs(price.usd - usd - licence) <= _WINDOWS_TOLERANCE]
    return min(linux, default=price.usd)


# Karpenter's table has the dedicated tenancy of bare metal, which costs so many times the shared one.
_DEDICATED = (Decimal("1.05"), Decimal("1.105"))
_BARE_METAL = re.compile(r".+\.metal.*")


def as_shared_tenancy(prices: Sequence[DatedPrice], lists: Sequence[Sequence[DatedPrice]]) -> list[DatedPrice]:
    """Bare metal at the price that other lists have for it, where this one's is that of dedicated tenancy.

    The premium is a fixed part, so the days of the changes are right.
    """
    known: dict[tuple[str, ...], list[DatedPrice]] = defaultdict(list)
    for price in (price for others in lists for price in others):
        if _BARE_METAL.fullmatch(price.sku):
            known[price.series].append(price)
    return [_as_shared(price, known.get(price.series, ())) for price in prices]


def _as_shared(price: DatedPrice, others: Sequence[DatedPrice]) -> DatedPrice:
    for other in sorted(others, key=lambda other: abs(other.valid_from - price.last_seen)):
        if _DEDICATED[0] <= price.usd / other.usd <= _DEDICATED[1]:
            return replace(price, usd=other.usd, source=f"{price.source}; shared tenancy by {other.source}")
    return price

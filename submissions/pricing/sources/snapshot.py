"""The prices and instance types that are shipped with the site: writes and reads their files."""

import csv
import gzip
import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path

from submissions.pricing.quotes import DatedPrice

FOLDER = Path(__file__).resolve().parents[2] / "data" / "prices"
PRICES = "prices.csv.gz"  # of apache-libcloud's releases, see make_price_snapshot
HARDWARE = "instance_types.csv.gz"
HISTORICAL = "historical.json"  # of the published results, written by hand

_PRICE_COLUMNS = ("provider", "region", "sku", "unit", "pricing_model", "usd", "valid_from", "source")
_HARDWARE_COLUMNS = ("provider", "name", "vcpus", "memory_gib", "local_disk_gib", "source")


@dataclass(frozen=True, slots=True)
class Hardware:
    """An instance type; unknown facts are None. `local_disk_gib` is 0 where it has no local disk."""

    provider: str
    name: str
    vcpus: int | None
    memory_gib: float | None
    local_disk_gib: float | None
    source: str


def write_prices(prices: Iterable[DatedPrice], folder: Path) -> None:
    rows = sorted(
        (*price.series, f"{price.usd.normalize():f}", price.valid_from.isoformat(), price.source) for price in prices
    )
    _write(folder / PRICES, _PRICE_COLUMNS, rows)


def write_hardware(types: Iterable[Hardware], folder: Path) -> None:
    rows = (tuple(getattr(item, column) for column in _HARDWARE_COLUMNS) for item in types)
    _write(folder / HARDWARE, _HARDWARE_COLUMNS, rows)


def read_prices(folder: Path = FOLDER) -> Iterator[DatedPrice]:
    """The snapshot, then the prices of the published results."""
    for row in _read(folder / PRICES):
        yield _dated(row)
    for row in json.loads((folder / HISTORICAL).read_text())["prices"]:
        yield _dated(row)


def read_hardware(folder: Path = FOLDER) -> Iterator[Hardware]:
    for row in _read(folder / HARDWARE):
        yield Hardware(
            provider=row["provider"],
            name=row["name"],
            vcpus=int(row["vcpus"]) if row["vcpus"] else None,
            memory_gib=float(row["memory_gib"]) if row["memory_gib"] else None,
            local_disk_gib=float(row["local_disk_gib"]) if row["local_disk_gib"] else None,
            source=row["source"],
        )


def _dated(row: dict[str, str]) -> DatedPrice:
    return DatedPrice(
        provider=row["provider"],
        region=row["region"],
        sku=row["sku"],
        unit=row["unit"],
        pricing_model=row["pricing_model"],
        usd=Decimal(row["usd"]),
        valid_from=date.fromisoformat(row["valid_from"]),
        source=row["source"],
    )


def _write(path: Path, columns: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    # no time in the header: the same prices make the same bytes
    path.write_bytes(gzip.compress(text.getvalue().encode(), compresslevel=9, mtime=0))


def _read(path: Path) -> Iterator[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as text:
        yield from csv.DictReader(text)

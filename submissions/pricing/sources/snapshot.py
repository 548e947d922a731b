"""The prices and instance types that are shipped with the site: writes and reads their files."""

import csv
import gzip
import hashlib
import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path

from submissions.pricing.book.quotes import DatedPrice

FOLDER = Path(__file__).resolve().parents[2] / "data" / "prices"
PRICES = "prices.csv.gz"  # of every source, the historical ones too: see tools/make_price_snapshot.py
HARDWARE = "instance_types.csv.gz"
HISTORICAL = "historical.json"  # of the published results, written by hand

PRICE_COLUMNS = ("provider", "region", "sku", "unit", "pricing_model", "usd", "valid_from", "last_seen", "source")
_HARDWARE_COLUMNS = (
    "provider",
    "name",
    "vcpus",
    "memory_gib",
    "local_disk_gib",
    "local_disk_count",
    "local_disk_kind",
    "arch",
    "cpu_model",
    "source",
)


@dataclass(frozen=True, slots=True)
class Hardware:
    """An instance type; unknown facts are None. `local_disk_gib` is 0 where it has no local disk."""

    provider: str
    name: str
    vcpus: int | None
    memory_gib: float | None
    local_disk_gib: float | None
    source: str
    local_disk_count: int | None = None
    local_disk_kind: str | None = None
    arch: str | None = None
    cpu_model: str | None = None


def write_prices(prices: Iterable[DatedPrice], folder: Path) -> None:
    rows = sorted(
        (
            *price.series,
            f"{price.usd.normalize():f}",
            price.valid_from.isoformat(),
            price.last_seen.isoformat(),
            price.source,
        )
        for price in prices
    )
    _write(folder / PRICES, PRICE_COLUMNS, rows)


def write_hardware(types: Iterable[Hardware], folder: Path) -> None:
    rows = (tuple(getattr(item, column) for column in _HARDWARE_COLUMNS) for item in types)
    _write(folder / HARDWARE, _HARDWARE_COLUMNS, rows)


def read_prices(folder: Path = FOLDER, *, until: date = date.max) -> Iterator[DatedPrice]:
    """The prices that began by `until`: a reader of the oldest ones need not make the others."""
    with gzip.open(folder / PRICES, "rt", encoding="utf-8", newline="") as text:
        rows = csv.reader(text)
        next(rows)
        for provider, region, sku, unit, model, usd, valid_from, last_seen, source in rows:
            if valid_from <= until.isoformat():
                day, seen = date.fromisoformat(valid_from), date.fromisoformat(last_seen)
                yield DatedPrice(provider, region, sku, unit, model, Decimal(usd), day, source, seen)


def prices_text(folder: Path = FOLDER) -> bytes:
    """The file of prices as CSV, with the columns above it: COPY takes it as it is."""
    return gzip.decompress((folder / PRICES).read_bytes())


def digest(folder: Path = FOLDER) -> str:
    """Changes whenever one of the files does."""
    content = b"".join((folder / name).read_bytes() for name in (PRICES, HARDWARE))
    return hashlib.sha256(content).hexdigest()


def read_historical(folder: Path = FOLDER) -> Iterator[DatedPrice]:
    """The prices of the published results and of announcements, as they were written by hand."""
    for row in json.loads((folder / HISTORICAL).read_text())["prices"]:
        yield DatedPrice(**{**row, "usd": Decimal(row["usd"]), "valid_from": date.fromisoformat(row["valid_from"])})


def read_hardware(folder: Path = FOLDER) -> Iterator[Hardware]:
    for row in _read(folder / HARDWARE):
        yield Hardware(
            provider=row["provider"],
            name=row["name"],
            vcpus=int(row["vcpus"]) if row["vcpus"] else None,
            memory_gib=float(row["memory_gib"]) if row["memory_gib"] else None,
            local_disk_gib=float(row["local_disk_gib"]) if row["local_disk_gib"] else None,
            source=row["source"],
            local_disk_count=int(row["local_disk_count"]) if row["local_disk_count"] else None,
            local_disk_kind=row["local_disk_kind"] or None,
            arch=row["arch"] or None,
            cpu_model=row["cpu_model"] or None,
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

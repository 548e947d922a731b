"""Until when the makers of databases and JDKs support each release cycle: a dated table of the release of the site."""

import csv
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

FILE = Path(__file__).resolve().parents[1] / "data" / "end_of_life.csv"
COLUMNS = ("kind", "product", "cycle", "eol", "bound", "as_of", "source")
AT_THE_LATEST = "latest"  # the value of `bound` where the source only tells a day by which the support had ended


class Kind(StrEnum):
    SERVICE = "service"
    JDK = "jdk"


@dataclass(frozen=True, slots=True)
class Cycle:
    """Releases that one date holds for: "3.11" of cassandra, "17" of temurin.

    `eol` is the last day of support by its maker, paid extensions that the source lists included; None where the source
    names no day: it was supported on `as_of`, and nothing is known of later days.
    """

    kind: Kind
    product: str  # a slug of the vocabulary
    cycle: str
    eol: date | None
    is_bound: bool  # support had ended by `eol`, on an unknown day
    as_of: date  # the newest day that the source itself names
    source: str

    def is_past(self, today: date) -> bool:
        """From the day after the last day of support."""
        return self.eol is not None and self.eol < today

    @property
    def pattern(self) -> str:
        """Of its versions, for Python and PostgreSQL alike: "8" has "8u51" and, of a JDK, "1.8.0_252"; not "80"."""
        before = r"^v?(1[.])?" if self.kind == Kind.JDK else "^v?"
        return f"{before}{self.cycle.replace('.', '[.]')}([^0-9]|$)"


def read(path: Path = FILE) -> list[Cycle]:
    with path.open(encoding="utf-8", newline="") as text:
        return [
            Cycle(
                Kind(row["kind"]),
                row["product"],
                row["cycle"],
                date.fromisoformat(row["eol"]) if row["eol"] else None,
                row["bound"] == AT_THE_LATEST,
                date.fromisoformat(row["as_of"]),
                row["source"],
            )
            for row in csv.DictReader(text)
        ]


def write(cycles: Iterable[Cycle], path: Path = FILE) -> None:
    """Products in the order given, the newest cycle of each first as it came."""
    with path.open("w", encoding="utf-8", newline="") as text:
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(COLUMNS)
        for one in cycles:
            bound = AT_THE_LATEST if one.is_bound else ""
            eol = one.eol.isoformat() if one.eol else ""
            writer.writerow((one.kind, one.product, one.cycle, eol, bound, one.as_of.isoformat(), one.source))


@lru_cache(maxsize=1)
def table() -> Mapping[tuple[Kind, str], tuple[Cycle, ...]]:
    """The shipped table by product; read once a process."""
    products: dict[tuple[Kind, str], list[Cycle]] = {}
    for cycle in read():
        products.setdefault((cycle.kind, cycle.product), []).append(cycle)
    return {product: tuple(cycles) for product, cycles in products.items()}


@lru_cache(maxsize=4096)
def cycle_of(kind: Kind, product: str | None, version: str | None) -> Cycle | None:
    """None where the product, the version or its cycle is not in the table: then nothing is known."""
    if not product or not version:
        return None
    return next((one for one in table().get((kind, product), ()) if re.search(one.pattern, version)), None)


@lru_cache(maxsize=16)
def past_patterns(kind: Kind, today: date) -> Mapping[str, str]:
    """By product, the pattern of all versions past their end of life on this day."""
    patterns = {
        product: "|".join(cycle.pattern for cycle in cycles if cycle.is_past(today))
        for (own, product), cycles in table().items()
        if own == kind
    }
    return {product: pattern for product, pattern in patterns.items() if pattern}

"""make_end_of_life_table: continues the table of supported versions that is shipped with the site."""

import json
from argparse import ArgumentParser
from datetime import date
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from submissions.age.end_of_life import FILE, Cycle, Kind, read, write


class Command(BaseCommand):
    help = (
        "Continue the table of supported versions from files of endoflife.date "
        "(https://endoflife.date/api/PRODUCT.json), each named by what it is of: service:postgresql=postgresql.json, "
        "jdk:temurin=eclipse-temurin.json. Lines of other products, and cycles that a file no longer has, stay."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", help="KIND:PRODUCT=FILE")
        parser.add_argument("--as-of", required=True, type=date.fromisoformat, help="day on which they were fetched")
        parser.add_argument("--table", type=Path, default=FILE)

    def handle(self, *, files: list[str], as_of: date, table: Path, **options: Any) -> None:
        cycles = read(table)
        for named in files:
            try:
                new = _cycles_in(named, as_of)
            except (OSError, ValueError, KeyError, TypeError) as error:
                raise CommandError(f"{named}: {error}") from error
            cycles = _continued(cycles, new)
            self.stdout.write(f"{new[0].kind}:{new[0].product}: {len(new)} cycles")
        write(cycles, table)


def _cycles_in(named: str, as_of: date) -> list[Cycle]:
    what, _, path = named.partition("=")
    kind, _, product = what.partition(":")
    file = Path(path)
    rows = json.loads(file.read_text(encoding="utf-8"))
    if not rows or not product:
        raise ValueError("write KIND:PRODUCT=FILE, of a file that has cycles")
    source = f"https://endoflife.date/{file.stem}"
    return [Cycle(Kind(kind), product, str(row["cycle"]), _last_day(row), False, as_of, source) for row in rows]


def _last_day(row: dict[str, Any]) -> date | None:
    """Of any support, paid extensions too; None where one of them has no day yet."""
    ends = [row["eol"], row.get("extendedSupport") or row["eol"]]
    if any(isinstance(end, bool) for end in ends):
        return None
    return max(date.fromisoformat(end) for end in ends)


def _continued(cycles: list[Cycle], new: list[Cycle]) -> list[Cycle]:
    """The new lines in the place of the product's, before those of its cycles that are not new."""
    product = (new[0].kind, new[0].product)
    names = {one.cycle for one in new}
    at = next((place for place, one in enumerate(cycles) if (one.kind, one.product) == product), len(cycles))
    others = [(place, one) for place, one in enumerate(cycles) if (one.kind, one.product) != product]
    kept = [one for one in cycles if (one.kind, one.product) == product and one.cycle not in names]
    before = [one for place, one in others if place < at]
    return [*before, *new, *kept, *(one for place, one in others if place > at)]

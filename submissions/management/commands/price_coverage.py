"""price_coverage: writes the table of docs/prices.md, of the prices that are shipped."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from submissions.pricing.coverage import coverage, table
from submissions.pricing.sources import snapshot

PAGE = settings.BASE_DIR / "docs" / "prices.md"
MARK = "<!-- made by manage.py price_coverage; nothing below is written by hand -->\n"


class Command(BaseCommand):
    help = "Write the table of types with a price, by provider, region and basis, into docs/prices.md."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--page", type=Path, default=PAGE)

    def handle(self, *, page: Path, **options: Any) -> None:
        page.write_text(renewed(page.read_text()))


def renewed(page: str) -> str:
    """The page with the table of the shipped prices below its mark."""
    head = page.partition(MARK)[0]
    return f"{head}{MARK}\n{table(coverage(snapshot.read_prices(), snapshot.read_hardware()))}"

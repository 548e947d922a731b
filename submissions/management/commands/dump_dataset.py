"""`manage.py dump_dataset`: writes everything public as Parquet and CSV, as the site does every night."""

from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from submissions.dataset import write


class Command(BaseCommand):
    help = f"Write a dump of everything public, for the page /data/. The last {write.MAX_DUMPS} are kept on disk."
    requires_system_checks: list[str] = []  # they load every page: 25 MB

    def handle(self, **options: Any) -> None:
        dump = write.write(timezone.now())
        for file in dump.files:
            rows = "" if file["rows"] is None else f", {file['rows']:,} rows"
            self.stdout.write(f"{dump.folder}/{file['name']}: {file['size_bytes']:,} bytes{rows}")

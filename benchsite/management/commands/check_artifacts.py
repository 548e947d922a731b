"""`manage.py check_artifacts`: does every row have its bytes, with the right hash? Exit status 1 if not."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from benchsite.storage.check import check_storage
from benchsite.storage.orphans import RETENTION, delete_orphans


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--quick", action="store_true", help="only look whether the files exist, do not read them")
        parser.add_argument(
            "--delete",
            action="store_true",
            help=f"delete files without rows that are older than {RETENTION.days} days, as the site does by itself,"
            " even if they are most of the storage",
        )

    def handle(self, *args: Any, quick: bool, delete: bool, **options: Any) -> None:
        result = check_storage(read=not quick)
        for file in result.missing:
            self.stdout.write(f"missing: {file.name}")
        for file in result.damaged:
            self.stdout.write(f"damaged: {file.name}: its bytes have another hash")
        for name in result.without_rows:
            self.stdout.write(f"no row points to it: {name}")
        what = "exist" if quick else "have the right hash"
        good = result.files - len(result.missing) - len(result.damaged)
        self.stdout.write(
            f"{good} of {result.files} files {what}: {len(result.missing)} missing, {len(result.damaged)} damaged.\n"
            f"{len(result.without_rows)} files without rows: deleted {RETENTION.days} days after their last use."
        )
        if delete:
            self.stdout.write(f"{delete_orphans(timezone.now(), even_most=True)} files deleted.")
        if not result.is_well:
            sys.exit(1)

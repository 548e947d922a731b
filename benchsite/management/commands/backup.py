"""`manage.py backup DIR`: database, files and secret key of one moment, while the site goes on."""

import sys
import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from benchsite.backup.create import Backup, back_up
from benchsite.backup.errors import BackupError

KEEP = 14


class Command(BaseCommand):
    help = (
        "Add a snapshot of this site to DIR: its database, its files and its secret key. Files that are in DIR already"
        " are not copied again. DIR is private (mode 0700): it holds the secret key and everything that is not public."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("directory", type=Path, metavar="DIR", help="outside DATA_DIR; better on another machine")
        parser.add_argument("--keep", type=_at_least_one, default=KEEP, help=f"newest snapshots to keep ({KEEP})")

    def handle(self, *args: Any, directory: Path, keep: int, **options: Any) -> None:
        began = time.monotonic()
        try:
            backup = back_up(directory.absolute(), keep=keep)
        except (BackupError, OSError) as error:
            raise CommandError(str(error)) from None
        self.report(backup, time.monotonic() - began)
        if backup.lost:
            sys.exit(1)

    def report(self, backup: Backup, seconds: float) -> None:
        manifest, copied = backup.manifest, backup.copied
        self.stdout.write(
            f"snapshot {backup.snapshot.name}: {manifest.rows:,} rows, {manifest.files:,} files"
            f" ({copied.new_files:,} new, {copied.new_bytes:,} bytes), in {seconds:.1f} s\n"
            f"It has everything that was committed before {manifest.moment:%Y-%m-%d %H:%M:%S} UTC."
        )
        if backup.pruned:
            self.stdout.write(f"Deleted old snapshots: {', '.join(backup.pruned)}")
        for name in backup.lost:
            self.stdout.write(f"missing or damaged in the storage, although a row points to it: {name}")
        self.stdout.write(f"{backup.snapshot.place.parent.parent} is private: it holds the secret key of the site.")


def _at_least_one(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number

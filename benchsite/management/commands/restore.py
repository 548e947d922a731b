"""`manage.py restore DIR`: a backup becomes a site again. Only into an empty one."""

import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from benchsite.backup.errors import BackupError
from benchsite.backup.folder import BackupFolder
from benchsite.backup.restore import Options, restore


class Command(BaseCommand):
    help = "Restore the newest snapshot of DIR, or a chosen one, into an empty site (a new DATA_DIR or database)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("directory", type=Path, metavar="DIR", help="the folder that manage.py backup has written")
        parser.add_argument("--list", action="store_true", help="list the snapshots and restore nothing")
        parser.add_argument("--snapshot", help="its name; default: the newest")
        parser.add_argument(
            "--incomplete", action="store_true", help="restore although files of the backup are missing or damaged"
        )
        parser.add_argument(
            "--keep-files", action="store_true", help="the files in the storage are this site's own: keep them"
        )
        parser.add_argument("--keep-key", action="store_true", help="keep the SECRET_KEY of this site")

    def handle(self, *args: Any, directory: Path, snapshot: str | None, **options: Any) -> None:
        try:
            if options["list"]:
                self.list(BackupFolder.to_read(directory.absolute()))
                return
            chosen = Options(options["incomplete"], options["keep_files"], options["keep_key"])
            self.restore(directory.absolute(), snapshot, chosen)
        except (BackupError, OSError) as error:
            raise CommandError(str(error)) from None

    def list(self, folder: BackupFolder) -> None:
        for snapshot in folder.snapshots():
            manifest = snapshot.manifest()
            self.stdout.write(
                f"{snapshot.name}  version {manifest.site_version}  {manifest.rows:,} rows"
                f"  {manifest.files:,} files, {manifest.file_bytes:,} bytes"
            )

    def restore(self, directory: Path, name: str | None, options: Options) -> None:
        began = time.monotonic()
        done = restore(directory, name, options)
        self.stdout.write(
            f"restored snapshot {done.snapshot.name}: {done.manifest.rows:,} rows,"
            f" {done.copied.files:,} files with the right hash,"
            f" in {time.monotonic() - began:.1f} s\n"
            f"What was committed after {done.manifest.moment:%Y-%m-%d %H:%M:%S} UTC is not in it."
        )
        for missing in done.damaged:
            self.stdout.write(f"missing or damaged in the backup: {missing}")
        self.stdout.write(
            "Start the site as usual. If the site that was backed up still runs, this is a rehearsal: start only the"
            f" web server (DATA_DIR={settings.DATA_DIR} manage.py serve --only web), so that the copy leaves the runs"
            " and machines of the other one alone."
        )

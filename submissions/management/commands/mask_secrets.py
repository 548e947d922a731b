"""`manage.py mask_secrets`: masks passwords and keys in what was stored before the site looked for them."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from submissions.dataset.write import delete_all
from submissions.formatting.text import plural
from submissions.ingest.secrets.stored import mask_stored


class Command(BaseCommand):
    help = (
        "Finds passwords and keys in stored files and texts, and prints where they are, never what they are. "
        "With --apply they are masked, and the older dumps, which hold them too, are deleted. Safe to repeat."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--apply", action="store_true", help="mask them; without it nothing is changed")

    def handle(self, *args: Any, apply: bool, **options: Any) -> None:
        count = 0
        for finding in mask_stored(apply=apply):
            self.stdout.write(finding.what)
            count += 1
        if not count:
            self.stdout.write("no secrets found")
        elif apply:
            dumps = delete_all()
            self.stdout.write(
                f"masked {plural(count, 'file or row', 'files and rows')}, deleted {plural(dumps, 'dump')};"
                " backups made before still hold the secrets"
            )
        else:
            self.stdout.write(
                f"{plural(count, 'file or row holds', 'files and rows hold')} secrets;"
                " nothing was changed: --apply masks them"
            )

"""`manage.py derive_data`: how much data stored results have, by the rules of this version."""

from typing import Any

from django.core.management.base import BaseCommand

from submissions.ingest.changes.derived_data import derive_data

_SAY_EVERY = 50_000


class Command(BaseCommand):
    help = "Derives the amount of data of stored results after an upgrade; safe to stop and to repeat."

    def handle(self, *args: Any, **options: Any) -> None:
        done = changed = said = 0
        for looked_at, updated in derive_data():
            done, changed = done + looked_at, changed + updated
            if done - said >= _SAY_EVERY:
                said = done
                self.stdout.write(f"data of results: {done:,} derived")
                self.stdout.flush()
        if changed:
            self.stdout.write(f"data of results: {changed:,} of {done:,} are new")

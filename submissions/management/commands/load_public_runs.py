"""`manage.py load_public_runs`: the benchmark runs of others that come with the site, as results with their logs."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from submissions.packs.load import load_waiting
from submissions.models import Price


class Command(BaseCommand):
    help = (
        "Loads the published benchmark runs that come with the site. Repeatable: what is loaded is left, and what was "
        "interrupted goes on. A worker does the same by itself after its start."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        if not Price.objects.exists():
            raise CommandError("the price book is empty: run `manage.py load_prices --source snapshot` first")
        done = load_waiting()
        self.stdout.write(f"published runs: {done.loaded} of {done.total} results loaded, {done.refused} refused")

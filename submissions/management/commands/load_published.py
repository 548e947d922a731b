"""`manage.py load_published`: the results of public articles, as submissions of trust `historical`."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from benchsite.http.refusals import Refusal
from submissions.ingest.changes.undated import date_undated
from submissions.ingest.published import load_published
from submissions.models import Price


class Command(BaseCommand):
    help = "Stores the published results that come with the site; safe to repeat. Load the prices first."

    def handle(self, *args: Any, **options: Any) -> None:
        if not Price.objects.exists():
            # a submission keeps the price of its day for ever: without a price book it would keep none
            raise CommandError("the price book is empty: run `manage.py load_prices --source snapshot` first")
        try:
            loaded = load_published()
        except Refusal as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            f"published results: {loaded.created} new, {loaded.there_before} there before, "
            f"{loaded.replaced} replaced; {loaded.unpriced} have no known price"
        )
        if dated := date_undated():  # of versions before 0.2
            self.stdout.write(f"results without a date: {dated} have the day of their receipt and its prices now")

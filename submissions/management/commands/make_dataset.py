"""`manage.py make_dataset --submissions N`: invented submissions, for load tests and demonstrations."""

import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from submissions.synthetic import copying


class Command(BaseCommand):
    help = (
        "Adds invented submissions, titled 'Synthetic: ...' with the source make_dataset; the same for a seed. "
        "--clear deletes those that there are first, and only those."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--submissions", type=int, default=0, metavar="N")
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--clear", action="store_true")

    def handle(self, *args: Any, submissions: int, seed: int, clear: bool, **options: Any) -> None:
        if submissions < 0 or not (submissions or clear):
            raise CommandError("say how many: --submissions N, or --clear")
        if clear:
            self.stdout.write(f"deleted {copying.clear():,} synthetic submissions")
        if submissions:
            began = time.monotonic()
            made = copying.make_dataset(submissions, seed=seed)
            self.stdout.write(
                f"made {made.created:,} synthetic submissions of seed {seed} in {time.monotonic() - began:.1f} s"
                f" ({made.there_before:,} were there before)"
            )

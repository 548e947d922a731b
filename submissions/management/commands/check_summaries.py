"""`manage.py check_summaries [--rebuild]`: the totals that pages read, against plain counts of the rows."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db.models.functions import Now

from submissions.formatting.text import plural
from submissions.models import WorkloadTotals, fill_search
from submissions.summaries.check import MOST_LINES, all_workloads, differences
from submissions.summaries.recounts import recount_all


class Command(BaseCommand):
    help = (
        "Compare the totals of every workload (counts, groups, bests, noise) with plain counts of its submissions; "
        "the exit status is 1 where any differ. The site may go on meanwhile."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--rebuild", action="store_true", help="count all workloads again first")

    def handle(self, *args: Any, rebuild: bool, **options: Any) -> None:
        workloads = all_workloads()
        if rebuild:
            self.stdout.write(f"{plural(recount_all(workloads), 'workload')} counted again.")
            fill_search()
        ended = WorkloadTotals.objects.filter(valid_until__lte=Now()).count()
        if ended:
            self.stdout.write(
                f"{plural(ended, 'workload')} not compared: an embargo or a wait has ended, and pages read the rows "
                "until they are counted again."
            )
        wrong = sum(self._has_differences(workload) for workload in workloads)
        if wrong:
            raise CommandError(
                f"The totals of {plural(wrong, 'workload')} differ from the rows. Correct them with "
                "`manage.py check_summaries --rebuild`, and report it: this must not happen."
            )
        self.stdout.write(f"The totals of {plural(len(workloads), 'workload')} equal the counts of the rows.")

    def _has_differences(self, workload: int) -> bool:
        lines = differences(workload)
        for line in lines[:MOST_LINES]:
            self.stdout.write(f"workload {workload}: {line}")
        if len(lines) > MOST_LINES:
            self.stdout.write(f"workload {workload}: {len(lines) - MOST_LINES} more")
        return bool(lines)

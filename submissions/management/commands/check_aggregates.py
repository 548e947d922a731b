"""`manage.py check_aggregates [--rebuild]`: the figures that pages read, against plain counts of the rows."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from submissions.aggregates.check import all_workloads, differences, site_differences
from submissions.aggregates.store import count_all_again, outdated_workloads
from submissions.formatting.text import plural
from submissions.models import fill_search

MOST_LINES = 20


class Command(BaseCommand):
    help = (
        "Compare the stored figures of every workload with a count of its submissions; the exit status is 1 where any "
        "differ. The site may go on meanwhile."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--rebuild", action="store_true", help="count all workloads again first")

    def handle(self, *args: Any, rebuild: bool, **options: Any) -> None:
        workloads = all_workloads()
        if rebuild:
            count_all_again(workloads)
            self.stdout.write(f"{plural(len(workloads), 'workload')} counted again.")
            fill_search()
        if outdated := len(outdated_workloads()):
            self.stdout.write(f"{plural(outdated, 'workload')} not compared: a reader or a worker is to count them.")
        wrong = sum(self._write(f"workload {workload}: ", differences(workload)) for workload in workloads)
        wrong += self._write("", list(site_differences()))
        if wrong:
            raise CommandError(
                f"Differences from the rows: {wrong}. Correct them with "
                "`manage.py check_aggregates --rebuild`, and report it: this must not happen."
            )
        self.stdout.write(f"The figures of {plural(len(workloads), 'workload')} equal the counts of the rows.")

    def _write(self, place: str, lines: list[str]) -> int:
        for line in lines[:MOST_LINES]:
            self.stdout.write(f"{place}{line}")
        if len(lines) > MOST_LINES:
            self.stdout.write(f"{place}{len(lines) - MOST_LINES} more")
        return len(lines)

"""`manage.py takedown ID --reason ...`: raw files and free text of a submission go; numbers, sums and reason stay."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from benchsite.http.refusals import Refusal
from submissions.choices import Outcome
from submissions.dataset.write import delete_dumps_since
from submissions.models import Submission
from submissions.moderation.decisions import decide_all
from submissions.moderation.removal import shared_with


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("submission", type=int, metavar="ID")
        parser.add_argument("--reason", required=True, help="shown to everyone: on the page, in the log, by downloads")
        parser.add_argument("--hide", action="store_true", help="hide the page too")

    def handle(self, *args: Any, submission: int, reason: str, hide: bool, **options: Any) -> None:
        found = Submission.objects.filter(pk=submission).first()
        if found is None:
            raise CommandError(f"there is no submission {submission}")
        files = found.artifacts.filter(removed_at=None).count()
        try:
            decide_all([found], Outcome.BYTES_REMOVED, reason=reason, by=None)
            if hide:
                decide_all([found], Outcome.HIDDEN, reason=reason, by=None)
        except Refusal as error:
            raise CommandError(str(error)) from error
        dumps = delete_dumps_since(found.created_at)
        self.stdout.write(f"Submission {submission}: {files} files removed, free text blanked, {dumps} dumps deleted.")
        if others := shared_with(found):
            self.stdout.write(f"The same bytes stay with submissions {', '.join(map(str, others))}.")
        self.stdout.write("Backups made before still have them: delete those, or make a new one.")

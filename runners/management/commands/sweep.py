"""manage.py sweep: deletes leftovers by tag, for a cron job without Celery, Redis or beat."""

from django.core.management.base import BaseCommand, CommandError

from runners.sweep import sweep
from submissions.formatting.text import plural


class Command(BaseCommand):
    help = "Delete machines and other resources of this site that are left over from runs."

    def handle(self, *args: object, **options: object) -> None:
        is_incomplete = False
        for swept in sweep():
            self.stdout.write(
                f"{swept.provider}: {plural(swept.found, 'resource')} found, "
                f"leftovers of {plural(len(swept.removed), 'run')} deleted"
                + (f", not yet deleted: {', '.join(swept.remaining)}" if swept.remaining else "")
                + (f": {swept.error}" if swept.error else "")
            )
            for place, reason in swept.unseen.items():
                self.stdout.write(f"{swept.provider}: could not look into {place}: {reason}")
            is_incomplete = is_incomplete or bool(swept.remaining or swept.error or swept.unseen)
        if is_incomplete:
            raise CommandError("Some resources may be left: run the command again.")

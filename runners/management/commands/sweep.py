"""manage.py sweep: deletes leftovers by tag, for a cron that works without Celery, Redis or beat."""

from django.core.management.base import BaseCommand, CommandError

from runners.sweep import sweep


class Command(BaseCommand):
    help = "Delete machines and whatever else with this site's tag outlived its run."

    def handle(self, *args: object, **options: object) -> None:
        troubled = False
        for swept in sweep():
            self.stdout.write(
                f"{swept.provider}: {swept.found} things, removed {len(swept.removed)} runs' leftovers"
                + (f", {', '.join(swept.remaining)} not yet" if swept.remaining else "")
                + (f": {swept.error}" if swept.error else "")
            )
            troubled = troubled or bool(swept.remaining or swept.error)
        if troubled:
            raise CommandError("something may be left: run it again")

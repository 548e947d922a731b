"""`manage.py load_pack NAME`: measurements of others that come with the site, as results with their files."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from submissions.formatting.names import pack_name
from submissions.models import Price, RemovedPack
from submissions.packs import registry
from submissions.packs.load import load_again, load_waiting

_REPORT_SECONDS = 10.0


class Command(BaseCommand):
    help = (
        "Loads a pack of measurements that comes with the site, whether PACKS names it or not. Repeatable: what is "
        "loaded is left, and what was interrupted goes on. A worker does the same by itself for those of PACKS. Of a "
        "pack that was removed the same results come back."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", choices=[*registry.PACKS])

    def handle(self, *args: Any, name: str, **options: Any) -> None:
        if not Price.objects.exists():
            raise CommandError("the price book is empty: run `manage.py load_prices --source snapshot` first")
        pack, label = registry.PACKS[name], pack_name(name)
        load_again(pack)
        while True:
            done = load_waiting(pack, seconds=_REPORT_SECONDS)
            self.stdout.write(f"{label}: {done.loaded} of {done.total} results loaded, {done.refused} refused")
            if not done.waiting:
                return
            if RemovedPack.objects.filter(name=name).exists():
                raise CommandError("the pack was removed meanwhile")

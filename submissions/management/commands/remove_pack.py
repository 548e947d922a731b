"""`manage.py remove_pack NAME`: takes the results of a pack off the site, until it is loaded again by hand."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from submissions.formatting.names import pack_name
from submissions.packs import registry
from submissions.packs.removal import remove


class Command(BaseCommand):
    help = (
        "Retracts the results of a pack: their pages stay and say why. No worker loads them again, even where PACKS "
        "names the pack; `manage.py load_pack` brings the same results back. Repeatable after an interruption."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", choices=[*registry.PACKS])

    def handle(self, *args: Any, name: str, **options: Any) -> None:
        self.stdout.write(f"{pack_name(name)}: {remove(name)} results retracted")

"""manage.py fetch_cassandra: lets runs on this machine offer Cassandra, given Java 11 or newer."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from runners.distributions import tools
from runners.plans.presets import CASSANDRA_HERE_VERSION


class Command(BaseCommand):
    help = "Fetch a Cassandra distribution into DATA_DIR/tools, for runs on this machine."

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """--version is the version of Cassandra here, not of Django."""
        return super().create_parser(prog_name, subcommand, conflict_handler="resolve", **kwargs)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--version", dest="release", default=CASSANDRA_HERE_VERSION, help="default: %(default)s")
        parser.add_argument(
            "--maven",
            action="store_true",
            help="use Maven Central (through mvn) instead of the official tarball of CASSANDRA_MIRROR: "
            "the jars of the server, with the scripts and the cassandra-stress of 4.0-alpha2",
        )

    def handle(self, *args: object, **options: object) -> None:
        folder, version = Path(settings.DATA_DIR) / "tools", str(options["release"])
        try:
            if options["maven"]:
                home = tools.from_maven(folder, version)
            else:
                home = tools.from_mirror(folder, settings.CASSANDRA_MIRROR, version)
        except (tools.FetchError, OSError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"Cassandra {version} is in {home}")
        if tools.best_java() is None:
            self.stdout.write(
                "Java 11 or newer is still missing: without it, runs on this machine do not offer Cassandra."
            )

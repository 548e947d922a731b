"""manage.py fetch_load_tool: lets runs on this machine use a load tool that comes without its database."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from runners.distributions import load_tools, tools


class Command(BaseCommand):
    help = "Fetch YCSB or latte into DATA_DIR/tools, for runs on this machine: from MAVEN_MIRROR or LATTE_MIRROR."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("tool", choices=sorted(load_tools.FOLDERS))
        parser.add_argument("--maven", action="store_true", help="YCSB: use mvn and its own settings")
        parser.add_argument("--cargo", action="store_true", help="latte: build it with cargo, which takes minutes")

    def handle(self, *args: Any, **options: Any) -> None:
        folder = Path(settings.DATA_DIR) / "tools"
        try:
            if options["tool"] == "ycsb":
                mirror = _mirror("MAVEN_MIRROR", options["maven"], "--maven")
                home = load_tools.fetch_ycsb(folder, mirror)
            else:
                home = load_tools.fetch_latte(folder, _mirror("LATTE_MIRROR", options["cargo"], "--cargo"))
        except (tools.FetchError, OSError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{home.name} is in {home.parent}")


def _mirror(setting: str, by_client: bool, option: str) -> str | None:
    """The mirror of the site; None for the tool's own package client."""
    mirror = getattr(settings, setting)
    if not by_client and not mirror:
        raise CommandError(f"set {setting}, or use {option}: make ... ARGS={option}")
    return None if by_client else mirror

"""make_price_snapshot: makes the price files that are shipped with the site."""

from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from submissions.pricing.gce_machine_types import predefined_names, size_of
from submissions.pricing.sources import ec2_types, libcloud, snapshot


class Command(BaseCommand):
    help = (
        "Make the shipped price snapshot from wheels of apache-libcloud, each of which carries the "
        "prices of its day: `pip download --no-deps apache-libcloud==3.9.1`, and the same for older "
        "releases (0.20.1 and later), then `manage.py make_price_snapshot *.whl`."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("wheels", nargs="+", type=Path)
        parser.add_argument("--folder", type=Path, default=snapshot.FOLDER)

    def handle(self, *, wheels: list[Path], folder: Path, **options: Any) -> None:
        try:
            releases = [libcloud.read_release(wheel) for wheel in wheels]
            newest = max(zip(releases, wheels, strict=True), key=lambda pair: pair[0].updated)[1]
            hardware = list(ec2_types.read_hardware(newest))
        except (OSError, KeyError, ValueError) as error:
            raise CommandError(f"not a wheel of apache-libcloud with prices: {error}") from error
        vcpus = {item.name: item.vcpus for item in hardware if item.vcpus}
        prices = libcloud.history_of(releases, vcpus)
        folder.mkdir(parents=True, exist_ok=True)
        snapshot.write_prices(prices, folder)
        snapshot.write_hardware([*hardware, *_gce_hardware()], folder)
        self.stdout.write(f"{len(prices)} prices of {len(releases)} releases, {len(hardware)} EC2 instance types")


def _gce_hardware() -> Iterator[snapshot.Hardware]:
    for name in predefined_names():
        if size := size_of(name):
            yield snapshot.Hardware(
                provider="gce",
                name=name,
                vcpus=size.vcpus,
                memory_gib=float(size.memory_gib),
                local_disk_gib=None,  # attached as one likes
                source="Compute Engine machine families documentation",
            )

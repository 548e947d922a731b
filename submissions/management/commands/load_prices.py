"""load_prices: fills the price book from the shipped snapshot or from a cloud's price list."""

from argparse import ArgumentParser
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from submissions.models import InstanceType
from submissions.pricing import book
from submissions.pricing.quotes import DatedPrice
from submissions.pricing.sources import PriceSourceError, snapshot
from submissions.pricing.sources.live import LIVE_SOURCES

SNAPSHOT = "snapshot"


class Command(BaseCommand):
    help = (
        "Add dated prices to the price book. Prices that are already known are left as they are, so it can be repeated."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--source", choices=[SNAPSHOT, *LIVE_SOURCES], default=SNAPSHOT)
        parser.add_argument("--region", action="append", default=[], help="only this region (repeatable); aws and gce")
        parser.add_argument("--spot", action="store_true", help="aws: also today's spot prices of --region")
        parser.add_argument("--endpoint", help="gce: another address of the API, asked without credentials")

    def handle(self, *, source: str, **options: Any) -> None:
        _check(source, **options)
        try:
            # all of it before the first row: a source that breaks off leaves nothing behind
            prices = list(_fetch(source, **options))
        except PriceSourceError as error:
            raise CommandError(str(error)) from error
        if not prices:
            raise CommandError(f"{source} has no price for {', '.join(options['region']) or 'any region'}.")
        with transaction.atomic():
            recorded = book.record(prices)
            if source == SNAPSHOT:
                _record_hardware()
        self.stdout.write(
            f"{source}: {recorded.inserted} new prices, {recorded.unchanged} unchanged, {recorded.missing} missing, "
            f"{recorded.conflicting} in conflict with another price of the same day"
        )


def _check(source: str, *, region: list[str], spot: bool, endpoint: str | None, **options: Any) -> None:
    live = LIVE_SOURCES.get(source)
    if region and live is None:
        raise CommandError(f"--region goes with --source {' or '.join(LIVE_SOURCES)}; the snapshot is loaded whole.")
    if spot and (live is None or not live.has_spot or not region):
        raise CommandError("--spot goes with --source aws and at least one --region.")
    if endpoint and (live is None or not live.has_endpoint):
        raise CommandError("--endpoint goes with --source gce; for AWS set AWS_ENDPOINT_URL_PRICING.")


def _fetch(source: str, *, region: list[str], spot: bool, endpoint: str | None, **options: Any) -> Iterator[DatedPrice]:
    if source == SNAPSHOT:
        return snapshot.read_prices()
    live = LIVE_SOURCES[source]
    more: dict[str, Any] = {}
    if live.has_spot:
        more["with_spot"] = spot
    if live.has_endpoint:
        more["endpoint"] = endpoint
    return live.fetch(region, today=datetime.now(UTC).date(), **more)


def _record_hardware() -> None:
    InstanceType.objects.bulk_create(
        [
            InstanceType(
                provider=item.provider,
                name=item.name,
                vcpus=item.vcpus,
                memory_gib=item.memory_gib,
                local_disk_gib=item.local_disk_gib,
                source=item.source,
            )
            for item in snapshot.read_hardware()
        ],
        update_conflicts=True,
        unique_fields=["provider", "name"],
        update_fields=["vcpus", "memory_gib", "local_disk_gib", "source"],
    )

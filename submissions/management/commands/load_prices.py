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
from submissions.pricing.sources import aws, gce, snapshot
from submissions.pricing.sources.errors import PriceSourceError


class Command(BaseCommand):
    help = (
        "Add dated prices to the price book. Prices that are already known are left as they are, so it can be repeated."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--source", choices=["snapshot", "aws", "gce"], default="snapshot")
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
            if source == "snapshot":
                _record_hardware()
        self.stdout.write(
            f"{source}: {recorded.inserted} new prices, {recorded.unchanged} unchanged, {recorded.missing} missing, "
            f"{recorded.conflicting} in conflict with another price of the same day"
        )


def _check(source: str, *, region: list[str], spot: bool, endpoint: str | None, **options: Any) -> None:
    if source == "snapshot" and region:
        raise CommandError("--region goes with --source aws or gce; the snapshot is loaded whole.")
    if spot and (source != "aws" or not region):
        raise CommandError("--spot goes with --source aws and at least one --region.")
    if endpoint and source != "gce":
        raise CommandError("--endpoint goes with --source gce; for AWS set AWS_ENDPOINT_URL_PRICING.")


def _fetch(source: str, *, region: list[str], spot: bool, endpoint: str | None, **options: Any) -> Iterator[DatedPrice]:
    today = datetime.now(UTC).date()
    if source == "aws":
        return aws.fetch(region, today=today, with_spot=spot)
    if source == "gce":
        return gce.fetch(region, today=today, endpoint=endpoint)
    return snapshot.read_prices()


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

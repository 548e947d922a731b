"""load_prices: fills the price book from the shipped snapshot or from a cloud's price list."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from submissions.ingest.changes.storage import mark_without_storage
from submissions.pricing.book import refresh
from submissions.pricing.sources import PriceSourceError
from submissions.pricing.sources.live import LIVE_SOURCES


class Command(BaseCommand):
    help = (
        "Add dated prices to the price book. Prices that are already known are only confirmed, so it can be repeated."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--source", choices=[refresh.SNAPSHOT, *LIVE_SOURCES], default=refresh.SNAPSHOT)
        parser.add_argument("--region", action="append", default=[], help="only this region (repeatable); aws and gce")
        parser.add_argument("--spot", action="store_true", help="aws: also today's spot prices of --region")
        parser.add_argument("--endpoint", help="gce: another address of the API, asked without credentials")

    def handle(self, *, source: str, **options: Any) -> None:
        _check(source, **options)
        if source == refresh.SNAPSHOT:
            recorded = refresh.load_snapshot()
            self.stdout.write(f"{source}: {recorded}")
            # the catalogue of machine types comes with the snapshot
            if not recorded.is_known and (marked := mark_without_storage()):
                self.stdout.write(f"{marked} results without the price of their storage")
            return
        try:
            recorded = refresh.load_live(source, **_given(source, **options))
        except PriceSourceError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{source}: {recorded}")


def _check(source: str, *, region: list[str], spot: bool, endpoint: str | None, **options: Any) -> None:
    live = LIVE_SOURCES.get(source)
    if region and live is None:
        raise CommandError(f"--region goes with --source {' or '.join(LIVE_SOURCES)}; the snapshot is loaded whole.")
    if spot and (live is None or not live.has_spot or not region):
        raise CommandError("--spot goes with --source aws and at least one --region.")
    if endpoint and (live is None or not live.has_endpoint):
        raise CommandError("--endpoint goes with --source gce; for AWS set AWS_ENDPOINT_URL_PRICING.")


def _given(source: str, *, region: list[str], spot: bool, endpoint: str | None, **options: Any) -> dict[str, Any]:
    live = LIVE_SOURCES[source]
    given: dict[str, Any] = {"regions": region}
    if live.has_spot:
        given["with_spot"] = spot
    if live.has_endpoint:
        given["endpoint"] = endpoint
    return given

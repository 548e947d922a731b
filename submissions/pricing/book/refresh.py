"""Loads prices: the snapshot of the release, and every night what the clouds ask today, where they can be reached."""

import logging
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from submissions.models import InstanceType, PriceLoad, Submission
from submissions.pricing.book import book
from submissions.pricing.book.book import Recorded
from submissions.pricing.sources import PriceSourceError, snapshot
from submissions.pricing.sources.live import LIVE_SOURCES

log = logging.getLogger(__name__)

SNAPSHOT = "snapshot"
_MAX_PROBLEM = 500


def load_snapshot() -> Recorded:
    """The files of the release, once: the same files are not read again."""
    digest = snapshot.digest()
    if PriceLoad.objects.filter(source=SNAPSHOT, digest=digest).exists():
        return Recorded(is_known=True)
    with transaction.atomic():
        recorded = book.copy(snapshot.prices_text(), snapshot.PRICE_COLUMNS)
        _record_hardware()
        _succeeded(SNAPSHOT, digest)
    return recorded


def load_live(source: str, **options: Any) -> Recorded:
    """Today's prices of a cloud, whole or not at all. Raises PriceSourceError, and keeps the reason."""
    try:
        # all of it before the first row: a source that breaks off leaves nothing behind
        prices = list(LIVE_SOURCES[source].fetch(**options, today=datetime.now(UTC).date()))
        if not prices:
            raise PriceSourceError(f"{source} has no price for {', '.join(options['regions']) or 'any region'}.")
    except PriceSourceError as error:
        _failed(source, str(error))
        raise
    with transaction.atomic():
        recorded = book.record(prices)
        _succeeded(source)
    return recorded


def load_nightly() -> None:
    """Each cloud in the regions of its results; one that cannot be reached is tried again the next night."""
    for source, live in LIVE_SOURCES.items():
        regions = _regions_in_use(source)
        if not regions:
            continue
        try:
            recorded = load_live(source, regions=regions, **({"with_spot": True} if live.has_spot else {}))
        except PriceSourceError as error:
            log.warning("no new prices from %s: %s", source, error)
        else:
            log.info("prices from %s: %s", source, recorded)


def loads() -> list[PriceLoad]:
    """When each cloud was last asked, and whether it answered. One query."""
    return list(PriceLoad.objects.exclude(source=SNAPSHOT))


def _regions_in_use(provider: str) -> Sequence[str]:
    used = Submission.objects.filter(provider=provider, region__isnull=False).order_by("region")
    return [region for region in used.values_list("region", flat=True).distinct() if region]


def _succeeded(source: str, digest: str = "") -> None:
    now = timezone.now()
    known = {"attempted_at": now, "succeeded_at": now, "problem": "", "digest": digest}
    PriceLoad.objects.update_or_create(source=source, defaults=known)


def _failed(source: str, problem: str) -> None:
    known = {"attempted_at": timezone.now(), "problem": problem[:_MAX_PROBLEM]}
    PriceLoad.objects.update_or_create(source=source, defaults=known)


def _record_hardware() -> None:
    columns = ("vcpus", "memory_gib", "local_disk_gib", "local_disk_count", "local_disk_kind", "arch", "cpu_model")
    InstanceType.objects.bulk_create(
        [
            InstanceType(
                provider=item.provider,
                name=item.name,
                source=item.source,
                **{column: getattr(item, column) for column in columns},
            )
            for item in snapshot.read_hardware()
        ],
        update_conflicts=True,
        unique_fields=["provider", "name"],
        update_fields=[*columns, "source"],
    )

"""Deletes what outlived its run: by tag alone, whether or not a worker, a row or Celery still exists."""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from django.utils import timezone

from runners.choices import RunStatus
from runners.models import CloudAccess, Run
from runners.providers.base import Leftover, Provider, ProviderError
from runners.providers.registry import offered, provider_for, provider_in

log = logging.getLogger(__name__)

# A run that has just ended may still be listed by an eventually consistent cloud.
GRACE = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Swept:
    provider: str  # its slug; of a user's own account with the role or service account
    found: int  # things with a tag of this site
    removed: tuple[str, ...]  # tags whose things are gone now
    remaining: tuple[str, ...]  # tags that could not be cleared yet
    error: str = ""


def sweep(now: datetime | None = None) -> list[Swept]:
    """Look at every provider, in the site's own account and in those of its users.

    One that does not answer does not keep the others from being swept.
    """
    now = now or timezone.now()
    own = [_sweep(slug, partial(provider_for, slug), now) for slug in offered()]
    theirs = CloudAccess.objects.to_sweep().filter(provider__in=offered())
    return own + [_sweep(f"{one.provider} as {one.principal}", partial(provider_in, one), now) for one in theirs]


def _sweep(name: str, make: Callable[[], Provider], now: datetime) -> Swept:
    removed, remaining = [], []
    try:
        provider = make()
        leftovers = provider.leftovers(None)
        for (tag, region), things in _by_tag(leftovers).items():
            if not _is_orphan(tag, things, now):
                continue
            log.warning("sweep: %s has %d things of %s that nobody needs", name, len(things), tag)
            (removed if _clear(provider, tag, region) else remaining).append(tag)
    except ProviderError as error:
        return Swept(name, 0, tuple(removed), tuple(remaining), error=str(error))
    return Swept(name, len(leftovers), tuple(removed), tuple(remaining))


def _by_tag(leftovers: Iterable[Leftover]) -> dict[tuple[str, str | None], list[Leftover]]:
    grouped: dict[tuple[str, str | None], list[Leftover]] = {}
    for leftover in leftovers:
        grouped.setdefault((leftover.tag, leftover.region), []).append(leftover)
    return grouped


def _is_orphan(tag: str, things: list[Leftover], now: datetime) -> bool:
    """Over its time, or of a run that has ended; a run that this database does not know waits for its time."""
    if any(thing.expires_at is not None and thing.expires_at <= now for thing in things):
        return True
    return Run.objects.filter(tag=tag, status__in=RunStatus.FINAL, ended_at__lte=now - GRACE).exists()


def _clear(provider: Provider, tag: str, region: str | None) -> bool:
    try:
        return provider.terminate(tag, region)
    except ProviderError as error:
        log.warning("sweep: %s: %s", tag, error)
        return False

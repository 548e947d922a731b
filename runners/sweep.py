"""Deletes leftovers of runs by tag alone, whether or not a worker, a row or Celery still exists."""

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial

from runners import clock
from runners.choices import RunStatus
from runners.models import CloudAccess, Run, Sweep
from runners.providers.base import Leftover, Provider, ProviderError
from runners.providers.registry import offered, provider_for, provider_in

log = logging.getLogger(__name__)

# An eventually consistent cloud may still list the machines of a run that has just ended.
GRACE = timedelta(minutes=5)
KEPT = timedelta(days=7)  # the record of an account that is no longer swept


@dataclass(frozen=True, slots=True)
class Swept:
    provider: str  # its slug; in a user's own account, also the role or service account
    found: int  # resources with a tag of this site
    removed: tuple[str, ...]  # tags without any resources now
    remaining: tuple[str, ...]  # tags whose resources could not be deleted yet
    error: str = ""
    unseen: Mapping[str, str] = field(default_factory=dict)  # place that did not answer -> reason


def sweep(now: datetime | None = None) -> list[Swept]:
    """Sweep every provider, in the site's account and in those of users; a failure does not stop the others."""
    now = now or clock.now()
    swept = [_sweep(slug, partial(provider_for, slug), now) for slug in offered()]
    for access in CloudAccess.objects.to_sweep().filter(provider__in=offered()):
        swept.append(_sweep(f"{access.provider} as {access.principal}", partial(provider_in, access), now))
    _record(swept)
    return swept


def _sweep(name: str, make: Callable[[], Provider], now: datetime) -> Swept:
    """What can be seen is swept; what cannot is reported."""
    removed: list[str] = []
    remaining: list[str] = []
    unseen: dict[str, str] = {}
    found, error = 0, ""
    try:
        provider = make()
        existing = provider.leftovers(None, unseen)
        found = len(existing)
        for (tag, region), leftovers in _by_tag(existing).items():
            if not _is_orphan(tag, leftovers, now):
                continue
            log.warning("sweep: %s has %d leftovers of %s", name, len(leftovers), tag)
            (removed if _clear(provider, tag, region) else remaining).append(tag)
    except ProviderError as refusal:
        error = str(refusal)
    except Exception:  # whatever it is, the other accounts are swept
        log.exception("sweep: %s failed", name)
        error = "an internal error: see the log"
    for place, reason in unseen.items():
        log.error("sweep: %s: could not look into %s: %s", name, place, reason)
    return Swept(name, found, tuple(removed), tuple(remaining), error, unseen)


def _record(swept: Iterable[Swept]) -> None:
    """For the operators' page and the metrics: the latest sweep of each account."""
    now = clock.now()
    for one in swept:
        Sweep.objects.update_or_create(
            account=one.provider,
            defaults={
                "at": now,
                "found": one.found,
                "removed": list(one.removed),
                "remaining": list(one.remaining),
                "error": one.error[:1000],
                "unseen": dict(one.unseen),
            },
        )
    Sweep.objects.filter(at__lt=now - KEPT).delete()


def _by_tag(leftovers: Iterable[Leftover]) -> dict[tuple[str, str | None], list[Leftover]]:
    grouped: dict[tuple[str, str | None], list[Leftover]] = {}
    for leftover in leftovers:
        grouped.setdefault((leftover.tag, leftover.region), []).append(leftover)
    return grouped


def _is_orphan(tag: str, leftovers: list[Leftover], now: datetime) -> bool:
    """Whether the leftovers have expired, or their run has ended, and every run that took them over from it.

    Those of an unknown run must expire first. Runs that have all ended hand nothing over any more.
    """
    if any(leftover.expires_at is not None and leftover.expires_at <= now for leftover in leftovers):
        return True
    its = list(Run.objects.on_machines_of(tag).values_list("status", "ended_at"))
    return bool(its) and all(status in RunStatus.FINAL and ended and ended <= now - GRACE for status, ended in its)


def _clear(provider: Provider, tag: str, region: str | None) -> bool:
    try:
        return provider.terminate(tag, region)
    except ProviderError as error:
        log.warning("sweep: %s: %s", tag, error)
        return False

"""Loading in the background: for some seconds at a time, by one worker at a time."""

from collections.abc import Sequence

from django.conf import settings
from django.core.cache import cache

from submissions.models import Price, RemovedPack
from submissions.packs import registry
from submissions.packs.load import load_waiting
from submissions.packs.pack import Pack
from submissions.packs.progress import Progress, progress, progress_of_each

FIRST_AFTER_SECONDS = 3  # the first page comes first
SLICE_SECONDS = 10.0
TAKEN_SECONDS = 120  # after this a worker that has not come back is taken for dead
LOOK_AGAIN_SECONDS = 10
TAKEN = "packs-taken"

# versions of packs of which this process knows that nothing waits
complete_versions: set[tuple[tuple[str, str], ...]] = set()


def configured() -> Sequence[Pack]:
    """Those that PACKS names and that no operator has removed. At most one query."""
    if not settings.PACKS:
        return []
    removed = set(RemovedPack.objects.values_list("name", flat=True))
    return [registry.PACKS[name] for name in settings.PACKS if name not in removed]


def load_slice() -> float | None:
    """Load for some seconds; after how many more to call it again, None where nothing is left to do.

    The pack of which the smallest share is loaded comes first: soon there is something of each.
    """
    packs = configured()
    if not packs or not Price.objects.exists() or not progress(packs).waiting:
        return None
    if not cache.add(TAKEN, True, TAKEN_SECONDS):
        return LOOK_AGAIN_SECONDS
    try:
        shares = {name: done.share for name, done in progress_of_each(packs).items() if done.waiting}
        if shares:
            load_waiting(registry.PACKS[min(shares, key=shares.__getitem__)], seconds=SLICE_SECONDS)
    finally:
        cache.delete(TAKEN)
    return 0 if progress(configured()).waiting else None


def unfinished() -> Progress | None:
    """For pages: how far it is; None when it is done, which is remembered without a query."""
    if not settings.PACKS:
        return None
    versions = tuple((name, registry.PACKS[name].version) for name in settings.PACKS)
    if versions in complete_versions:
        return None
    done = progress(configured())
    if not done.waiting:
        complete_versions.add(versions)
        return None
    return done

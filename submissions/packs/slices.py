"""Loading in the background: for some seconds at a time, by one worker at a time."""

from django.conf import settings
from django.core.cache import cache

from submissions.packs.load import Progress, load_waiting, progress
from submissions.packs.public_runs.pack import index
from submissions.models import Price

FIRST_AFTER_SECONDS = 3  # the first page comes first
SLICE_SECONDS = 15.0
TAKEN_SECONDS = 120  # after this a worker that has not come back is taken for dead
LOOK_AGAIN_SECONDS = 10
_TAKEN = "public-runs-taken"

_complete: set[str] = set()  # versions of which this process knows that nothing waits


def load_slice() -> float | None:
    """Load for some seconds; after how many more to call it again, None where nothing is left to do."""
    if not settings.PUBLIC_RUNS or not Price.objects.exists() or not progress().waiting:
        return None
    if not cache.add(_TAKEN, True, TAKEN_SECONDS):
        return LOOK_AGAIN_SECONDS
    try:
        done = load_waiting(seconds=SLICE_SECONDS)
    finally:
        cache.delete(_TAKEN)
    return 0 if done.waiting else None


def unfinished() -> Progress | None:
    """For pages: how far it is; None when it is done, which is remembered without a query."""
    if not settings.PUBLIC_RUNS:
        return None
    version = index().version
    if version in _complete:
        return None
    done = progress()
    if not done.waiting:
        _complete.add(version)
        return None
    return done

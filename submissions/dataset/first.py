"""The first dump: soon after the first results, so that a new site has one before its first night."""

from datetime import datetime

from django.core.cache import cache

from submissions.dataset.write import write
from submissions.models import Dataset, Submission
from submissions.packs import slices

AFTER_SECONDS = 20  # of the last result that comes with the site: uploads have their turn first
_TAKEN_SECONDS = 30 * 60  # after this a worker that has not come back is taken for dead
_TAKEN = "first-dump-taken"


def write_first(now: datetime) -> Dataset | None:
    """A dump where there is none yet and nothing is being loaded; None where nothing was to do. One query mostly."""
    if Dataset.objects.exists() or slices.unfinished() is not None or not Submission.objects.published().exists():
        return None
    if not cache.add(_TAKEN, True, _TAKEN_SECONDS):
        return None
    try:
        return write(now)
    finally:
        cache.delete(_TAKEN)

"""The curves of interval files in the database: missing ones of files stored before are made in the background."""

import logging
import zlib
from collections.abc import Collection
from time import monotonic

from django.core.cache import cache
from django.db import transaction

from submissions.analysis.curves.interval_curves import RunCurves
from submissions.choices import ArtifactKind
from submissions.ingest.curves import interval_curves, intervals
from submissions.ingest.files.storage import open_stored
from submissions.models import Artifact, IntervalCurves, Trial

log = logging.getLogger(__name__)

NO_CURVES = RunCurves((), None)
SLICE_SECONDS = 10.0
MOST_FILES = 200  # of a slice
MOST_BYTES = 256 * 1024 * 1024  # of JSON, for a worker; a longer one is not drawn
_TAKEN, _TAKEN_SECONDS = "interval-curves-taken", 120  # after this a worker that has not come back is taken for dead
_DAMAGED = (OSError, EOFError, zlib.error, ValueError, TypeError, KeyError)


def new_row(artifact: Artifact, curves: RunCurves) -> IntervalCurves:
    """Not saved yet."""
    return IntervalCurves(artifact=artifact, format=interval_curves.FORMAT, content=interval_curves.packed(curves))


def stored_curves(artifact: Artifact) -> RunCurves | None:
    """None where there are none of this version of the site; `artifact` has its `curves`."""
    stored = getattr(artifact, "curves", None)
    if stored is None or stored.format != interval_curves.FORMAT:
        return None
    return interval_curves.unpacked(stored.content)


def curves_of_file(artifact: Artifact, elsewhere: Collection[int], most_bytes: int | None = None) -> RunCurves:
    """Made of the file; without curves where it is longer. Raises FileNotFoundError, and what a damaged file raises."""
    with open_stored(artifact.sha256) as stored:
        content = intervals.unpacked(stored, most_bytes)
    return NO_CURVES if content is None else interval_curves.curves_of_content(content, elsewhere)


def fill_slice(after: int = 0) -> int | None:
    """Make missing curves for some seconds, in the order of their files; after which to go on, None: none is left.

    Each is a transaction of its own: safe to repeat, and to kill.
    """
    if not cache.add(_TAKEN, True, _TAKEN_SECONDS):
        return None  # another worker is at it
    try:
        return _fill(after, monotonic() + SLICE_SECONDS)
    finally:
        cache.delete(_TAKEN)


def _fill(after: int, end: float) -> int | None:
    files = Artifact.objects.filter(kind=ArtifactKind.INTERVALS, removed_at=None, pk__gt=after)
    waiting = list(files.exclude(curves__format=interval_curves.FORMAT).order_by("pk")[:MOST_FILES])
    for artifact in waiting:
        _make(artifact)
        if monotonic() > end:
            return artifact.pk
    return waiting[-1].pk if waiting else None


def _make(artifact: Artifact) -> None:
    elsewhere = Trial.objects.filter(submission=artifact.submission_id, is_at_peak=False)
    try:
        curves = curves_of_file(artifact, set(elsewhere.values_list("index", flat=True)), MOST_BYTES)
    except _DAMAGED as error:
        log.warning("no curves of interval file %s: %s", artifact.pk, error)
        return
    with transaction.atomic():
        # a moderator may take it away meanwhile: either sees what the other did
        there = Artifact.objects.select_for_update(no_key=True).filter(pk=artifact.pk, removed_at=None)
        if there.exists():
            IntervalCurves.objects.bulk_create(
                [new_row(artifact, curves)],
                update_conflicts=True,
                unique_fields=["artifact"],
                update_fields=["format", "content"],
            )

"""Stores what a pack gives, in batches, by the way of any upload; what is loaded is left."""

import time
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby

import structlog
from django.db import connection, transaction
from django.utils import timezone

from benchsite.http.refusals import Refusal
from submissions.ingest.pipeline import Prepared
from submissions.ingest.store.store import Origin, store_all
from submissions.models import (
    Artifact,
    LoadPoint,
    NodeGroup,
    PackEntry,
    RemovedPack,
    SearchEntry,
    Submission,
    Trial,
    Workload,
)
from submissions.packs.pack import Entry, Pack
from submissions.packs.progress import Progress, progress
from submissions.packs.removal import REMOVED, locked

log = structlog.get_logger(__name__)

REPLACED = "Replaced: this version of the site reads the published logs of this result more completely."

MOST_ROWS, MOST_SECONDS = 150, 2.0  # of a batch: what is loaded is soon to be seen
# Of a new site's PostgreSQL believes for a minute that they are empty, and readers wait for its plans.
_GROWN = (Submission, Trial, NodeGroup, Artifact, LoadPoint, Workload, SearchEntry)

Outcome = tuple[Entry, Prepared | Refusal]


def load_again(pack: Pack) -> None:
    """Load a pack that was removed as any other."""
    RemovedPack.objects.filter(name=pack.name).delete()


def load_waiting(pack: Pack, *, seconds: float | None = None) -> Progress:
    """Load what is not loaded of this version; a batch that was begun within `seconds` is finished.

    Nothing of a pack that is removed, or removed meanwhile.
    """
    until = None if seconds is None else time.monotonic() + seconds
    done = set(PackEntry.objects.filter(pack=pack.name, version=pack.version).values_list("key", flat=True))
    waiting = {entry.key for entry in pack.entries()} - done
    before = len(waiting)
    for batch in _batches(pack.prepared(waiting), until):
        if not load_batch(pack, batch):
            break
        waiting -= {entry.key for entry, _ in batch}
        if until is not None and time.monotonic() >= until:
            break
    else:
        if waiting:
            raise ValueError(f"the pack {pack.name} has no data of {min(waiting)}")
    if before - len(waiting) >= MOST_ROWS:
        _analyze()
    return progress([pack])


def _analyze() -> None:
    tables = ", ".join(connection.ops.quote_name(model._meta.db_table) for model in _GROWN)
    with connection.cursor() as cursor:
        cursor.execute(f"ANALYZE {tables}")


def _batches(outcomes: Iterator[Outcome], until: float | None) -> Iterator[list[Outcome]]:
    """One that takes long to prepare is a batch of its own."""
    batch: list[Outcome] = []
    begun = time.monotonic()
    for outcome in outcomes:
        batch.append(outcome)
        now = time.monotonic()
        if len(batch) >= MOST_ROWS or now >= begun + MOST_SECONDS or (until is not None and now >= until):
            yield batch
            batch, begun = [], time.monotonic()
    if batch:
        yield batch


def load_batch(pack: Pack, batch: Sequence[Outcome]) -> bool:
    """All of a batch, and the rows that say so; False where the pack is removed, and nothing was stored."""
    with transaction.atomic():
        if locked(pack.name):
            return False
        current: dict[str, Submission] = {}
        problems: dict[str, str] = {}
        for origin, outcomes in groupby(batch, key=lambda outcome: _origin(pack, outcome[0])):
            accepted: dict[str, Prepared] = {}
            for entry, prepared in outcomes:
                if isinstance(prepared, Refusal):
                    log.warning("a result of a pack was refused", pack=pack.name, key=entry.key, problem=str(prepared))
                    problems[entry.key] = str(prepared)
                else:
                    accepted[entry.key] = prepared
            stored = [each.submission for each in store_all([*accepted.values()], submitted_by=None, origin=origin)]
            _take_over(stored, origin)
            current |= dict(zip(accepted, stored, strict=True))
        _note(pack, [entry for entry, _ in batch], current, problems)
    return True


def _origin(pack: Pack, entry: Entry) -> Origin:
    return Origin(entry.license, entry.attribution, pack.name)


def _take_over(stored: Sequence[Submission], origin: Origin) -> None:
    """What was stored before and belongs to no account is the pack's, and is back if the pack had taken it away."""
    mine = Submission.objects.filter(submitted_by=None, pack__in=("", origin.pack))
    changed = [row.pk for row in stored if Origin(row.license, row.attribution, row.pack) != origin]
    if changed:
        mine.filter(pk__in=changed).update(license=origin.license, attribution=origin.attribution, pack=origin.pack)
    if back := [row.pk for row in stored if row.retraction_reason in (REPLACED, REMOVED)]:
        mine.filter(pk__in=back).update(retracted_at=None, retraction_reason="")


def _note(pack: Pack, entries: Collection[Entry], current: dict[str, Submission], problems: dict[str, str]) -> None:
    """What is loaded, from which version. What an earlier version made of the same files is retracted."""
    keys = {key for entry in entries for key in (entry.key, *entry.replaces)}
    earlier = dict(
        PackEntry.objects.filter(pack=pack.name, key__in=keys, submission__isnull=False).values_list(
            "key", "submission"
        )
    )
    rows = [
        PackEntry(
            pack=pack.name,
            key=entry.key,
            version=pack.version,
            submission_id=current[entry.key].pk if entry.key in current else earlier.get(entry.key),
            problem=problems.get(entry.key, ""),
        )
        for entry in entries
    ]
    PackEntry.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["pack", "key"],
        update_fields=["version", "submission", "problem", "loaded_at"],
    )
    accepted = [entry for entry in entries if entry.key in current]
    before = {earlier[key] for entry in accepted for key in (entry.key, *entry.replaces) if key in earlier}
    old = before - {submission.pk for submission in current.values()}
    if old:
        replaced = Submission.objects.filter(pk__in=old, pack=pack.name, retracted_at=None)
        replaced.update(retracted_at=timezone.now(), retraction_reason=REPLACED)

"""Takes a pack off the site: its results are retracted, and nothing of it counts as loaded."""

from django.db import connection, transaction
from django.utils import timezone

from submissions.models import PackEntry, RemovedPack, Submission

REMOVED = "pack removed"

BATCH = 500


def remove(name: str) -> int:
    """How many results were retracted. Goes on where it was cut off; ends where the pack is loaded again meanwhile."""
    with transaction.atomic():
        locked(name)
        RemovedPack.objects.get_or_create(name=name)
    retracted = 0
    while (batch := remove_some(name)) is not None:
        retracted += batch
    return retracted


def locked(name: str) -> bool:
    """Until the transaction ends no other loads or removes of the pack; whether it is removed."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"pack {name}"])
    return RemovedPack.objects.filter(name=name).exists()


@transaction.atomic
def remove_some(name: str) -> int | None:
    """None where nothing is left to do."""
    if not locked(name):
        return None
    loaded = PackEntry.objects.filter(pack=name).exclude(version="").order_by("pk")
    entries = dict(loaded.values_list("pk", "submission")[:BATCH])
    if not entries:
        return None
    PackEntry.objects.filter(pk__in=entries).update(version="")
    shown = Submission.objects.filter(pk__in=entries.values(), pack=name, retracted_at=None)
    return shown.update(retracted_at=timezone.now(), retraction_reason=REMOVED)

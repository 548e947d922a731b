"""Counts over all submissions, cached until one is added, published or changed.

A count can only change with the newest row, with a change of a row (a retraction, a moderator's decision), or with the
end of an embargo, which nobody does: the times of all three are part of the key, so that a cached value is never older
than the rows it was computed from. Only what everybody may see is cached.
"""

import hashlib
from collections.abc import Callable
from functools import cache as once
from pathlib import Path
from typing import TypeVar

from django.core.cache import cache
from django.db.models import Subquery
from django.db.models.functions import Now

from submissions.models import ModerationDecision, Submission

# Of two transactions the one that ends last may have changed its row first: then the change is seen this much later.
CACHED_SECONDS = 60

T = TypeVar("T")


def cached(key: tuple[object, ...], compute: Callable[[], T]) -> T:
    """The value of `compute`, computed again when the submissions have changed; it is not None.

    `key` names the value: ("spreads", workload_id, kind). Costs one query more than `compute`, and none
    of its own while the value is cached. Without Redis every value is computed.
    """
    redis_key = _redis_key(key)
    value: T | None = cache.get(redis_key)
    if value is None:
        value = compute()
        cache.set(redis_key, value, CACHED_SECONDS)
    return value


def _redis_key(key: tuple[object, ...]) -> str:
    text = repr((tuple(str(part) for part in key), _state_of_the_rows()))
    return f"cached:{_code_version()}:{hashlib.sha256(text.encode()).hexdigest()}"


@once
def _code_version() -> str:
    """Of the code that pickles the values: after an upgrade no other code reads them."""
    digest = hashlib.sha256()
    package = Path(__file__).parents[1]
    for path in sorted(package.rglob("*.py")):
        digest.update(str(path.relative_to(package)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _state_of_the_rows() -> tuple[object, ...] | None:
    """The newest row, the times of the last change and publication, the last decision; one query, four probes."""
    changes = Submission.objects.filter(changed_at__isnull=False).order_by("-changed_at").values("changed_at")
    publications = Submission.objects.filter(published_at__lte=Now()).order_by("-published_at").values("published_at")
    decisions = ModerationDecision.objects.order_by("-pk").values("pk")
    # with its time: ids begin again in a new database, and a cache may outlive one
    return (
        Submission.objects.order_by("-pk")
        .values_list("pk", "created_at", Subquery(changes[:1]), Subquery(publications[:1]), Subquery(decisions[:1]))
        .first()
    )

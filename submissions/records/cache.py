"""Counts over all submissions, cached until one is published or retracted, or a moderator decides.

Submissions are immutable, so a count can only change with the newest row, with the last retraction, or with the last
decision: all are part of the key, so that a cached value is never older than the rows it was computed from.
"""

import hashlib
from collections.abc import Callable
from functools import cache as once
from pathlib import Path
from typing import TypeVar

from django.core.cache import cache
from django.db.models import Subquery

from submissions.models import ModerationDecision, Submission

# The trust level of a row rises when another account reproduces it: that may be seen this much later.
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
    """The newest row, the time of the last retraction and the last decision; probes of an index, one query."""
    retractions = Submission.objects.filter(retracted_at__isnull=False).order_by("-retracted_at")
    # with its time: ids begin again in a new database, and a cache may outlive one
    return (
        Submission.objects.order_by("-pk")
        .values_list(
            "pk",
            "created_at",
            Subquery(retractions.values("retracted_at")[:1]),
            Subquery(ModerationDecision.objects.order_by("-pk").values("pk")[:1]),
        )
        .first()
    )

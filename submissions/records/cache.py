"""Counts over all submissions, kept until one is published or retracted.

Submissions are immutable, so a count can only change with the newest row, or with the last
retraction: both are part of the key, and an answer is never older than what it is asked of.
"""

import hashlib
from collections.abc import Callable
from typing import TypeVar

from django.core.cache import cache
from django.db.models import Subquery
from redis import RedisError

from submissions.models import Submission

# The trust of a row may rise when somebody reproduces it: that may be seen this much later.
KEPT_SECONDS = 60

T = TypeVar("T")


def remembered(question: str, answer: Callable[[], T]) -> T:
    """What `answer` says to `question`; computed again when the submissions have changed.

    One query more than the answer costs, and none of the answer's own while it is kept. Answers are
    plain values. Without the cache every answer is computed.
    """
    key = _key(question)
    try:
        found = cache.get(key)
    except RedisError:
        return answer()
    if found is None:
        found = answer()
        cache.set(key, found, KEPT_SECONDS)
    return found


def _key(question: str) -> str:
    text = f"{question}|{_state_of_the_rows()}"
    return f"remembered:{hashlib.sha256(text.encode()).hexdigest()}"


def _state_of_the_rows() -> tuple[object, ...] | None:
    """The newest row, and the time of the last retraction; two probes of an index, one query."""
    retractions = Submission.objects.filter(retracted_at__isnull=False).order_by("-retracted_at")
    # with its time: ids begin again in a new database, and a cache may outlive one
    return (
        Submission.objects.order_by("-pk")
        .values_list("pk", "created_at", Subquery(retractions.values("retracted_at")[:1]))
        .first()
    )

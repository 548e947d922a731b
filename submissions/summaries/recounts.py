"""Totals that are brought up to date: of workloads whose embargoes or waits have ended, or that are to be counted."""

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime

from django.db import transaction
from django.db.models.functions import Now

from benchsite import parallel
from submissions.models import WorkloadTotals, expire, recount

TO_BE_COUNTED = datetime(1970, 1, 1, tzinfo=UTC)  # the `valid_until` of such totals
AT_ONCE = 50  # what a processor takes of all workloads


def expire_ended() -> int:
    """Take up what a passed time has changed, without a count where it is little; how many workloads."""
    ended = WorkloadTotals.objects.filter(valid_until__lte=Now(), valid_until__gt=TO_BE_COUNTED)
    return _each(ended.order_by("valid_until").values_list("workload_id", flat=True), expire)


def recount_ended() -> int:
    """The same, and count those that are to be counted."""
    ended = WorkloadTotals.objects.filter(valid_until__lte=Now())
    return _each(ended.order_by("valid_until").values_list("workload_id", flat=True), expire)


def recount_each(workload_ids: Iterable[int]) -> int:
    """How many."""
    return _each(workload_ids, lambda number: recount([number]))


def recount_all(workload_ids: Sequence[int]) -> int:
    """The same by several processors: uploads wait for as many workloads at most; how many."""
    starts = range(0, len(workload_ids), AT_ONCE)
    return sum(parallel.each(recount_each, [workload_ids[start : start + AT_ONCE] for start in starts]))


def _each(workload_ids: Iterable[int], do: Callable[[int], None]) -> int:
    """Each in a transaction of its own: uploads wait for one workload at most."""
    numbers = list(workload_ids)
    for number in numbers:
        with transaction.atomic():
            do(number)
    return len(numbers)

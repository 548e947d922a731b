"""Totals that are brought up to date: of workloads whose embargoes or waits have ended, or that are to be counted."""

from collections.abc import Callable, Iterable, Sequence

from django.db import transaction
from django.db.models.functions import Now

from benchsite import parallel
from submissions.models import WorkloadTotals, expire, recount

AT_ONCE = 50  # what a processor takes of all workloads


def recount_ended() -> int:
    """Of the workloads that a passed time has changed; how many. Their pages read rows until then."""
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

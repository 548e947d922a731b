"""Stored figures against a count of all rows: nothing may differ."""

import json
import logging
from collections import Counter
from collections.abc import Iterator
from random import shuffle
from time import monotonic
from typing import Any

from django.db.models import Sum

from submissions.aggregates.count import counted_anew
from submissions.aggregates.exact_sums import total
from submissions.aggregates.kinds import registered
from submissions.aggregates.store import one_snapshot, outdated_workloads
from submissions.models import Aggregate, SiteCount, Workload, WorkloadFigures

CHECK_SECONDS = 180

log = logging.getLogger(__name__)


def all_workloads() -> list[int]:
    return sorted(
        {*WorkloadFigures.objects.values_list("pk", flat=True), *Workload.objects.values_list("pk", flat=True)}
    )


def differences(workload: int) -> list[str]:
    """In words; empty where all is right, or the workload is to be counted anyway."""
    with one_snapshot():
        figures = WorkloadFigures.objects.filter(pk=workload).first()
        if outdated_workloads([workload]) or figures is None:
            return []
        stored = dict(Aggregate.objects.filter(workload=workload).values_list("kind", "state"))
        counted = counted_anew(workload)
    words = []
    for kind in registered():
        state = counted.states[kind.name]
        if _normal(kind.plain(json.loads(stored.get(kind.name, "{}")))) != _normal(kind.plain(state)):
            words.append(f"{kind.name} differs from the rows")
        for column, value in kind.columns(state).items():
            if getattr(figures, column) != value:
                words.append(f"{column} is {getattr(figures, column)}, counted {value}")
    if figures.valid_until != counted.valid_until:
        words.append(f"valid until {figures.valid_until}, counted {counted.valid_until}")
    return words


def site_differences() -> Iterator[str]:
    """Of the counts over all workloads against those of each."""
    with one_snapshot():
        stored = {
            (kind, key): n for kind, key, n in SiteCount.objects.values_list("kind", "key").annotate(n=Sum("n")) if n
        }
        counted: Counter[tuple[str, str]] = Counter()
        for kind in registered():
            states = Aggregate.objects.filter(kind=kind.name).values_list("state", flat=True)
            for state in states.iterator():
                for key, n in kind.site_counts(json.loads(state)).items():
                    counted[kind.name, key] += n
    for kind_key in sorted({*stored, *counted}):
        if stored.get(kind_key, 0) != counted[kind_key]:
            yield f"{' '.join(kind_key)} on the whole site: {stored.get(kind_key, 0)}, counted {counted[kind_key]}"


def check_some(seconds: float = CHECK_SECONDS) -> int:
    """Log what is wrong with workloads chosen at random, until the time is over; how many were compared."""
    workloads = all_workloads()
    shuffle(workloads)
    end = monotonic() + seconds
    compared = 0
    for workload in workloads:
        if monotonic() > end:
            break
        for line in differences(workload):
            log.error("figures of workload %s: %s; manage.py check_aggregates --rebuild", workload, line)
        compared += 1
    return compared


def _normal(state: Any) -> Any:
    """Sums may be split into other floats, and what is empty may be missing."""
    if isinstance(state, dict):
        normal = {key: _normal(value) for key, value in state.items()}
        return {key: value for key, value in normal.items() if value not in ({}, 0)}
    if isinstance(state, list | tuple):
        if state and all(isinstance(partial, float) for partial in state):
            return total(state)
        return [_normal(part) for part in state]
    return state

"""Figures as they are read: brought up to date before, and how old they are where a worker is to count them."""

import json
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from django.db.models import Exists, Min, OuterRef, Sum

from submissions.aggregates.kinds import Kind, State
from submissions.aggregates.store import refresh
from submissions.models import Aggregate, QueuedChange, SiteCount, WorkloadFigures


def states_of(workload: int, *kinds: Kind, may_be_large: bool = False) -> list[State]:
    """Of each kind; empty where the workload has no results. Two queries where nothing has changed.

    `may_be_large`: a program waits until a large workload is counted again, where a reader sees what was counted last.
    """
    refresh([workload], may_be_large=may_be_large)
    stored = Aggregate.objects.filter(workload=workload, kind__in=[kind.name for kind in kinds])
    states = {kind: json.loads(state) for kind, state in stored.values_list("kind", "state")}
    return [states.get(kind.name, {}) for kind in kinds]


def states_by_workload(kind: Kind, workloads: Collection[int] | None = None) -> dict[int, State]:
    """Of these workloads, or of all. Two queries where nothing has changed."""
    refresh(workloads)
    stored = Aggregate.objects.filter(kind=kind.name)
    if workloads is not None:
        stored = stored.filter(workload__in=workloads)
    return {workload: json.loads(state) for workload, state in stored.values_list("workload", "state")}


def counted_at(workloads: Collection[int]) -> datetime | None:
    """When the oldest of their figures were counted that are behind the rows: a worker is to count them. One query."""
    is_behind = Exists(QueuedChange.objects.filter(workload_id=OuterRef("pk")))
    oldest: datetime | None = WorkloadFigures.objects.filter(is_behind, pk__in=workloads).aggregate(
        oldest=Min("counted_at")
    )["oldest"]
    return oldest


def site_counts(kind: Kind, prefix: str = "") -> Mapping[str, int]:
    """Over all workloads, of the keys that begin so. Two queries where nothing has changed."""
    refresh()
    rows = SiteCount.objects.filter(kind=kind.name, key__startswith=prefix).values_list("key").annotate(total=Sum("n"))
    return {key: n for key, n in rows if n}


def labels_by_workload(kind: Kind) -> dict[int, list[Any]]:
    """What the kind has of all workloads beside its numbers. Two queries where nothing has changed."""
    refresh()
    return dict(Aggregate.objects.filter(kind=kind.name).values_list("workload", "labels"))

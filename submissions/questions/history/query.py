"""Submissions of one workload on equal clusters, in the order of their measurement."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Max, Q

from submissions.choices import NetworkEncryption, NetworkKind
from submissions.models import IS_EXCLUDED, Submission, SubmissionQuerySet
from submissions.questions.workload.choice import WorkloadChoice
from submissions.records.cache import cached

MOST_POINTS = 500  # the newest
MOST_LINES = 5_000  # with two points or more, over all workloads
MOST_CLUSTERS = 300  # of a workload
MOST_WORKLOADS = 300

# What is equal on a line; unknown equals unknown. Versions of service, JDK and tool, the CPU model and the
# settings may change along it: to see what they change is what a history is for. The threads are part of
# it: a sweep over thread counts is no history.
CLUSTER = (
    "provider", "region", "instance_type", "node_count", "cache_node_count", "client_count", "disk_kind",
    "network_kind", "network_encryption", "threads",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cluster:
    """Equal machines under an equal load; `facts` in the order of CLUSTER."""

    facts: tuple[Any, ...]
    points: int

    @property
    def token(self) -> str:
        """As it stands in an address."""
        return hashlib.sha256(json.dumps(self.facts).encode()).hexdigest()[:12]

    @property
    def name(self) -> str:
        return cluster_name(dict(zip(CLUSTER, self.facts, strict=True)))


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Submissions of the same workload and cluster that are no points."""

    undated: int
    doubtful: int  # a flag puts the rate in doubt


def workloads() -> list[WorkloadChoice]:
    """Those with the longest lines first, each with its points on lines of two or more; two queries, one when kept."""
    return cached(("history workloads",), _workloads)


def clusters(fingerprint: str) -> list[Cluster]:
    """Of a workload, those with the most points first, then the last measured; one query."""
    lines = (
        _points()
        .filter(workload__fingerprint=fingerprint)
        .order_by()
        .values(*CLUSTER)
        .annotate(n=Count("pk"), last=Max("measured_at"))
        .order_by("-n", "-last", *CLUSTER)
    )
    return [Cluster(tuple(line[name] for name in CLUSTER), line["n"]) for line in lines[:MOST_CLUSTERS]]


def points(fingerprint: str, cluster: Cluster) -> list[Submission]:
    """In the order of their measurement, at most the newest MOST_POINTS; one query."""
    newest = _points().filter(_line(cluster.facts), workload__fingerprint=fingerprint)
    return list(newest.order_by("-measured_at", "-pk")[:MOST_POINTS])[::-1]


def left_out(fingerprint: str, cluster: Cluster) -> LeftOut:
    """One query."""
    found = (
        Submission.objects.with_rate()
        .filter(_line(cluster.facts), workload__fingerprint=fingerprint)
        .aggregate(
            undated=Count("pk", filter=Q(measured_at=None) & ~IS_EXCLUDED),
            doubtful=Count("pk", filter=IS_EXCLUDED),
        )
    )
    return LeftOut(**found)


def cluster_of(submission: Submission) -> Cluster:
    """The line on which a submission is, or would be; no query, and no count of points."""
    return Cluster(tuple(getattr(submission, name) for name in CLUSTER), 0)


def has_history(submission: Submission) -> bool:
    """Whether its line has two points; one query, none for a submission that can be on none."""
    if submission.throughput_ops_s is None:
        return False
    line = _points().filter(_line(cluster_of(submission).facts), workload=submission.workload_id)
    return len(line.order_by().values_list("pk")[:2]) == 2


def cluster_name(facts: Mapping[str, Any]) -> str:
    """In words; what is unknown is left out."""
    nodes = f"{facts['node_count']} × {facts['instance_type']}"
    if facts["cache_node_count"]:
        nodes += f" + {facts['cache_node_count']} cache nodes"
    encryption = facts["network_encryption"]
    return ", ".join(
        part
        for part in (
            nodes,
            " ".join(part for part in (facts["provider"], facts["region"]) if part),
            facts["disk_kind"],
            _counted(facts["client_count"], "client"),
            facts["network_kind"] and f"{NetworkKind(facts['network_kind']).label} network",
            encryption not in (None, NetworkEncryption.NONE) and f"encryption: {NetworkEncryption(encryption).label}",
            _counted(facts["threads"], "thread"),
        )
        if part
    )


def _workloads() -> list[WorkloadChoice]:
    lines = (
        _points()
        .order_by()
        .values(*CLUSTER, "workload__fingerprint", "workload__title")
        .annotate(n=Count("pk"))
        .filter(n__gte=2)
        .order_by("-n", "workload__title", "workload__fingerprint")
        .values_list("workload__fingerprint", "workload__title", "n")
    )
    by_fingerprint: dict[str, WorkloadChoice] = {}  # in the order of their longest line
    for fingerprint, title, n in lines[:MOST_LINES]:
        known = by_fingerprint.get(fingerprint)
        by_fingerprint[fingerprint] = WorkloadChoice(fingerprint, title, n + (known.count if known else 0))
    return list(by_fingerprint.values())[:MOST_WORKLOADS]


def _points() -> SubmissionQuerySet:
    return Submission.objects.listed().rankable().filter(measured_at__isnull=False)


def _line(facts: Sequence[Any]) -> Q:
    return Q(**dict(zip(CLUSTER, facts, strict=True)))


def _counted(number: int | None, unit: str) -> str | None:
    return None if number is None else f"{number:,} {unit}{'' if number == 1 else 's'}"

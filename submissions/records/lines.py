"""Results of one workload on equal clusters under an equal load: a line, which the history follows over time."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.db import models
from django.db.models import Q, QuerySet

from submissions.choices import NetworkEncryption, NetworkKind, Trust
from submissions.formatting.names import cluster_name, place_name
from submissions.formatting.text import plural
from submissions.models import CompiledQuery, Submission, SubmissionQuerySet

# What is equal on a line; unknown equals unknown. The versions of database, JDK and tool, the CPU model and the
# settings may change along it: showing what they change is the purpose of a history. The threads are part of
# it: a sweep over thread counts is no history.
LINE_FACTS = (
    "provider", "region", "instance_type", "node_count", "cache_node_count", "client_count", "disk_kind",
    "network_kind", "network_encryption", "threads",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Line:
    """`values` are those of LINE_FACTS; `points` counts the dated results with a reliable rate."""

    values: tuple[Any, ...]
    points: int = 0

    @property
    def facts(self) -> dict[str, Any]:
        return dict(zip(LINE_FACTS, self.values, strict=True))

    @property
    def token(self) -> str:
        """Identifies the line in an address."""
        return hashlib.sha256(json.dumps(self.values).encode()).hexdigest()[:12]

    @property
    def name(self) -> str:
        """In words, without what is unknown: "3× m5.xlarge · AWS us-east-1, local-ssd, 1 client"."""
        facts = self.facts
        cluster = cluster_name(facts["node_count"], facts["instance_type"])
        if facts["cache_node_count"]:
            cluster += f" + {plural(facts['cache_node_count'], 'cache node')}"
        place = place_name(facts["provider"], facts["region"])
        return ", ".join(part for part in (f"{cluster} · {place}", *_details(facts)) if part)

    @property
    def condition(self) -> Q:
        """Selects its results, of all workloads."""
        return Q(**self.facts)


def line_of(submission: Submission) -> Line:
    """The line that a submission is on, or would be on; no query, and no count of points."""
    return Line(tuple(getattr(submission, name) for name in LINE_FACTS))


def points(trust: Trust | None) -> SubmissionQuerySet:
    """What lines are made of: results of a trust filter with a measurement date and a reliable absolute rate."""
    return Submission.objects.listed().rankable().trust_filtered(trust).filter(measured_at__isnull=False)


def has_history(submission: Submission, levels: Sequence[Trust]) -> bool:
    """Whether its line has two points of the trust levels of its filter.

    One query, none for a submission that can be on no line.
    """
    if submission.throughput_ops_s is None or submission.retracted_at:
        return False
    known = {name: value for name, value in line_of(submission).facts.items() if value is not None}
    return len(_on_line(tuple(levels), tuple(known)).rows_as_planned(**known, workload=submission.workload_id)) == 2


@lru_cache(maxsize=256)
def _on_line(levels: tuple[Trust, ...], known: tuple[str, ...]) -> CompiledQuery:
    """Two of a workload at these levels of trust: `known` are the facts of their line that are not unknown."""

    def rows(workload: int, **values: Any) -> QuerySet[Submission, Any]:
        of_trust_filter = Submission.objects.rankable().filter(trust__in=levels, measured_at__isnull=False)
        on_line = of_trust_filter.filter(**dict.fromkeys(LINE_FACTS) | values, workload=workload)
        return on_line.order_by().values_list("pk")[:2]

    examples: dict[str, Any] = {}
    for number, name in enumerate(known, 2):
        is_text = isinstance(Submission._meta.get_field(name), models.CharField)
        examples[name] = f"?{name}" if is_text else 32_000 + number  # any integer column has room for it
    return CompiledQuery(rows, workload=-1, **examples)


def _details(facts: dict[str, Any]) -> list[str]:
    encryption = facts["network_encryption"]
    return [
        facts["disk_kind"] or "",
        "" if facts["client_count"] is None else plural(facts["client_count"], "client"),
        f"{NetworkKind(facts['network_kind']).label} network" if facts["network_kind"] else "",
        "" if encryption in (None, NetworkEncryption.NONE) else f"encryption: {NetworkEncryption(encryption).label}",
        "" if facts["threads"] is None else plural(facts["threads"], "thread"),
    ]

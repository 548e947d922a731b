"""The loads that were put on two databases or more: what can be chosen, and where a result or a search leads."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, F, OuterRef

from submissions.formatting.names import tool_name
from submissions.ingest.document.fingerprint import load_title
from submissions.models import Submission, Workload
from submissions.models.results.submission import has_proven
from submissions.records.cache import cached

MOST_LOADS = 50
_MOST_READ = 2000  # workloads


@dataclass(frozen=True, slots=True)
class Load:
    """`databases` are slugs, with most results first; `results` are published."""

    fingerprint: str
    title: str
    databases: tuple[str, ...]
    results: int
    proven: int = 0  # databases with results that have a raw log


def shared_loads() -> tuple[Load, ...]:
    """At most MOST_LOADS: first those with most databases that have raw logs. One query, none while cached."""
    return cached(("shared loads",), _shared_loads)


def load_of_databases(one: str, other: str) -> Load | None:
    """The first load that both have; as many queries as `shared_loads`."""
    return next((load for load in shared_loads() if {one, other} <= set(load.databases)), None)


def shared_load(fingerprint: str) -> Load | None:
    """That load, if two databases share it; as many queries as `shared_loads`."""
    return next((load for load in shared_loads() if load.fingerprint == fingerprint), None)


def load_of(fingerprint: str, workloads: list[Workload]) -> Load:
    """Of a load that may be of one database alone."""
    databases = tuple(dict.fromkeys(workload.service for workload in workloads))
    return Load(fingerprint, title_of(workloads[0].canonical), databases, 0)


def title_of(canonical: dict[str, Any]) -> str:
    return load_title(canonical, tool_name(str(canonical.get("tool") or "")))


def _shared_loads() -> tuple[Load, ...]:
    of_several = Workload.objects.order_by().values("load_fingerprint").annotate(n=Count("service", distinct=True))
    has_results = Exists(Submission.objects.rankable().filter(workload=OuterRef("pk")))
    rows = (
        Workload.objects.filter(has_results, load_fingerprint__in=of_several.filter(n__gt=1).values("load_fingerprint"))
        .annotate(is_proven=has_proven("pk"))
        .order_by(F("figures__published").desc(nulls_last=True), "pk")
        .values_list("load_fingerprint", "service", "canonical", "is_proven", "figures__published")
    )
    found: dict[str, list[tuple[str, dict[str, Any], bool, int]]] = {}
    for fingerprint, service, canonical, is_proven, published in rows[:_MOST_READ]:
        found.setdefault(fingerprint, []).append((service, canonical, is_proven, published or 0))
    loads = [
        Load(
            fingerprint,
            title_of(own[0][1]),
            tuple(dict.fromkeys(service for service, *_ in own)),
            sum(published for *_, published in own),
            len({service for service, _, is_proven, _ in own if is_proven}),
        )
        for fingerprint, own in found.items()
    ]
    shared = [load for load in loads if len(load.databases) > 1]
    most_first = sorted(
        shared, key=lambda load: (-load.proven, -len(load.databases), -load.results, load.title, load.fingerprint)
    )
    return tuple(most_first[:MOST_LOADS])

"""Ranked results of each workload by cluster and machine: counted for all days alike, priced for that of a question."""

import hashlib
import json
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef, QuerySet, TextField
from django.db.models.functions import Cast, JSONObject

from submissions.aggregates.json_text import MOST_TEXTS, as_json_text
from submissions.aggregates.kinds import Kind, State
from submissions.choices import LatencyKind, Role, Trust
from submissions.models import IS_PRICE_OFF, NodeGroup, Submission, SubmissionQuerySet
from submissions.pricing.clusters import BoughtGroup, Cluster
from submissions.pricing.reprice import comparable
from submissions.questions.boards.grouping import OF_SYSTEMS, GroupBy
from submissions.questions.value.machines import MACHINE_COLUMNS, Machine
from submissions.questions.value.pareto import CHART_ROWS

_GROUPED = tuple(dict.fromkeys((*MACHINE_COLUMNS, *(column for by in OF_SYSTEMS for column in by.columns))))
_PLACES: dict[GroupBy, list[int]] = {by: [_GROUPED.index(column) for column in by.columns] for by in OF_SYSTEMS}
_TYPE = _GROUPED.index("instance_type")


class Setup(NamedTuple):
    """What results share that cost the same on every day, and are in the same groups; `values` are of _GROUPED."""

    trust: Trust
    cluster: Cluster
    values: tuple[Any, ...]

    @property
    def machine(self) -> Machine:
        return Machine._make(self.values[: len(MACHINE_COLUMNS)])

    @property
    def instance_type(self) -> str:
        return str(self.values[_TYPE])

    def group(self, by: GroupBy) -> tuple[Any, ...]:
        return tuple(self.values[place] for place in _PLACES[by])


class Equals(NamedTuple):
    """The results of one setup."""

    n: int
    worst_ops_s: float
    p99_by_kind: dict[LatencyKind, int]
    best: list[tuple[float, int]]  # rate and id of the CHART_ROWS fastest, fastest first


class ClustersKind(Kind):
    """`texts`: of clusters and values, by a short hash; `setups`: by trust and both hashes the fields of Equals."""

    name = "clusters"
    code = "2"

    def rows(self, submissions: SubmissionQuerySet) -> QuerySet[Submission, tuple[Any, ...]]:
        ranked = Submission.objects.using(submissions.db).rankable().exclude(IS_PRICE_OFF) & submissions
        columns = ("pk", "trust", "throughput_ops_s", "latency_kind", "latency_p99_at_most_ms", "region", "groups")
        return ranked.order_by().annotate(groups=_system_groups()).values_list(*columns, *_GROUPED)

    def add(self, state: State, row: tuple[Any, ...]) -> None:
        pk, trust, rate, kind, p99, region, groups, *values = row
        cluster, machine = _cluster_text(values[0], region, groups), json.dumps(values)
        key = f"{trust} {_hash(cluster)} {_hash(machine)}"
        state.setdefault("texts", {}).update({_hash(text): text for text in (cluster, machine)})
        setups = state.setdefault("setups", {})
        n, worst, p99_by_kind, best = setups.get(key) or [0, rate, {}, []]
        if p99 is not None:
            p99_by_kind[kind] = p99_by_kind.get(kind, 0) + 1
        fastest = sorted([*best, [rate, pk]], reverse=True)[:CHART_ROWS]
        setups[key] = [n + 1, min(worst, rate), p99_by_kind, fastest]


CLUSTERS = ClustersKind()


def setups_in(state: State) -> Iterator[tuple[Setup, Equals]]:
    texts = state.get("texts", {})
    for key, equals in state.get("setups", {}).items():
        trust, cluster, machine = key.split(" ")
        yield Setup(Trust(trust), _cluster(texts[cluster]), _values(texts[machine])), Equals._make(equals)


@lru_cache(MOST_TEXTS)
def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _system_groups() -> Cast:
    groups = NodeGroup.objects.filter(submission=OuterRef("pk"), role__in=Role.SYSTEM_UNDER_TEST)
    texts = {name: Cast(name, TextField()) for name in ("disks", "node_hourly_usd")}  # with every digit
    fields = JSONObject(**{name: texts.get(name, name) for name in BoughtGroup._fields})
    return as_json_text(ArraySubquery(groups.order_by("position").values_list(fields)))


@lru_cache(MOST_TEXTS)
def _cluster_text(provider: str, region: str | None, groups: str) -> str:
    """Without a stored price where it does not count, so that equal clusters are equal."""
    bought = (BoughtGroup(**group) for group in json.loads(groups))
    return json.dumps([provider, region, comparable(bought, provider)])


@lru_cache(MOST_TEXTS)
def _cluster(text: str) -> Cluster:
    provider, region, groups = json.loads(text)
    bought = (BoughtGroup(*group) for group in groups)
    priced = (group._replace(node_hourly_usd=_usd(group.node_hourly_usd)) for group in bought)
    return Cluster(provider, region, None, tuple(priced))


@lru_cache(MOST_TEXTS)
def _values(text: str) -> tuple[Any, ...]:
    return tuple(json.loads(text))


def _usd(text: Any) -> Decimal | None:
    return None if text is None else Decimal(text)

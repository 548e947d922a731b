"""Measured clusters of the workloads that a question is about."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from django.db.models import QuerySet

from submissions.aggregates.kinds import State
from submissions.aggregates.store import refresh
from submissions.aggregates.trust_filter import TRUST_FILTERS, levels_of
from submissions.analysis.data_size import copies_of
from submissions.api.forms import BadParameter
from submissions.models import Aggregate, Workload
from submissions.questions.recommend.aggregate import RECOMMEND, ClusterKey
from submissions.questions.recommend.form import RecommendParams
from submissions.questions.recommend.points import Point
from submissions.questions.recommend.ranking.capacity import UNLIMITED, Capacity
from submissions.questions.recommend.ranking.prices import NOT_LOOKED_UP, Price

MOST_WORKLOADS = 5_000  # of one database: a bound for the memory of a process, which no database here comes near
_KEYS = 1_000  # of clusters, in a process
_RATE = Point._fields.index("rate")


class Slot(NamedTuple):
    """A cluster under a workload: of all its results one is shown."""

    workload_id: int
    key: ClusterKey
    nodes: int


class Pool(NamedTuple):
    """Results that may stand in one answer; the first pool with an answer answers."""

    is_one_machine: bool
    pipeline: int  # requests that a connection sends without waiting; 1: none


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a workload."""

    workload_id: int
    state: State

    @property
    def has_proven(self) -> bool:
        return bool(self.state.get("proven"))

    @property
    def pipeline(self) -> int:
        """The fact `pipeline` of the workload; not stated: none."""
        return self._fact("pipeline") or 1

    @property
    def replication_factor(self) -> int:
        return self._fact("replication_factor") or 1

    def copies(self, nodes: int, *, is_managed: bool, requested: int | None = None) -> int | None:
        """Of each row, as `requested` where the workload does not state them; None: unknown."""
        factor = self._fact("replication_factor") or requested
        return copies_of(self.state["service"], factor, nodes, is_managed=is_managed)

    def fits(self, params: RecommendParams) -> bool:
        """What the labels do not hold."""
        factor = self._fact("replication_factor")
        is_of_size = params.value_bytes in (None, self._fact("value_bytes"))
        return is_of_size and (None in (factor, params.replication_factor) or factor == params.replication_factor)

    def results(self, trusts: Collection[str]) -> int:
        counted: Mapping[str, int] = self.state.get("n", {})
        return sum(counted.get(trust, 0) for trust in trusts)

    def candidates(self, trusts: Collection[str], params: RecommendParams) -> Iterator["Candidate"]:
        """Where the question allows, of these levels of trust."""
        for text, sizes in self.state.get("clusters", {}).items():
            key = _cluster_key(text)
            if params.provider in ("", key.provider) and params.region in ("", key.region):
                for nodes, by_trust in sizes.items():
                    slot = Slot(self.workload_id, key, int(nodes))
                    for trust, points in by_trust.items():
                        if trust in trusts:
                            yield from (Candidate(slot, Point(*point)) for point in points)

    def _fact(self, name: str) -> int | None:
        facts: Mapping[str, int | None] = self.state.get("facts", {})
        return facts.get(name)


@lru_cache(_KEYS)
def _cluster_key(text: str) -> ClusterKey:
    """Workloads are measured on the same clusters."""
    return ClusterKey(*json.loads(text))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A result, or a load of its curve."""

    slot: Slot
    point: Point
    price: Price = NOT_LOOKED_UP
    capacity: Capacity = UNLIMITED
    extras_usd: Decimal | None = Decimal(0)  # a month, beside nodes and disks, of what is asked; None: unknown

    @property
    def workload_id(self) -> int:
        return self.slot.workload_id

    @property
    def key(self) -> ClusterKey:
        return self.slot.key

    @property
    def nodes(self) -> int:
        return self.slot.nodes

    @property
    def hourly_usd(self) -> Decimal | None:
        return self.price.hourly_usd

    @property
    def usd_per_month(self) -> Decimal | None:
        """What is compared: nodes and disks, and the rest of the month where a number of zones is asked for."""
        usd = self.price.usd_per_month
        return None if usd is None or self.extras_usd is None else usd + self.extras_usd

    def spans(self, params: RecommendParams) -> bool:
        """Whether it has a node for each zone that is asked for."""
        return self.nodes >= (params.zones or 1)

    def reaches(self, params: RecommendParams) -> bool:
        """The throughput, the p99, the zones and the data, whatever it costs."""
        is_fast = self.point.rate >= (params.target_ops_s or 0) and self.point.keeps(params.max_p99_ms)
        return is_fast and self.spans(params) and self.capacity.suffices

    def is_within_budget(self, params: RecommendParams) -> bool:
        budget, usd = params.budget_usd_month, self.usd_per_month
        return budget is None or (usd is not None and usd <= budget)

    def answers(self, params: RecommendParams) -> bool:
        return self.reaches(params) and self.is_within_budget(params)


def workloads_of(params: RecommendParams, *, may_be_large: bool = False) -> list[int]:
    """As `known_workloads`. At most four queries. Raises BadParameter for an unknown workload.

    `may_be_large`: of a question about one workload, see `aggregates.read`.
    """
    workload = _workload(params.workload)
    refresh([workload.pk] if workload else None, may_be_large=may_be_large and workload is not None)
    return list(_stored(params, workload).values_list("workload", flat=True)[:MOST_WORKLOADS])


def known_workloads(params: RecommendParams) -> list[Known]:
    """Those that the question is about, the ones with the most results first, as they are stored. Two queries.

    Raises BadParameter for a workload that does not exist.
    """
    stored = _stored(params, _workload(params.workload)).values_list("workload", "state")[:MOST_WORKLOADS]
    return [one for workload, state in stored if (one := Known(workload, json.loads(state))).fits(params)]


def trusts_for(params: RecommendParams, known: Iterable[Known]) -> frozenset[str]:
    """Results with a raw log; historical ones where none of the workloads has any other."""
    return levels_of(params.trust, has_proven=any(one.has_proven for one in known))


def pools(known: Iterable[Known], trusts: Collection[str], params: RecommendParams) -> dict[Pool, list[Candidate]]:
    """The candidates by what may stand together: over a network and without pipelines first."""
    found: dict[Pool, list[Candidate]] = {}
    for of_workload in known:
        for one in of_workload.candidates(trusts, params):
            found.setdefault(Pool(one.key.is_one_machine, of_workload.pipeline), []).append(one)
    return dict(sorted(found.items()))


def _stored(params: RecommendParams, workload: Workload | None) -> QuerySet[Aggregate]:
    """Of the workloads that the question is about, the ones with the most results first."""
    stored = Aggregate.objects.filter(kind=RECOMMEND.name)
    if workload is not None:
        stored = stored.filter(workload=workload)
    if params.service:
        stored = stored.filter(labels__0=params.service)
    if params.work is not None:
        stored = stored.filter(labels__1=params.work.value)
    return stored.order_by(f"-numbers__{TRUST_FILTERS.index(params.trust)}", "workload")


def _workload(fingerprint: str) -> Workload | None:
    workload = Workload.objects.open().by_fingerprint(fingerprint) if fingerprint else None
    if fingerprint and workload is None:
        raise BadParameter("workload", "there is no such workload", is_missing=True)
    return workload

"""The best results of each cluster of each workload, so that a recommendation reads no rows but those it shows."""

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Case, OuterRef, QuerySet, Value, When
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, JSONObject

from submissions.aggregates.json_text import EMPTY, MOST_TEXTS, as_json_text
from submissions.aggregates.kinds import Kind, Number, State
from submissions.aggregates.trust_filter import by_trust_filter
from submissions.analysis.cluster_size.usable_space import usable_share
from submissions.choices import PROVEN, UNSOUND_FLAGS, ClientPlacement, Flag, NodeKind, Role, is_off_money_boards
from submissions.models import IS_UNRANKED, LoadPoint, NodeGroup, Submission, SubmissionQuerySet
from submissions.pricing.providers import billing_of
from submissions.questions.recommend.points import Point, points_of_curve, with_point
from submissions.questions.recommend.work import work_of
from submissions.questions.sizing.shapes import shape_key

_LEFT_OUT = frozenset(flag.value for flag in UNSOUND_FLAGS)


class ClusterKey(NamedTuple):
    """What clusters of equal cost for each node share; `layout` has disks, caches and what no price list has."""

    provider: str
    region: str | None
    bought: str  # the pricing model of all machines; "mixed" with several
    instance_type: str
    layout: str
    is_scalable: bool  # its database nodes are equal
    is_one_machine: bool = False  # the load client ran on it too


class RecommendKind(Kind):
    """`clusters`: by key, nodes and trust the points; `n`: results by trust; facts of the workload."""

    name = "recommend"
    code = "7"

    def rows(self, submissions: SubmissionQuerySet) -> QuerySet[Submission, tuple[Any, ...]]:
        published = Submission.objects.using(submissions.db).with_rate() & submissions
        return (
            published.order_by()
            .annotate(
                is_unranked=Case(When(IS_UNRANKED, then=Value(True)), default=Value(False)),
                groups=_system_groups(),
                curve=_load_points(),
                operations_mix=KeyTextTransform("operations", "workload__canonical"),
                **{f"workload_{name}": KeyTextTransform(name, "workload__canonical") for name in _OF_WORKLOAD},
            )
            .values_list(
                *("pk", "trust", "flags", "is_unranked", "workload__service", "operations_mix"),
                *("provider", "region", "instance_type", "node_count", "client_placement", "groups"),
                *("throughput_ops_s", "latency_kind", "latency_p99_at_most_ms", "latency_p99_is_bound", "curve"),
                *("measured_at", "service_version", "data_bytes", "data_to_memory"),
                *(f"workload_{name}" for name in _OF_WORKLOAD),
            )
        )

    def add(self, state: State, row: tuple[Any, ...]) -> None:
        pk, trust, flags, is_unranked, service, mix, provider, region, machine, nodes, *rest = row
        placement, groups, figures, measured_at, facts = rest[0], rest[1], rest[2:7], rest[7], rest[11:]
        state["service"], state["work"] = service, _work_of(mix)
        state["facts"] = dict(zip(_OF_WORKLOAD, map(_whole_number, facts), strict=True))
        if is_unranked or not _LEFT_OUT.isdisjoint(flags) or is_off_money_boards(flags, trust):
            return
        state["proven"] = state.get("proven", 0) + (trust in PROVEN)
        counted = state.setdefault("n", {})
        counted[trust] = counted.get(trust, 0) + 1
        state["newest"] = max(state.get("newest", 0), pk)
        key = _key_of(provider, region, machine, placement, groups)
        by_trust = state.setdefault("clusters", {}).setdefault(key, {}).setdefault(str(nodes), {})
        measured = int(measured_at.timestamp()) if measured_at else 0
        data = _data(service, groups, *rest[8:11])
        for point in _points(pk, measured, flags, *figures):
            by_trust[trust] = with_point(by_trust.get(trust, ()), point._replace(**data))

    def numbers(self, state: State) -> list[Number]:
        counted: Mapping[str, int] = state.get("n", {})

        def count(levels: frozenset[str]) -> Number:
            number = sum(counted.get(level, 0) for level in levels)
            return number, number

        return by_trust_filter(count, counted, has_proven=bool(state.get("proven")))

    def labels(self, state: State) -> list[Any]:
        """The database, what the workload mostly does, and where it was measured."""
        keys = [ClusterKey(*json.loads(text)) for text in state.get("clusters", {})]
        places = sorted({(key.provider, key.region or "") for key in keys})
        return [state.get("service", ""), state.get("work", ""), places]


RECOMMEND = RecommendKind()


def _points(
    pk: int,
    measured: int,
    flags: Iterable[str],
    rate: float,
    kind: str,
    p99: float | None,
    is_bound: bool,
    curve: str,
) -> list[Point]:
    """One; of a load curve one for each of its loads."""
    if curve != EMPTY:
        return points_of_curve(pk, json.loads(curve), measured)
    return [
        Point(
            pk,
            rate,
            p99,
            kind,
            is_of_slowest=is_bound,
            is_throttled=Flag.THROTTLED in flags,
            measured=measured,
        )
    ]


def _data(
    service: str, groups: str, version: str | None, data_bytes: int | None, data_to_memory: float | None
) -> dict[str, Any]:
    """The fields of a point about the amount of data."""
    return {
        "data_gib": None if data_bytes is None else data_bytes / 2**30,
        "data_to_memory": data_to_memory,
        "memory_gib": _memory_gib(groups),
        "usable_share": usable_share(service, version).share,
    }


@lru_cache(MOST_TEXTS)
def _memory_gib(groups: str) -> float | None:
    """None where it is not stated of all database nodes."""
    databases = [group for group in json.loads(groups) if group["role"] == Role.DATABASE]
    stated = [group["memory_gib"] * group["count"] for group in databases if group["memory_gib"]]
    return sum(stated) if stated and len(stated) == len(databases) else None


_OF_WORKLOAD = ("pipeline", "value_bytes", "replication_factor")  # of its canonical form


def _whole_number(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() else None


@lru_cache(MOST_TEXTS)
def _work_of(operations: str | None) -> str:
    return work_of(json.loads(operations or "null")) or ""


@lru_cache(MOST_TEXTS)
def _key_of(provider: str, region: str | None, machine: str, placement: str | None, groups: str) -> str:
    key = _cluster_key(provider, region, machine, json.loads(groups))
    return json.dumps(key._replace(is_one_machine=_is_one_machine(provider, placement)))


def _is_one_machine(provider: str, placement: str | None) -> bool:
    """Where it is not stated, as the provider's results are."""
    return billing_of(provider).is_one_machine if placement is None else placement == ClientPlacement.ON_DATABASE


def _cluster_key(provider: str, region: str | None, machine: str, groups: list[dict[str, Any]]) -> ClusterKey:
    bought = {group["pricing_model"] for group in groups}
    pricing_model = bought.pop() if len(bought) == 1 else "mixed" if bought else ""
    billing = billing_of(provider)
    for group in groups:
        del group["memory_gib"]  # some state it, others do not: their cluster is the same
        stated = group.pop("node_hourly_usd") if group.pop("is_price_stated") else None
        # elsewhere a list has the price, whatever was stated
        group["usd"] = None if stated is None or billing.has_list_prices else str(stated)
    # a vendor sells a managed database by its tier, not by the node
    is_managed = any(group["kind"] == NodeKind.MANAGED for group in groups)
    shape = None if is_managed else shape_key(provider, region, groups)
    usd = {group["usd"] for group in groups}
    layout: list[Any] = groups
    if is_scalable := shape is not None and len(usd) == 1:
        caches = [[cache.instance_type, cache.disks, str(cache.per_node)] for cache in shape.caches]
        layout = [shape.disks, caches, *usd]
    text = json.dumps(layout, sort_keys=True)
    return ClusterKey(provider, region, pricing_model, machine, text, is_scalable)


_OF_GROUP = (
    *("role", "instance_type", "count", "memory_gib", "disks", "pricing_model", "kind"),
    *("node_hourly_usd", "is_price_stated"),
)


def _system_groups() -> Cast:
    groups = NodeGroup.objects.filter(submission=OuterRef("pk"), role__in=Role.SYSTEM_UNDER_TEST)
    fields = JSONObject(**{name: name for name in _OF_GROUP})
    return as_json_text(ArraySubquery(groups.order_by("position").values_list(fields)))


_OF_LOAD_POINT = (
    *("throughput_ops_s", "offered_ops_s", "threads", "trials_count", "worst_p99_ms", "latency_kind", "error_share"),
    *("is_sustained", "is_comparable", "is_of_slowest", "is_peak"),
)


def _load_points() -> Cast:
    """Empty for what is no curve."""
    points = LoadPoint.objects.filter(submission=OuterRef("pk")).order_by("index")
    return as_json_text(ArraySubquery(points.values_list(JSONObject(**{name: name for name in _OF_LOAD_POINT}))))

"""The shapes of each workload's clusters with the throughput of each size, for every sizing."""

import json
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Case, OuterRef, QuerySet, Value, When
from django.db.models.functions import JSONObject

from submissions.aggregates.exact_sums import added, total
from submissions.aggregates.json_text import MOST_TEXTS, as_json_text
from submissions.aggregates.kinds import Kind, Number, State
from submissions.aggregates.trust_filter import by_trust_filter, is_rankable, levels_of
from submissions.analysis.cluster_size.sizing import Size
from submissions.choices import PROVEN, Role, Trust, is_off_money_boards
from submissions.models import IS_UNRANKED, NodeGroup, Submission, SubmissionQuerySet, has_mixed_machines
from submissions.questions.sizing.shapes import Cache, Shape, ShapeKey, shape_key


class SizingKind(Kind):
    """`shapes`: by key, nodes and trust how many results, the sum of their rates and the newest; `n`: by trust, all."""

    name = "sizing"
    code = "2"

    def rows(self, submissions: SubmissionQuerySet) -> QuerySet[Submission, tuple[Any, ...]]:
        published = Submission.objects.using(submissions.db).with_rate() & submissions
        return (
            published.order_by()
            .annotate(
                is_unranked=Case(When(IS_UNRANKED, then=Value(True)), default=Value(False)),
                is_mixed=Case(When(has_mixed_machines(), then=Value(True)), default=Value(False)),
                groups=as_json_text(system_groups()),
            )
            .values_list(
                *("pk", "trust", "flags", "is_unranked", "is_mixed"),
                *("provider", "region", "node_count", "groups", "throughput_ops_s"),
            )
        )

    def add(self, state: State, row: tuple[Any, ...]) -> None:
        pk, trust, flags, is_unranked, is_mixed, provider, region, nodes, groups, rate = row
        if not is_rankable(flags, is_unranked=is_unranked):
            return
        state["proven"] = state.get("proven", 0) + (trust in PROVEN)
        if is_mixed or is_off_money_boards(flags, trust):
            return
        counted = state.setdefault("n", {})
        counted[trust] = counted.get(trust, 0) + 1
        key = _key_of(provider, region, groups)
        if key is None:
            return
        sizes = state.setdefault("shapes", {}).setdefault(key, {})
        size = sizes.setdefault(str(nodes), {}).setdefault(trust, [0, [], 0])
        size[:] = size[0] + 1, added(size[1], rate), max(size[2], pk)

    def numbers(self, state: State) -> list[Number]:
        counted: Mapping[str, int] = state.get("n", {})

        def count(levels: frozenset[str]) -> Number:
            number = sum(counted.get(level, 0) for level in levels)
            return number, number

        return by_trust_filter(count, counted, has_proven=bool(state.get("proven")))


SIZING = SizingKind()


@lru_cache(MOST_TEXTS)
def _key_of(provider: str, region: str | None, groups: str) -> str | None:
    """Of a shape, as text; None where the cluster has none."""
    key = shape_key(provider, region, json.loads(groups))
    return None if key is None else _as_text(key)


def system_groups() -> ArraySubquery:
    """The node groups of the system under test, in their order, as shapes.py reads them."""
    groups = NodeGroup.objects.filter(submission=OuterRef("pk"), role__in=Role.SYSTEM_UNDER_TEST)
    fields = JSONObject(role="role", instance_type="instance_type", count="count", disks="disks")
    return ArraySubquery(groups.order_by("position").values_list(fields))


def shapes_in(state: State, trust_filter: Trust | None) -> list[Shape]:
    """The shapes of a workload, those with the most results first."""
    levels = levels_of(trust_filter, has_proven=bool(state.get("proven")))
    shapes = []
    for key, sizes in state.get("shapes", {}).items():
        counted = {
            int(nodes): [size for trust, size in by_trust.items() if trust in levels]
            for nodes, by_trust in sizes.items()
        }
        if any(counted.values()):
            shapes.append(_shape(_of_text(key), {nodes: own for nodes, own in counted.items() if own}))
    return sorted(shapes, key=lambda shape: (-shape.submissions, -max(shape.newest.values())))


def _shape(key: ShapeKey, counted: Mapping[int, list[Any]]) -> Shape:
    return Shape(
        key=key,
        sizes=tuple(Size(nodes, _mean(own)) for nodes, own in sorted(counted.items())),
        newest={nodes: max(newest for _, _, newest in own) for nodes, own in counted.items()},
        submissions=sum(n for own in counted.values() for n, _, _ in own),
    )


def _mean(counted: list[Any]) -> float:
    """Of one result its own throughput, exactly: a measured size must reach it."""
    n: int = sum(n for n, _, _ in counted)
    return total(part for _, parts, _ in counted for part in parts) / n


def _as_text(key: ShapeKey) -> str:
    caches = [[cache.instance_type, cache.disks, str(cache.per_node)] for cache in key.caches]
    return json.dumps([key.provider, key.region, key.instance_type, key.disks, caches])


def _of_text(text: str) -> ShapeKey:
    provider, region, instance_type, disks, caches = json.loads(text)
    of_caches = tuple(Cache(name, layout, Fraction(per_node)) for name, layout, per_node in caches)
    return ShapeKey(provider, region, instance_type, disks, of_caches)

"""The sizes of each workload's clusters, for the chart of scaling and the choice of a workload."""

import json
from typing import Any

from django.db.models import Case, QuerySet, Value, When

from submissions.aggregates.exact_sums import added, total
from submissions.aggregates.kinds import Kind, Number, State
from submissions.aggregates.trust_filter import by_trust_filter, is_rankable, levels_of
from submissions.choices import PROVEN, Trust
from submissions.models import IS_UNRANKED, Submission, SubmissionQuerySet, has_mixed_machines

FEWEST_SIZES = 2
ENOUGH_SIZES = 3  # of a series that the page opens on: two sizes say nothing of a curve
# What may differ between the points of a series beside the number of nodes.
DIFFERING = ("service_version", "region", "jdk_vendor", "jdk_version", "disk_kind", "threads")
_RANGES = ("client_count", *DIFFERING)
_Size = list[Any]  # n, sum of the rates, newest; for each of _RANGES lowest, highest, how many state it


class ScalingKind(Kind):
    """`sizes`: by trust, provider, instance type and nodes; `proven`: results with a log that can be ranked.

    The labels: by trust filter how many sizes the longest series has.
    """

    name = "scaling"
    code = "2"

    def rows(self, submissions: SubmissionQuerySet) -> QuerySet[Submission, tuple[Any, ...]]:
        published = Submission.objects.using(submissions.db).with_rate() & submissions
        return (
            published.order_by()
            .annotate(
                is_unranked=Case(When(IS_UNRANKED, then=Value(True)), default=Value(False)),
                is_mixed=Case(When(has_mixed_machines(), then=Value(True)), default=Value(False)),
            )
            .values_list(
                *("pk", "trust", "flags", "is_unranked", "is_mixed", "cache_node_count"),
                *("provider", "instance_type", "node_count", "throughput_ops_s", *_RANGES),
            )
        )

    def add(self, state: State, row: tuple[Any, ...]) -> None:
        pk, trust, flags, is_unranked, is_mixed, caches, provider, instance_type, nodes, rate, *ranges = row
        if not is_rankable(flags, is_unranked=is_unranked):
            return
        state["proven"] = state.get("proven", 0) + (trust in PROVEN)
        if caches or is_mixed:
            return
        key = json.dumps([trust, provider, instance_type, nodes])
        sizes = state.setdefault("sizes", {})
        size = sizes.setdefault(key, [0, [], 0, *([None, None, 0] for _ in _RANGES)])
        size[0] += 1
        size[1] = added(size[1], rate)
        size[2] = max(size[2], pk)
        for known, value in zip(size[3:], ranges, strict=True):
            _widen(known, value)

    def numbers(self, state: State) -> list[Number]:
        """The results in series of two sizes or more."""
        return [(number, number) for number, _ in _in_series(state)]

    def labels(self, state: State) -> list[int]:
        return [most for _, most in _in_series(state)]


SCALING = ScalingKind()


def _in_series(state: State) -> list[tuple[int, int]]:
    """By trust filter the results in series, and the sizes of the longest one."""
    sizes = [(*json.loads(key), size[0]) for key, size in state.get("sizes", {}).items()]

    def count(levels: frozenset[str]) -> tuple[int, int]:
        series: dict[tuple[str, str], dict[int, int]] = {}
        for trust, provider, instance_type, nodes, n in sizes:
            if trust in levels:
                own = series.setdefault((provider, instance_type), {})
                own[nodes] = own.get(nodes, 0) + n
        number = sum(sum(own.values()) for own in series.values() if len(own) >= FEWEST_SIZES)
        return number, max(map(len, series.values()), default=0)

    return by_trust_filter(count, (size[0] for size in sizes), has_proven=bool(state.get("proven")))


def size_rows(state: State, trust_filter: Trust | None) -> list[dict[str, Any]]:
    """The sizes of all series of a workload: each as a row of `_size_rows` in query.py."""
    levels = levels_of(trust_filter, has_proven=bool(state.get("proven")))
    merged: dict[tuple[str, str, int], tuple[set[str], _Size]] = {}
    for key, size in state.get("sizes", {}).items():
        trust, provider, instance_type, nodes = json.loads(key)
        if trust in levels:
            place = provider, instance_type, nodes
            of_trusts, known = merged.get(place, (set(), None))
            merged[place] = of_trusts | {trust}, _joined(known, size) if known else size
    return [_as_row(place, of_trusts, size) for place, (of_trusts, size) in merged.items()]


def _widen(known: list[Any], value: Any) -> None:
    if value is not None:
        low, high, count = known
        known[:] = value if low is None else min(low, value), value if high is None else max(high, value), count + 1


def _joined(one: _Size, other: _Size) -> _Size:
    partials = one[1]
    for partial in other[1]:
        partials = added(partials, partial)
    ranges = []
    for (low, high, count), (other_low, other_high, other_count) in zip(one[3:], other[3:], strict=True):
        lows = [end for end in (low, other_low) if end is not None]
        highs = [end for end in (high, other_high) if end is not None]
        ranges.append([min(lows, default=None), max(highs, default=None), count + other_count])
    return [one[0] + other[0], partials, max(one[2], other[2]), *ranges]


def _as_row(place: tuple[str, str, int], trusts: set[str], size: _Size) -> dict[str, Any]:
    provider, instance_type, nodes = place
    row = {
        "provider": provider,
        "instance_type": instance_type,
        "node_count": nodes,
        "n": size[0],
        "mean": total(size[1]) / size[0],
        "newest": size[2],
        "trusts": sorted(trusts),
    }
    for name, (low, high, count) in zip(("clients", *DIFFERING), size[3:], strict=True):
        row |= {f"{name}_low": low, f"{name}_high": high, f"{name}_known": count}
    return row

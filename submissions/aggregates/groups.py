"""Groups of a workload's results: how many, and the best of each, of the trust levels of a filter."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import QuerySet

from submissions.aggregates.kinds import Kind, State
from submissions.aggregates.profile import IS_UNRANKED_COLUMN, exclusion_profile
from submissions.aggregates.read import states_of
from submissions.aggregates.trust_filter import levels_of
from submissions.choices import PROVEN, LatencyKind, Trust
from submissions.metrics import LATENCY_P99, OPS_PER_USD, THROUGHPUT, Metric
from submissions.models import Submission, SubmissionQuerySet

# What results are grouped by.
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "provider": ("provider",),
    "instance_type": ("provider", "instance_type"),
    "jdk": ("jdk_vendor", "jdk_version"),
    "disk": ("disk_kind",),
}
_BETWEEN, _NULL = "\x1f", "\x1e"
_GROUPED = ("provider", "instance_type", "jdk_vendor", "jdk_version", "disk_kind")
_P99_KINDS = (LatencyKind.SERVICE_TIME, LatencyKind.RESPONSE_TIME)


@dataclass(frozen=True, slots=True)
class GroupBest:
    """`figure` is greater for a better one: of a p99 it is negative."""

    n: int
    best_id: int
    figure: Any
    worst_value: Decimal | None  # operations per dollar


class GroupsKind(Kind):
    """State: by grouping, key and trust what is published, and of these the ranked ones by what a board ranks.

    {"provider": {"aws": {"log_verified": {"throughput": [n, best, its id], "ops_per_usd": [n, best, its id, worst],
    "service_time": [n, least p99, its id]}}}}: of equal figures the newest is the best. Money is text, and exact.
    """

    name = "groups"
    code = "2"

    def rows(self, submissions: SubmissionQuerySet) -> QuerySet[Submission, tuple[Any, ...]]:
        published = Submission.objects.using(submissions.db).published() & submissions
        return (
            published.order_by()
            .annotate(is_unranked=IS_UNRANKED_COLUMN)
            .values_list(
                *("pk", "trust", "flags", "is_unranked", "throughput_ops_s", "ops_per_usd"),
                *("latency_kind", "latency_p99_at_most_ms", *_GROUPED),
            )
        )

    def add(self, state: State, row: tuple[Any, ...]) -> None:
        pk, trust, flags, is_unranked, rate, value, kind, p99, *values = row
        profile = exclusion_profile(
            flags=flags, is_unranked=is_unranked, has_rate=rate is not None, has_value=value is not None, trust=trust
        )
        by_column = dict(zip(_GROUPED, values, strict=True))
        for by, columns in COLUMNS.items():
            groups = state.setdefault(by, {}).setdefault(_key_of([by_column[column] for column in columns]), {})
            figures = groups.setdefault(trust, {})
            if profile.is_rankable:
                _add(figures, THROUGHPUT.key, rate, pk)
                if p99 and kind in _P99_KINDS:
                    _add(figures, kind, -p99, pk)
            if profile.is_valued:
                _add_value(figures, value, pk)

    def columns(self, state: State) -> Mapping[str, Any]:
        machines = state.get("instance_type", {})
        levels = levels_of(None, has_proven=_has_proven(state))
        return {
            "providers": len(state.get("provider", {})),
            "instance_types": len({key.partition(_BETWEEN)[2] for key in machines}),
            "machine_types": sum(any(_of_levels(group, OPS_PER_USD.key, levels)) for group in machines.values()),
        }


GROUPS = GroupsKind()


def _key_of(values: Collection[str | None]) -> str:
    return _BETWEEN.join(_NULL if value is None else value for value in values)


def _add(figures: dict[str, Any], name: str, figure: float, pk: int) -> None:
    n, *best = figures.get(name, [0, figure, pk])
    figures[name] = [n + 1, *max(best, [figure, pk])]


def _add_value(figures: dict[str, Any], value: Decimal, pk: int) -> None:
    n, best, best_id, worst = figures.get(OPS_PER_USD.key, [0, value, pk, value])
    best, best_id = max((Decimal(best), best_id), (value, pk))
    figures[OPS_PER_USD.key] = [n + 1, str(best), best_id, str(min(Decimal(worst), value))]


def _of_levels(group: Mapping[str, Any], name: str, levels: Collection[str]) -> Iterator[list[Any]]:
    return (figures[name] for trust, figures in group.items() if trust in levels and name in figures)


def _has_proven(state: State) -> bool:
    return any(any(_of_levels(group, THROUGHPUT.key, PROVEN)) for group in state.get("provider", {}).values())


def best_of_groups(
    workload_id: int, by: str, metric: Metric, trust: Trust | None, kind: LatencyKind | None = None
) -> list[GroupBest] | None:
    """The best first, of equal ones the oldest. None of groupings that are not counted. Two queries.

    `kind` is that of a p99.
    """
    name = kind if metric == LATENCY_P99 and kind in _P99_KINDS else metric.key
    if by not in COLUMNS or name not in (THROUGHPUT.key, OPS_PER_USD.key, *_P99_KINDS):
        return None
    (state,) = states_of(workload_id, GROUPS)
    levels = levels_of(trust, has_proven=_has_proven(state))
    groups = (_best(group, name, levels) for group in state.get(by, {}).values())
    return sorted(filter(None, groups), key=lambda group: (-group.figure, group.best_id))


def _best(group: Mapping[str, Any], name: str, levels: Collection[str]) -> GroupBest | None:
    parts = list(_of_levels(group, name, levels))
    if not parts:
        return None
    # Decimal of money, which is text: figures of other boards are numbers
    money = [Decimal(part[1]) for part in parts] if name == OPS_PER_USD.key else [part[1] for part in parts]
    figure, best_id = max(zip(money, (part[2] for part in parts), strict=True))
    values = [Decimal(value[3]) for value in _of_levels(group, OPS_PER_USD.key, levels)]
    return GroupBest(sum(part[0] for part in parts), best_id, figure, min(values, default=None))

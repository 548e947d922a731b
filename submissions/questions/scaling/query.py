"""Cluster sizes of one workload: which series there are, and how the throughput of each scales."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import Avg, Count, Max, Min, QuerySet
from django.db.models.expressions import Combinable

from submissions.aggregates.read import states_of
from submissions.analysis.cluster_size.scaling import Point, Scaled, Scaling, scaling
from submissions.api.forms import BadParameter
from submissions.choices import LatencyKind, Trust
from submissions.facts import BY_COLUMN
from submissions.formatting.names import provider_name
from submissions.models import (
    IS_CURVE,
    Submission,
    SubmissionQuerySet,
    Workload,
    has_mixed_machines,
    keeps_p99,
    rate_at,
)
from submissions.questions.boards.choice import WorkloadChoice
from submissions.questions.boards.counts import Counts, board_counts, count
from submissions.questions.boards.offered import offered_to_open
from submissions.questions.boards.reasons import Reason, board_reasons
from submissions.questions.boards.trust_filter import TrustFilter, trust_filter_of, trust_filter_of_all
from submissions.questions.scaling.aggregate import DIFFERING, ENOUGH_SIZES, FEWEST_SIZES, SCALING, size_rows
from submissions.records.credits import credits_of_workloads

MOST_SERIES = 40  # of one workload; a chart shows the first of them
MOST_POINTS = 2_000  # of all the series of one workload


@dataclass(frozen=True, slots=True)
class ScalingParams:
    """The parameters as stated, "" where not; `workload` is a fingerprint."""

    workload: str
    provider: str
    instance_type: str
    trust: Trust | None = None  # the trust filter; None: the default
    max_p99_ms: float | None = None  # only results that keep it, those of curves at the load that does
    latency_kind: LatencyKind | None = None  # of the limit; None: the most common known kind


@dataclass(frozen=True, slots=True, order=True)
class SeriesKey:
    """Machines of one type at one provider: what a curve may be drawn through."""

    provider: str
    instance_type: str

    @property
    def name(self) -> str:
        return f"{self.instance_type} · {provider_name(self.provider)}"


@dataclass(frozen=True, slots=True)
class SeriesPoint:
    """One cluster size: the mean over its n submissions."""

    scaled: Scaled
    newest: int  # submission
    clients: tuple[int, int] | None  # lowest and highest client count; None where any is unknown
    ideal: float  # ops/s if each node did as much as in the smallest cluster
    law: float | None  # ops/s by the fitted law
    curves: int = 0  # of the submissions those that are at a load of their curve

    @property
    def size(self) -> Point:
        return self.scaled.point


@dataclass(frozen=True, slots=True)
class Series:
    key: SeriesKey
    points: tuple[SeriesPoint, ...]  # the smallest first
    scaling: Scaling
    differs: tuple[str, ...]  # facts beside the nodes that are not the same in all its submissions
    trusts: frozenset[str] = frozenset()  # trust levels of its submissions

    @property
    def submissions(self) -> int:
        return sum(point.size.n for point in self.points)


@dataclass(frozen=True, slots=True)
class ScalingResult:
    """`workload` is None where no workload has a series; `chosen` where this workload has none."""

    workload: WorkloadChoice | None
    offered: Sequence[WorkloadChoice]
    series: tuple[Series, ...] = ()  # those with the most sizes first
    chosen: Series | None = None
    trust: Trust | None = None
    counts: Counts | None = None  # of the workload
    max_p99_ms: float | None = None

    @property
    def credits(self) -> Sequence[str]:
        """One query."""
        return credits_of_workloads([self.workload.pk] if self.workload else ())

    @property
    def latency_kind(self) -> LatencyKind | None:
        """Of the limit; None without any."""
        return self.counts.latency_kind if self.counts and self.max_p99_ms is not None else None

    @property
    def p99_unknown(self) -> int:
        return self.counts.p99_unknown if self.counts else 0

    @property
    def trust_filter(self) -> TrustFilter:
        """One query where there is no workload."""
        return trust_filter_of(self.trust, self.counts) if self.counts else trust_filter_of_all(self.trust)

    @property
    def points(self) -> tuple[SeriesPoint, ...]:
        return self.chosen.points if self.chosen else ()

    @property
    def others(self) -> list[Series]:
        return [series for series in self.series if series is not self.chosen]


@dataclass(frozen=True, slots=True)
class ScalingWorkload:
    """The chosen workload, before its sizes are read."""

    offered: Sequence[WorkloadChoice]
    workload: WorkloadChoice | None


def scaling_result(params: ScalingParams, *, may_be_large: bool = False) -> ScalingResult:
    """At most six queries where nothing has changed. Raises BadParameter for what does not exist."""
    return series_result(params, scaling_workload(params), may_be_large=may_be_large)


def scaling_workload(params: ScalingParams) -> ScalingWorkload:
    """Raises BadParameter."""
    offered = offered_to_open(SCALING, params.trust, ENOUGH_SIZES)
    return ScalingWorkload(offered, _workload(params.workload, offered))


def series_result(params: ScalingParams, asked: ScalingWorkload, *, may_be_large: bool = False) -> ScalingResult:
    """Raises BadParameter."""
    offered, workload = asked.offered, asked.workload
    if workload is None:
        return ScalingResult(None, offered, trust=params.trust, max_p99_ms=params.max_p99_ms)
    if params.max_p99_ms is None:
        rows, counts = _counted(workload.pk, params.trust, may_be_large=may_be_large)
    else:
        rows, counts = _within(params.max_p99_ms, workload.fingerprint, params)
    series = _all_series(rows)
    chosen = next((one for one in series if _matches(one.key, params)), None)
    if chosen is None and (params.provider or params.instance_type):
        name = "instance_type" if params.instance_type else "provider"
        raise BadParameter(name, "this workload has no such series of two sizes or more", is_missing=True)
    return ScalingResult(workload, offered, tuple(series), chosen, params.trust, counts, params.max_p99_ms)


def _counted(workload: int, trust: Trust | None, *, may_be_large: bool) -> tuple[list[dict[str, Any]], Counts]:
    """The sizes of a workload, and what is in none of its series and why. Four queries."""
    (sizes,) = states_of(workload, SCALING, may_be_large=may_be_large)
    return size_rows(sizes, trust), board_counts([workload], _reasons(trust), trust)


def _within(limit: float, workload: str, params: ScalingParams) -> tuple[list[dict[str, Any]], Counts]:
    """The same of the submissions that keep a limit, load curves at the load that does. Two queries."""
    of_workload = Submission.objects.with_rate().of_workload(workload)
    counts = count(
        of_workload, _reasons(params.trust), params.trust, latency_kind=params.latency_kind, max_p99_ms=limit
    )
    usable = _usable(params.trust).of_workload(workload)
    rows = _size_rows(usable.filter(keeps_p99(counts.latency_kind, limit)), rate_at(counts.latency_kind, limit))
    # what clients could do is known of peaks alone
    return [{**row, "is_limited": True} for row in rows], counts


def _reasons(trust: Trust | None) -> list[Reason]:
    return [*board_reasons(trust), Reason.WITH_CACHE, Reason.MIXED_MACHINES]


def _matches(key: SeriesKey, params: ScalingParams) -> bool:
    return params.provider in ("", key.provider) and params.instance_type in ("", key.instance_type)


def _usable(trust: Trust | None) -> SubmissionQuerySet:
    """A reliable absolute rate, of database nodes of one instance type without a cache in front of them."""
    rows = Submission.objects.rankable().trust_filtered(trust)
    return rows.filter(cache_node_count=0).exclude(has_mixed_machines())


def _workload(fingerprint: str, offered: Sequence[WorkloadChoice]) -> WorkloadChoice | None:
    """The stated workload, else the first; one that is not offered costs a query, and is not counted."""
    if not fingerprint:
        return offered[0] if offered else None
    for choice in offered:
        if choice.fingerprint == fingerprint:
            return choice
    workload = Workload.objects.open().by_fingerprint(fingerprint)
    if workload is None:
        raise BadParameter("workload", "there is no such workload", is_missing=True)
    return WorkloadChoice(workload.fingerprint, workload.title, None, workload.pk)


def _all_series(rows: Sequence[dict[str, Any]]) -> list[Series]:
    """The series of two sizes or more, those with the most sizes first.

    A series with more sizes than a page can show keeps those with the most submissions.
    """
    by_key: dict[SeriesKey, list[dict[str, Any]]] = {}
    for row in rows:
        by_key.setdefault(SeriesKey(row["provider"], row["instance_type"]), []).append(row)
    keys = sorted(
        (key for key, own in by_key.items() if len(own) >= FEWEST_SIZES),
        key=lambda key: (-len(by_key[key]), -sum(row["n"] for row in by_key[key]), key),
    )[:MOST_SERIES]
    shown = sorted((row for key in keys for row in by_key[key]), key=_most_first)[:MOST_POINTS]
    series = []
    for key in keys:
        own = [row for row in shown if (row["provider"], row["instance_type"]) == (key.provider, key.instance_type)]
        if len(own) >= FEWEST_SIZES:
            series.append(_series(key, own))
    return sorted(series, key=lambda one: (-len(one.points), -one.submissions, one.key))


def _most_first(row: dict[str, Any]) -> tuple[int, int, str, str]:
    return -row["n"], row["node_count"], row["provider"], row["instance_type"]


def _size_rows(rows: QuerySet[Submission], rate: Combinable) -> list[dict[str, Any]]:
    ranges = {
        f"{column}_{name}": make(column)
        for column in DIFFERING
        for name, make in (("low", Min), ("high", Max), ("known", Count))
    }
    sizes = (
        rows.order_by()
        .values("provider", "instance_type", "node_count")
        .annotate(
            n=Count("pk"),
            mean=Avg(rate),
            curves=Count("pk", filter=IS_CURVE),
            newest=Max("pk"),
            clients_low=Min("client_count"),
            clients_high=Max("client_count"),
            clients_known=Count("client_count"),
            trusts=ArrayAgg("trust", distinct=True),
            **ranges,
        )
    )
    return [dict(row) for row in sizes]


def _series(key: SeriesKey, rows: Iterable[dict[str, Any]]) -> Series:
    ordered = sorted(rows, key=lambda row: row["node_count"])
    clients = [_clients(row) for row in ordered]
    result = scaling([_point(row, own) for row, own in zip(ordered, clients, strict=True)])
    points = tuple(
        SeriesPoint(
            scaled=scaled,
            newest=row["newest"],
            clients=own,
            ideal=result.ideal(scaled.point.node_count),
            law=result.usl.throughput(scaled.point.node_count) if result.usl else None,
            curves=row["curves"] if row.get("is_limited") else 0,
        )
        for row, own, scaled in zip(ordered, clients, result.points, strict=True)
    )
    trusts = frozenset(trust for row in ordered for trust in row["trusts"])
    return Series(key, points, result, _differing(ordered), trusts)


def _clients(row: dict[str, Any]) -> tuple[int, int] | None:
    return (row["clients_low"], row["clients_high"]) if row["clients_known"] == row["n"] else None


def _point(row: dict[str, Any], clients: tuple[int, int] | None) -> Point:
    is_same = clients is not None and clients[0] == clients[1] and not row.get("is_limited")
    return Point(row["node_count"], row["mean"], row["clients_low"] if is_same else None, row["n"])


def _differing(rows: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    total = sum(row["n"] for row in rows)
    nouns = []
    for column in DIFFERING:
        values = {row[f"{column}_{end}"] for row in rows for end in ("low", "high")} - {None}
        known = sum(row[f"{column}_known"] for row in rows)
        if len(values) > 1 or 0 < known < total:
            nouns.append(BY_COLUMN[column].noun)
    return tuple(nouns)

"""Databases under the same load: the best result of each cluster of each, and a verdict where one is possible."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations, product
from typing import Any

from django.db.models import F

from submissions.analysis.comparison.compare import Comparison
from submissions.api.forms import BadParameter
from submissions.choices import Choice, Trust
from submissions.models import Submission, Workload
from submissions.pricing.cost import HOURS_PER_MONTH
from submissions.pricing.reprice import STORED, at_reader_prices
from submissions.pricing.terms import PriceTerms
from submissions.questions.boards.counts import Counts, board_counts
from submissions.questions.boards.reasons import board_reasons
from submissions.questions.boards.trust_filter import TrustFilter, trust_filter_of
from submissions.questions.compare.pairs import comparisons
from submissions.questions.databases.consistency import Consistency, consistency_of, durability_of
from submissions.questions.databases.loads import Load, load_of, shared_load, shared_loads

MOST_WORKLOADS = 40  # of a load, those with most results
MOST_CLUSTERS = 12  # of a workload, the fastest
MOST_DATABASES = 6  # that get verdicts against each other, the fastest
_CLUSTER = ("workload_id", "provider", "instance_type", "node_count")


@dataclass(frozen=True, slots=True)
class DatabasesParams:
    load: str = ""  # fingerprint
    trust: Trust | None = None
    terms: PriceTerms = STORED  # the stored prices, or those less a discount


class Obstacle(Choice):
    """Why two databases get no verdict."""

    NOT_STATED = "not_stated"  # one of them does not state its consistency
    NO_CLASS = "no_class"  # a stated one waits for neither one replica, a majority nor all
    OTHER = "other"  # they wait for different numbers of replicas


@dataclass(frozen=True, slots=True)
class DatabaseRow:
    """The fastest result of a database on a cluster."""

    submission: Submission
    consistency: Consistency
    durability: str  # "" where it is not stated

    @property
    def service(self) -> str:
        return self.submission.service

    @property
    def month_usd(self) -> Decimal | None:
        hourly = self.submission.hourly_usd
        return None if hourly is None else hourly * HOURS_PER_MONTH

    @property
    def cluster(self) -> tuple[object, ...]:
        row = self.submission
        return row.provider, row.instance_type, row.node_count


@dataclass(frozen=True, slots=True)
class Pair:
    """Two databases: `b` against `a`, the fastest of two on one cluster where there are such."""

    a: DatabaseRow
    b: DatabaseRow
    comparison: Comparison | None  # None: there is an obstacle
    obstacle: Obstacle | None

    @property
    def is_one_cluster(self) -> bool:
        return self.a.cluster == self.b.cluster


@dataclass(frozen=True, slots=True)
class DatabasesResult:
    """The fastest rows first. `load` is None while no load is shared."""

    load: Load | None
    offered: tuple[Load, ...]
    trust_filter: TrustFilter
    rows: tuple[DatabaseRow, ...] = ()
    clusters: int = 0  # of all workloads, shown or not
    pairs: tuple[Pair, ...] = ()
    counts: Counts | None = None

    @property
    def databases(self) -> tuple[str, ...]:
        """Of the rows, the fastest first."""
        return tuple(dict.fromkeys(row.service for row in self.rows))


def databases_result(params: DatabasesParams) -> DatabasesResult:
    """At most nine queries, eight while the loads are cached. Raises BadParameter for an unknown load."""
    offered = shared_loads()
    if not params.load and not offered:
        return DatabasesResult(None, (), TrustFilter(params.trust, is_historical=params.trust == Trust.HISTORICAL))
    fingerprint = params.load or offered[0].fingerprint
    workloads = _workloads(fingerprint)
    if not workloads:
        raise BadParameter("load", "there is no such load", is_missing=True)
    load = shared_load(fingerprint) or load_of(fingerprint, workloads)
    ids = [workload.pk for workload in workloads]
    rows, clusters = _rows(ids, params.trust)
    at_reader_prices([row.submission for row in rows], params.terms)
    counts = board_counts(ids, board_reasons(params.trust), params.trust)
    return DatabasesResult(
        load=load,
        offered=offered,
        rows=rows,
        clusters=clusters,
        pairs=_pairs(fingerprint, rows),
        counts=counts,
        trust_filter=trust_filter_of(params.trust, counts),
    )


def _workloads(fingerprint: str) -> list[Workload]:
    """One query."""
    of_load = Workload.objects.open().filter(load_fingerprint=fingerprint)
    return list(of_load.order_by(F("figures__published").desc(nulls_last=True), "pk")[:MOST_WORKLOADS])


def _rows(workload_ids: Sequence[int], trust: Trust | None) -> tuple[tuple[DatabaseRow, ...], int]:
    """The fastest results, and how many clusters there are. Two queries."""
    ranked = Submission.objects.rankable().filter(workload__in=workload_ids).trust_filtered(trust)
    best = ranked.order_by(*_CLUSTER, "-throughput_ops_s", "-pk").distinct(*_CLUSTER)
    by_workload: dict[int, list[tuple[float, int]]] = {}
    for workload_id, rate, pk in best.values_list("workload_id", "throughput_ops_s", "pk"):
        by_workload.setdefault(workload_id, []).append((rate or 0.0, pk))
    shown = [pk for fastest in by_workload.values() for _, pk in sorted(fastest, reverse=True)[:MOST_CLUSTERS]]
    stated = {"stated_command": F("document__workload__command"), "stated_settings": F("document__settings")}
    found = Submission.objects.listed().filter(pk__in=shown).select_related("workload").annotate(**stated)
    rows = tuple(
        DatabaseRow(
            row,
            consistency_of(row.consistency_level, _stated(row, "command"), row.replication_factor),
            durability_of(_stated(row, "settings"), _stated(row, "command")),
        )
        for row in found.order_by("-throughput_ops_s", "pk")
    )
    return rows, sum(map(len, by_workload.values()))


def _stated(row: Submission, name: str) -> Any:
    """Of the document, which is not read whole."""
    return getattr(row, f"stated_{name}")


def _pairs(load: str, rows: Sequence[DatabaseRow]) -> tuple[Pair, ...]:
    """Three queries for each kind of latency among them, none where nothing can be compared."""
    by_database: dict[str, list[DatabaseRow]] = {}
    for row in rows:
        by_database.setdefault(row.service, []).append(row)
    chosen = [_chosen(*pair) for pair in combinations(list(by_database.values())[:MOST_DATABASES], 2)]
    comparable = [(a.submission, b.submission) for a, b in chosen if _obstacle(a, b) is None]
    compared = comparisons(comparable, load)
    return tuple(Pair(a, b, compared.get((a.submission.pk, b.submission.pk)), _obstacle(a, b)) for a, b in chosen)


def _chosen(one: Sequence[DatabaseRow], other: Sequence[DatabaseRow]) -> tuple[DatabaseRow, DatabaseRow]:
    """Comparable ones before others, of one cluster before others, then the fastest. The slower one is the base."""

    def order(pair: tuple[DatabaseRow, DatabaseRow]) -> tuple[bool, bool, float]:
        rates = sum(row.submission.throughput_ops_s or 0.0 for row in pair)
        return _obstacle(*pair) is None, pair[0].cluster == pair[1].cluster, rates

    pair = max(product(one, other), key=order)
    a, b = sorted(pair, key=lambda row: row.submission.throughput_ops_s or 0.0)
    return a, b


def _obstacle(a: DatabaseRow, b: DatabaseRow) -> Obstacle | None:
    sides = (a.consistency, b.consistency)
    if not all(side.words for side in sides):
        return Obstacle.NOT_STATED
    if not all(side.waits for side in sides):
        return Obstacle.NO_CLASS
    return None if sides[0].waits == sides[1].waits else Obstacle.OTHER

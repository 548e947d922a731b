"""Measured clusters at other prices: one submission, a cluster of another size, all rows of a workload."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, NamedTuple, Protocol

from django.db import connections, router
from django.db.models import F, QuerySet, TextField
from django.db.models.functions import Cast

from submissions.analysis.cluster_size.sizing import in_proportion
from submissions.choices import Role
from submissions.formatting.numbers import decimal_text
from submissions.models import NodeGroup, Submission, ids_in
from submissions.pricing.book.confirmation import PriceDates, confirmed_words
from submissions.pricing.clusters import BoughtGroup, Cluster, cluster_of, costs_at, frozen_cost, list_part, measured_on
from submissions.pricing.cost import HOURS_PER_MONTH, SystemCost, ops_per_usd, usd_per_million_ops
from submissions.pricing.providers import billing_of
from submissions.pricing.terms import PriceTerms

_HOURLY_USD_STEP = Decimal("1E-8")  # the last places of the columns
_OPS_PER_USD_STEP = Decimal("1E-4")
STORED = PriceTerms()


@dataclass(frozen=True, slots=True)
class Repriced:
    terms: PriceTerms
    cost: SystemCost
    ops_per_usd: Decimal | None


def repriced(submission: Submission, terms: PriceTerms) -> Repriced:
    """One query for the prices, none for the stored ones less a discount; the node groups are prefetched."""
    groups = submission.node_groups.all()
    if terms.is_as_measured:
        cost = frozen_cost(groups, measured_on(submission), terms.discount_of(submission.provider))
    else:
        [cost] = costs_at([cluster_of(submission, groups)], terms)
    value = None
    if cost.hourly_usd is not None and submission.throughput_ops_s is not None and not submission.is_throttled:
        value = ops_per_usd(hourly_usd=cost.hourly_usd, throughput_ops_s=submission.throughput_ops_s)
    return Repriced(terms, cost, value)


@dataclass(frozen=True, slots=True)
class Resized:
    """The system under test of a submission, with another number of database nodes."""

    submission: Submission
    groups: tuple[NodeGroup, ...]

    @property
    def caches(self) -> tuple[tuple[int, str], ...]:
        """(nodes, instance type) of each cache group."""
        return tuple((group.count, group.instance_type) for group in self.groups if group.role == Role.CACHE)


def resized(submission: Submission, node_count: int) -> Resized:
    """Its database nodes are equal; caches grow in proportion. The node groups are prefetched."""
    groups = list(submission.node_groups.all())
    databases = [group for group in groups if group.role == Role.DATABASE]
    measured = sum(group.count for group in databases)
    new = [_with_count(databases[0], node_count)]
    new += [
        _with_count(group, in_proportion(group.count, of=measured, to=node_count))
        for group in groups
        if group.role == Role.CACHE
    ]
    return Resized(submission, tuple(new))


def as_measured(submission: Submission) -> Resized:
    """The system under test as it was. The node groups are prefetched."""
    groups = submission.node_groups.all()
    return Resized(submission, tuple(group for group in groups if group.role in Role.SYSTEM_UNDER_TEST))


def costs_of_resized(clusters: Sequence[Resized], terms: PriceTerms) -> list[SystemCost]:
    """USD of each; one query for all prices, none when every cluster keeps its stored price."""
    frozen = {
        position: frozen_cost(
            cluster.groups, measured_on(cluster.submission), terms.discount_of(cluster.submission.provider)
        )
        for position, cluster in enumerate(clusters)
        if _is_frozen_price(cluster.groups, terms)
    }
    others = [position for position in range(len(clusters)) if position not in frozen]
    again = costs_at([cluster_of(clusters[at].submission, clusters[at].groups) for at in others], terms)
    by_position = {**frozen, **dict(zip(others, again, strict=True))}
    return [by_position[position] for position in range(len(clusters))]


def _with_count(group: NodeGroup, count: int) -> NodeGroup:
    changed = copy(group)  # never saved: no such row exists
    changed.count = count
    return changed


@dataclass(frozen=True, slots=True)
class RowCost:
    """What one submission's system costs at other prices; USD an hour, rounded as the column is."""

    hourly_usd: Decimal
    price_date: date | None
    is_stated: bool
    price_last_seen: date | None = None
    used_on: date | None = None

    def ops_per_usd(self, throughput_ops_s: float) -> Decimal:
        """Rounded as the column is."""
        value = ops_per_usd(hourly_usd=self.hourly_usd, throughput_ops_s=throughput_ops_s)
        return value.quantize(_OPS_PER_USD_STEP)


@dataclass(frozen=True, slots=True)
class RowCosts:
    costs: dict[int, RowCost]  # by submission
    missing: tuple[tuple[str, int], ...]  # (why, submissions) of those without a cost, most frequent first

    @property
    def unpriced(self) -> int:
        return sum(count for _, count in self.missing)


def costs_of_rows(rows: QuerySet[Submission], terms: PriceTerms) -> RowCosts:
    """Every row at `terms`, which are not the stored ones; three queries, each distinct cluster priced once.

    At its measurement date, a row whose groups were all bought on the chosen basis keeps its stored cost,
    including what its submitter stated, but for spot and reserved prices.
    """
    costs: dict[int, RowCost] = {}
    missing: Counter[str] = Counter()
    clusters: dict[Cluster, list[int]] = defaultdict(list)
    stored = _stored_costs(rows, terms)
    for pk, groups in bought_groups(rows).items():
        row = stored[pk]
        if not (terms.is_as_measured or _is_frozen_price(groups, terms)):
            # the day of the measurement makes no difference where another one is chosen
            measured_on = row.measured_at.date() if row.measured_at and terms.day is None else None
            clusters[Cluster(row.provider, row.region, measured_on, comparable(groups, row.provider))].append(pk)
        elif row.hourly_usd is None:
            missing[row.price_missing] += 1
        else:
            measured = row.measured_at.date() if row.measured_at else None
            costs[pk] = RowCost(row.hourly_usd, row.price_date, row.is_price_stated, row.price_last_seen, measured)
    for cluster, cost in zip(clusters, costs_at(list(clusters), terms), strict=True):
        pks = clusters[cluster]
        if cost.hourly_usd is None:
            missing[cost.missing] += len(pks)
        else:
            costs.update(dict.fromkeys(pks, row_cost(cost, terms.day or cluster.measured_on)))
    return RowCosts(costs, tuple(missing.most_common()))


def row_cost(cost: SystemCost, used_on: date | None) -> RowCost:
    """Of a cost that is known."""
    assert cost.hourly_usd is not None  # noqa: S101 - else there is nothing to round
    hourly_usd = cost.hourly_usd.quantize(_HOURLY_USD_STEP)
    return RowCost(hourly_usd, cost.price_date, cost.is_stated, cost.price_last_seen, used_on)


def stored_costs_of_rows(rows: QuerySet[Submission], terms: PriceTerms = STORED) -> RowCosts:
    """Every row at its stored cost, whatever its basis, less a discount of `terms`; one query, with a discount two."""
    costs: dict[int, RowCost] = {}
    missing: Counter[str] = Counter()
    for pk, row in _stored_costs(rows, terms).items():
        if row.hourly_usd is None:
            missing[row.price_missing] += 1
        else:
            measured = row.measured_at.date() if row.measured_at else None
            costs[pk] = RowCost(row.hourly_usd, row.price_date, row.is_price_stated, row.price_last_seen, measured)
    return RowCosts(costs, tuple(missing.most_common()))


def confirmed(row: Submission) -> str:
    """ "last confirmed 14 months ago" of the row's price, on the day that it is used for; nothing where it is fresh."""
    return confirmed_words(row.price_last_seen, row.repriced_on or measured_on(row))


def price_dates(rows: Iterable[Submission]) -> Iterable[PriceDates]:
    """Of those with a cost, what `price_words` makes a sentence of."""
    return (
        PriceDates(row.provider, row.price_date, row.price_last_seen, row.is_price_stated)
        for row in rows
        if row.hourly_usd is not None
    )


def at_cost(row: Submission, cost: RowCost) -> Submission:
    """The row with this cost and what follows from it; for display, not to be saved."""
    row.hourly_usd_when_measured = row.hourly_usd if row.hourly_usd != cost.hourly_usd else None
    row.hourly_usd, row.price_date, row.is_price_stated = cost.hourly_usd, cost.price_date, cost.is_stated
    row.price_last_seen, row.repriced_on = cost.price_last_seen, cost.used_on
    row.ops_per_usd = row.usd_per_million_ops = None
    if row.throughput_ops_s is not None and not row.is_throttled:
        row.ops_per_usd = cost.ops_per_usd(row.throughput_ops_s)
        row.usd_per_million_ops = usd_per_million_ops(hourly_usd=cost.hourly_usd, throughput_ops_s=row.throughput_ops_s)
    return row


class _StoredCost(NamedTuple):
    provider: str
    region: str | None
    measured_at: datetime | None
    hourly_usd: Decimal | None
    price_date: date | None
    price_last_seen: date | None
    is_price_stated: bool
    price_missing: str


def _stored_costs(rows: QuerySet[Submission], terms: PriceTerms) -> dict[int, _StoredCost]:
    stored = {pk: _StoredCost(*values) for pk, *values in rows.order_by().values_list("pk", *_StoredCost._fields)}
    for pk, usd in _list_parts(rows, terms).items():
        if pk in stored and (hourly_usd := stored[pk].hourly_usd) is not None:
            discount = terms.discount_of(stored[pk].provider)
            stored[pk] = stored[pk]._replace(hourly_usd=hourly_usd - usd + discount.of(usd))
    return stored


def _list_parts(rows: QuerySet[Submission], terms: PriceTerms) -> dict[int, Decimal]:
    """USD an hour that each row pays at the list prices of a cloud with a discount. One query, none without one."""
    if not terms.discounts:
        return {}
    with_discount = rows.filter(provider__in=[discount.provider for discount in terms.discounts]).order_by()
    groups = NodeGroup.objects.filter(submission__in=with_discount.values("pk"), role__in=Role.SYSTEM_UNDER_TEST)
    parts: dict[int, Decimal] = defaultdict(Decimal)
    for group in groups.only(*_PRICED).annotate(provider=F("submission__provider")):
        parts[group.submission_id] += list_part(group, group.provider)
    return parts


_PRICED = (
    *("submission_id", "count", "disks", "pricing_model"),
    *("node_hourly_usd", "storage_hourly_usd", "is_price_stated"),
)


def at_reader_prices(rows: Sequence[Submission], terms: PriceTerms) -> None:
    """Each row as it is shown at the stored prices less a discount; as they are without one. Two queries with one."""
    if not terms.discounts:
        return
    by_pk = {row.pk: row for row in rows}
    for pk, cost in stored_costs_of_rows(Submission.objects.filter(pk__in=ids_in(by_pk)), terms).costs.items():
        row = by_pk[pk]
        if row.at_slo and row.hourly_usd and row.at_slo["usd_per_month"] is not None:
            per_million = Decimal(row.at_slo["usd_per_million_ops"]) * cost.hourly_usd / row.hourly_usd
            month = decimal_text(cost.hourly_usd * HOURS_PER_MONTH)
            row.at_slo = {**row.at_slo, "usd_per_month": month, "usd_per_million_ops": decimal_text(per_million)}
        at_cost(row, cost)


def bought_groups(rows: QuerySet[Submission]) -> dict[int, tuple[BoughtGroup, ...]]:
    """The groups of the system under test of each row, in the document's order."""
    groups = NodeGroup.objects.filter(submission__in=rows.order_by().values("pk"), role__in=Role.SYSTEM_UNDER_TEST)
    columns = [Cast("disks", TextField()) if name == "disks" else name for name in BoughtGroup._fields]
    return _by_row(groups.order_by("submission_id", "position").values_list("submission_id", *columns))


def bought_groups_of(pks: Collection[int]) -> dict[int, tuple[BoughtGroup, ...]]:
    """The same of a few rows by their ids, in SQL: building the query takes longer than it does."""
    connection: Any = connections[router.db_for_read(NodeGroup)]  # benchsite/postgresql
    with connection.prepared_cursor() as cursor:
        cursor.execute(_GROUPS_OF, [list(pks), list(map(str, Role.SYSTEM_UNDER_TEST))])
        return _by_row(cursor.fetchall())


_GROUPS_OF = """
SELECT submission_id, role, count, instance_type, disks::text, pricing_model, node_hourly_usd, is_price_stated
FROM submissions_nodegroup WHERE submission_id = ANY(%s::bigint[]) AND role = ANY(%s::text[])
ORDER BY submission_id, position"""


def _by_row(groups: Iterable[Sequence[Any]]) -> dict[int, tuple[BoughtGroup, ...]]:
    by_row: dict[int, list[BoughtGroup]] = defaultdict(list)
    for pk, *values in groups:
        by_row[pk].append(BoughtGroup(*values))
    return {pk: tuple(groups) for pk, groups in by_row.items()}


def comparable(groups: Iterable[BoughtGroup], provider: str) -> tuple[BoughtGroup, ...]:
    """Without a stored price where it does not count, so that equal clusters are equal."""
    if not billing_of(provider).has_list_prices:
        return tuple(groups)
    return tuple(group._replace(node_hourly_usd=None, is_price_stated=False) for group in groups)


class _Bought(Protocol):
    @property
    def pricing_model(self) -> str: ...
    @property
    def is_price_stated(self) -> bool: ...


def _is_frozen_price(groups: Iterable[_Bought], terms: PriceTerms) -> bool:
    """Whether a cluster was bought exactly so: then its stored cost is that of the day, if it may be a stated one."""
    return terms.day is None and all(
        group.pricing_model == terms.basis and (not group.is_price_stated or terms.takes_stated(group.pricing_model))
        for group in groups
    )

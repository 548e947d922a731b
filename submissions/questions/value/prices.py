"""At which prices value is told, and all rows of a workload priced so: their own, of a day, of a basis."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple

from django.db.models import QuerySet, TextField
from django.db.models.functions import Cast

from submissions.choices import PricingModel, Role
from submissions.models import NodeGroup, Submission
from submissions.pricing import book as price_book
from submissions.pricing.cost import SystemCost
from submissions.pricing.groups import WITHOUT_LIST_PRICES
from submissions.pricing.reprice import reprice, stored_keys


@dataclass(frozen=True, slots=True)
class Prices:
    """`on` None: each submission at the prices of its own day. `basis` None: as each group was bought."""

    on: date | None = None
    basis: PricingModel | None = None

    @property
    def are_stored(self) -> bool:
        """Whether these are the prices that every submission keeps."""
        return self.on is None and self.basis is None

    @property
    def words(self) -> str:
        """ "at the prices of 2026-11-20, reserved, 1 year"."""
        when = "at the prices then" if self.on is None else f"at the prices of {self.on}"
        return f"{when}, {self.basis.label}" if self.basis else when


@dataclass(frozen=True, slots=True)
class Cost:
    """What one submission's system costs at other prices; USD an hour as the columns keep it."""

    hourly_usd: Decimal
    price_date: date | None
    is_stated: bool


@dataclass(frozen=True, slots=True)
class Repricing:
    costs: dict[int, Cost]  # by submission
    missing: tuple[tuple[str, int], ...]  # (why, submissions) of those without a cost, most frequent first

    @property
    def unpriced(self) -> int:
        return sum(count for _, count in self.missing)


class _Group(NamedTuple):
    """A node group with the columns that prices depend on; equal ones are priced once."""

    role: str
    count: int
    instance_type: str
    disks: Any  # as its text in a key, as a list when priced
    pricing_model: str
    node_hourly_usd: Decimal | None
    is_price_stated: bool
    storage_hourly_usd: Decimal | None = None
    price_source: str | None = None
    price_date: date | None = None


class _System(NamedTuple):
    provider: str
    region: str | None
    on: date | None
    groups: tuple[_Group, ...]


_AS_TEXT = Cast("disks", TextField())
_MICRO_CENT = Decimal("1E-8")  # the column's last place


def price_again(rows: QuerySet[Submission], prices: Prices) -> Repricing:
    """Every row at `prices`, which are not the stored ones; three queries, whatever their number.

    A row whose groups all were bought on the asked basis keeps, at its own day, what is stored: with what
    its submitter stated. Everywhere else the book's price counts, as in `pricing.reprice`.
    """
    facts = {
        pk: values
        for pk, *values in rows.order_by().values_list(
            "pk", "provider", "region", "measured_at", "hourly_usd", "price_date", "is_price_stated", "price_missing"
        )
    }
    costs: dict[int, Cost] = {}
    missing: Counter[str] = Counter()
    systems: dict[_System, list[int]] = defaultdict(list)
    for pk, groups in _groups_of(rows).items():
        provider, region, measured_at, hourly_usd, price_date, is_stated, why = facts[pk]
        if prices.on is None and all(group.pricing_model == prices.basis for group in groups):
            if hourly_usd is None:
                missing[why] += 1
            else:
                costs[pk] = Cost(hourly_usd, price_date, is_stated)
            continue
        on = prices.on or (measured_at and measured_at.date())
        systems[_System(provider, region, on, _needed(groups, provider))].append(pk)
    for system, cost in _priced(systems, prices.basis):
        if cost.hourly_usd is None:
            missing[cost.missing] += len(systems[system])
        else:
            found = Cost(cost.hourly_usd.quantize(_MICRO_CENT), cost.price_date, cost.is_stated)
            costs.update(dict.fromkeys(systems[system], found))
    return Repricing(costs, tuple(missing.most_common()))


def at_cost(row: Submission, cost: Cost) -> Submission:
    """The row with this cost and what follows from it; it is for showing, not for saving."""
    row.hourly_usd, row.price_date, row.is_price_stated = cost.hourly_usd, cost.price_date, cost.is_stated
    row.ops_per_usd = ops_per_usd_of(row.throughput_ops_s, cost)
    row.usd_per_million_ops = None if row.ops_per_usd is None else 1_000_000 / row.ops_per_usd
    return row


def ops_per_usd_of(throughput_ops_s: float | None, cost: Cost) -> Decimal | None:
    """As `pricing.cost.ops_per_usd`, rounded as the column is."""
    if throughput_ops_s is None:
        return None
    return (Decimal(repr(throughput_ops_s)) * 3600 / cost.hourly_usd).quantize(Decimal("1E-4"))


def _groups_of(rows: QuerySet[Submission]) -> Mapping[int, tuple[_Group, ...]]:
    """The groups of the system under test of each row, in the document's order."""
    found: dict[int, list[_Group]] = defaultdict(list)
    columns = NodeGroup.objects.filter(submission__in=rows.order_by().values("pk"), role__in=Role.SYSTEM_UNDER_TEST)
    for pk, *values in columns.order_by("submission_id", "position").values_list(
        "submission_id",
        "role",
        "count",
        "instance_type",
        _AS_TEXT,  # many equal ones: compared as they are, read once
        "pricing_model",
        "node_hourly_usd",
        "is_price_stated",
    ):
        found[pk].append(_Group(*values))
    return {pk: tuple(groups) for pk, groups in found.items()}


def _needed(groups: Iterable[_Group], provider: str) -> tuple[_Group, ...]:
    """Without a stored price where it does not count, so that equal clusters are equal."""
    if provider in WITHOUT_LIST_PRICES:
        return tuple(groups)
    return tuple(group._replace(node_hourly_usd=None, is_price_stated=False) for group in groups)


def _priced(systems: Iterable[_System], basis: PricingModel | None) -> Iterable[tuple[_System, SystemCost]]:
    """Each distinct system once, by one book."""
    clusters = {(system.provider, system.region, system.groups) for system in systems}  # fewer: days differ too
    read = {cluster: [group._replace(disks=json.loads(group.disks)) for group in cluster[2]] for cluster in clusters}
    keys = {
        key
        for (provider, region, _), groups in read.items()
        for key in stored_keys(groups, provider=provider, region=region)
    }
    book = price_book.load(keys)
    for system in systems:
        groups = read[system.provider, system.region, system.groups]
        if system.on is None:
            yield system, SystemCost((), None, "The day of the measurement is unknown, and so are its prices.")
            continue
        yield (
            system,
            reprice(groups, provider=system.provider, region=system.region, on=system.on, basis=basis, book=book),
        )

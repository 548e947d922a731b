"""What each measured cluster costs, as the question wants it: at the prices of a day, or as it was measured."""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from submissions.choices import NodeKind, PricingModel, Role
from submissions.models import Submission, SubmissionQuerySet, ids_in
from submissions.pricing.clusters import BoughtGroup, Cluster, costs_at
from submissions.pricing.cost import HOURS_PER_MONTH, SystemCost
from submissions.pricing.reprice import RowCost, costs_of_rows, stored_costs_of_rows
from submissions.pricing.terms import PriceTerms
from submissions.questions.recommend.aggregate import ClusterKey


@dataclass(frozen=True, slots=True)
class Price:
    """USD an hour; None with the reason where it is unknown."""

    hourly_usd: Decimal | None = None
    price_date: date | None = None
    last_seen: date | None = None
    used_on: date | None = None
    is_stated: bool = False
    missing: str = ""
    is_left_out: bool = False  # it is known, and of another pricing model

    @property
    def usd_per_month(self) -> Decimal | None:
        return None if self.hourly_usd is None else self.hourly_usd * HOURS_PER_MONTH

    @property
    def row_cost(self) -> RowCost | None:
        if self.hourly_usd is None:
            return None
        return RowCost(self.hourly_usd, self.price_date, self.is_stated, self.last_seen, self.used_on)


LEFT_OUT = Price(
    missing="Its price was stated by the uploader, under another pricing model.",
    is_left_out=True,
)
NOT_LOOKED_UP = Price(missing="Its price was not looked up: too many clusters are nearer to the question.")


class Size(NamedTuple):
    """What has one price on one day."""

    key: ClusterKey
    nodes: int


def prices_on_day(sizes: Collection[Size], terms: PriceTerms) -> dict[Size, Price]:
    """By what the clusters consist of, without their rows. One query."""
    ordered = list(dict.fromkeys(size for size in sizes if not _is_left_out(size.key, terms)))
    costs = costs_at([cluster_of_size(size) for size in ordered], terms) if ordered else []
    prices = {size: of_cost(cost, terms.day) for size, cost in zip(ordered, costs, strict=True)}
    return {size: prices.get(size, LEFT_OUT) for size in sizes}


def prices_when_measured(keys: Mapping[int, ClusterKey], terms: PriceTerms) -> dict[int, Price]:
    """Of results: the stored prices of those that were bought as asked. Four queries at most."""
    as_asked = [pk for pk, key in keys.items() if key.bought == terms.basis]
    otherwise = [pk for pk, key in keys.items() if key.bought != terms.basis]
    costs: dict[int, RowCost] = {}
    if as_asked:
        costs |= stored_costs_of_rows(_rows(as_asked), terms).costs
    if otherwise:
        costs |= costs_of_rows(_rows(otherwise), terms).costs
    return {pk: _of_row(key, costs.get(pk), terms) for pk, key in keys.items()}


def of_cost(cost: SystemCost, used_on: date | None) -> Price:
    return Price(cost.hourly_usd, cost.price_date, cost.price_last_seen, used_on, cost.is_stated, cost.missing)


def _of_row(key: ClusterKey, cost: RowCost | None, terms: PriceTerms) -> Price:
    is_stated = cost is not None and cost.is_stated and not terms.takes_stated(key.bought)
    if is_stated or _is_left_out(key, terms):
        return LEFT_OUT
    if cost is None:
        return Price(missing="No price of its measurement date is known.")
    return Price(cost.hourly_usd, cost.price_date, cost.price_last_seen, cost.used_on, cost.is_stated)


def _is_left_out(key: ClusterKey, terms: PriceTerms) -> bool:
    """Its own price was stated, and of another pricing model."""
    if terms.takes_stated(key.bought):
        return False
    layout = json.loads(key.layout)
    return layout[2] is not None if key.is_scalable else any(group["usd"] for group in layout)


def _rows(pks: Iterable[int]) -> SubmissionQuerySet:
    """By one parameter: to write a thousand into a statement takes longer than to answer it."""
    return Submission.objects.filter(pk__in=ids_in(pks))


def machine_count(size: Size) -> int:
    """Machines of the system, caches included; those of a managed database are its vendor's."""
    if size.key.is_scalable:
        return sum(group.count for group in _groups(size))
    return sum(group["count"] for group in json.loads(size.key.layout) if group["kind"] != NodeKind.MANAGED)


def is_managed(key: ClusterKey) -> bool:
    """Whether its vendor runs it: then its nodes do not say how many machines there are."""
    return not key.is_scalable and any(group["kind"] == NodeKind.MANAGED for group in json.loads(key.layout))


def cluster_of_size(size: Size) -> Cluster:
    return Cluster(size.key.provider, size.key.region, None, tuple(_groups(size)))


def _groups(size: Size) -> Iterable[BoughtGroup]:
    """As the layout describes them: see aggregate.py."""
    layout = json.loads(size.key.layout)
    if not size.key.is_scalable:
        for group in layout:
            disks = json.dumps(group["disks"])
            yield _group(group["role"], group["count"], group["instance_type"], disks, group["usd"])
        return
    disks, caches, usd = layout
    yield _group(Role.DATABASE, size.nodes, size.key.instance_type, disks, usd)
    for instance_type, cache_disks, per_node in caches:
        # a size that was not measured has caches in proportion, rounded up
        count = -(-(Fraction(per_node) * size.nodes) // 1)
        yield _group(Role.CACHE, int(count), instance_type, cache_disks, usd)


def _group(role: str, count: int, instance_type: str, disks: str, usd: str | None) -> BoughtGroup:
    stated = None if usd is None else Decimal(usd)
    return BoughtGroup(role, count, instance_type, disks, PricingModel.ON_DEMAND, stated, stated is not None)

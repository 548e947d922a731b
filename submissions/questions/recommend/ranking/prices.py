"""What each measured cluster costs, as the question wants it: at the prices of a day, or as it was measured."""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from submissions.choices import PricingModel, Role
from submissions.models import Submission, SubmissionQuerySet, ids_in
from submissions.pricing.clusters import BoughtGroup, Cluster, costs_at
from submissions.pricing.cost import HOURS_PER_MONTH, SystemCost
from submissions.pricing.reprice import RowCost, costs_of_rows, stored_costs_of_rows
from submissions.pricing.terms import PriceTerms
from submissions.questions.recommend.tally import ClusterKey

NO_LIST_PRICE = "Its price is the submitter's or vendor's own, on demand: there is none under this pricing model."


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


NOT_LOOKED_UP = Price(missing="Its price was not looked up: too many clusters are nearer to the question.")


class Size(NamedTuple):
    """What has one price on one day."""

    key: ClusterKey
    nodes: int


def prices_on_day(sizes: Collection[Size], terms: PriceTerms) -> dict[Size, Price]:
    """By what the clusters consist of, without their rows. One query."""
    ordered = list(dict.fromkeys(sizes))
    costs = costs_at([_cluster(size) for size in ordered], terms) if ordered else []
    return {size: of_cost(cost, size.key.bought, terms) for size, cost in zip(ordered, costs, strict=True)}


def prices_when_measured(bought: Mapping[int, str], terms: PriceTerms) -> dict[int, Price]:
    """Of results, by the pricing models that they were bought under: the stored prices of those that were bought as
    asked. Four queries at most."""
    as_asked = [pk for pk, model in bought.items() if model == terms.basis]
    otherwise = [pk for pk, model in bought.items() if model != terms.basis]
    costs: dict[int, RowCost] = {}
    if as_asked:
        costs |= stored_costs_of_rows(_rows(as_asked)).costs
    if otherwise:
        costs |= costs_of_rows(_rows(otherwise), terms).costs
    return {pk: _row_price(costs.get(pk), model, terms) for pk, model in bought.items()}


def _rows(pks: Iterable[int]) -> SubmissionQuerySet:
    """By one parameter: to write a thousand into a statement takes longer than to answer it."""
    return Submission.objects.filter(pk__in=ids_in(pks))


def of_cost(cost: SystemCost, bought: str, terms: PriceTerms) -> Price:
    price = Price(
        cost.hourly_usd,
        cost.price_date,
        cost.price_last_seen,
        terms.day,
        cost.is_stated,
        cost.missing,
    )
    return _without_stated(price, bought, terms)


def _row_price(cost: RowCost | None, bought: str, terms: PriceTerms) -> Price:
    if cost is None:
        return Price(missing="no price of its measurement date is known")
    price = Price(cost.hourly_usd, cost.price_date, cost.price_last_seen, cost.used_on, cost.is_stated)
    return _without_stated(price, bought, terms)


def _without_stated(price: Price, bought: str, terms: PriceTerms) -> Price:
    """What a submitter states is the price on demand of what was bought on demand, and no other one."""
    if not price.is_stated or (terms.basis == PricingModel.ON_DEMAND and bought == PricingModel.ON_DEMAND):
        return price
    return Price(missing=NO_LIST_PRICE, is_left_out=True)


def _cluster(size: Size) -> Cluster:
    return Cluster(size.key.provider, size.key.region, None, tuple(_groups(size)))


def _groups(size: Size) -> Iterable[BoughtGroup]:
    """As the layout describes them: see tally.py."""
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

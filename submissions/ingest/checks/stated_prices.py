"""What a submitter states about prices, against the list prices and against what the columns hold."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

from django.utils import timezone

from benchsite.http.refusals import Refusal
from submissions.choices import PricingModel, Role
from submissions.ingest.attach_prices import group_spec
from submissions.ingest.document.submission import ClusterDocument, NodeGroup
from submissions.pricing.book.quotes import PriceBook, Unit
from submissions.pricing.cost import SystemCost, ops_per_usd, usd_per_million_ops
from submissions.pricing.groups import GroupSpec, Place, price_group

TIMES_OFF = 2  # a stated price this many times the list price, or less than its part, is doubtful
DEEPEST_DISCOUNT = 10  # of a spot or reserved price that the book does not have, against on demand
# What the columns hold.
MAX_SYSTEM_HOURLY_USD = Decimal(10) ** 8
MAX_OPS_PER_USD = Decimal(10) ** 20
MAX_USD_PER_MILLION_OPS = Decimal(10) ** 10


def is_stated_price_off(document: ClusterDocument, book: PriceBook, on: date) -> bool:
    """Whether a stated price of the system under test is far from the list price of such a node."""
    return any(
        group.hourly_usd is not None and _is_off(group.hourly_usd, document, group, book, on)
        for group in document.nodes
        if group.role in Role.SYSTEM_UNDER_TEST
    )


def check_storable(cost: SystemCost, throughput_ops_s: float | None) -> None:
    """Refusal of figures each of which is possible, but not together."""
    if cost.hourly_usd is None:
        return
    if cost.hourly_usd >= MAX_SYSTEM_HOURLY_USD:
        limit = f"all nodes together must cost less than {MAX_SYSTEM_HOURLY_USD:,} USD an hour"
        raise Refusal.at("#/nodes/0/hourly_usd", limit)
    if throughput_ops_s is None:
        return
    if ops_per_usd(hourly_usd=cost.hourly_usd, throughput_ops_s=throughput_ops_s) >= MAX_OPS_PER_USD:
        raise Refusal.at("#/nodes/0/hourly_usd", "is too low for this throughput")
    if usd_per_million_ops(hourly_usd=cost.hourly_usd, throughput_ops_s=throughput_ops_s) >= MAX_USD_PER_MILLION_OPS:
        raise Refusal.at("#/trials/0/throughput_ops_s", "is too low for a system of this price")


def _is_off(stated: Decimal, document: ClusterDocument, group: NodeGroup, book: PriceBook, on: date) -> bool:
    spec = replace(group_spec(group), stated_hourly_usd=None)
    own = _list_prices(spec, document, book, on)
    if own:
        return not any(low / TIMES_OFF <= stated <= high * TIMES_OFF for low, high in own)
    if spec.pricing_model == PricingModel.ON_DEMAND:
        return False  # no price to compare with
    discounted = _list_prices(replace(spec, pricing_model=PricingModel.ON_DEMAND), document, book, on)
    return bool(discounted) and not any(
        low / DEEPEST_DISCOUNT <= stated <= high * TIMES_OFF for low, high in discounted
    )


def _list_prices(
    spec: GroupSpec, document: ClusterDocument, book: PriceBook, on: date
) -> list[tuple[Decimal, Decimal]]:
    """Of a node alone and with its storage: on the day of the measurement, else the oldest and the newest known."""
    key = (document.provider, document.region or "", spec.instance_type, Unit.HOUR, spec.pricing_model)
    others = [day for day in (book.first_known(key), timezone.now().date()) if day is not None]
    found = [_on_day(spec, document, book, on)]
    if not any(found):
        found = [_on_day(spec, document, book, day) for day in others]
    return [prices for prices in found if prices]


def _on_day(spec: GroupSpec, document: ClusterDocument, book: PriceBook, day: date) -> tuple[Decimal, Decimal] | None:
    group = price_group(spec, place=Place(document.provider, document.region, day), book=book)
    node = group.node.hourly_usd
    return None if node is None else (node, node + (group.storage_hourly_usd or 0))

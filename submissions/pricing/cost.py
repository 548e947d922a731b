"""Cost arithmetic: pure and exact. Money is Decimal USD, rounded only where it is shown."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_CEILING, Decimal
from typing import Protocol

from submissions.choices import Role
from submissions.pricing.book.confirmation import PriceDates, confirmed_words
from submissions.pricing.providers import billing_of

SECONDS_PER_HOUR = 3600
HOURS_PER_MONTH = 730  # the month by which both AWS and GCE turn monthly rates into hourly ones


@dataclass(frozen=True, slots=True)
class Rate:
    """USD for one unit. `usd` is None where the price is unknown; `missing` then names it."""

    usd: Decimal | None
    price_date: date | None = None
    source: str | None = None
    is_stated: bool = False  # by the submitter, not from the price book
    missing: str = ""
    last_seen: date | None = None  # when a source last had the price
    used_on: date | None = None  # the day that it is used for


@dataclass(frozen=True, slots=True)
class BilledItem:
    """Something that each node of a group is billed for."""

    label: str  # "m3.2xlarge", "gp3 capacity"
    quantity: Decimal  # of one node
    unit: str  # hour, gib_month, iops_month, mibps_month, disk_month: the price book's words
    rate: Rate

    @property
    def hourly_usd(self) -> Decimal | None:
        """USD per node and hour; None where the rate is unknown."""
        if self.rate.usd is None:
            return None
        return self.quantity * self.rate.usd / hours_of(self.unit)


@dataclass(frozen=True, slots=True)
class Group:
    """`count` equal nodes: the node itself, and the storage (of runs, also addresses) that is billed separately."""

    role: str
    count: int
    node: BilledItem
    storage: tuple[BilledItem, ...] = ()

    @property
    def parts(self) -> tuple[BilledItem, ...]:
        return (self.node, *self.storage)

    @property
    def storage_hourly_usd(self) -> Decimal | None:
        """USD per node and hour; 0 where no storage is billed separately, None where a part is unknown."""
        known = [part.hourly_usd for part in self.storage]
        return None if None in known else sum(filter(None, known), Decimal(0))


@dataclass(frozen=True, slots=True)
class LineItem:
    """One line of a bill: quantity x unit_usd; `usd` is per hour in a SystemCost, for the whole run in a RunCost."""

    label: str
    quantity: Decimal
    unit: str
    unit_usd: Decimal | None
    usd: Decimal | None
    price_date: date | None = None
    source: str | None = None
    is_stated: bool = False
    missing: str = ""
    last_seen: date | None = None
    used_on: date | None = None
    is_machine: bool = False  # else storage, an address, traffic

    @property
    def confirmed(self) -> str:
        """ "last confirmed 14 months ago", where that is long."""
        return confirmed_words(self.last_seen, self.used_on)


@dataclass(frozen=True, slots=True)
class SystemCost:
    """What the system under test costs an hour; `hourly_usd` is None when any part is unknown."""

    items: tuple[LineItem, ...]
    hourly_usd: Decimal | None
    missing: str = ""  # one sentence: which price is unknown

    @property
    def monthly_usd(self) -> Decimal | None:
        return None if self.hourly_usd is None else self.hourly_usd * HOURS_PER_MONTH

    @property
    def price_date(self) -> date | None:
        """The oldest date among the prices used."""
        return min((item.price_date for item in self.items if item.price_date), default=None)

    @property
    def price_last_seen(self) -> date | None:
        """The oldest of the days on which the prices used were last confirmed."""
        return min((item.last_seen for item in self.items if item.last_seen), default=None)

    @property
    def confirmed(self) -> str:
        """ "last confirmed 14 months ago" of the price that was confirmed longest ago, where that is long."""
        used_on = max((item.used_on for item in self.items if item.used_on), default=None)
        return confirmed_words(self.price_last_seen, used_on)

    def dates(self, provider: str) -> list[PriceDates]:
        """As `price_words` takes them, like those of a row: none where the cost is unknown."""
        if self.hourly_usd is None:
            return []
        return [PriceDates(provider, self.price_date, self.price_last_seen, self.is_stated)]

    @property
    def is_stated(self) -> bool:
        """Whether any part was stated by the submitter."""
        return any(item.is_stated for item in self.items)


@dataclass(frozen=True, slots=True)
class MachineUse:
    """A group's nodes from launch to termination, set-up included."""

    group: Group
    seconds: Decimal  # of each node, as measured; run_cost applies the billing granularity


@dataclass(frozen=True, slots=True)
class RunCost:
    """What a run cost; `usd` is None when any part is unknown."""

    items: tuple[LineItem, ...]
    usd: Decimal | None
    missing: str = ""


def exact(value: Decimal | float | int) -> Decimal:
    """The decimal that a measurement prints as: 0.1 becomes 0.1, not 0.1000000000000000055."""
    return value if isinstance(value, Decimal) else Decimal(str(value))


def ops_per_usd(*, hourly_usd: Decimal, throughput_ops_s: Decimal | float) -> Decimal:
    """Price-performance of a system: the operations that a dollar buys on it."""
    _must_be_positive(hourly_usd, throughput_ops_s)
    return exact(throughput_ops_s) * SECONDS_PER_HOUR / hourly_usd


def usd_per_million_ops(*, hourly_usd: Decimal, throughput_ops_s: Decimal | float) -> Decimal:
    """Price-performance of a system: what a million operations cost on it."""
    _must_be_positive(hourly_usd, throughput_ops_s)
    return hourly_usd * 1_000_000 / (exact(throughput_ops_s) * SECONDS_PER_HOUR)


def system_cost(groups: Iterable[Group]) -> SystemCost:
    """USD per hour of the system under test: its database and cache groups, never the clients.

    One unknown part makes the total unknown: a partial sum would look like a cheap system.
    """
    items = tuple(
        _line(part, group) for group in groups if group.role in Role.SYSTEM_UNDER_TEST for part in group.parts
    )
    if not items:
        return SystemCost((), None, "The submission has no database or cache nodes.")
    total, missing = total_of(items)
    return SystemCost(items, total, missing)


def run_cost(
    uses: Sequence[MachineUse],
    *,
    provider: str,
    launched_on: date,
    traffic_gb: Decimal = Decimal(0),
    traffic: Rate | None = None,
) -> RunCost:
    """USD of a whole run: machine time as the provider bills it, storage, cross-zone traffic.

    `traffic` is the price of a GB; it is needed only when `traffic_gb` is above 0.
    """
    items = []
    for use in uses:
        machine_s = billed_seconds(use.seconds, provider=provider, launched_on=launched_on)
        storage_s = use.seconds if billing_of(provider).bills_disks_by_the_second else machine_s
        items.append(_machine_line(use.group, machine_s))
        items.extend(_storage_line(part, use.group, storage_s) for part in use.group.storage)
    if traffic_gb > 0:
        items.append(_traffic_line(traffic_gb, traffic))
    total, missing = total_of(items)
    return RunCost(tuple(items), total, missing)


def billed_seconds(seconds: Decimal, *, provider: str, launched_on: date) -> Decimal:
    """Machine seconds that the provider charges for, by its rules on the day of the launch (pricing/providers.py)."""
    if seconds < 0:
        raise ValueError(f"{seconds} s of machine time")
    for granularity in billing_of(provider).granularity:
        if granularity.since <= launched_on:
            steps = (seconds / granularity.step_s).to_integral_value(rounding=ROUND_CEILING)
            return max(steps * granularity.step_s, Decimal(granularity.minimum_s))
    return seconds


def hours_of(unit: str) -> int:
    """Hours that one unit of the price book lasts."""
    return HOURS_PER_MONTH if unit.endswith("_month") else 1


def _line(part: BilledItem, group: Group) -> LineItem:
    hourly = part.hourly_usd
    return _item(
        part,
        group,
        quantity=part.quantity * group.count,
        unit=part.unit,
        usd=None if hourly is None else hourly * group.count,
    )


def _machine_line(group: Group, seconds: Decimal) -> LineItem:
    node_seconds = seconds * group.count
    hourly = group.node.hourly_usd
    return _item(
        group.node,
        group,
        quantity=node_seconds / SECONDS_PER_HOUR,
        unit="hour",
        # one division, at the end: a third of an hour has no exact decimal
        usd=None if hourly is None else hourly * node_seconds / SECONDS_PER_HOUR,
    )


def _storage_line(part: BilledItem, group: Group, seconds: Decimal) -> LineItem:
    unit_seconds = hours_of(part.unit) * SECONDS_PER_HOUR
    amount = part.quantity * group.count * seconds
    rate = part.rate.usd
    return _item(
        part,
        group,
        quantity=amount / unit_seconds,
        unit=part.unit,
        usd=None if rate is None else amount * rate / unit_seconds,
    )


def _traffic_line(gigabytes: Decimal, rate: Rate | None) -> LineItem:
    rate = rate or Rate(None, missing="the price of traffic between zones is unknown")
    return LineItem(
        label="traffic between zones",
        quantity=gigabytes,
        unit="gb",
        unit_usd=rate.usd,
        usd=None if rate.usd is None else gigabytes * rate.usd,
        price_date=rate.price_date,
        source=rate.source,
        is_stated=rate.is_stated,
        missing=rate.missing,
        last_seen=rate.last_seen,
        used_on=rate.used_on,
    )


def _item(part: BilledItem, group: Group, *, quantity: Decimal, unit: str, usd: Decimal | None) -> LineItem:
    return LineItem(
        label=f"{group.count:,}× {part.label} ({group.role})",
        quantity=quantity,
        unit=unit,
        unit_usd=part.rate.usd,
        usd=usd,
        price_date=part.rate.price_date,
        source=part.rate.source,
        is_stated=part.rate.is_stated,
        missing=part.rate.missing,
        last_seen=part.rate.last_seen,
        used_on=part.rate.used_on,
        is_machine=part is group.node,
    )


class Line(Protocol):
    """Of a bill."""

    @property
    def label(self) -> str: ...
    @property
    def usd(self) -> Decimal | None: ...
    @property
    def missing(self) -> str: ...


def total_of(items: Sequence[Line]) -> tuple[Decimal | None, str]:
    """The sum, or None and the sentence that names what is unknown."""
    unknown = list(dict.fromkeys(item.missing or item.label for item in items if item.usd is None))
    if not unknown:
        return sum((item.usd for item in items if item.usd is not None), Decimal(0)), ""
    more = f", and {len(unknown) - 1} more" if len(unknown) > 1 else ""
    return None, f"{unknown[0][0].upper()}{unknown[0][1:]}{more}."


def _must_be_positive(hourly_usd: Decimal, throughput_ops_s: Decimal | float) -> None:
    if not hourly_usd > 0 or not throughput_ops_s > 0:
        raise ValueError(f"cost and throughput must be above 0, not {hourly_usd} USD/h, {throughput_ops_s} ops/s")

"""The bill of a month: what a cluster costs beside its nodes and disks, item by item. Pure and exact."""

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

from submissions.pricing.book.confirmation import confirmed_words
from submissions.pricing.book.quotes import PriceBook, Unit
from submissions.pricing.cost import HOURS_PER_MONTH, SECONDS_PER_HOUR, LineItem, Rate, SystemCost, total_of
from submissions.pricing.groups import Place
from submissions.pricing.month import rates
from submissions.pricing.month.kinds import BACKUP_DAYS, Kind
from submissions.pricing.month.sentences import label_of, not_included
from submissions.pricing.month.traffic import UNKNOWN_ROW, Rows, gb_between_zones

BYTES_PER_GIB = 2**30
SECONDS_PER_MONTH = HOURS_PER_MONTH * SECONDS_PER_HOUR

UNKNOWN_DATA = "the amount of data is not known"


@dataclass(frozen=True, slots=True)
class Load:
    """What a cluster does in a month of which the bill is made; `rows` are those of a second."""

    zones: int
    rows: Rows
    nodes: int  # machines of the system, caches included
    data_bytes: Decimal | None = None  # payload, one copy
    has_backup: bool = False
    is_spot: bool = False


@dataclass(frozen=True, slots=True)
class MonthItem:
    """A line: `usd` is quantity x unit_usd; None with the reason in `missing` where either is unknown."""

    kind: Kind
    label: str
    quantity: Decimal | None
    unit: str
    unit_usd: Decimal | None
    usd: Decimal | None
    price_date: date | None = None
    source: str | None = None
    is_stated: bool = False
    missing: str = ""
    last_seen: date | None = None
    used_on: date | None = None

    @property
    def confirmed(self) -> str:
        """ "last confirmed 14 months ago", where that is long."""
        return confirmed_words(self.last_seen, self.used_on)


@dataclass(frozen=True, slots=True)
class Month:
    """`total_usd` is None where a part is unknown; `missing` names it."""

    items: tuple[MonthItem, ...]
    total_usd: Decimal | None
    missing: str
    zones: int
    not_included: tuple[str, ...] = field(default=())

    def usd_of(self, kind: Kind) -> Decimal | None:
        """Of all its lines; 0 without any, None where one is unknown."""
        own = [item.usd for item in self.items if item.kind == kind]
        return None if None in own else sum(filter(None, own), Decimal(0))


def month_of(cost: SystemCost, load: Load, place: Place, book: PriceBook) -> Month:
    """`cost` is that of nodes and disks; `book` holds the `rates.keys_of` the place."""
    items = (*map(_of_system, cost.items), *extras(load, place, book))
    if not cost.items:
        items = (_unknown(Kind.NODES, cost.missing), *items)
    total, missing = total_of(items)
    kinds = {item.kind for item in items}
    return Month(items, total, missing, load.zones, not_included(kinds))


def extras(load: Load, place: Place, book: PriceBook) -> list[MonthItem]:
    """What is billed beside nodes and disks; a part that is not billed has no line."""
    found = [_zone_traffic(load, place, book)]
    if load.has_backup:
        found.append(_backup(load, place, book))
    address = rates.address_rate(place, is_spot=load.is_spot)
    if address is not None:
        hours = Decimal(load.nodes * HOURS_PER_MONTH)
        label = f"{load.nodes:,}× public IPv4 address"
        found.append(_item(Kind.PUBLIC_ADDRESSES, hours, Unit.HOUR, address, label=label))
    return found


def _of_system(line: LineItem) -> MonthItem:
    """A month of a line whose `usd` is that of an hour."""
    hours = 1 if line.unit.endswith("_month") else HOURS_PER_MONTH
    quantity = line.quantity * hours
    return MonthItem(
        kind=Kind.NODES if line.is_machine else Kind.DISKS,
        label=line.label,
        quantity=quantity,
        unit=line.unit,
        unit_usd=line.unit_usd,
        usd=None if line.unit_usd is None else quantity * line.unit_usd,
        price_date=line.price_date,
        source=line.source,
        is_stated=line.is_stated,
        missing=line.missing,
        last_seen=line.last_seen,
        used_on=line.used_on,
    )


def _zone_traffic(load: Load, place: Place, book: PriceBook) -> MonthItem:
    gigabytes, missing = gb_between_zones(load.rows.times(SECONDS_PER_MONTH), load.zones)
    if gigabytes is None:
        return _unknown(Kind.ZONE_TRAFFIC, missing, unit=Unit.GB)
    if not gigabytes:
        # nothing has no price, and needs none
        return _item(Kind.ZONE_TRAFFIC, gigabytes, Unit.GB, Rate(None), usd=Decimal(0))
    rate = rates.zone_traffic_rate(place, book)
    return _item(Kind.ZONE_TRAFFIC, gigabytes, Unit.GB, rate)


def _backup(load: Load, place: Place, book: PriceBook) -> MonthItem:
    """One full copy, and the rows written in the last days."""
    rows = load.rows
    if load.data_bytes is None:
        return _unknown(Kind.BACKUP, UNKNOWN_DATA, unit=Unit.GIB_MONTH)
    if rows.written is None or (rows.written and rows.row_bytes is None):
        return _unknown(Kind.BACKUP, UNKNOWN_ROW, unit=Unit.GIB_MONTH)
    written = rows.written * (rows.row_bytes or 0) * BACKUP_DAYS * 24 * SECONDS_PER_HOUR
    gib = (load.data_bytes + written) / BYTES_PER_GIB
    return _item(Kind.BACKUP, gib, Unit.GIB_MONTH, rates.object_storage_rate(place, book))


def _item(
    kind: Kind, quantity: Decimal, unit: str, rate: Rate, *, label: str = "", usd: Decimal | None = None
) -> MonthItem:
    return MonthItem(
        kind,
        label or label_of(kind),
        quantity,
        unit,
        rate.usd,
        usd if rate.usd is None else quantity * rate.usd,
        rate.price_date,
        rate.source,
        rate.is_stated,
        rate.missing,
        rate.last_seen,
        rate.used_on,
    )


def _unknown(kind: Kind, missing: str, *, unit: str = Unit.HOUR) -> MonthItem:
    return MonthItem(kind, label_of(kind), None, unit, None, None, missing=missing)

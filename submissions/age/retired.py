"""Instance types that a provider's newest price list of the region no longer has."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from django.db import connections, router

from submissions.choices import PricingModel
from submissions.models import Price, VersionMemory

IN_LIST = 80  # percent: a day's prices are a whole list if so many of all types ever listed were seen then or later

_LAST_SEEN = """SELECT provider, region, sku, max(last_seen) FROM submissions_price
WHERE unit = %s AND pricing_model = %s GROUP BY provider, region, sku"""
_known: VersionMemory[str, "Retired"] = VersionMemory(1)


class Sold(NamedTuple):
    """An instance type where it is sold."""

    provider: str
    region: str
    instance_type: str


@dataclass(frozen=True, slots=True)
class LastList:
    last_seen: date  # the last day on which a price list had the type
    list_day: date  # of the newest whole list, which lacks it


Retired = Mapping[Sold, LastList]


def retired_types(last_seen: Iterable[tuple[str, str, str, date]]) -> Retired:
    """From (provider, region, instance type, last day in a list on demand) of every type.

    A list that breaks off, or has few types, is none: a region's newest whole list is that of the newest day on which,
    or after which, at least IN_LIST percent of its types were seen. Of fewer than five types, none is retired.
    """
    places: dict[tuple[str, str], list[tuple[str, date]]] = {}
    for provider, region, sku, day in last_seen:
        places.setdefault((provider, region), []).append((sku, day))
    retired = {}
    for (provider, region), types in places.items():
        days = sorted(day for _, day in types)
        list_day = days[len(days) * (100 - IN_LIST) // 100]  # so many at most are older
        for sku, day in types:
            if day < list_day:
                retired[Sold(provider, region, sku)] = LastList(day, list_day)
    return retired


def retired_of(version: str) -> Retired:
    """Of the price book, which has this version (`DataState.prices`). One query after each change of it."""
    known = _known.get(version, "")
    if known is None:
        with connections[router.db_for_read(Price)].cursor() as cursor:
            cursor.execute(_LAST_SEEN, [Price.Unit.HOUR, PricingModel.ON_DEMAND])
            known = retired_types(cursor.fetchall())
        _known.set(version, "", known)
    return known

"""Instance types that a provider's newest price list of the region no longer has."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from django.db import connections, router

from submissions.choices import PricingModel
from submissions.models import Price

IN_LIST = 80  # percent: a day's prices are a whole list if so many of all types ever listed were seen then or later

# A list that breaks off, or has few types, is none: a region's newest whole list is that of the newest day on which, or
# after which, at least so many of its types were seen. Of fewer than five types, none is retired.
_RETIRED = """WITH types AS (
    SELECT provider, region, sku, max(last_seen) AS last_seen FROM submissions_price
    WHERE unit = %s AND pricing_model = %s GROUP BY provider, region, sku
), lists AS (
    SELECT provider, region, (array_agg(last_seen ORDER BY last_seen))[count(*)::int * %s / 100 + 1] AS list_day
    FROM types GROUP BY provider, region
)
SELECT provider, region, sku, last_seen, list_day FROM types JOIN lists USING (provider, region)
WHERE last_seen < list_day"""


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


@lru_cache(maxsize=1)
def retired_of(version: str) -> Retired:
    """Of the price book, which has this version (`DataState.prices`). One query after each change of it."""
    with connections[router.db_for_read(Price)].cursor() as cursor:
        cursor.execute(_RETIRED, [Price.Unit.HOUR, PricingModel.ON_DEMAND, 100 - IN_LIST])
        return {Sold(*row[:3]): LastList(*row[3:]) for row in cursor.fetchall()}

"""What the same cluster costs today, beside what it cost when it was measured."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from submissions.models import Submission, SubmissionQuerySet
from submissions.pricing.book.confirmation import months_unconfirmed
from submissions.pricing.clusters import BoughtGroup, Cluster, costs_at
from submissions.pricing.reprice import bought_groups, bought_groups_of, comparable
from submissions.pricing.terms import PriceTerms

LEAST_DRIFT = Decimal("0.02")  # of the price when measured; above it a result is marked
STATED = "the submitter stated the price, which no list follows"


@dataclass(frozen=True, slots=True)
class Drift:
    """USD an hour of the database and cache nodes with their disks, as each group was bought."""

    then_usd: Decimal
    today_usd: Decimal | None  # None: not known today
    why_unknown: str = ""

    @property
    def change(self) -> Decimal | None:
        """A fraction of the price when measured: -0.09 is 9 % less today."""
        return None if self.today_usd is None else self.today_usd / self.then_usd - 1

    @property
    def is_marked(self) -> bool:
        return self.change is not None and abs(self.change) > LEAST_DRIFT


class Priced(NamedTuple):
    """What a row cost when it was measured, as it is stored."""

    provider: str
    region: str | None
    then_usd: Decimal
    is_stated: bool


def drifts(rows: SubmissionQuerySet, today: date) -> dict[int, Drift]:
    """Of those that had a price when measured, by id. Three queries; each distinct cluster is priced once.

    A price that was last confirmed more than 12 months ago is not known today.
    """
    rows = rows.filter(hourly_usd__isnull=False)
    columns = ("pk", "provider", "region", "hourly_usd", "is_price_stated")
    priced = {pk: Priced(*values) for pk, *values in rows.order_by().values_list(*columns)}
    return _drifts(priced, bought_groups(rows) if priced else {}, today)


def drifts_of(rows: Iterable[Submission], today: date) -> dict[int, Drift]:
    """The same of a few rows as they were just read. Two queries."""
    priced = {
        row.pk: Priced(row.provider, row.region, row.hourly_usd, row.is_price_stated)
        for row in rows
        if row.hourly_usd is not None
    }
    return _drifts(priced, bought_groups_of(priced) if priced else {}, today)


def _drifts(
    priced: Mapping[int, Priced], groups: Mapping[int, tuple[BoughtGroup, ...]], today: date
) -> dict[int, Drift]:
    found: dict[int, Drift] = {}
    clusters: dict[Cluster, list[tuple[int, Decimal]]] = defaultdict(list)
    for pk, (provider, region, then_usd, is_stated) in priced.items():
        if is_stated:
            found[pk] = Drift(then_usd, None, STATED)
        else:
            cluster = Cluster(provider, region, None, comparable(groups.get(pk, ()), provider))
            clusters[cluster].append((pk, then_usd))
    costs = costs_at(list(clusters), PriceTerms(today)) if clusters else []
    for cluster, cost in zip(clusters, costs, strict=True):
        months = months_unconfirmed(cost.price_last_seen, today)
        usd = None if months else cost.hourly_usd
        why = f"last confirmed {months} months ago" if months else cost.missing
        found.update((pk, Drift(then_usd, usd, "" if usd is not None else why)) for pk, then_usd in clusters[cluster])
    return found

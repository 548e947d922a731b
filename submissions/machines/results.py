"""What was measured on a machine type: its newest results, and how good its value is in a workload of each database."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from django.db.models import Count, F

from submissions.choices import PricingModel
from submissions.machines.catalogue import MachineKey
from submissions.models import Submission, SubmissionQuerySet, Workload
from submissions.models.versions.data_version import Subject
from submissions.pricing.discounts import Discounts
from submissions.pricing.reprice import at_reader_prices
from submissions.pricing.terms import PriceTerms
from submissions.questions.boards.choice import WorkloadChoice
from submissions.questions.boards.grouping import GroupBy
from submissions.questions.value.query import Offer, value_of
from submissions.questions.value.valuation import ValueParams
from submissions.records.cache import cached_of_workload
from submissions.records.table import in_table

SHOWN = 50  # of the results, the newest
MOST_DATABASES = 12
_MOST_WORKLOADS = 200  # of a type, those with most results


class BoardPlace(NamedTuple):
    """A machine type on the value board of a workload, by its best result at the prices of the day."""

    rank: str  # "2-4"; "50+" beyond those that are ranked
    submission: int
    ops_per_usd: Decimal | None
    hourly_usd: Decimal | None


class ValueBoard(NamedTuple):
    places: Mapping[MachineKey, BoardPlace]
    types: int  # with a price on this day


@dataclass(frozen=True, slots=True)
class DatabaseValue:
    """The best value of a database on a machine type, under the workload with most of its results there.

    Without a price of the day `best` is the fastest result.
    """

    service: str
    fingerprint: str
    title: str
    results: int  # of this workload on this type, ranked ones
    best: Submission
    place: BoardPlace | None = None
    types: int = 0  # machine types of the workload with a price

    @property
    def rank(self) -> str:
        return self.place.rank if self.place else ""

    @property
    def ops_per_usd(self) -> Decimal | None:
        return self.place.ops_per_usd if self.place else None

    @property
    def hourly_usd(self) -> Decimal | None:
        return self.place.hourly_usd if self.place else None


def newest_results(key: MachineKey, discounts: Discounts = ()) -> list[Submission]:
    """At the prices of their measurement, less the discounts. One query, without these."""
    rows = Submission.objects.few_with_rate().filter(provider=key.provider, instance_type=key.name)
    newest = list(in_table(rows).order_by("-pk")[:SHOWN])
    at_reader_prices(newest, PriceTerms(discounts=discounts))
    return newest


def values_by_database(key: MachineKey, day: date, discounts: Discounts = ()) -> tuple[DatabaseValue, ...]:
    """Those with most results first. Three queries, and those of each value board until it is cached."""
    counts = _ranked(key).order_by().values("service", "workload").annotate(n=Count("pk"))
    most_first = counts.order_by("-n", "-workload").values_list("service", "workload", "n")
    chosen: dict[str, tuple[int, int]] = {}
    for service, workload, n in most_first[:_MOST_WORKLOADS]:
        chosen.setdefault(service, (workload, n))
    shown = dict(list(chosen.items())[:MOST_DATABASES])
    workloads = Workload.objects.in_bulk([workload for workload, _ in shown.values()])
    boards = {pk: _board(workload, day, discounts) for pk, workload in workloads.items()}
    places = {pk: board.places.get(key) for pk, board in boards.items()}
    best = _best(key, places)
    return tuple(
        DatabaseValue(
            service, workloads[pk].fingerprint, workloads[pk].title, n, best[pk], places[pk], boards[pk].types
        )
        for service, (pk, n) in shown.items()
        if pk in best
    )


def _best(key: MachineKey, places: Mapping[int, BoardPlace | None]) -> dict[int, Submission]:
    """By workload: the result that has the place on its board, else the fastest. Two queries at most."""
    on_boards = {place.submission for place in places.values() if place}
    rows = list(in_table(Submission.objects.published()).filter(pk__in=on_boards)) if on_boards else []
    without = [pk for pk, place in places.items() if place is None]
    if without:
        fastest = _ranked(key).filter(workload__in=without)
        order = ("workload_id", F("throughput_ops_s").desc(), "-pk")
        rows += list(in_table(fastest.order_by(*order).distinct("workload_id")))
    return {row.workload_id: row for row in rows}


def _ranked(key: MachineKey) -> SubmissionQuerySet:
    """What boards take: results with a raw log, where their workload has such."""
    rows = Submission.objects.rankable().filter(provider=key.provider, instance_type=key.name)
    return rows.trust_filtered(None)


def _board(workload: Workload, day: date, discounts: Discounts) -> ValueBoard:
    """That of the value page by instance type, today on demand: one for all types of the workload.

    That of a reader with discounts is not cached: nothing of it stays on the server.
    """
    if discounts:
        return _new_board(workload, day, discounts)
    return cached_of_workload(
        workload.pk,
        ("value of machine types", workload.pk, day),
        lambda: _new_board(workload, day, ()),
        subjects=[Subject.PRICES],
    )


def _new_board(workload: Workload, day: date, discounts: Discounts) -> ValueBoard:
    choice = WorkloadChoice(workload.fingerprint, workload.title, None, workload.pk)
    terms = PriceTerms(day, PricingModel.ON_DEMAND, discounts)
    result = value_of(ValueParams(by=GroupBy.INSTANCE_TYPE, terms=terms), Offer(choice, [choice]))
    places = {
        MachineKey(one.group.best.provider, one.group.best.instance_type): BoardPlace(
            one.entry.rank if one.entry else f"{len(result.ranking)}+",
            one.group.best.pk,
            one.group.best.ops_per_usd,
            one.group.best.hourly_usd,
        )
        for one in result.ranked
    }
    return ValueBoard(places, result.group_count)

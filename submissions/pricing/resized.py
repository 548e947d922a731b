"""Clusters of another size than the measured one, priced on a basis at a date."""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from datetime import date

from submissions.analysis.sizing import in_proportion
from submissions.choices import PricingModel, Role
from submissions.models import NodeGroup, Submission
from submissions.pricing import book
from submissions.pricing.cost import SystemCost
from submissions.pricing.quotes import PriceBook
from submissions.pricing.reprice import frozen_cost, reprice, stored_keys

NO_DAY = "The day of the measurement is unknown, and with it the prices of that day."


@dataclass(frozen=True, slots=True)
class Asked:
    """How a cluster is bought, and at the prices of which day; None: of the day that it was measured."""

    basis: PricingModel
    on: date | None


@dataclass(frozen=True, slots=True)
class Resized:
    """The system under test of a submission, with another number of database nodes."""

    submission: Submission
    groups: tuple[NodeGroup, ...]

    @property
    def caches(self) -> tuple[tuple[int, str], ...]:
        """(nodes, instance type) of each cache group."""
        return tuple((group.count, group.instance_type) for group in self.groups if group.role == Role.CACHE)


def resized(submission: Submission, node_count: int) -> Resized:
    """Its database nodes are equal; caches grow in proportion. The node groups are prefetched."""
    groups = list(submission.node_groups.all())
    databases = [group for group in groups if group.role == Role.DATABASE]
    measured = sum(group.count for group in databases)
    new = [_with_count(databases[0], node_count)]
    new += [
        _with_count(group, in_proportion(group.count, of=measured, to=node_count))
        for group in groups
        if group.role == Role.CACHE
    ]
    return Resized(submission, tuple(new))


def as_measured(submission: Submission) -> Resized:
    """The system under test as it was. The node groups are prefetched."""
    groups = submission.node_groups.all()
    return Resized(submission, tuple(group for group in groups if group.role in Role.SYSTEM_UNDER_TEST))


def costs(clusters: Sequence[Resized], asked: Asked) -> list[SystemCost]:
    """USD of each; one query for all prices, none when every price is the one that was frozen."""
    from_book = [cluster for cluster in clusters if not _is_frozen(cluster, asked)]
    keys = set().union(*(stored_keys(one.groups, **_place(one)) for one in from_book))
    prices = book.load(keys)
    return [_cost(cluster, asked, prices) for cluster in clusters]


def _cost(cluster: Resized, asked: Asked, prices: PriceBook) -> SystemCost:
    if _is_frozen(cluster, asked):
        return frozen_cost(cluster.groups)
    measured_at = cluster.submission.measured_at
    on = asked.on or (measured_at and measured_at.date())
    if on is None:
        return SystemCost((), None, NO_DAY)
    return reprice(cluster.groups, **_place(cluster), on=on, basis=asked.basis, book=prices)


def _is_frozen(cluster: Resized, asked: Asked) -> bool:
    """Whether it was bought as it is asked for: then its own price, stated or not, is that of the day."""
    return asked.on is None and all(group.pricing_model == asked.basis for group in cluster.groups)


def _place(cluster: Resized) -> dict[str, str | None]:
    return {"provider": cluster.submission.provider, "region": cluster.submission.region}


def _with_count(group: NodeGroup, count: int) -> NodeGroup:
    changed = copy(group)  # never saved: a row of another size exists nowhere
    changed.count = count
    return changed

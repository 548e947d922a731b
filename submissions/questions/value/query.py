"""Operations per dollar within one workload: ranked groups, the Pareto front, and what is excluded."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

from django.utils.functional import SimpleLazyObject

from submissions.analysis.ranking import MOST_RANKED, RankedEntry
from submissions.metrics import OPS_PER_USD
from submissions.models import SubmissionQuerySet
from submissions.questions.value.front import Systems
from submissions.questions.value.repriced import repriced_valuation
from submissions.questions.value.valuation import (
    GroupValue,
    Valuation,
    ValueParams,
    are_stored_prices,
    stored_valuation,
    valuable,
)
from submissions.questions.workload.choice import WorkloadChoice, choose_workload, valued_choices, with_chosen
from submissions.questions.workload.counts import Counts
from submissions.questions.workload.ranking import rank_submissions
from submissions.questions.workload.shelves import Shelf, shelf_of


@dataclass(frozen=True, slots=True)
class RankedValue:
    """A group with its rank; `entry` is None beyond the MOST_RANKED best groups."""

    group: GroupValue
    entry: RankedEntry | None


@dataclass(frozen=True, slots=True)
class ValueResult:
    """The answer to the value question; all rows have the prices of `params.terms`."""

    params: ValueParams
    workload: WorkloadChoice
    workloads: list[WorkloadChoice]  # that can be chosen instead
    valuation: Valuation
    ranking: tuple[RankedEntry, ...]  # of the best groups, by the key of their best submission

    @property
    def ranked(self) -> list[RankedValue]:
        """All groups, best value first."""
        entries = {entry.entry.key: entry for entry in self.ranking}
        return [RankedValue(group, entries.get(str(group.best.pk))) for group in self.groups]

    @property
    def shelf(self) -> Shelf:
        return shelf_of(self.params.trust, self.counts)

    @property
    def counts(self) -> Counts:
        return self.valuation.counts

    @property
    def groups(self) -> Sequence[GroupValue]:
        return self.valuation.groups

    @property
    def systems(self) -> Systems:
        return self.valuation.systems

    @property
    def total(self) -> int:
        """Submissions in all groups."""
        return sum(group.n for group in self.groups)


@dataclass(frozen=True, slots=True)
class Offer:
    """The workload that a page is about, and those that can be chosen instead."""

    workload: WorkloadChoice
    workloads: list[WorkloadChoice]


def value_offer(params: ValueParams) -> Offer | None:
    """None where no workload has a priced submission. Raises BadParameter for an unknown workload.

    Two queries; more for a workload that is not offered.
    """
    rows = cast(SubmissionQuerySet, SimpleLazyObject(lambda: valuable(params.trust)))  # seldom needed
    offered = valued_choices(params.trust, rows)
    workload = choose_workload(params.workload, offered, rows)
    return Offer(workload, with_chosen(offered, workload)) if workload else None


def value_result(params: ValueParams) -> ValueResult | None:
    """At most twelve queries at the stored prices, fourteen at others, whatever the number of rows."""
    offer = value_offer(params)
    return value_of(params, offer) if offer else None


def value_of(params: ValueParams, offer: Offer) -> ValueResult:
    workload = offer.workload
    params = replace(params, workload=workload.fingerprint)
    is_stored = params.terms.are_stored or are_stored_prices(workload.pk, params.terms)
    valuation = stored_valuation(workload.pk, params) if is_stored else repriced_valuation(workload.pk, params)
    ranking = _ranking(valuation.groups)
    return ValueResult(params, workload, offer.workloads, valuation, ranking)


def _ranking(groups: Sequence[GroupValue]) -> tuple[RankedEntry, ...]:
    """By their best submissions, with ties; five queries, three while the noise is cached, none without a group."""
    best = {str(group.best.pk): group.best for group in groups[:MOST_RANKED]}
    return tuple(rank_submissions(best, OPS_PER_USD))

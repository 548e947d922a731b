"""Operations per dollar within one workload: ranked groups, the Pareto front, and what is excluded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import cast

from django.utils.functional import SimpleLazyObject

from submissions.age.marks import Age
from submissions.analysis.comparison.ranking import MOST_RANKED, RankedEntry
from submissions.choices import AgeMark
from submissions.metrics import OPS_PER_USD
from submissions.models import SubmissionQuerySet
from submissions.questions.boards.at_load import loads_of_workload
from submissions.questions.boards.choice import WorkloadChoice, choose_workload, valued_choices, with_chosen
from submissions.questions.boards.counts import Counts
from submissions.questions.boards.ranking import rank_submissions
from submissions.questions.boards.trust_filter import TrustFilter, trust_filter_of
from submissions.questions.value.pareto import Systems
from submissions.questions.value.repriced import missing_prices, repriced_valuation, valuation_at_loads, without_list
from submissions.questions.value.valuation import (
    GroupValue,
    Valuation,
    ValueParams,
    are_stored_prices,
    stored_valuation,
    valuable,
)
from submissions.records.ages import Ages, ages_of


@dataclass(frozen=True, slots=True)
class RankedValue:
    """A group with its rank; `entry` is None beyond the MOST_RANKED best groups."""

    group: GroupValue
    entry: RankedEntry | None
    age: Age | None = None  # of its best submission; None where no ages were asked for
    rank_today: str | None = None  # of the group on the same board at today's prices, where its price has drifted


@dataclass(frozen=True, slots=True)
class ValueResult:
    """The answer to the value question; all rows have the prices of `params.terms`."""

    params: ValueParams
    workload: WorkloadChoice
    workloads: list[WorkloadChoice]  # that can be chosen instead
    valuation: Valuation
    ranking: tuple[RankedEntry, ...]  # of the best groups, by the key of their best submission
    ages: Ages = field(default_factory=dict)  # of the best submission of each group
    ranks_today: Mapping[int, str] = field(default_factory=dict)  # by the best submission

    @property
    def ranked(self) -> list[RankedValue]:
        """All groups, best value first."""
        entries = {entry.entry.key: entry for entry in self.ranking}
        return [
            RankedValue(
                group,
                entries.get(str(group.best.pk)),
                self.ages.get(group.best.pk),
                self.ranks_today.get(group.best.pk),
            )
            for group in self.groups
        ]

    @property
    def trust_filter(self) -> TrustFilter:
        return trust_filter_of(self.params.trust, self.counts)

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
    def without_list(self) -> tuple[tuple[str, int], ...]:
        """(provider, submissions): clouds without any price."""
        return without_list(self.valuation.unpriced)

    @property
    def missing_prices(self) -> tuple[tuple[str, int], ...]:
        """(why, submissions) of the other unpriced, where it is known."""
        return self.valuation.missing or missing_prices(self.valuation.unpriced)

    @property
    def total(self) -> int:
        """Submissions in all groups."""
        return self.valuation.total

    @property
    def group_count(self) -> int:
        """Of more than `params.most_groups` the best are in `groups`."""
        return self.valuation.group_count


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
    offered = valued_choices(params.trust)
    workload = choose_workload(params.workload, offered, rows)
    return Offer(workload, with_chosen(offered, workload)) if workload else None


def with_ages(result: ValueResult, today: date) -> ValueResult:
    """Five queries more; where the price of a ranked group has drifted, those of the same board at today's prices."""
    ages = ages_of([group.best for group in result.groups], today)
    ranks = _ranks_today(result, ages, today) if result.params.terms.day is None else {}
    return replace(result, ages=ages, ranks_today=ranks)


def _ranks_today(result: ValueResult, ages: Ages, today: date) -> dict[int, str]:
    drifted = [group for group in result.groups if AgeMark.PRICE_DRIFT in ages[group.best.pk].marks]
    if not drifted:
        return {}
    terms = replace(result.params.terms, day=today)
    board = value_of(replace(result.params, terms=terms), Offer(result.workload, result.workloads))
    by = result.params.by
    ranks = {by.values_of(one.group.best): one.entry.rank for one in board.ranked if one.entry}
    return {group.best.pk: ranks[values] for group in drifted if (values := by.values_of(group.best)) in ranks}


def value_of(params: ValueParams, offer: Offer) -> ValueResult:
    workload = offer.workload
    aged = params.left_out.condition(workload.pk) if params.left_out else None
    params = replace(params, workload=workload.fingerprint, aged=aged)
    is_stored = params.terms.are_stored or are_stored_prices(workload.pk, params.terms)
    loads = {} if params.max_p99_ms is None else loads_of_workload(workload.pk, params.max_p99_ms)
    if loads:
        valuation = valuation_at_loads(workload.pk, params, loads, at_stored_prices=is_stored)
    else:
        valuation = stored_valuation(workload.pk, params) if is_stored else repriced_valuation(workload.pk, params)
    ranking = _ranking(valuation.groups)
    return ValueResult(params, workload, offer.workloads, valuation, ranking)


def _ranking(groups: Sequence[GroupValue]) -> tuple[RankedEntry, ...]:
    """By their best submissions, with ties; five queries, three while the noise is cached, none without a group."""
    best = {str(group.best.pk): group.best for group in groups[:MOST_RANKED]}
    return tuple(rank_submissions(best, OPS_PER_USD, has_more=len(best) < len(groups)))

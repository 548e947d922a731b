"""Choosing results by their age marks, in lists and on boards: `age` and `exclude_age` mean the same everywhere."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from django import forms
from django.db.models import Q

from submissions.age.conditions import has_any, mark_conditions
from submissions.age.drift import drifts
from submissions.age.retired import retired_of
from submissions.choices import AgeMark
from submissions.models import Submission
from submissions.models.versions.data_version import Subject
from submissions.records.cache import cached_of_workload, prices_version

EXCLUDED = (*AgeMark.MARKS, AgeMark.MARKED)  # the values of `exclude_age`
EXCLUSIONS = [
    (AgeMark.OLD_RESULT.value, "older than 12 months"),
    (AgeMark.VERSION_EOL.value, "unsupported versions"),
    (AgeMark.TYPE_RETIRED.value, "types not in the price list"),
    (AgeMark.PRICE_DRIFT.value, "prices changed by over 2 %"),
    (AgeMark.MARKED.value, "all of these but prices"),
]
MOST_PRICED = 5_000  # results of a workload whose prices today are looked up without being asked for
ONE_WORKLOAD = (
    f"{AgeMark.PRICE_DRIFT} takes one workload: today's price of each cluster is looked up, so choose one by `workload`"
)


def conditions_on(today: date, workload_id: int | None = None) -> Mapping[AgeMark, Q]:
    """Of each mark; that of the price only within a workload, whose results are priced once a day and price book."""
    drifted = None if workload_id is None else drifted_ids(workload_id, today)
    return mark_conditions(today, retired_of(prices_version()), drifted)


@dataclass(frozen=True, slots=True)
class Exclusion:
    """What a board leaves out: results with a mark on a day."""

    mark: AgeMark
    today: date

    def condition(self, workload_id: int) -> Q:
        needs_prices = self.mark == AgeMark.PRICE_DRIFT
        return has_any(conditions_on(self.today, workload_id if needs_prices else None), [self.mark])


def exclude_age_field() -> forms.ChoiceField:
    return forms.ChoiceField(
        label="Leave out",
        required=False,
        choices=EXCLUSIONS,
        help_text="Leaves out results with this age mark; marked: with any mark except price_drift",
    )


def exclusion_of(value: str, today: date) -> Exclusion | None:
    """Of the value of such a field."""
    return Exclusion(AgeMark(value), today) if value else None


def drifted_ids(workload_id: int, today: date) -> frozenset[int]:
    """Results of the workload whose price today differs by more than 2 %. Cached."""

    def drifted() -> frozenset[int]:
        rows = Submission.objects.published().filter(workload=workload_id)
        return frozenset(pk for pk, drift in drifts(rows, today).items() if drift.is_marked)

    return cached_of_workload(workload_id, ("drifted", today), drifted, subjects=[Subject.PRICES])


def is_small(workload_id: int) -> bool:
    """Whether a workload has so few results that all of them can be priced beside a list of them. One query."""
    rows = Submission.objects.published().filter(workload=workload_id).order_by()
    return rows[: MOST_PRICED + 1].count() <= MOST_PRICED

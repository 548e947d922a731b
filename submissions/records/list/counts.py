"""The counts of the list of results: of all its rows, and of each value of a facet."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import TypeVar

from django.utils import timezone

from submissions.aggregates.read import site_counts, states_by_workload
from submissions.models import Submission, Workload
from submissions.records.age_filter import conditions_on
from submissions.records.aggregate import FACETS, facets_of_site
from submissions.records.cache import Aged, cached, cached_for, cached_of_workloads, of_one_state, prices_version
from submissions.records.databases.places import places
from submissions.records.list.facet_counts import FacetCounts, age_counts, facet_counts
from submissions.records.list.facets import Facets, facets_of
from submissions.records.list.filters import SubmissionFilter

MANY = 20_000  # results: of more a count of rows is taken for so many seconds, whatever is uploaded meanwhile
COUNTED_SECONDS = 30.0
BY_WORKER_SECONDS = 3600.0  # the age marks of the whole list then: a worker counts them every COUNTED_SECONDS

T = TypeVar("T")


@of_one_state()
def list_counts(filterset: SubmissionFilter) -> Facets:
    """One query while they are cached. `filterset` is valid.

    Counts of the whole list, and of workloads, are figures of the store; their age marks, which are of a day, and other
    lists are counted from the rows.
    """
    choices = filterset.form.cleaned_data
    chosen = sorted((name, str(value)) for name, value in choices.items())
    key = ("list", filterset.today, prices_version(), *chosen)  # ages are of a day, and of a price book
    if any(value not in (None, "", []) for name, value in choices.items() if name != "workload"):
        counts = cached_for_many(key, lambda: facets_of(facet_counts(filterset), filterset))
        return replace(counts.value, counted_seconds=counts.seconds)
    workloads = _workloads(choices["workload"]) if choices["workload"] else None
    ages = _ages(key, filterset, workloads)
    made = cached((*key, sorted(ages.value.items())), lambda: facets_of(_stored(workloads, ages.value), filterset))
    return replace(made, counted_seconds=ages.seconds)


def cached_for_many(key: tuple[object, ...], count: Callable[[], T], *, seconds: float = COUNTED_SECONDS) -> Aged[T]:
    """As `cached`; on a site of over MANY results taken for so long."""
    if places().total() > MANY:
        return cached_for(seconds, key, count)
    return Aged(cached(key, count))


def _workloads(fingerprints: list[str]) -> list[int]:
    """Also by those that they had."""
    now = Workload.objects.filter(fingerprint__in=fingerprints)
    before = Workload.objects.filter(former_fingerprints__overlap=fingerprints)
    return sorted((now | before).values_list("pk", flat=True))


def count_ages() -> None:
    """What a worker does now and then: no reader of many results waits until all rows are read."""
    ages_of_all(timezone.now().date(), seconds=COUNTED_SECONDS)


def ages_of_all(today: date, *, seconds: float) -> Aged[Counter[str]]:
    """Marks of the day, of the whole list."""
    rows = Submission.objects.with_rate()
    key = ("ages", today, prices_version())
    return cached_for_many(key, lambda: age_counts(rows, conditions_on(today)), seconds=seconds)


def _ages(key: tuple[object, ...], filterset: SubmissionFilter, workloads: list[int] | None) -> Aged[Counter[str]]:
    """Those of a workload are exact."""
    if workloads is None:
        return ages_of_all(filterset.today, seconds=BY_WORKER_SECONDS)
    rows = Submission.objects.with_rate().filter(workload__in=workloads)
    key = ("ages", *key)
    return Aged(cached_of_workloads(workloads, key, lambda: age_counts(rows, filterset.age_conditions)))


def _stored(workloads: list[int] | None, ages: Counter[str]) -> FacetCounts:
    """Of these workloads, or of all; workloads are counted without the choice of some."""
    by_facet = facets_of_site(site_counts(FACETS, "" if workloads is None else "workload="))
    if workloads is None:
        total = by_facet["workload"].total()
    else:
        total = 0
        for state in states_by_workload(FACETS, workloads).values():
            of_workload = state.get("facets", {})
            total += sum(of_workload.pop("workload", {}).values())
            for name, counts in of_workload.items():
                by_facet[name].update(counts)
    return FacetCounts({**by_facet, "age": ages}, total)

"""What a follow covers: the lines of a workload that its filters choose."""

from collections.abc import Collection, Mapping, Sequence

from django.db.models import QuerySet
from django.http import QueryDict
from django.utils.http import urlencode

from benchsite.http.refusals import Fault, Refusal
from submissions.models import Follow, Submission, Workload
from submissions.questions.history.query import lines_among
from submissions.records.lines import LINE_FACTS, points
from submissions.records.list.facets import facet_label, value_label
from submissions.records.list.filters import SubmissionFilter

# Filters of the list of results that choose whole lines. Any other, such as a version, would cut a line into pieces.
FILTERS = tuple(name for name in SubmissionFilter.base_filters if name in LINE_FACTS)
MOST_FILTER_CHARACTERS = 1000


def narrowing(filters: Mapping[str, Sequence[str]], pointer: str = "#/filters") -> str:
    """The filters as the canonical query string of a follow. Raises Refusal."""
    faults = [
        Fault(f"{pointer}/{name}", f"cannot narrow a history; known are {', '.join(FILTERS)}")
        for name in filters
        if name not in FILTERS
    ]
    if faults:
        raise Refusal(faults)
    pairs = sorted({(name, value) for name, values in filters.items() for value in values if value != ""})
    query = urlencode(pairs)
    form = SubmissionFilter(QueryDict(query)).form
    if not form.is_valid():
        raise Refusal([Fault(f"{pointer}/{name}", str(errors[0])) for name, errors in form.errors.items()])
    if len(query) > MOST_FILTER_CHARACTERS:
        raise Refusal.at(pointer, f"must not have more than {MOST_FILTER_CHARACTERS} characters as a query string")
    return query


def points_chosen(workload: Workload, filters: str) -> QuerySet[Submission]:
    rows = points(None).of_workload(workload.fingerprint)
    return SubmissionFilter(QueryDict(filters), rows).qs if filters else rows


def lines_covered(workload: Workload, follows: Collection[Follow]) -> dict[int, set[str]]:
    """The tokens of the lines of each follow of this workload, by its number; one query for each set of filters."""
    of_filters: dict[str, set[str]] = {}
    for filters in {follow.filters for follow in follows}:
        of_filters[filters] = {line.token for line in lines_among(points_chosen(workload, filters))}
    return {
        follow.pk: of_filters[follow.filters] & {follow.cluster} if follow.cluster else of_filters[follow.filters]
        for follow in follows
    }


def covered_words(filters: str) -> list[str]:
    """ "Cloud: AWS" for each filter."""
    return [
        f"{facet_label(name)}: {', '.join(value_label(name, value) for value in values)}"
        for name, values in QueryDict(filters).lists()
    ]

"""The filter of a list, made once while readers ask for the same: making it takes longer than its statements do."""

from datetime import date
from functools import lru_cache

from django.http import QueryDict
from django.utils import timezone
from django.utils.http import urlencode

from submissions.models import Submission
from submissions.records.cache import prices_version
from submissions.records.list.filters import SubmissionFilter

_SHARED = 64  # lists of a process
LONGEST_SHARED = 500  # characters of the choices


def filter_of(params: QueryDict) -> SubmissionFilter:
    """Of these parameters; it may serve other requests too, so that nobody changes it.

    That of a workload serves one request: which of its prices have changed is part of its conditions.
    """
    names = [name for name in SubmissionFilter.base_filters if name in params]
    choices = urlencode([(name, value) for name in names for value in params.getlist(name)])
    today = timezone.now().date()
    if "workload" in names or len(choices) > LONGEST_SHARED:
        return _made(choices, today)
    return _shared(choices, today, prices_version())


@lru_cache(_SHARED)
def _shared(choices: str, today: date, prices: str) -> SubmissionFilter:
    """Ages are of a day, and of a price book."""
    return _made(choices, today)


def _made(choices: str, today: date) -> SubmissionFilter:
    """Complete: no thread meets a form that another is cleaning."""
    filterset = SubmissionFilter(QueryDict(choices), Submission.objects.few_with_rate())
    filterset.today = today
    if filterset.form.is_valid():
        filterset.qs  # noqa: B018 - it is built here
    return filterset

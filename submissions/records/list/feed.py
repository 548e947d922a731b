"""The newest results of a filtered list as Atom."""

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.urls import reverse
from django.views.decorators.http import conditional_page, require_safe

from benchsite.http.from_data import from_data
from submissions.models import HAS_RATE, Submission
from submissions.models.versions.data_version import Subject
from submissions.records.feeds import EMPTY_SINCE, FeedContent, SubmissionFeed, content_of, tag
from submissions.records.list.filters import SubmissionFilter
from submissions.records.list.state import PAGING, ListState

IGNORED = ("ordering", *PAGING)  # of the list: a feed has an order of its own


class ListFeed(SubmissionFeed):
    """Its rows are those of the list with the same filters, the last published first; two queries."""

    def __init__(self, state: ListState) -> None:
        super().__init__()
        self._query = state.query(but=IGNORED)
        self._chips = state.chips({})

    def get_object(self, request: HttpRequest, slug: str | None = None) -> FeedContent:
        newest = Submission.objects.newest().filter(HAS_RATE)
        with_retracted = Submission.objects.with_retracted().filter(HAS_RATE)
        return content_of(SubmissionFilter(request.GET, newest).qs, SubmissionFilter(request.GET, with_retracted).qs)

    def feed_url(self, obj: FeedContent) -> str:
        return f"{reverse('submissions:list_feed')}?{self._query}".rstrip("?")

    def feed_guid(self, obj: FeedContent) -> str:
        return tag(f"feed:list:{self._query}", EMPTY_SINCE)

    def title(self, obj: FeedContent) -> str:
        words = ", ".join(f"{chip.label}: {chip.value}" for chip in self._chips)
        return f"Benchsite: new results, {words}" if words else "Benchsite: new results"

    def link(self, obj: FeedContent) -> str:
        return f"{reverse('submissions:list')}?{self._query}".rstrip("?")


@from_data(*Subject, parameters=(*SubmissionFilter.base_filters, *IGNORED))
@require_safe
@conditional_page
def list_feed(request: HttpRequest) -> HttpResponse:
    """400 names each parameter that is unknown or wrong: a misspelt filter would answer with everything."""
    problems = _problems(request)
    if problems:
        return HttpResponseBadRequest("\n".join(problems), content_type="text/plain; charset=utf-8")
    return ListFeed(ListState(request.GET, request.path))(request)


def _problems(request: HttpRequest) -> list[str]:
    known = SubmissionFilter.base_filters
    unknown = [f"{name}: unknown parameter" for name in request.GET if name not in known and name not in IGNORED]
    errors: dict[str, Any] = SubmissionFilter(request.GET, Submission.objects.none()).form.errors
    return unknown + [f"{name}: {messages[0]}" for name, messages in errors.items()]

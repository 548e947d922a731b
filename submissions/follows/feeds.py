"""Changes as Atom: those of one history, and the notices of one follow."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.syndication.views import Feed
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import get_object_or_404
from django.utils.html import escape
from django.views.decorators.cache import never_cache
from django.views.decorators.http import conditional_page, require_safe

from benchsite.http.from_data import from_data, not_shared
from submissions.api.forms import BadParameter
from submissions.follows import addresses, detect, sentences
from submissions.follows.deliver import lines_of
from submissions.models import Follow, LevelChange, Workload
from submissions.models.versions.data_version import Subject
from submissions.questions.history.form import HistoryForm, HistoryQuestion, history_question
from submissions.questions.history.query import history_result
from submissions.records.feeds import EMPTY_SINCE, NEWEST, Atom, tag


@dataclass(frozen=True, slots=True)
class Entry:
    sentence: str
    address: str
    guid: str
    at: datetime


@dataclass(frozen=True, slots=True)
class ChangesContent:
    title: str
    address: str
    guid: str
    entries: Sequence[Entry]


class ChangesFeed(Feed):
    """Entries that are made already: their sentence is title and text."""

    feed_type = Atom
    author_name = "Benchsite"

    def __init__(self, content: ChangesContent, here: str) -> None:
        super().__init__()
        self._content = content
        self._here = here

    def get_object(self, request: HttpRequest) -> ChangesContent:
        return self._content

    def feed_extra_kwargs(self, obj: ChangesContent) -> dict[str, Any]:
        return {"updated": max((entry.at for entry in obj.entries), default=EMPTY_SINCE)}

    def feed_url(self, obj: ChangesContent) -> str:
        return self._here

    def feed_guid(self, obj: ChangesContent) -> str:
        return tag(f"changes:{obj.guid}", EMPTY_SINCE)

    def title(self, obj: ChangesContent) -> str:
        return obj.title

    def link(self, obj: ChangesContent) -> str:
        return obj.address

    def items(self, obj: ChangesContent) -> Sequence[Entry]:
        return obj.entries[:NEWEST]

    def item_title(self, item: Entry) -> str:
        return item.sentence  # plain text in Atom, not markup

    def item_description(self, item: Entry) -> str:
        return escape(item.sentence)

    def item_link(self, item: Entry) -> str:
        return item.address

    def item_guid(self, item: Entry) -> str:
        return tag(f"change:{item.guid}", item.at)

    def item_pubdate(self, item: Entry) -> datetime:
        return item.at

    def item_updateddate(self, item: Entry) -> datetime:
        return item.at


@from_data(*Subject, parameters=HistoryForm.base_fields)
@require_safe
@conditional_page
def history_feed(request: HttpRequest) -> HttpResponse:
    """The changes of a history, with its parameters; what it has no more is in it no more."""
    form = HistoryForm(request.GET)
    unknown = [f"{name}: unknown parameter" for name in request.GET if name not in form.fields]
    if unknown or not form.is_valid():
        problems = unknown + [f"{name}: {errors[0]}" for name, errors in form.errors.items()]
        return HttpResponseBadRequest("\n".join(problems), content_type="text/plain; charset=utf-8")
    try:
        question = history_question(form.cleaned_data)
    except BadParameter as error:
        raise Http404(error.detail) from error
    return ChangesFeed(_changes(question), request.get_full_path())(request)


def _changes(question: HistoryQuestion) -> ChangesContent:
    """Empty where there are no dated results yet."""
    address, guid = addresses.history_with(question.state), ":".join(question.state.values())
    if question.workload is None or question.line is None:
        return ChangesContent("Benchsite: changes of a history", address, guid, ())
    result = history_result(question.workload, question.line, question.latency_kind, question.trust)
    workload = Workload.objects.get(fingerprint=question.workload.fingerprint)
    return ChangesContent(
        title=f"Benchsite: changes of {workload.title} on {result.line.name}",
        address=address,
        guid=guid,
        entries=[_entry(change, change.at) for change in detect.changes_of(workload, result)],
    )


@never_cache
@not_shared("an account's notices")
@require_safe
def follow_feed(request: HttpRequest, key: str) -> HttpResponse:
    """Whoever has the key reads it, without an account."""
    rows = Follow.objects.active().select_related("workload").filter(workload__in=Workload.objects.open())
    follow = get_object_or_404(rows, feed_key=key)
    entries = []
    for notice in follow.notices.all()[:NEWEST]:
        notice.follow = follow
        if notice.quiet_since is None:
            entries += [_entry(change, notice.created_at) for change in notice.changes]
        else:
            guid = f"quiet:{notice.pk}"
            entries += [
                Entry(line, addresses.history_address(follow), guid, notice.created_at) for line in lines_of(notice)
            ]
    content = ChangesContent(
        f"Benchsite: {sentences.scope_name(follow)}", addresses.history_address(follow), f"follow:{follow.pk}", entries
    )
    return ChangesFeed(content, request.path)(request)


def _entry(change: LevelChange, at: datetime) -> Entry:
    guid = f"{change.workload.fingerprint}:{change.cluster}:{change.metric}:{change.first_after or change.after_id}"
    return Entry(sentences.change_sentence(change), addresses.change_in_history(change), guid, at)

"""New results as Atom: of all databases, and of each."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.syndication.views import Feed
from django.db.models import Max, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import escape
from django.views.decorators.http import conditional_page, require_safe

from benchsite.http.from_data import from_data
from submissions.formatting.names import public_title, service_name
from submissions.models import Submission
from submissions.models.versions.data_version import Subject
from submissions.records.detail.sentences import finding

NEWEST = 50
# Characters that no XML document may hold.
_NOT_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
EMPTY_SINCE = datetime(2011, 1, 1, tzinfo=UTC)  # before the oldest result; an empty feed has a date too


@dataclass(frozen=True, slots=True)
class FeedContent:
    """`updated` is when the feed last changed, by a new submission or a retraction."""

    service: str | None
    rows: Sequence[Submission]
    updated: datetime


class Atom(Atom1Feed):
    def add_item(self, title: str, link: str, description: str, **extra: Any) -> None:  # type: ignore[override]
        super().add_item(_NOT_XML.sub("", title), link, _NOT_XML.sub("", description), **extra)

    def latest_post_date(self) -> datetime:
        updated: datetime = self.feed["updated"]
        return updated


def content_of(
    newest: QuerySet[Submission], with_retracted: QuerySet[Submission], service: str | None = None
) -> FeedContent:
    """Of the rows in this order, and of the same with those that were retracted; two queries."""
    rows = list(newest.defer("document", "notes").select_related("submitted_by")[:NEWEST])
    retracted = with_retracted.filter(retracted_at__isnull=False)
    changes = [row.published_at for row in rows]
    changes.append(retracted.aggregate(last=Max("retracted_at"))["last"])
    return FeedContent(service, rows, max((change for change in changes if change), default=EMPTY_SINCE))


class SubmissionFeed(Feed):
    """The newest published submissions; two queries."""

    feed_type = Atom
    author_name = "Benchsite"

    def get_object(self, request: HttpRequest, slug: str | None = None) -> FeedContent:
        of_service = {"service": slug} if slug else {}
        content = content_of(
            Submission.objects.newest().filter(**of_service),
            Submission.objects.with_retracted().filter(**of_service),
            service=slug,
        )
        if slug and not content.rows:
            raise Http404(f"There is no result of {service_name(slug)}.")
        return content

    def feed_extra_kwargs(self, obj: FeedContent) -> dict[str, Any]:
        return {"updated": obj.updated}

    def feed_guid(self, obj: FeedContent) -> str:
        return tag(f"feed:{obj.service or 'all'}", EMPTY_SINCE)

    def title(self, obj: FeedContent) -> str:
        return f"Benchsite: new results of {service_name(obj.service)}" if obj.service else "Benchsite: new results"

    def link(self, obj: FeedContent) -> str:
        return reverse("submissions:service", args=[obj.service]) if obj.service else reverse("submissions:list")

    def items(self, obj: FeedContent) -> Sequence[Submission]:
        return obj.rows

    def item_description(self, item: Submission) -> str:
        return escape(finding(item))  # markup in Atom: an uploader's words stay words

    def item_title(self, item: Submission) -> str:
        return public_title(item)  # plain text in Atom, not markup

    def item_guid(self, item: Submission) -> str:
        return tag(f"submission:{item.pk}", item.created_at)

    def item_author_name(self, item: Submission) -> str:
        return item.submitted_by.get_username() if item.submitted_by else self.author_name

    def item_copyright(self, item: Submission) -> str | None:
        return "; ".join(filter(None, (item.license, item.attribution))) or None

    def item_pubdate(self, item: Submission) -> datetime:
        return item.published_at or item.created_at

    def item_updateddate(self, item: Submission) -> datetime:
        return self.item_pubdate(item)


@from_data(*Subject)
@require_safe
@conditional_page
def feed(request: HttpRequest, slug: str | None = None) -> HttpResponse:
    """With ETag and Last-Modified, so that a reader that polls every minute costs little."""
    return SubmissionFeed()(request, slug)


def tag(name: str, day: datetime) -> str:
    """A tag URI (RFC 4151): it stays the same whatever name the request uses for the site."""
    return f"tag:{urlsplit(settings.SITE_URL).hostname},{day:%Y-%m-%d}:{name}"

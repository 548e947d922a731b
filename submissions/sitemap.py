"""The list of pages for search engines (sitemaps.org): an index, and parts of at most 10,000 addresses.

Written here: `django.contrib.sitemaps` counts all rows and skips those of earlier parts; a part is a range of ids.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import NamedTuple
from xml.sax.saxutils import escape

from django.conf import settings
from django.db.models import Max, OuterRef, Subquery
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from benchsite.http.from_data import from_data
from submissions.machines.catalogue import catalogue
from submissions.models import Submission, Workload
from submissions.models.versions.data_version import Subject
from submissions.records.databases.services import service_summaries

A_PART = 10_000  # ids; 50,000 addresses and 50 MB are allowed
PAGES = (
    *("home", "value", "recommend", "scaling", "history", "list", "services", "workloads", "classics", "prices"),
    *("machines", "compare_machines", "databases", "coverage", "data", "methodology", "moderation", "terms", "privacy"),
)
_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
_SCHEMA = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


class Entry(NamedTuple):
    path: str
    changed_at: datetime | None = None


@from_data(*Subject)
@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """Two queries."""
    counts = {
        "pages": 1,
        "machines": 1,
        "workloads": _parts(_last_id(Workload)),
        "results": _parts(_last_id(Submission)),
    }
    parts = (
        Entry(reverse("submissions:sitemap_part", args=[section, part]))
        for section, count in counts.items()
        for part in range(1, count + 1)
    )
    return _answer("sitemapindex", "sitemap", parts)


@from_data(*Subject)
@require_safe
def part(request: HttpRequest, section: str, number: int) -> HttpResponse:
    """Two queries at most, whatever the part."""
    after = (number - 1) * A_PART
    match section:
        case "results" if 0 < number <= _parts(_last_id(Submission)):
            entries: Iterable[Entry] = _results(after)
        case "workloads" if 0 < number <= _parts(_last_id(Workload)):
            entries = _workloads(after)
        case "pages" if number == 1:
            entries = _pages()
        case "machines" if number == 1:
            entries = _machines()
        case _:
            raise Http404("The sitemap has no such part.")
    return _answer("urlset", "url", entries)


def _last_id(model: type[Submission | Workload]) -> int:
    """Of all rows: of which nothing is published has no address in its part."""
    last: int | None = model._default_manager.aggregate(last=Max("pk"))["last"]
    return last or 0


def _parts(last: int) -> int:
    return -(-last // A_PART)


def _pages() -> Iterator[Entry]:
    yield from (Entry(reverse(f"submissions:{name}")) for name in PAGES)
    for service in service_summaries():
        yield Entry(reverse("submissions:service", args=[service.name]))


def _machines() -> Iterator[Entry]:
    """Those on which something was measured."""
    return (Entry(machine.get_absolute_url()) for machine in catalogue().values() if machine.results)


def _results(after: int) -> Iterator[Entry]:
    rows = Submission.objects.published().filter(pk__gt=after, pk__lte=after + A_PART).order_by("pk")
    start = reverse("submissions:detail", args=[0]).removesuffix("0/")
    for pk, created_at, published_at, changed_at in rows.values_list("pk", "created_at", "published_at", "changed_at"):
        yield Entry(f"{start}{pk}/", max(moment for moment in (created_at, published_at, changed_at) if moment))


def _workloads(after: int) -> Iterator[Entry]:
    """Those with a published result, and when the newest was published."""
    newest = Submission.objects.published().filter(workload=OuterRef("pk")).order_by("-pk")
    rows = Workload.objects.filter(pk__gt=after, pk__lte=after + A_PART).order_by("pk")
    known = rows.annotate(newest=Subquery(newest.values("published_at")[:1])).filter(newest__isnull=False)
    for fingerprint, published_at in known.values_list("fingerprint", "newest"):
        yield Entry(reverse("submissions:workload", args=[fingerprint]), published_at)


def _answer(root: str, element: str, entries: Iterable[Entry]) -> HttpResponse:
    lines = (
        f"<{element}><loc>{escape(settings.SITE_URL + path)}</loc>"
        f"{f'<lastmod>{changed_at:%Y-%m-%dT%H:%M:%SZ}</lastmod>' if changed_at else ''}</{element}>\n"
        for path, changed_at in entries
    )
    body = f"{_XML}<{root} {_SCHEMA}>\n{''.join(lines)}</{root}>\n"
    return HttpResponse(body, content_type="application/xml; charset=utf-8")

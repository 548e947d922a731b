"""Classic benchmarks: the results of well-known articles, a list of their own."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from benchsite.http.from_data import from_data
from submissions.choices import Trust
from submissions.formatting.charts import shareable
from submissions.models import Submission
from submissions.models.versions.data_version import Subject
from submissions.records.table import TABLE_COLUMNS

MOST = 500  # results on the page


@dataclass(frozen=True, slots=True)
class Article:
    """A source and its results with a rate; the relative figures of a grid are on its page alone."""

    source: str
    urls: Sequence[str]  # of its pages
    results: Sequence[Submission]


@shareable("Classic benchmarks")
@from_data(*Subject)
@require_safe
def classics(request: HttpRequest) -> HttpResponse:
    return render(request, "submissions/records/classics.html", {"articles": articles()})


def articles() -> list[Article]:
    """The newest first. One query."""
    rows = Submission.objects.with_rate().filter(trust=Trust.HISTORICAL)
    by_article: dict[str, list[Submission]] = {}
    for row in rows.only(*TABLE_COLUMNS, "source", "source_url").order_by("-measured_at", "-pk")[:MOST]:
        by_article.setdefault(row.source, []).append(row)
    return [
        Article(source, sorted({row.source_url for row in results} - {""}), results)
        for source, results in by_article.items()
    ]

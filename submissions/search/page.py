"""The page of the search: a box, what it found beside results, and the results with the most relevant first."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from benchsite.http.from_data import from_data
from submissions.api.forms import BadParameter, redirect_to_api
from submissions.formatting.text import credits_line
from submissions.models import CompiledQuery, Submission, given_ids
from submissions.models.versions.data_version import Subject
from submissions.records.ages import ages_of_published
from submissions.records.cache import of_one_state
from submissions.records.credits import credits_of
from submissions.records.table import TABLE_COLUMNS
from submissions.search import sentences
from submissions.search.form import FORMATS, SearchForm
from submissions.search.hits import COLUMNS, hits
from submissions.search.intents.reading import read
from submissions.search.places import databases, places
from submissions.search.query import Matches, in_order_of, matches, with_one_term_less
from submissions.search.spelling import did_you_mean
from submissions.search.terms import Asked

TEMPLATE = "submissions/search/page.html"
_ROWS = CompiledQuery(
    lambda ids: Submission.objects.published().only(*TABLE_COLUMNS, *COLUMNS).filter(pk__in=given_ids(ids)).order_by(),
    ids="ids",
)


@from_data(*Subject, parameters=SearchForm.base_fields)
@require_safe
@of_one_state()
def search(request: HttpRequest) -> HttpResponse:
    if request.GET.get("format") in FORMATS:
        return redirect_to_api(request, "api:search")
    response = _answer(request)
    response["X-Robots-Tag"] = "noindex"  # countless addresses of the same results
    return response


def _answer(request: HttpRequest) -> HttpResponse:
    form = SearchForm(request.GET)
    if not form.is_valid():
        return _refused(request, form.errors)
    asked: Asked = form.cleaned_data["q"]
    if asked.is_empty:
        return render(request, TEMPLATE, {"q": asked.text, "databases": databases()})
    cursor = form.cleaned_data["cursor"]
    reading = read(asked)
    try:
        found = matches(reading.words, cursor)
    except BadParameter as error:
        return _refused(request, error.problems)
    context = {"q": asked.text, "asked": asked, **_results(reading.words, found)}
    if cursor:
        context["first_address"] = f"?{urlencode({'q': asked.text})}"
    else:
        context["places"] = places(reading)
    if found.count:
        return render(request, TEMPLATE, context)
    if meant := did_you_mean(asked):
        context |= {"meant": meant, "meant_address": f"?{urlencode({'q': meant})}"}
    if answered := sentences.answered(context.get("places", ())):
        context |= {"finding": answered, "is_answered": True}
    else:
        context["shorter"] = [
            (each.text, f"?{urlencode({'q': each.text})}") for each in with_one_term_less(reading.words)
        ]
        context["databases"] = databases()
    return render(request, TEMPLATE, context)


def _results(asked: Asked, found: Matches) -> dict[str, Any]:
    rows = in_order_of(found.ids, _ROWS.instances(ids=list(found.ids))) if found.ids else []
    query = urlencode({"q": asked.text, "cursor": found.next_cursor}) if found.next_cursor else ""
    return {
        "finding": sentences.finding(asked, found),
        "note": sentences.note(found),
        "hits": hits(rows, asked),
        "credits": credits_line(credits_of(rows)),
        "ages": ages_of_published(rows, timezone.now().date()),
        "next_address": f"?{query}" if query else "",
    }


def _refused(request: HttpRequest, problems: Any) -> HttpResponse:
    typed = request.GET.get("q", "").replace("\x00", "")  # which no HTML may have
    return render(request, TEMPLATE, {"q": typed, "problems": problems}, status=400)

"""Badges: one figure of a result as a small picture, for a README or another site."""

from dataclasses import dataclass

from django import forms
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.html import format_html
from django.views.decorators.http import conditional_page, require_safe

from benchsite.http.from_data import from_data
from benchsite.http.problems import problem
from benchsite.http.refusals import Fault
from submissions.charts.badge import FLAGGED, KNOWN, UNKNOWN, badge_svg
from submissions.choices import LatencyKind, is_off_money_boards
from submissions.formatting.numbers import hourly, ops_per_usd, ops_s
from submissions.formatting.p99_words import p99_latency
from submissions.models import Submission
from submissions.models.versions.data_version import Subject
from submissions.records.unpublished import for_its_readers, link_keys
from submissions.sharing.previews import absolute

CACHE_SECONDS = 3600
METRICS = (("value", "value"), ("throughput", "throughput"), ("p99", "p99"), ("cost", "cost"))


class BadgeForm(forms.Form):
    metric = forms.ChoiceField(required=False, choices=METRICS)


@dataclass(frozen=True, slots=True)
class BadgeSnippet:
    """What shows the badge of a result elsewhere."""

    path: str
    markdown: str
    html: str


@from_data(*Subject, parameters=BadgeForm.base_fields)
@require_safe
@conditional_page
def badge(request: HttpRequest, pk: int) -> HttpResponse:
    """The same for everybody who has its address: whoever is signed in does not matter."""
    rows = Submission.objects.by_link(AnonymousUser(), link_keys(request.GET)).defer("document", "notes")
    submission = get_object_or_404(rows, pk=pk)
    form = BadgeForm(request.GET)
    if not form.is_valid():
        return problem(400, [Fault(f"#/{name}", str(text)) for name, texts in form.errors.items() for text in texts])
    label, words, colour = figure(submission, form.cleaned_data["metric"] or "value")
    response = HttpResponse(
        badge_svg(f"Benchsite {label}", words, f"Benchsite result {submission.pk}: {label} {words}", colour),
        content_type="image/svg+xml",
    )
    if submission.is_open:
        response["Cache-Control"] = f"public, max-age={CACHE_SECONDS}"
    return for_its_readers(response, submission)


def figure(submission: Submission, metric: str) -> tuple[str, str, str]:
    """Label, figure and colour. What is not known is not 0, and what its flags make unreliable is no figure."""
    has_kind = metric == "p99" and submission.latency_kind != LatencyKind.UNKNOWN
    label = f"p99 {LatencyKind(submission.latency_kind).label}" if has_kind else metric
    if submission.retracted_at is not None:
        return label, "retracted", FLAGGED
    words = _words(submission, metric)
    if words is None:
        return label, "unknown", UNKNOWN
    if _is_unreliable(submission, metric):
        return label, f"{words}, flagged", FLAGGED
    return label, words, KNOWN


def _words(submission: Submission, metric: str) -> str | None:
    match metric:
        case "throughput":
            rate = submission.throughput_ops_s
            held = " (held)" if submission.is_throttled else ""
            return None if rate is None else f"{ops_s(rate)}{held}"
        case "p99":
            return p99_latency(submission) or None
        case "cost":
            return None if submission.hourly_usd is None else hourly(submission.hourly_usd)
    return None if submission.ops_per_usd is None else ops_per_usd(submission.ops_per_usd)


def _is_unreliable(submission: Submission, metric: str) -> bool:
    if metric == "p99":
        return submission.latency_distorted_by_errors
    if metric != "throughput" and is_off_money_boards(submission.flags, submission.trust):
        return True
    return metric != "cost" and submission.is_excluded and not submission.is_throttled


def badge_snippet(submission: Submission) -> BadgeSnippet:
    path = f"{reverse('submissions:badge', args=[submission.pk])}{submission.link_query}"
    address = absolute(path)
    page = absolute(submission.get_absolute_url())
    words = f"Benchsite result {submission.pk}"
    html = format_html('<a href="{}"><img src="{}" alt="{}"></a>', page, address, words)
    return BadgeSnippet(path, f"[![{words}]({address})]({page})", str(html))

"""The pages of moderation: reporting a result, the public log, and the queue with its decisions."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from benchsite.http.from_data import not_shared
from benchsite.http.limits.client_address import client_address
from benchsite.http.pagination import BadCursor, Ordering, link_to, paginate
from benchsite.http.refusals import Refusal
from submissions.choices import Outcome, ReportReason
from submissions.formatting.text import plural
from submissions.models import ModerationDecision, Submission, is_moderator
from submissions.moderation import sentences
from submissions.moderation.bans import ban, decide_account
from submissions.moderation.decisions import decide
from submissions.moderation.forms import AccountForm, DecisionForm, ReportForm
from submissions.moderation.query import account_summary, queue, waiting_submissions
from submissions.moderation.removal import shared_with
from submissions.moderation.reports import TooManyReports, report
from submissions.records.unpublished import for_its_readers, link_keys

NEWEST_FIRST = Ordering("id")
View = Callable[..., HttpResponse]


@not_shared("shows moderators how many reports wait")
@require_safe
def log(request: HttpRequest) -> HttpResponse:
    try:
        page = paginate(ModerationDecision.objects.public(), ordering=NEWEST_FIRST, cursor=request.GET.get("cursor"))
    except BadCursor:
        return redirect("submissions:moderation")
    context = {
        "lines": [
            (decision, sentences.log_line(Outcome(decision.outcome), decision.public_submission))  # type: ignore[attr-defined]
            for decision in page.rows
        ],
        "next_address": link_to(request, page.next_cursor),
        "previous_address": link_to(request, page.previous_cursor),
        "waiting": waiting_submissions().count() if is_moderator(request.user) else None,
    }
    return render(request, "submissions/moderation/log.html", context)


@never_cache
@not_shared("a form")
@require_http_methods(["GET", "HEAD", "POST"])
def report_submission(request: HttpRequest, pk: int) -> HttpResponse:
    """No account is needed; the form's token keeps other sites from reporting in a reader's name."""
    submission = get_object_or_404(Submission.objects.by_link(request.user, link_keys(request.GET)), pk=pk)
    form = ReportForm(request.POST or None)
    context = {"form": form, "submission": submission}
    if request.method == "POST" and form.is_valid():
        reason, text = ReportReason(form.cleaned_data["reason"]), form.cleaned_data["text"]
        try:
            report(submission, reason, text, reporter=request.user, address=client_address(request))
        except TooManyReports:
            form.add_error(None, "Too many reports from your address: please try again in an hour.")
            return render(request, "submissions/moderation/report.html", context, status=429)
        messages.success(request, "Thank you. A moderator will look at it.")
        return redirect(submission)
    status = 400 if request.method == "POST" else 200
    response = render(request, "submissions/moderation/report.html", context, status=status)
    return for_its_readers(response, submission)


def for_moderators(view: View) -> View:
    """Anonymous visitors sign in first; everyone else without the permission gets 403."""

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not is_moderator(request.user):
            raise PermissionDenied
        return view(request, *args, **kwargs)

    protected: View = login_required(never_cache(checked))
    return protected


@for_moderators
@require_safe
def waiting(request: HttpRequest) -> HttpResponse:
    shown = queue()
    context = {
        "rows": [
            (
                row,
                sentences.why_waiting(len(row.reports), row.flags, is_newcomer=row.is_newcomer),
            )
            for row in shown.waiting
        ],
        "finding": sentences.queue_finding(shown.total),
        "more": shown.total - len(shown.waiting),
    }
    return render(request, "submissions/moderation/queue.html", context)


@for_moderators
@require_http_methods(["GET", "HEAD", "POST"])
def decision(request: HttpRequest, pk: int) -> HttpResponse:
    submission = get_object_or_404(Submission.objects.select_related("submitted_by"), pk=pk)
    form = DecisionForm(request.POST or None, submission)
    if request.method == "POST" and form.is_valid():
        outcome: Outcome = form.cleaned_data["outcome"]
        try:
            decide(submission, outcome, reason=form.cleaned_data["reason"], by=_account(request))
        except Refusal as error:
            _add_faults(form, error)
        else:
            messages.success(request, f"Result #{submission.pk} {sentences.about_result(outcome)}.")
            return redirect("submissions:moderation_queue")
    context = {
        "form": form,
        "submission": submission,
        "reports": submission.reports.select_related("reporter"),
        "decisions": submission.decisions.select_related("moderator"),
        "shared_with": shared_with(submission),
    }
    status = 400 if request.method == "POST" else 200
    return render(request, "submissions/moderation/decision.html", context, status=status)


@for_moderators
@require_http_methods(["GET", "HEAD", "POST"])
def account(request: HttpRequest, pk: int) -> HttpResponse:
    """One decision about everything of an account, and closing it."""
    target = get_object_or_404(User, pk=pk)
    form = AccountForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        outcome, reason = form.cleaned_data["outcome"], form.cleaned_data["reason"]
        try:
            if form.cleaned_data["close"]:
                count = ban(target, reason=reason, by=_account(request), submissions=outcome)
            else:
                count = decide_account(target, outcome, reason=reason, by=_account(request))
        except Refusal as error:
            _add_faults(form, error)
        else:
            closed = "The account was closed. " if form.cleaned_data["close"] else ""
            messages.success(request, f"{closed}Decided about {plural(count, 'submission')}.")
            return redirect("submissions:moderation_queue")
    context = {"form": form, "summary": account_summary(target)}
    status = 400 if request.method == "POST" else 200
    return render(request, "submissions/moderation/account.html", context, status=status)


def _account(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # noqa: S101 behind for_moderators
    return request.user


def _add_faults(form: DecisionForm | AccountForm, error: Refusal) -> None:
    for fault in error.faults:
        form.add_error(None, f"{fault.pointer.removeprefix('#/').capitalize()}: {fault.detail}")

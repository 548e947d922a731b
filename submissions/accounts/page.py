"""The account page: API tokens, the submissions of the account, its storage; invitations; closing the account."""

import shlex
from dataclasses import dataclass
from typing import cast
from urllib.parse import urlencode

from allauth.decorators import rate_limit
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from benchsite.http.from_data import not_shared
from benchsite.http.pagination import BadCursor, Ordering, link_to, paginate
from benchsite.http.refusals import Refusal
from submissions.accounts import invitations
from submissions.accounts.closing import close, private_submissions
from submissions.accounts.forms import CloseForm, RetractForm, TokenForm
from submissions.ingest.changes.retract import retract as retract_submission
from submissions.ingest.checks.quota import usage_of
from submissions.models import ApiToken, Submission

NEWEST_FIRST = Ordering("id")


@dataclass(frozen=True, slots=True)
class Command:
    """Ready to be pasted, for whoever has just made a token."""

    label: str
    text: str


@login_required
@require_safe
def account(request: HttpRequest) -> HttpResponse:
    return _page(request, TokenForm(cast(User, request.user)))


@login_required
@never_cache
@require_POST
def create_token(request: HttpRequest) -> HttpResponse:
    """This response is the only place that shows the token: only its digest is stored."""
    user = cast(User, request.user)
    form = TokenForm(user, request.POST)
    if form.is_valid():
        try:
            return _page(request, TokenForm(user), new_token=form.save())
        except Refusal as error:
            form.add_error(None, error.faults[0].detail)
    return _page(request, form, status=400)


@login_required
@require_POST
def revoke_token(request: HttpRequest, key: str) -> HttpResponse:
    token = get_object_or_404(ApiToken, user=request.user.pk, token_key=key)
    token.delete()
    messages.success(request, f"Token “{token.name}” revoked.")
    return redirect("submissions:account")


@login_required
@require_POST
def revoke_all_tokens(request: HttpRequest) -> HttpResponse:
    ApiToken.objects.filter(user=request.user.pk).delete()
    messages.success(request, "All your tokens are revoked.")
    return redirect("submissions:account")


@never_cache
@not_shared("one's own account")
@require_safe
def accept_invitation(request: HttpRequest, key: str) -> HttpResponse:
    """Leads to the sign-up; the key stays in no address that another site could see."""
    if request.user.is_authenticated:
        messages.info(request, "You have an account: the invitation is for somebody who has none.")
        return redirect("submissions:account")
    invitation = invitations.accept(request, key)
    if invitation is None:
        return render(request, "account/invitation_invalid.html", status=410)
    query = f"?{urlencode({'email': invitation.email})}" if invitation.email else ""
    return redirect(f"{reverse('account_signup')}{query}")


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@rate_limit(action="reauthenticate")
def close_account(request: HttpRequest) -> HttpResponse:
    user = cast(User, request.user)
    form = CloseForm(user, request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            close(user)
        except Refusal as error:
            form.add_error(None, error.faults[0].detail)
        else:
            logout(request)
            messages.success(request, "Your account is closed.")
            return redirect("submissions:home")
    context = {"form": form, "private_count": private_submissions(user).count()}
    return render(request, "account/close.html", context, status=400 if request.method == "POST" else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def retract(request: HttpRequest, pk: int) -> HttpResponse:
    own = Submission.objects.filter(submitted_by=request.user.pk, retracted_at=None)
    submission = get_object_or_404(own, pk=pk)
    form = RetractForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        retract_submission(submission, reason=form.cleaned_data["reason"])
        return redirect(submission)
    context = {"form": form, "submission": submission}
    status = 400 if request.method == "POST" else 200
    return render(request, "account/retract.html", context, status=status)


def _page(request: HttpRequest, form: TokenForm, *, new_token: str | None = None, status: int = 200) -> HttpResponse:
    own = Submission.objects.filter(submitted_by=request.user.pk).defer("document", "notes")
    try:
        page = paginate(own, ordering=NEWEST_FIRST, cursor=request.GET.get("cursor"))
    except BadCursor:
        return redirect("submissions:account")
    context = {
        "form": form,
        "new_token": new_token,
        "commands": _commands_with(new_token, request) if new_token else [],
        "tokens": ApiToken.objects.filter(user=request.user.pk),
        "usage": usage_of(cast(User, request.user)),
        "page": page,
        "next_address": link_to(request, page.next_cursor),
        "previous_address": link_to(request, page.previous_cursor),
    }
    return render(request, "account/index.html", context, status=status)


def _commands_with(token: str, request: HttpRequest) -> list[Command]:
    """Each holds the token: they are shown where the token is, and nowhere else."""
    site = request.build_absolute_uri("/").rstrip("/")
    index = request.build_absolute_uri(reverse("api:token-current"))
    header = f"Authorization: Bearer {token}"
    return [
        Command("Log in with the command line", shlex.join(["benchsite", "login", site, "--token", token])),
        Command("Check it with curl", shlex.join(["curl", "-H", header, index])),
    ]

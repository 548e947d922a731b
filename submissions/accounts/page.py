"""The account page: API tokens, and the submissions of the account."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from benchsite.pagination import BadCursor, Ordering, link_to, paginate
from submissions.accounts.forms import RetractForm, TokenForm
from submissions.ingest.retract import retract as retract_submission
from submissions.models import ApiToken, Submission

NEWEST_FIRST = Ordering("id")


@login_required
@require_safe
def account(request: HttpRequest) -> HttpResponse:
    return _page(request, TokenForm(request.user))


@login_required
@never_cache
@require_POST
def create_token(request: HttpRequest) -> HttpResponse:
    """This response is the only place that shows the token: only its digest is stored."""
    form = TokenForm(request.user, request.POST)
    if not form.is_valid():
        return _page(request, form, status=400)
    return _page(request, TokenForm(request.user), new_token=form.save())


@login_required
@require_POST
def revoke_token(request: HttpRequest, key: str) -> HttpResponse:
    token = get_object_or_404(ApiToken, user=request.user.pk, token_key=key)
    token.delete()
    messages.success(request, f"Token “{token.name}” revoked.")
    return redirect("submissions:account")


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
        "tokens": ApiToken.objects.filter(user=request.user.pk),
        "page": page,
        "next_address": link_to(request, page.next_cursor),
        "previous_address": link_to(request, page.previous_cursor),
    }
    return render(request, "account/index.html", context, status=status)

"""A user's own cloud accounts: what to allow there, adding one, removing one."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from runners.accounts import cloud_accounts
from runners.accounts.cloud_accounts import NotUsable, offered_clouds
from runners.creation import MAY_NOT_START, may_start
from runners.models import CloudAccess
from submissions.formatting.names import provider_name


class CloudAccessForm(forms.Form):
    """A user's role or service account that the site may act as."""

    provider = forms.ChoiceField(
        label="Cloud", choices=lambda: [(slug, provider_name(slug)) for slug in offered_clouds()]
    )
    principal = forms.CharField(label="Role or service account", max_length=600)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["principal"].help_text = " ".join(
            f"{provider_name(slug)}: {accounts.principal_help}." for slug, accounts in offered_clouds().items()
        )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def clouds(request: HttpRequest) -> HttpResponse:
    """Shows the user's external ID and accounts; adds an account."""
    user = _user(request)
    if request.method == "POST" and not may_start(user):
        raise PermissionDenied(MAY_NOT_START)
    form = CloudAccessForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            added = cloud_accounts.add(user, form.cleaned_data["provider"], form.cleaned_data["principal"])
        except NotUsable as error:
            form.add_error("principal", str(error))
        else:
            messages.success(request, f"Your next runs on {provider_name(added.provider)} use your own account.")
            return redirect("runners:clouds")
    return render(request, "runners/clouds.html", _context(user, form), status=400 if form.errors else 200)


@login_required
@require_POST
def remove(request: HttpRequest, pk: int) -> HttpResponse:
    """Removes an account."""
    access = get_object_or_404(CloudAccess.objects.active(), pk=pk, owner=_user(request))
    try:
        cloud_accounts.remove(access)
    except NotUsable as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"Your next runs on {provider_name(access.provider)} use the site's account.")
    return redirect("runners:clouds")


def _user(request: HttpRequest) -> User:
    if not request.user.is_authenticated:  # login_required has redirected already
        raise PermissionDenied
    return request.user


def _context(user: User, form: CloudAccessForm) -> dict[str, object]:
    external_id = cloud_accounts.external_id_of(user)
    return {
        "form": form,
        "accesses": CloudAccess.objects.active().filter(owner=user),
        "external_id": external_id,
        "clouds": [
            {"provider": slug, "template": accounts.template, "steps": accounts.instructions(external_id)}
            for slug, accounts in offered_clouds().items()
        ],
        "may_start": may_start(user),
        "may_not_start": MAY_NOT_START,
    }

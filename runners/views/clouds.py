"""The user's own cloud accounts: what to allow there, taking one into use, giving it up."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from runners import creation as placing
from runners.accounts import cloud_accounts
from runners.accounts.cloud_accounts import NotUsable
from runners.models import CloudAccess
from runners.plans.form import CloudAccessForm


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def clouds(request: HttpRequest) -> HttpResponse:
    """Shows the user's id and accounts; takes a new one."""
    if request.method == "POST" and not placing.may_start(request.user):
        raise PermissionDenied("your account may not start runs on this site: ask its operators")
    form = CloudAccessForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            added = cloud_accounts.add(request.user, form.cleaned_data["provider"], form.cleaned_data["principal"])
        except NotUsable as error:
            form.add_error("principal", str(error))
        else:
            messages.success(request, f"Your next runs on {added.provider} go to your own account.")
            return redirect("runners:clouds")
    return render(request, "runners/clouds.html", _context(request, form), status=400 if form.errors else 200)


@login_required
@require_POST
def remove(request: HttpRequest, pk: int) -> HttpResponse:
    """Gives an account up."""
    access = get_object_or_404(CloudAccess.objects.active(), pk=pk, owner=request.user)
    try:
        cloud_accounts.remove(access)
    except NotUsable as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"Your next runs on {access.provider} go to the site's own account.")
    return redirect("runners:clouds")


def _context(request: HttpRequest, form: CloudAccessForm) -> dict[str, object]:
    own_id = cloud_accounts.external_id_of(request.user)
    return {
        "form": form,
        "accesses": CloudAccess.objects.active().filter(owner=request.user),
        "external_id": own_id,
        "clouds": [(cloud, cloud.instructions(own_id)) for cloud in cloud_accounts.offered_clouds().values()],
        "may_start": placing.may_start(request.user),
    }

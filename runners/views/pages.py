"""The list of runs and one run, which is live while it is open."""

from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from benchsite.http.from_data import not_shared
from benchsite.http.pagination import BadCursor, Ordering, link_to, paginate
from runners import lifecycle
from runners.creation import (
    MAY_NOT_CANCEL,
    MAY_NOT_SUBMIT_AGAIN,
    NOTHING_TO_SUBMIT,
    may_cancel,
    may_see_details,
    may_start,
    may_submit_again,
)
from runners.models import Run
from runners.views.filters import RunFilter, choices, totals_of
from runners.views.live import run_view
from submissions.records.unpublished import for_its_readers, link_keys


@not_shared("a run that may be going on")
@require_safe
def runs(request: HttpRequest) -> HttpResponse:
    """Everybody's runs, newest first: their plan, status, cost and result."""
    all_runs = Run.objects.visible_to(request.user).select_related("owner", "submission")
    # the answers "any" of the selects
    given = QueryDict(urlencode([(name, value) for name, values in request.GET.lists() for value in values if value]))
    filters = RunFilter(given, all_runs, request=request)
    if not filters.is_valid():
        problems = {name: list(map(str, messages)) for name, messages in filters.form.errors.items()}
        context = {"problems": problems, "choices": choices(), "given": given}
        return render(request, "runners/list.html", context, status=400)
    try:
        page = paginate(filters.qs, ordering=Ordering("id"), cursor=request.GET.get("cursor"))
    except BadCursor:
        return redirect("runners:list")
    context = {
        "page": page,
        "totals": totals_of(filters.qs),
        "choices": choices(),
        "given": given,
        "is_filtered": any(name in given for name in RunFilter.base_filters),
        "next_address": link_to(request, page.next_cursor),
        "previous_address": link_to(request, page.previous_cursor),
        "may_start": may_start(request.user),
    }
    return render(request, "runners/list.html", context)


@not_shared("a run that may be going on")
@require_safe
def detail(request: HttpRequest, pk: int) -> HttpResponse:
    """One run; its logs, machines and history are visible to its owner and the site operators only."""
    return _run_page(request, pk, "runners/detail.html")


@not_shared("a run that may be going on")
@require_safe
def live(request: HttpRequest, pk: int) -> HttpResponse:
    """What changes while a run is open; requested by htmx every few seconds."""
    return _run_page(request, pk, "runners/_live.html")


@login_required
@require_POST
def cancel(request: HttpRequest, pk: int) -> HttpResponse:
    """Ends the run, whatever it is doing."""
    run = get_object_or_404(Run.objects.by_link(request.user, link_keys(request.GET)), pk=pk)
    if not may_cancel(run, request.user):
        raise PermissionDenied(MAY_NOT_CANCEL)
    if not run.is_final:
        lifecycle.request_cancel(run)
    return redirect(run)


@login_required
@require_POST
def submit_again(request: HttpRequest, pk: int) -> HttpResponse:
    """Submits the kept outputs of an ended run that has no result."""
    run = get_object_or_404(Run.objects.by_link(request.user, link_keys(request.GET)), pk=pk)
    if not may_cancel(run, request.user):
        raise PermissionDenied(MAY_NOT_SUBMIT_AGAIN)
    if lifecycle.submit_again(run):
        messages.info(request, "The stored outputs of the run are being submitted again.")
    else:
        messages.error(request, f"Nothing was submitted: {NOTHING_TO_SUBMIT}.")
    return redirect(run)


def _run_page(request: HttpRequest, pk: int, template: str) -> HttpResponse:
    runs = Run.objects.by_link(request.user, link_keys(request.GET)).select_related("owner", "submission")
    run = get_object_or_404(runs, pk=pk)
    with_details = may_see_details(run, request.user)
    context = {
        "run": run,
        "with_details": with_details,
        "may_cancel": may_cancel(run, request.user),
        "may_submit_again": may_submit_again(run, request.user),
        "view": run_view(run, with_details=with_details, now=timezone.now()),
    }
    return for_its_readers(render(request, template, context), run)

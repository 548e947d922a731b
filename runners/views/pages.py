"""The runs and one run, live while it is open."""

from datetime import datetime

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from benchsite.pagination import BadCursor, Ordering, link_to, paginate
from runners import creation as placing
from runners import lifecycle
from runners.models import Run
from runners.views.live import picture_of


@require_safe
def runs(request: HttpRequest) -> HttpResponse:
    """Everybody's runs, newest first: that they are there and what came of them."""
    all_runs = Run.objects.select_related("owner", "submission")
    try:
        page = paginate(all_runs, ordering=Ordering("id"), cursor=request.GET.get("cursor"))
    except BadCursor:
        return redirect("runners:list")
    context = {
        "page": page,
        "next_address": link_to(request, page.next_cursor),
        "previous_address": link_to(request, page.previous_cursor),
        "may_start": placing.may_start(request.user),
    }
    return render(request, "runners/list.html", context)


@require_safe
def detail(request: HttpRequest, pk: int) -> HttpResponse:
    """One run; its log, machines and history are for its owner and the operators."""
    return _run_page(request, pk, "runners/detail.html")


@require_safe
def live(request: HttpRequest, pk: int) -> HttpResponse:
    """What changes while a run is open (htmx asks for it every few seconds)."""
    return _run_page(request, pk, "runners/_live.html")


@login_required
@require_POST
def cancel(request: HttpRequest, pk: int) -> HttpResponse:
    """Ends the run at whatever it is doing."""
    run = get_object_or_404(Run, pk=pk)
    if not placing.may_see_all(run, request.user):
        raise PermissionDenied("only its owner and the operators may cancel a run")
    if not run.is_final:
        lifecycle.request_cancel(run)
        messages.info(request, "The run is being cancelled: its machines go first.")
    return redirect(run)


def _run_page(request: HttpRequest, pk: int, template: str) -> HttpResponse:
    run = get_object_or_404(Run.objects.select_related("owner", "submission"), pk=pk)
    is_open = placing.may_see_all(run, request.user)
    context = {
        "run": run,
        "sees_all": is_open,
        "picture": picture_of(run, sees_all=is_open, now=_now()),
        "is_planned": run.status == "planned",
    }
    return render(request, template, context)


def _now() -> datetime:
    return timezone.now()

"""Placing a run: the form with its live estimate, then the page that asks once more."""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from benchsite.refusals import Fault, Refusal
from runners import creation as placing
from runners.choices import RunStatus
from runners.models import Run
from runners.plans.estimate import Estimate
from runners.plans.form import GROUPS, NotifyForm, PlanForm
from runners.plans.presets import PRESETS, offered_presets, preset
from runners.plans.reproduce import plan_like
from submissions.models import Submission
from submissions.upload.document_form import place_of


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """The form. What fills it: a preset, a submission to reproduce, or the first preset."""
    if request.method == "POST":
        return _place(request)
    content, note = _filled(request)
    return _page(request, PlanForm(initial=PlanForm.initial_of(content)), note=note)


@login_required
@require_POST
def live_estimate(request: HttpRequest) -> HttpResponse:
    """The estimate alone, for the form as it stands (htmx)."""
    form = PlanForm(request.POST)
    cost, faults = _estimate(form)
    return render(request, "runners/_estimate.html", {"cost": cost and cost.as_json(), "faults": faults})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def confirm(request: HttpRequest, pk: int) -> HttpResponse:
    """What it will cost at worst, and the button that starts it."""
    run = get_object_or_404(Run, pk=pk, owner=request.user)
    if run.status != RunStatus.PLANNED:
        return redirect(run)
    faults: tuple[Any, ...] = ()
    if request.method == "POST":
        try:
            placing.confirm(run)
            return redirect(run)
        except Refusal as error:
            faults = error.faults
    context = {"run": run, "cost": run.estimate, "faults": faults}
    return render(request, "runners/confirm.html", context, status=400 if faults else 200)


def _filled(request: HttpRequest) -> tuple[Mapping[str, Any], str]:
    like = request.GET.get("like", "")
    if like.isdigit():
        submission = get_object_or_404(Submission, pk=int(like))
        return plan_like(submission, provider=request.GET.get("provider") or None)
    chosen = preset(request.GET.get("preset", "")) or PRESETS[0]
    return chosen.plan, chosen.note


def _place(request: HttpRequest) -> HttpResponse:
    if not placing.may_start(request.user):
        raise PermissionDenied("your account may not start runs on this site: ask its operators")
    form, notify = PlanForm(request.POST), NotifyForm(request.POST)
    left: list[Fault] = []
    if form.is_valid() and notify.is_valid():
        try:
            run = placing.place(form.content(), request.user, notify.content().get("notify"))
            return redirect("runners:confirm", pk=run.pk)
        except Refusal as error:
            for fault in error.faults:
                place = place_of(fault.pointer)
                if not (form.take(place, fault.detail) or notify.take(place, fault.detail)):
                    left.append(fault)
    return _page(request, form, left, notify=notify, status=400)


def _page(
    request: HttpRequest,
    form: PlanForm,
    faults: Any = (),
    *,
    notify: NotifyForm | None = None,
    note: str = "",
    status: int = 200,
) -> HttpResponse:
    cost, unknown = None, []
    if not form.is_bound and request.user.is_authenticated:
        shown = {field.html_name: field.value() for field in form}
        cost, unknown = _estimate(PlanForm({name: value for name, value in shown.items() if value not in (None, "")}))
    context = {
        "form": form,
        "groups": [
            *((title, [form[name] for name in names]) for title, names in GROUPS),
            ("When it has ended", list(notify or NotifyForm())),
        ],
        "faults": faults,
        "note": note,
        "presets": offered_presets(),
        "cost": cost and cost.as_json(),
        "no_estimate": unknown,
        "may_start": placing.may_start(request.user),
    }
    return render(request, "runners/new.html", context, status=status)


def _estimate(form: PlanForm) -> tuple[Estimate | None, list[str]]:
    """What the form's plan costs, or what keeps it from being known."""
    if not form.is_valid():
        return None, [f"{form.fields[name].label}: {errors[0]}" for name, errors in form.errors.items()]
    try:
        return placing.estimated(placing.checked(form.content())), []
    except Refusal as error:
        return None, [f"{fault.detail} ({fault.pointer.removeprefix('#/')})" for fault in error.faults]

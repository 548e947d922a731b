"""A new run: the form with its live estimate, then the page that confirms it."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from benchsite.refusals import Fault, Refusal
from runners import creation
from runners.choices import RunStatus
from runners.creation import MAY_NOT_START, NOT_ON_THIS_MACHINE, may_run_on, may_start
from runners.models import Run
from runners.plans.estimate import Estimate
from runners.plans.form import GROUPS, NotifyForm, PlanForm
from runners.plans.presets import PRESETS, offered_presets, preset_by_slug
from runners.plans.reproduce import plan_like
from runners.providers.registry import offered
from submissions.models import MAX_ID, Submission
from submissions.records.unpublished import for_its_readers, link_keys
from submissions.upload.document_form import place_of
from submissions.upload.publication_form import PublicationForm


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """The form, filled in from a preset or from a submission to reproduce."""
    if request.method == "POST":
        return _create(request)
    like = _submission_like(request)
    content, note = _initial(request, like)
    response = _page(request, PlanForm(initial=PlanForm.initial_of(content)), note=note)
    return for_its_readers(response, like) if like else response


@login_required
@require_POST
def live_estimate(request: HttpRequest) -> HttpResponse:
    """The estimate alone, for the current content of the form (htmx)."""
    cost, faults = _estimate(PlanForm(request.POST))
    return render(request, "runners/_estimate.html", {"cost": cost and cost.as_json(), "faults": faults})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def confirm(request: HttpRequest, pk: int) -> HttpResponse:
    """The worst-case cost, and the button that starts the run."""
    run = get_object_or_404(Run, pk=pk, owner=request.user)
    if run.status != RunStatus.PLANNED:
        return redirect(run)
    faults: tuple[Fault, ...] = ()
    if request.method == "POST":
        try:
            creation.confirm(run)
            return redirect(run)
        except Refusal as error:
            faults = error.faults
    context = {"run": run, "cost": run.estimate, "faults": faults}
    return render(request, "runners/confirm.html", context, status=400 if faults else 200)


def _submission_like(request: HttpRequest) -> Submission | None:
    """The one to reproduce: ?like=4. Raises Http404."""
    like = request.GET.get("like", "")
    if not (like.isascii() and like.isdigit()) or len(like) > len(str(MAX_ID)):
        return None
    return get_object_or_404(Submission.objects.by_link(request.user, link_keys(request.GET)), pk=int(like))


def _initial(request: HttpRequest, like: Submission | None) -> tuple[Mapping[str, Any], str]:
    """The plan that fills in the form, and a note about it."""
    if like:
        return plan_like(like, provider=request.GET.get("provider") or None)
    preset = preset_by_slug(request.GET.get("preset", "")) or PRESETS[0]
    return preset.plan, preset.note


def _create(request: HttpRequest) -> HttpResponse:
    if not request.user.is_authenticated or not may_start(request.user):
        raise PermissionDenied(MAY_NOT_START)
    form, notify, readers = PlanForm(request.POST), NotifyForm(request.POST), PublicationForm(request.POST)
    others: list[Fault] = []  # faults of no field
    if all([form.is_valid(), notify.is_valid(), readers.is_valid()]):
        try:
            run = creation.create_run(form.content(), request.user, notify.content().get("notify"), readers.content())
            return redirect("runners:confirm", pk=run.pk)
        except Refusal as error:
            for fault in error.faults:
                place = place_of(fault.pointer)
                if not any(part.take(place, fault.detail) for part in (form, notify, readers)):
                    others.append(fault)
    return _page(request, form, others, notify=notify, readers=readers, status=400)


def _page(
    request: HttpRequest,
    form: PlanForm,
    faults: Sequence[Fault] = (),
    *,
    notify: NotifyForm | None = None,
    readers: PublicationForm | None = None,
    note: str = "",
    status: int = 200,
) -> HttpResponse:
    cost, no_estimate = None, list[str]()
    if not form.is_bound and request.user.is_authenticated:
        values = {field.html_name: field.value() for field in form}
        filled_in = {name: value for name, value in values.items() if value not in (None, "")}
        cost, no_estimate = _estimate(PlanForm(filled_in))
    notify, readers = notify or NotifyForm(), readers or PublicationForm()
    context = {
        "form": form,
        "groups": [
            *((title, [form[name] for name in fields]) for title, fields in GROUPS.items()),
            ("Who may see the run and its result", list(readers)),
            ("Notifications", list(notify)),
        ],
        "has_field_errors": bool(form.errors or notify.errors or readers.errors),
        "faults": [*faults, *(Fault("#", str(error)) for error in form.non_field_errors())],
        "note": note,
        "presets": offered_presets(),
        "cost": cost and cost.as_json(),
        "no_estimate": no_estimate,
        "may_start": may_start(request.user),
        "may_not_start": MAY_NOT_START,
        "not_on_this_machine": NOT_ON_THIS_MACHINE if _is_kept_from_this_machine(request.user) else "",
    }
    return render(request, "runners/new.html", context, status=status)


def _is_kept_from_this_machine(user: User | AnonymousUser) -> bool:
    return user.is_authenticated and any(not may_run_on(provider, user) for provider in offered())


def _estimate(form: PlanForm) -> tuple[Estimate | None, list[str]]:
    """The cost of the form's plan, or the reasons why it is not known."""
    if not form.is_valid():
        return None, [f"{form.fields[name].label}: {errors[0]}" for name, errors in form.errors.items()]
    try:
        return creation.estimate_of(creation.validated(form.content())), []
    except Refusal as error:
        return None, [f"{fault.detail} ({fault.pointer.removeprefix('#/')})" for fault in error.faults]

"""A new run: cards to start from, the form with its live estimate, then the page that confirms it."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from benchsite.http.from_data import not_shared
from benchsite.http.refusals import Fault, Refusal
from runners import creation
from runners.choices import RunStatus
from runners.creation import MAY_NOT_START, may_start
from runners.models import Run
from runners.plans.cell_plans import cell_plan
from runners.plans.estimate import Estimate
from runners.plans.form import NotifyForm, PlanForm
from runners.plans.offers import Offer, offer_named, offers_of, regions_of
from runners.plans.presets import PRESETS, card_of, comparison_by_slug, offered_cards, preset_by_slug
from runners.plans.reproduce import clouds_beside, plan_like
from runners.views.allowance import allowance_of
from submissions.formatting.text import plural
from submissions.models import MAX_ID, Submission
from submissions.questions.coverage.runs import RunKey
from submissions.records.unpublished import for_its_readers, link_keys
from submissions.upload.document_form import place_of
from submissions.upload.publication_form import PublicationForm

_REGION = re.compile(r"[a-z0-9-]{1,50}")
TYPED = "typed plan"  # in the session: what somebody has typed before signing in
MOST_TYPED = 100_000  # characters
CELL_NOTE = "Filled in from an empty cell of the coverage map."
_COUNT = re.compile(r"[0-9]{1,6}")


@not_shared("a form")
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """The form, filled in from a preset, from a run or from a submission to reproduce."""
    if request.method == "POST":
        return _create(request) if request.user.is_authenticated else _sign_in_first(request)
    if request.user.is_authenticated and (typed := request.session.pop(TYPED, None)):
        forms = PlanForm(typed), NotifyForm(typed), PublicationForm(typed)
        return _page(request, forms[0], notify=forms[1], readers=forms[2], note="Filled in as before you signed in.")
    like, run = _submission_like(request), _run_again(request)
    content, note = _initial(request, like, run)
    response = _page(request, PlanForm(initial=PlanForm.initial_of(content)), note=note, like=like)
    source = like or run
    return for_its_readers(response, source) if source else response


@require_POST
def fields(request: HttpRequest) -> HttpResponse:
    """The form again, with the fields of the provider and the tool that were chosen."""
    typed = request.POST.dict()
    form = PlanForm(initial=PlanForm.initial_of_choice(typed))
    return _page(request, form, notify=NotifyForm(initial=typed), readers=PublicationForm(initial=typed))


@not_shared("a form")
@require_safe
def types(request: HttpRequest) -> HttpResponse:
    """The instance types of a region, for the list beside the field (htmx)."""
    return render(request, "runners/_types.html", {"types": _offers(PlanForm(request.GET), request.GET)})


@login_required
@require_POST
def prepare(request: HttpRequest) -> HttpResponse:
    """All plans of a comparison at once; each is confirmed on its own page."""
    if not may_start(request.user):
        raise PermissionDenied(MAY_NOT_START)
    card = comparison_by_slug(request.POST.get("card", ""))
    if card is None or not isinstance(request.user, User):
        raise Http404
    try:
        with transaction.atomic():
            for preset in card.presets:
                creation.create_run(preset.plan, request.user)
    except Refusal as error:
        messages.error(request, f"{card.title} cannot be planned on this site: {error}")
        return redirect("runners:new")
    messages.success(request, f"{len(card.presets)} plans are ready. Nothing has started: review the cost of each.")
    return redirect(f"{reverse('runners:list')}?status=planned&mine=true")


@login_required
@require_POST
def live_estimate(request: HttpRequest) -> HttpResponse:
    """The estimate alone, for the current content of the form (htmx)."""
    form = PlanForm(request.POST)
    cost, faults = _estimate(form)
    offers = _offers(form, request.POST)
    context = {
        "cost": cost and cost.as_json(),
        "faults": faults,
        "hints": _type_hints(form, request.POST, offers),
        "needs": _needs(form, request.POST, offers),
    }
    return render(request, "runners/_estimate.html", context)


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
    obstacle = ""
    if not faults:
        try:
            obstacle = creation.obstacle_of(run)
        except Refusal as error:
            faults = error.faults
    cost = {**(run.estimate or {}), "obstacle": ""}  # it is above the button
    context = {"run": run, "cost": cost, "faults": faults, "obstacle": obstacle}
    return render(request, "runners/confirm.html", context, status=400 if faults else 200)


def _submission_like(request: HttpRequest) -> Submission | None:
    """The one to reproduce: ?like=4. Raises Http404."""
    pk = _id_of(request.GET.get("like", ""))
    if pk is None:
        return None
    return get_object_or_404(Submission.objects.by_link(request.user, link_keys(request.GET)), pk=pk)


def _run_again(request: HttpRequest) -> Run | None:
    """The one whose plan is wanted again: ?again=4. Raises Http404."""
    pk = _id_of(request.GET.get("again", ""))
    if pk is None:
        return None
    return get_object_or_404(Run.objects.by_link(request.user, link_keys(request.GET)), pk=pk)


def _id_of(text: str) -> int | None:
    is_id = text.isascii() and text.isdigit() and len(text) <= len(str(MAX_ID))
    return int(text) if is_id else None


def _initial(request: HttpRequest, like: Submission | None, run: Run | None) -> tuple[Mapping[str, Any], str]:
    """The plan that fills in the form, and a note about it."""
    if like:
        return plan_like(like, provider=request.GET.get("provider") or None)
    if run:
        return run.plan, f"Filled in from run {run.pk}."
    if plan := cell_plan(**{name: request.GET.get(name, "") for name in RunKey._fields}):
        return plan, CELL_NOTE
    preset = preset_by_slug(request.GET.get("preset", ""))
    if preset:
        return preset.plan, card_of(preset).note
    first = next((preset for card in offered_cards() for preset in card.presets), PRESETS[0])
    return first.plan, card_of(first).note


def _sign_in_first(request: HttpRequest) -> HttpResponse:
    """The fields wait in the session until the reader has signed in; without them where they are too long."""
    names = {*PlanForm.base_fields, *NotifyForm.base_fields, *PublicationForm.base_fields}
    typed = {name: value for name, value in request.POST.items() if name in names}
    if sum(map(len, typed.values())) <= MOST_TYPED:
        request.session[TYPED] = typed
    return redirect_to_login(reverse("runners:new"))


def _create(request: HttpRequest) -> HttpResponse:
    if not isinstance(request.user, User) or not may_start(request.user):
        raise PermissionDenied(MAY_NOT_START)
    form, notify, readers = PlanForm(request.POST), NotifyForm(request.POST), PublicationForm(request.POST)
    parts = form, notify, readers
    errors = [part.errors for part in parts]  # of all: each is read
    are_readable = not any(errors)
    order = form.content(), request.user, notify.content().get("notify"), readers.content()
    others: list[Fault] = []  # faults of no field
    try:
        if are_readable:
            return redirect("runners:confirm", pk=creation.create_run(*order).pk)
        creation.judged(*order)
    except Refusal as error:
        for fault in error.faults:
            place = place_of(fault.pointer)
            if not are_readable and not any(part.has_faultless(place) for part in parts):
                continue  # it may follow from a field that could not be read
            if not any(part.take(place, fault.detail) for part in parts):
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
    like: Submission | None = None,
    status: int = 200,
) -> HttpResponse:
    notify, readers = notify or NotifyForm(), readers or PublicationForm()
    context = {
        **_plan_part(request, form),
        "groups": [
            *form.groups(),
            ("Who may see the run and its result", list(readers)),
            ("Notifications", list(notify)),
        ],
        "has_field_errors": bool(form.errors or notify.errors or readers.errors),
        "faults": [*faults, *(Fault("#", str(error)) for error in form.non_field_errors())],
        "note": note,
        "like": like,
        "clouds": [slug for slug in clouds_beside(like.provider) if slug != form.chosen_provider] if like else (),
        "cards": offered_cards(),
        "chosen": request.GET.get("preset", ""),
        "allowance": allowance_of(request.user),
        "may_start": may_start(request.user),
        "may_not_start": MAY_NOT_START,
    }
    return render(request, "runners/new.html", context, status=status)


def _plan_part(request: HttpRequest, form: PlanForm) -> dict[str, Any]:
    """The form with what it suggests, and the cost of a plan that was not sent yet."""
    values = {field.html_name: field.value() for field in form}
    offers = _offers(form, values)
    for name, hint in _type_hints(form, values, offers).items():
        form[name].help_text = hint
    cost, no_estimate = None, list[str]()
    if request.user.is_authenticated and (not form.is_bound or form.is_valid()):
        filled_in = {name: value for name, value in values.items() if value not in (None, "")}
        cost, no_estimate = _estimate(form if form.is_bound else PlanForm(filled_in))
    return {
        "form": form,
        "regions": regions_of(form.chosen_provider) if "region" in form.fields else (),
        "types": offers,
        "needs": _needs(form, values, offers),
        "cost": cost and cost.as_json(),
        "no_estimate": no_estimate,
    }


def _offers(form: PlanForm, values: Mapping[str, Any]) -> list[Offer]:
    """The types of the region as it was typed; none where a plan chooses none."""
    if "region" not in form.fields:
        return []
    region = str(values.get("region") or "").strip()
    return offers_of(form.chosen_provider, region if _REGION.fullmatch(region) else None, on=timezone.now().date())


def _type_hints(form: PlanForm, values: Mapping[str, Any], offers: Sequence[Offer]) -> dict[str, str]:
    """What is known of the instance type in each field."""
    names = [name for name in ("database_type", "client_type") if name in form.fields]
    chosen = {name: str(values.get(name) or "").strip() for name in names}
    return {name: _hint(value, offer_named(offers, value)) for name, value in chosen.items()}


def _needs(form: PlanForm, values: Mapping[str, Any], offers: Sequence[Offer]) -> str:
    """The machines and processors of the plan, which the account's quota in the region must allow; "" if unknown."""
    if "client_type" not in form.fields:
        return ""
    vcpus = machines = 0
    for role in ("database", "client"):
        offer = offer_named(offers, str(values.get(f"{role}_type") or "").strip())
        count = str(values.get(f"{role}_count") or 1)
        if offer is None or not offer.vcpus or not _COUNT.fullmatch(count):
            return ""
        machines, vcpus = machines + int(count), vcpus + int(count) * offer.vcpus
    return f"{plural(machines, 'machine')} with {plural(vcpus, 'vCPU')} together: the account's quota must allow them."


def _hint(name: str, offer: Offer | None) -> str:
    if not name:
        return "Type to search: the list shows vCPUs, memory and price."
    return f"{offer}" if offer else "Not in the price list of this region: its price is unknown."


def _estimate(form: PlanForm) -> tuple[Estimate | None, list[str]]:
    """The cost of the form's plan, or the reasons why it is not known."""
    if not form.is_valid():
        return None, [f"{form.fields[name].label}: {errors[0]}" for name, errors in form.errors.items()]
    try:
        return creation.estimate_of(creation.validated(form.content())), []
    except Refusal as error:
        return None, [f"{fault.detail} ({fault.pointer.removeprefix('#/')})" for fault in error.faults]

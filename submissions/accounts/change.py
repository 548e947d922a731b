"""The page on which an owner changes who sees a submission, what it supersedes, and adds missing facts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from benchsite.http.refusals import Fault, Refusal
from submissions import facts
from submissions.api.number_fields import NumberField, OrdinalField, WholeNumberField
from submissions.choices import Role
from submissions.ingest.changes.change import change as change_submission
from submissions.ingest.changes.change import may_add_facts
from submissions.models import MAX_ID, Submission
from submissions.upload.document_form import Place, place_of
from submissions.upload.form import FactsForm, GroupForm
from submissions.upload.publication_form import PublicationForm

_STATED_ALWAYS = ("role", "count", "instance_type", "pricing_model")


class ChangeForm(PublicationForm):
    supersedes = OrdinalField(
        label="Supersedes",
        required=False,
        min_value=1,
        max_value=MAX_ID,
        help_text="Number of your older submission that this one replaces: it leaves all lists, its page links here.",
    )

    places = {**PublicationForm.places, "supersedes": ("supersedes",)}

    def wanted(self) -> dict[str, Any]:
        """What the form changes; an emptied field takes its value away. The form was validated."""
        empty = {"embargo_until": None, "supersedes": None}
        return {**empty, **self.content()}


class MachineForm(GroupForm):
    """The facts of a stored group of machines that its document lacks."""

    vcpus = WholeNumberField(label=facts.VCPUS.label_with_unit, required=False, min_value=1, max_value=10_000)
    memory_gib = NumberField(unit="GiB", label=facts.MEMORY.label_with_unit, required=False, min_value=0)

    places = {**GroupForm.places, "vcpus": ("vcpus",), "memory_gib": ("memory_gib",)}

    def __init__(self, data: Any, *, index: int, group: Mapping[str, Any], is_priced: bool):
        """`group` is the one in the document with this index; load clients that it lacks have a role only."""
        super().__init__(data, prefix=f"nodes-{index}")
        self.is_new = "count" not in group
        if self.is_new:
            self.title = "Load clients, not stated yet"
            del self.fields["role"]
            return
        self.title = Role(group["role"]).label.capitalize() + f", {group['count']} × {group['instance_type']}"
        for name, place in self.places.items():
            # the first disk's fields belong together: disks are stated as a whole
            is_stated = group.get(str(place[0])) not in (None, "", [], ())
            if name in _STATED_ALWAYS or is_stated or (name == "hourly_usd" and is_priced):
                del self.fields[name]

    def content(self) -> dict[str, Any]:
        own = super().content()
        return {"role": Role.CLIENT.value, **own} if self.is_new else own


@dataclass(frozen=True, slots=True)
class ChangeForms:
    readers: ChangeForm
    facts: FactsForm | None
    machines: list[MachineForm]  # one for each group of nodes

    def are_valid(self) -> bool:
        shown = (self.readers, self.facts, *self.machines)
        valid = [form.is_valid() for form in shown if form is not None]  # each collects its errors
        return all(valid)

    def wanted(self) -> dict[str, Any]:
        """All changes, as the body of PATCH. The forms were validated."""
        content = {**self.readers.wanted(), **(self.facts.content() if self.facts else {})}
        groups = [machine.content() for machine in self.machines if not (machine.is_new and machine.is_blank)]
        return {**content, "nodes": groups} if any(groups) else content

    def take(self, fault: Fault) -> bool:
        """Show the fault at its field; False when it has none."""
        match place_of(fault.pointer):
            case ("nodes", int(index), *rest) if index < len(self.machines):
                return self.machines[index].take(tuple(rest), fault.detail)
            case place:
                both = (self.readers, self.facts)
                return any(form.take(place, fault.detail) for form in both if form is not None)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def change(request: HttpRequest, pk: int) -> HttpResponse:
    own = Submission.objects.filter(submitted_by=request.user.pk, retracted_at=None)
    submission = get_object_or_404(own, pk=pk)
    if request.method != "POST":
        page_forms = ChangeForms(ChangeForm(initial=_initial(submission)), *_forms_of_facts(submission))
        return _page(request, submission, page_forms)
    page_forms = ChangeForms(ChangeForm(request.POST), *_forms_of_facts(submission, request.POST))
    others: list[Fault] = []
    if page_forms.are_valid():
        try:
            change_submission(submission, page_forms.wanted(), by=request.user)  # type: ignore[arg-type] # signed in
            messages.success(request, "Saved.")
            return redirect(submission)
        except Refusal as error:
            others = [fault for fault in error.faults if not page_forms.take(fault)]
    return _page(request, submission, page_forms, others, status=400)


def _initial(submission: Submission) -> dict[str, Any]:
    return {
        "visibility": submission.visibility,
        "embargo_until": submission.embargo_until,
        "supersedes": submission.supersedes_id,
    }


def _forms_of_facts(submission: Submission, data: Any = None) -> tuple[FactsForm | None, list[MachineForm]]:
    """The fields of what the document lacks; none when nothing can be added any more."""
    if not may_add_facts(submission):
        return None, []
    form = FactsForm(data)
    for name, place in FactsForm.places.items():
        if _stated(submission.document, place):
            del form.fields[name]
    priced = set(submission.node_groups.exclude(node_hourly_usd=None).values_list("position", flat=True))
    return form if form.fields else None, _machine_forms(submission.document, data, priced)


def _machine_forms(document: Mapping[str, Any], data: Any, priced: set[int]) -> list[MachineForm]:
    """One for each group of the document, in its order, and for clients where it has none.

    `priced` are the indexes of those that have a price.
    """
    groups = list(document.get("nodes", ()))
    if not any(group["role"] == Role.CLIENT for group in groups):
        groups.append({"role": Role.CLIENT.value})
    return [
        MachineForm(data, index=index, group=group, is_priced=index in priced) for index, group in enumerate(groups)
    ]


def _stated(document: Any, place: Place) -> bool:
    for part in place:
        document = document.get(part) if isinstance(document, Mapping) else None
    return document not in (None, "", [], {})


def _page(
    request: HttpRequest,
    submission: Submission,
    page_forms: ChangeForms,
    faults: list[Fault] | None = None,
    status: int = 200,
) -> HttpResponse:
    context = {
        "form": page_forms.readers,
        "facts": page_forms.facts,
        "machines": [machine for machine in page_forms.machines if machine.fields],
        "submission": submission,
        "faults": faults,
        "changes": submission.changes.all(),
    }
    return render(request, "account/change.html", context, status=status)

"""The page on which an owner changes who sees a submission, what it supersedes, and adds missing facts."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from benchsite.refusals import Fault, Refusal
from submissions.ingest.change import change as change_submission
from submissions.ingest.change import may_add_facts
from submissions.models import MAX_ID, Submission
from submissions.upload.document_form import Place, place_of
from submissions.upload.form import FactsForm
from submissions.upload.publication_form import PublicationForm


class ChangeForm(PublicationForm):
    supersedes = forms.IntegerField(
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


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def change(request: HttpRequest, pk: int) -> HttpResponse:
    own = Submission.objects.filter(submitted_by=request.user.pk, retracted_at=None)
    submission = get_object_or_404(own, pk=pk)
    if request.method != "POST":
        return _page(request, submission, ChangeForm(initial=_initial(submission)), _facts_form(submission))
    form, facts = ChangeForm(request.POST), _facts_form(submission, request.POST)
    others: list[Fault] = []
    if form.is_valid() and (facts is None or facts.is_valid()):
        try:
            wanted = {**form.wanted(), **(facts.content() if facts else {})}
            change_submission(submission, wanted, by=request.user)  # type: ignore[arg-type] # signed in
            messages.success(request, "Saved.")
            return redirect(submission)
        except Refusal as error:
            others = [fault for fault in error.faults if not _take(fault, form, facts)]
    return _page(request, submission, form, facts, others, status=400)


def _initial(submission: Submission) -> dict[str, Any]:
    return {
        "visibility": submission.visibility,
        "embargo_until": submission.embargo_until,
        "supersedes": submission.supersedes_id,
    }


def _facts_form(submission: Submission, data: Any = None) -> FactsForm | None:
    """The fields of what the document lacks; None when nothing can be added any more."""
    if not may_add_facts(submission):
        return None
    form = FactsForm(data)
    for name, place in FactsForm.places.items():
        if _stated(submission.document, place):
            del form.fields[name]
    return form if form.fields else None


def _stated(document: Any, place: Place) -> bool:
    for part in place:
        document = document.get(part) if isinstance(document, Mapping) else None
    return document not in (None, "", [], {})


def _take(fault: Fault, form: ChangeForm, facts: FactsForm | None) -> bool:
    place = place_of(fault.pointer)
    for each in (form, facts):
        if each is not None and any(own[: len(place)] == place or place[: len(own)] == own for own in _places(each)):
            return each.take(place, fault.detail)
    return False


def _places(form: forms.Form) -> list[Place]:
    return [place for name, place in getattr(form, "places", {}).items() if name in form.fields]


def _page(
    request: HttpRequest,
    submission: Submission,
    form: ChangeForm,
    facts: FactsForm | None,
    faults: list[Fault] | None = None,
    status: int = 200,
) -> HttpResponse:
    context = {
        "form": form,
        "facts": facts,
        "submission": submission,
        "faults": faults,
        "changes": submission.changes.all(),
    }
    return render(request, "account/change.html", context, status=status)

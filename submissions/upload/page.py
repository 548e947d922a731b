"""Uploading a log by the form: choose files, see what was understood, complete the facts, save."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.forms import BaseFormSet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from benchsite.refusals import Fault, Refusal, UploadTooLarge
from submissions.formatting.meanings import FLAG_MEANINGS
from submissions.ingest import uploads
from submissions.ingest.parsers import PARSERS
from submissions.ingest.pipeline import Prepared
from submissions.ingest.store import Stored
from submissions.models import Upload
from submissions.pricing.cost import ops_per_usd
from submissions.upload import preview as upload_preview
from submissions.upload import suggestions
from submissions.upload.form import (
    FactsForm,
    GroupFormSet,
    first_content,
    groups_initial,
    hint_node_count,
    metadata_of,
    place_faults,
)
from submissions.upload.preview import Preview

MOST_TRIAL_CHARACTERS = 100


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """The first step; who is not signed in sees what it does."""
    if request.method != "POST":
        return _choose_files(request)
    if not request.user.is_authenticated:
        return redirect_to_login(request.path)
    try:
        upload = uploads.stage(request.FILES.getlist("log"), {}, owner=request.user)
    except Refusal as error:
        status = 413 if isinstance(error, UploadTooLarge) else 400
        return _choose_files(request, error.faults, status)
    try:
        upload_preview.check_readable(upload)
    except Refusal as error:
        upload.delete()  # nothing can become of it: no fact that the uploader adds makes it readable
        return _choose_files(request, error.faults, 400)
    return redirect("submissions:preview", pk=upload.pk)


def _choose_files(request: HttpRequest, faults: Sequence[Fault] = (), status: int = 200) -> HttpResponse:
    context = {"faults": faults, "formats": [parser.label for parser in PARSERS]}
    return render(request, "submissions/upload/page.html", context, status=status)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def preview(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The second step: what was understood, and the form for what is missing."""
    upload = get_object_or_404(Upload, pk=pk, owner=request.user)
    if upload.status == Upload.Status.DONE and (saved := upload.submissions.order_by("pk").first()):
        return redirect(saved)
    if request.method != "POST":
        return _first_look(request, upload)
    facts, groups = FactsForm(request.POST), GroupFormSet(request.POST, prefix="nodes")
    _take_trials(request, upload)
    if not (facts.is_valid() & groups.is_valid()):
        return _page(request, upload, upload_preview.preview(upload, {}), facts, groups, status=400)
    return _checked(request, upload, facts, groups)


def _first_look(request: HttpRequest, upload: Upload) -> HttpResponse:
    shown = upload_preview.preview(upload, upload.metadata)
    clients = shown.trials[0][0].client_count if shown.trials else None
    given = upload.metadata or first_content(shown.from_log, clients=clients or 1)
    facts = FactsForm(initial=FactsForm.initial_of(given))
    groups = GroupFormSet(initial=groups_initial(given), prefix="nodes")
    # before the uploader was asked nothing is wrong, only missing
    left = list(shown.faults) if upload.metadata or not shown.trials else []
    return _page(request, upload, shown, facts, groups, left)


def _checked(request: HttpRequest, upload: Upload, facts: FactsForm, groups: BaseFormSet) -> HttpResponse:
    """Look again with the facts of the form; save when that was asked for and nothing is wrong."""
    action = request.POST.get("action")
    upload.metadata = metadata_of(facts, groups)
    upload.save(update_fields=["metadata", "files"])
    shown = upload_preview.preview(upload, upload.metadata)
    if action == "save" and shown.prepared:
        return _saved(request, uploads.store_prepared(upload, shown.prepared))
    if action == "add":
        return _page(request, upload, shown, facts, _with_one_more(request))
    left = place_faults(shown.faults, facts, groups)
    return _page(request, upload, shown, facts, groups, left, status=400 if action == "save" else 200)


def _with_one_more(request: HttpRequest) -> BaseFormSet:
    data = request.POST.copy()
    data["nodes-TOTAL_FORMS"] = str(int(data["nodes-TOTAL_FORMS"]) + 1)
    return GroupFormSet(data, prefix="nodes")


def _take_trials(request: HttpRequest, upload: Upload) -> None:
    """Which files are clients of one trial, as said in the form."""
    for index, entry in enumerate(upload.files):
        given = request.POST.get(f"trial-{index}")
        if given is not None:
            entry["trial"] = given.strip()[:MOST_TRIAL_CHARACTERS]


def _saved(request: HttpRequest, stored: Sequence[Stored]) -> HttpResponse:
    first = stored[0].submission
    if not stored[0].created:
        messages.info(request, "The same results were here already: this is the first upload of them.")
    elif len(stored) == 1:
        messages.success(request, "Saved. This address will not change.")
    else:
        numbers = ", ".join(f"#{one.submission.pk}" for one in stored)
        messages.success(request, f"Saved as {len(stored)} submissions: {numbers}.")
    return redirect(first)


def _page(
    request: HttpRequest,
    upload: Upload,
    shown: Preview,
    facts: FactsForm,
    groups: BaseFormSet,
    left: Sequence[Fault] = (),
    status: int = 200,
) -> HttpResponse:
    facts.know(shown.from_log)
    hint_node_count(groups, shown.from_log)
    first = shown.prepared[0] if shown.prepared else None
    lines = (
        upload_preview.fact_lines(first)
        if first
        else [line for one in shown.unfinished[:1] for line in upload_preview.lines_of_log(one)]
    )
    context: dict[str, Any] = {
        "upload": upload,
        "shown": shown,
        "facts": facts,
        "groups": groups,
        "faults": left,
        "lines": lines,
        "results": _results(shown),
        "is_complete": bool(shown.prepared),
        "flags": [(flag, FLAG_MEANINGS[flag]) for flag in (first.flags if first else ())],
        "first": first,
        "value": _ops_per_usd(first),
        "suggestions": suggestions.all_lists(),
    }
    return render(request, "submissions/upload/preview.html", context, status=status)


def _ops_per_usd(prepared: Prepared | None) -> Decimal | None:
    if not prepared or not prepared.throughput or prepared.priced.cost.hourly_usd is None:
        return None
    return ops_per_usd(hourly_usd=prepared.priced.cost.hourly_usd, throughput_ops_s=prepared.throughput.mean)


def _results(shown: Preview) -> list[dict[str, Any]]:
    """A row for each trial of each submission that the logs become."""
    return [
        {"submission": number, "trial": place, "result": trial}
        for number, trials in enumerate(shown.trials, start=1)
        for place, trial in enumerate(trials, start=1)
    ]

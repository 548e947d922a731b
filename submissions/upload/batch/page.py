"""Many logs at once: a row for each, the facts once for all, and one button that publishes what is good."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods
from django_htmx.http import HttpResponseClientRefresh

from benchsite.http.refusals import Fault
from submissions.choices import Visibility
from submissions.ingest import batches
from submissions.ingest.batches import MOST_LOGS, BatchLog, Result
from submissions.ingest.secrets.facts import mask_facts
from submissions.models import Upload
from submissions.upload import page, sentences, suggestions
from submissions.upload.batch import sentences as batch_sentences
from submissions.upload.batch.rows import rows_of
from submissions.upload.form import FactsForm
from submissions.upload.metadata_form import MetadataForm
from submissions.upload.preview import preview_of

_EDIT = "edit-"  # of the action that opens the details of one result


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def review(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The table and the form; once something is published, also what became of each log."""
    batch = get_object_or_404(Upload, pk=pk, owner=request.user, batch=None)
    waiting = batch.parts.filter(status__in=(Upload.Status.QUEUED, Upload.Status.RUNNING)).count()
    if waiting:
        return _progress(request, batch, waiting)
    if request.headers.get("HX-Request"):
        return HttpResponseClientRefresh()
    parts = batches.load(batch)
    if not parts:
        return redirect("submissions:preview", pk=pk)
    if not any(part.file is not None for part in parts) and any(part.is_published for part in parts):
        return redirect("submissions:outcome", pk=pk)
    if request.method == "POST":
        return _posted(request, batch, parts)
    if any(part.file is not None and part.upload.result is None for part in parts):
        batches.propose(parts)  # workers have read them
        if _is_one_result(parts):
            return redirect("submissions:preview", pk=batches.joined(batch, parts).pk)
    return _page(request, batch, parts, MetadataForm.showing(batch.metadata, batches.tools_of(parts)))


def _is_one_result(parts: Sequence[BatchLog]) -> bool:
    return all(part.file is not None and part.upload.result == 1 for part in parts)


def _progress(request: HttpRequest, batch: Upload, waiting: int) -> HttpResponse:
    total = batch.parts.count()
    context = {"batch": batch, "total": total, "done": total - waiting}
    template = "_progress.html" if request.headers.get("HX-Request") else "progress.html"
    return render(request, f"submissions/upload/batch/{template}", context)


def _posted(request: HttpRequest, batch: Upload, parts: Sequence[BatchLog]) -> HttpResponse:
    action = request.POST.get("action", "")
    _take_rows(request.POST, parts)
    if action in ("each", "propose"):
        (batches.propose_each if action == "each" else batches.propose)(parts)
    else:
        batches.renumber(parts)
    tools = batches.tools_of(parts)
    form = MetadataForm.posted(request.POST, tools)
    if not form.is_valid():
        return _page(request, batch, parts, form, status=400)
    batch.metadata = mask_facts(form.metadata())
    batch.save(update_fields=["metadata"])
    if action == "publish":
        batches.publish(batch)
        is_any = batch.parts.filter(status=Upload.Status.DONE).exists()
        return redirect("submissions:outcome" if is_any else "submissions:batch", pk=batch.pk)
    if action.startswith(_EDIT) and (number := action.removeprefix(_EDIT)).isdecimal():
        return redirect("submissions:batch-result", pk=batch.pk, number=int(number))
    if action == "add":
        form = MetadataForm.with_one_more_group(request.POST, tools)
    return _page(request, batch, parts, form)


def _take_rows(data: QueryDict, parts: Sequence[BatchLog]) -> None:
    for part in parts:
        upload, number = part.upload, data.get(f"result-{part.upload.position}")
        if part.file is None or number is None:  # a row that the page did not show stays as it was
            continue
        upload.is_chosen = f"chosen-{upload.position}" in data
        upload.result = int(number) if number.strip().isdecimal() and 0 < int(number) <= MOST_LOGS else None
        page.take_duplicates(data, upload, f"duplicate-{upload.position}")
        trial = data.get(f"trial-{upload.position}", "").strip()[: page.MOST_TRIAL_CHARACTERS]
        upload.files = [{**entry, "trial": trial} for entry in upload.files]


def _page(
    request: HttpRequest, batch: Upload, parts: Sequence[BatchLog], form: MetadataForm, status: int = 200
) -> HttpResponse:
    parts = batches.load(batch) if request.method == "POST" else parts  # with the trials as they are stated now
    results = batches.results(batch, parts)
    _know(form, parts)
    common = _common(results)
    if form.facts.is_bound and status == 200:
        form.take_faults(common)
    chosen = form.publication.chosen
    rows = rows_of(parts, results, common)
    ready = sum(row.is_ready for row in rows)
    editable = [row for row in rows if row.is_editable]
    context: dict[str, Any] = {
        "batch": batch,
        "rows": rows,
        "results": results,
        "editable": editable,
        "refused": [row for row in rows if not row.is_editable and not row.part.is_published],
        "has_throughput": any(row.figures.throughput_ops_s for row in editable),
        "has_p99": any(row.figures.latency_p99_ms for row in editable),
        "is_open": any(part.file is not None for part in parts),
        "published": sum(part.is_published for part in parts),
        "finding": batch_sentences.finding(rows, results),
        "lacking": batch_sentences.lacking(common),
        "publish": batch_sentences.publish_button(rows),
        "can_publish": bool(ready),
        "facts": form.facts,
        "groups": form.groups,
        "publication": form.publication,
        "becomes_public": sentences.becomes_public(
            chosen, batch.owner.get_username(), sum(len(result.parts) for result in results)
        ),
        "is_public": chosen.visibility == Visibility.PUBLIC and chosen.embargo_until is None,
        "suggestions": suggestions.all_lists(),
        "most_logs": MOST_LOGS,
    }
    return render(request, "submissions/upload/batch/page.html", context, status=status)


def _know(form: MetadataForm, parts: Sequence[BatchLog]) -> None:
    """Hide the fields that every log answers."""
    logs = [part.file.reading.facts for part in parts if part.file is not None and part.file.reading.trial_sets]
    names = [
        name for name in FactsForm.places if logs and all(getattr(facts, name, None) is not None for facts in logs)
    ]
    form.facts.from_log = frozenset(names)


def _common(results: Sequence[Result]) -> list[Fault]:
    """What more than one result lacks, all that are not ready: shown once, at the fields of all."""
    faulty = [result.faults for result in results if result.faults]
    if len(faulty) < 2:
        return []
    return [fault for fault in faulty[0] if all(fault in faults for faults in faulty)]


@dataclass(frozen=True, slots=True)
class _Details:
    batch: Upload
    result: Result

    @property
    def lead(self) -> Upload:
        return self.result.parts[0].upload

    @property
    def facts(self) -> Mapping[str, Any]:
        return batches.facts_of(self.batch, self.result.parts)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def result_details(request: HttpRequest, pk: UUID, number: int) -> HttpResponse:
    """The facts of one result, where they differ from those of all."""
    batch = get_object_or_404(Upload, pk=pk, owner=request.user, batch=None)
    parts = batches.load(batch)
    result = next((each for each in batches.results(batch, parts) if each.number == number), None)
    if result is None:
        return redirect("submissions:batch", pk=pk)
    details = _Details(batch, result)
    if request.method == "POST":
        return _details_posted(request, details)
    return _details_page(request, details, MetadataForm.showing(details.facts))


def _details_posted(request: HttpRequest, details: _Details) -> HttpResponse:
    form = MetadataForm.posted(request.POST)
    if not form.is_valid():
        return _details_page(request, details, form, status=400)
    shared = batches.shared_facts(details.batch, details.result.parts)
    details.lead.metadata = batches.own_facts(shared, mask_facts(form.metadata()))
    details.lead.save(update_fields=["metadata"])
    match request.POST.get("action"):
        case "save":
            return redirect("submissions:batch", pk=details.batch.pk)
        case "add":
            form = MetadataForm.with_one_more_group(request.POST)
    return _details_page(request, details, form)


def _details_page(request: HttpRequest, details: _Details, form: MetadataForm, status: int = 200) -> HttpResponse:
    preview = preview_of(details.result.files, details.facts, details.batch.created_at)
    faults = form.take_faults(preview.faults) if form.facts.is_bound and status == 200 else ()
    view = page.Review(details.lead, preview, form, faults, batch=details.batch, number=details.result.number)
    return page.review_page(request, view, status)

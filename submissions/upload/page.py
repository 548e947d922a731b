"""Uploading a log by the form: choose files, review what was read, complete the facts, save."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.db import transaction
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods
from django_htmx.http import HttpResponseClientRefresh

from benchsite.http.from_data import not_shared
from benchsite.http.problems import status_of
from benchsite.http.refusals import Conflict, Fault, Refusal, UploadTooLarge
from benchsite.storage import disk
from submissions import tasks
from submissions.api.bodies import has_waited_long
from submissions.api.throttles import seconds_to_wait
from submissions.choices import Flag, Visibility
from submissions.facts import PIPELINE
from submissions.formatting.meanings import FLAG_MEANINGS
from submissions.formatting.text import plural
from submissions.ingest import batches, uploads
from submissions.ingest.batches import MOST_LOGS
from submissions.ingest.checks.duplicates import ALLOW, allows_duplicates, foreseen_duplicates
from submissions.ingest.checks.outliers import with_outliers_flagged
from submissions.ingest.checks.quota import usage_of
from submissions.ingest.files.member import Member
from submissions.ingest.files.open import Unopened, open_each
from submissions.ingest.logs.each import read_each
from submissions.ingest.logs.propose import proposed
from submissions.ingest.logs.read import OfferedFile, ReadFile
from submissions.ingest.parsers import FORMAT_LABELS
from submissions.ingest.pipeline import Prepared
from submissions.ingest.secrets.facts import mask_facts
from submissions.ingest.store import rows
from submissions.ingest.store.data_columns import memory_of
from submissions.models import Submission, Upload
from submissions.pricing.cost import ops_per_usd
from submissions.records.missing import MissingFact, missing_facts
from submissions.upload import sentences, suggestions
from submissions.upload.loads import take_loads
from submissions.upload.metadata_form import MetadataForm, first_metadata
from submissions.upload.preview import Preview, preview_of
from submissions.upload.sent_files import sent_files

MOST_TRIAL_CHARACTERS = 100


@not_shared("a form")
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """The first step; visitors who are not signed in see what it does."""
    if request.method != "POST":
        return _choose_files(request)
    if not isinstance(request.user, User):
        return redirect_to_login(request.path)
    if wait_seconds := seconds_to_wait(request):
        return _too_many(request, wait_seconds)
    try:
        upload = _staged(request, request.user)
    except Refusal as error:
        return _choose_files(request, error.faults, status_of(error))
    return redirect(_address_of(upload))


def _address_of(upload: Upload) -> str:
    """Of the page that reviews it."""
    is_many = not upload.files
    return reverse("submissions:batch" if is_many else "submissions:preview", args=[upload.pk])


def _too_many(request: HttpRequest, wait_seconds: int) -> HttpResponse:
    fault = Fault("#", f"Too many uploads in a short time. Try again in {plural(wait_seconds, 'second')}.")
    answer = _choose_files(request, [fault], 429)
    answer["Retry-After"] = str(wait_seconds)
    return answer


def _staged(request: HttpRequest, owner: User) -> Upload:
    """Small logs are read at once, large ones, and all while the site is busy, by a worker.

    Logs that make one result are an upload, others a batch. Raises Refusal and DiskFull.
    """
    disk.require_space()
    files = sent_files(request)
    opened = open_each(files, MOST_LOGS)
    _refuse_nothing(opened)
    if sum(file.size for file in files) > settings.IMPORT_IN_REQUEST_BYTES or has_waited_long(request):
        return _staged_for_workers(opened, owner)
    read = read_each(opened)
    readable = [each for each in read if isinstance(each, ReadFile)]
    _refuse_nothing(read)
    if len(readable) == len(read) and (len(read) == 1 or len(proposed(readable)) == 1):
        return uploads.stage_readings(readable, owner=owner)
    return batches.stage(read, owner=owner)


def _refuse_nothing(opened: Sequence[Member | ReadFile | Unopened]) -> None:
    """Raises Refusal where there is not one good file, with the reason of each."""
    refused = [each for each in opened if isinstance(each, Unopened)]
    if len(refused) < len(opened):
        return
    kind = UploadTooLarge if any(each.is_too_large for each in refused) else Refusal
    raise kind([Fault("#", each.reason) for each in refused] or [Fault("#/files", "no file was sent")])


def _staged_for_workers(opened: Sequence[Member | Unopened], owner: User) -> Upload:
    if isinstance(opened[0], Member) and len(opened) == 1:
        log = OfferedFile(opened[0])
        with transaction.atomic():
            upload = uploads.stage_logs([log], {}, owner=owner, status=Upload.Status.QUEUED, for_preview=True)
            _deliver(upload)
        return upload
    with transaction.atomic():
        batch = batches.stage_unread(opened, owner=owner)
        for part in batch.parts.filter(status=Upload.Status.QUEUED):
            _deliver(part)
    return batch


def _deliver(upload: Upload) -> None:
    transaction.on_commit(lambda: tasks.deliver(upload.pk))


def _choose_files(request: HttpRequest, faults: Sequence[Fault] = (), status: int = 200) -> HttpResponse:
    # a pointer counts files; the details name them
    context = {
        "faults": [Fault("#", fault.detail) for fault in faults],
        "formats": FORMAT_LABELS,
        "most_logs": MOST_LOGS,
        "most_bytes": settings.MAX_UPLOAD_BYTES,
        "usage": usage_of(request.user) if isinstance(request.user, User) else None,
    }
    return render(request, "submissions/upload/page.html", context, status=status)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def preview(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The second step: what was read, and the form for what is missing; until then the progress of the worker."""
    upload = get_object_or_404(Upload, pk=pk, owner=request.user, batch=None)
    if not upload.files and upload.parts.exists():
        return redirect("submissions:batch", pk=pk)
    if upload.is_waiting:
        return _progress(request, upload)
    if request.headers.get("HX-Request"):
        return HttpResponseClientRefresh()  # of the progress page: there is more to show now
    if upload.status == Upload.Status.DONE and upload.submissions.exists():
        return redirect("submissions:outcome", pk=pk)
    if upload.status == Upload.Status.FAILED:
        return _choose_files(request, [Fault(**error) for error in upload.errors])
    if request.method == "POST":
        return _posted(request, upload)
    return _first_look(request, upload)


def _progress(request: HttpRequest, upload: Upload) -> HttpResponse:
    elapsed = int((timezone.now() - upload.created_at).total_seconds())
    context = {"upload": upload, "elapsed_seconds": elapsed}
    template = "_progress.html" if request.headers.get("HX-Request") else "progress.html"
    return render(request, f"submissions/upload/{template}", context)


def _first_look(request: HttpRequest, upload: Upload) -> HttpResponse:
    result = _preview(upload)
    if result is None:
        return redirect("submissions:preview", pk=upload.pk)
    form = MetadataForm.showing(upload.metadata or first_metadata(result.from_log or {}, clients=result.client_count))
    # before the first check nothing is wrong, only missing
    faults = result.faults if upload.metadata or not result.trials else ()
    return review_page(request, Review(upload, result, form, faults))


def _posted(request: HttpRequest, upload: Upload) -> HttpResponse:
    """Look again with the facts of the form; save if that is the action and nothing is wrong."""
    form = MetadataForm.posted(request.POST)
    action = request.POST.get("action")
    load_faults = _take_trials(request, upload)
    take_duplicates(request.POST, upload)
    is_valid = form.is_valid() and not load_faults
    if is_valid:
        upload.metadata = mask_facts(form.metadata())
        upload.save(update_fields=["metadata", "files"])
    result = _preview(upload, has_facts=is_valid, to_store=action == "save")
    if result is None:
        return redirect("submissions:preview", pk=upload.pk)
    if action == "split" and is_valid and (files := _readings(upload, with_intervals=True)):
        return redirect("submissions:batch", pk=batches.split(upload, files).pk)
    if not is_valid:
        return review_page(request, Review(upload, result, form, load_faults), status=400)
    if action == "save" and result.prepared:
        try:
            uploads.store_prepared(upload, result.prepared)
        except Conflict as error:
            return review_page(request, Review(upload, result, form), status=status_of(error))
        return redirect("submissions:outcome", pk=upload.pk)
    if action == "add":
        return review_page(request, Review(upload, result, MetadataForm.with_one_more_group(request.POST)))
    faults = form.take_faults(result.faults)
    return review_page(request, Review(upload, result, form, faults), status=400 if action == "save" else 200)


def _preview(upload: Upload, *, has_facts: bool = True, to_store: bool = False) -> Preview | None:
    """None where a worker must read the logs again first."""
    try:
        files = _readings(upload, with_intervals=to_store)
    except Refusal as error:
        return Preview(faults=error.faults)
    return None if files is None else preview_of(files, upload.metadata if has_facts else {}, upload.created_at)


def _readings(upload: Upload, *, with_intervals: bool) -> list[ReadFile] | None:
    """The logs as they were read; what cannot be used any more is read again, large logs by a worker.

    Raises Refusal.
    """
    files = uploads.cached_readings(upload, with_intervals=with_intervals)
    if files is not None:
        return files
    if upload.size_bytes <= settings.IMPORT_IN_REQUEST_BYTES:
        return uploads.read_again(upload)
    with transaction.atomic():
        upload.status, upload.for_preview = Upload.Status.QUEUED, True
        upload.save(update_fields=["status", "for_preview"])
        _deliver(upload)
    return None


def _take_trials(request: HttpRequest, upload: Upload) -> Sequence[Fault]:
    """Which files are clients of one trial, and at which loads, as the form states; what is wrong changes nothing."""
    for index, entry in enumerate(upload.files):
        trial = request.POST.get(f"trial-{index}")
        if trial is not None:
            entry["trial"] = trial.strip()[:MOST_TRIAL_CHARACTERS]
    return take_loads(request.POST, upload.files)


def take_duplicates(data: QueryDict, upload: Upload, name: str = "duplicate") -> None:
    """Whether its logs are published again; it is not saved here."""
    upload.files = [{key: value for key, value in entry.items() if key != "duplicate"} for entry in upload.files]
    if data.get(name) == ALLOW:
        upload.files = [{**entry, "duplicate": ALLOW} for entry in upload.files]


@dataclass(frozen=True, slots=True)
class Review:
    upload: Upload
    result: Preview
    form: MetadataForm
    faults: Sequence[Fault] = ()  # those that no field is about
    batch: Upload | None = None  # the result is one of many
    number: int = 0  # in the batch


def review_page(request: HttpRequest, view: Review, status: int = 200) -> HttpResponse:
    result = view.result
    view.form.know(result.from_log or {})
    first = with_outliers_flagged(result.prepared[0], view.upload.owner) if result.prepared else None
    chosen = view.form.publication.chosen
    context: dict[str, Any] = {
        "upload": view.upload,
        "batch": view.batch,
        "number": view.number,
        "preview": result,
        "facts": view.form.facts,
        "groups": view.form.groups,
        "publication": view.form.publication,
        "becomes_public": sentences.becomes_public(chosen, view.upload.owner.get_username(), len(view.upload.files)),
        "is_public": chosen.visibility == Visibility.PUBLIC and chosen.embargo_until is None,
        "faults": view.faults,
        "lines": result.lines,
        "results": _results(result),
        "finding": sentences.finding(result),
        "several": sentences.several_submissions(result),
        "about_curve": sentences.load_curve(result),
        "has_pipelines": any(row["pipeline"] for row in _results(result)),
        "is_curve": any(row["result"].offered_ops_s for row in _results(result)),
        "no_price": sentences.no_price(first) if first else "",
        "about_date": sentences.about_date(first) if first else "",
        "missing": _missing_facts(first) if first else [],
        "is_complete": first is not None,
        "duplicates": foreseen_duplicates(result.prepared, view.upload.owner),
        "may_repeat_logs": allows_duplicates(view.upload),
        "flags": [(flag, FLAG_MEANINGS[flag]) for flag in (first.flags if first else ())],
        "first": first,
        "value": _ops_per_usd(first),
        "suggestions": suggestions.all_lists(),
    }
    return render(request, "submissions/upload/preview.html", context, status=status)


def _missing_facts(prepared: Prepared) -> list[MissingFact]:
    return missing_facts(Submission(**rows.submission_columns(prepared, memory_of([prepared.content]))))


def _ops_per_usd(prepared: Prepared | None) -> Decimal | None:
    if not prepared or not prepared.throughput or prepared.priced.cost.hourly_usd is None:
        return None
    if Flag.THROTTLED in prepared.flags:
        return None
    return ops_per_usd(hourly_usd=prepared.priced.cost.hourly_usd, throughput_ops_s=prepared.throughput.mean)


def _results(result: Preview) -> list[dict[str, Any]]:
    """A row for each trial of each submission that the logs become."""
    return [
        {"submission": number, "trial": place, "result": trial, "pipeline": each.facts.get(PIPELINE.place)}
        for number, each in enumerate(result.unfinished, start=1)
        for place, trial in enumerate(each.trials, start=1)
    ]

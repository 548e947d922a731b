"""Taking bytes away: raw files leave the storage and free text its rows; names, sums and figures stay."""

from collections.abc import Mapping
from typing import Any

from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone

from submissions.ingest.files import storage
from submissions.models import Artifact, IntervalCurves, Submission, Upload

# Keys of a submission document whose values are free text of the submitter.
FREE_TEXT = ("title", "notes", "source", "source_url")
FREE_TEXT_OF_WORKLOAD = ("command",)
UNFINISHED = (Upload.Status.STAGED, Upload.Status.QUEUED, Upload.Status.RUNNING)


def remove_bytes(submission: Submission) -> None:
    """Blank the free text, and delete the raw files that no other submission and no upload in progress has.

    Call it in the transaction of the decision: files are deleted only after it is committed.
    """
    _blank(submission)
    removed = submission.artifacts.filter(removed_at=None)
    sums = set(removed.values_list("sha256", flat=True))
    removed.update(removed_at=timezone.now())
    IntervalCurves.objects.filter(artifact__submission=submission).delete()  # after: see stored_curves.py
    for upload in submission.upload_set.all():
        storage.delete_scratch(f"readings/{upload.pk}.json.gz")
    submission.upload_set.update(metadata={})
    transaction.on_commit(lambda: _delete_unused(sums))


def shared_with(submission: Submission) -> list[int]:
    """Other submissions that still have one of its files: they keep the bytes alive."""
    sums = submission.artifacts.values("sha256")
    others = Artifact.objects.filter(sha256__in=sums, removed_at=None).exclude(submission=submission)
    return sorted(set(others.values_list("submission_id", flat=True)))


def _blank(submission: Submission) -> None:
    document: dict[str, Any] = {**submission.document, "settings": {}}
    document |= {name: "" for name in FREE_TEXT if document.get(name)}
    workload = document.get("workload") or {}
    document["workload"] = {**workload, **{name: None for name in FREE_TEXT_OF_WORKLOAD if workload.get(name)}}
    if document.get("bill"):
        document["bill"], submission.bill = _without_labels(document["bill"]), _without_labels(submission.bill or {})
    submission.document = document
    submission.title = f"Result {submission.pk}"
    submission.notes = submission.source = submission.source_url = ""
    submission.save(update_fields=["document", "bill", "title", "notes", "source", "source_url"])


def _without_labels(bill: Mapping[str, Any]) -> dict[str, Any]:
    """Its figures stay."""
    items = [{**item, "label": f"item {number}"} for number, item in enumerate(bill.get("items", ()), start=1)]
    return {**bill, "items": items}


def _delete_unused(sums: set[str]) -> None:
    used = set(Artifact.objects.filter(sha256__in=sums, removed_at=None).values_list("sha256", flat=True))
    for files in Upload.objects.filter(status__in=UNFINISHED).values_list("files", flat=True):
        used |= {entry["sha256"] for entry in files}
    for sha256 in sums - used:
        default_storage.delete(Artifact(sha256=sha256).storage_name)

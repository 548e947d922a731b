"""Raw files as responses: always a download, never something that a browser would show or run."""

from django.core.exceptions import SuspiciousFileOperation
from django.http import FileResponse, Http404, HttpRequest
from django.http.response import HttpResponseBase
from rest_framework.request import Request

from benchsite.http.problems import gone
from submissions.choices import Outcome
from submissions.ingest.files import storage
from submissions.models import Artifact, ModerationDecision, Submission, is_moderator


def response_of(artifact: Artifact, request: HttpRequest) -> HttpResponseBase:
    """Streams the stored bytes under the artifact's name; 410 with the reason where they were taken away.

    Http404 when they are not there.
    """
    if reason := _why_gone(artifact, request):
        return gone(request, reason)
    is_open = artifact.submission.is_public and not artifact.submission.retracted_at
    return download(artifact.sha256, artifact.name, artifact.size_bytes, is_open=is_open)


def download(sha256: str, name: str, size_bytes: int, *, is_open: bool) -> FileResponse:
    """Streams the stored bytes of this sum; Http404 when they are not there."""
    try:
        stored = storage.open_stored(sha256)
    except (FileNotFoundError, SuspiciousFileOperation) as error:
        raise Http404("the bytes of this file are not in the storage") from error
    response = FileResponse(
        stored,
        as_attachment=True,
        filename=name.replace("\\", "/").rsplit("/", 1)[-1] or "artifact",
        content_type="application/octet-stream",
    )
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["ETag"] = f'"{sha256}"'
    # the bytes never change, but they may be taken away
    response["Cache-Control"] = "public, max-age=600" if is_open else "private, no-store"
    response["Content-Length"] = str(size_bytes)
    return response


def _why_gone(artifact: Artifact, request: HttpRequest) -> str | None:
    submission = artifact.submission
    if artifact.removed_at:
        removal = ModerationDecision.objects.filter(submission=submission, outcome=Outcome.BYTES_REMOVED).first()
        return f"A moderator removed this file: {removal.reason if removal else 'no reason was recorded'}"
    return why_withheld(submission, request)


def why_withheld(submission: Submission, request: HttpRequest | Request) -> str | None:
    """Why the caller does not get the raw files of a submission whose page is open to them."""
    is_owner = request.user.is_authenticated and submission.submitted_by_id == request.user.pk
    if submission.retracted_at and not is_owner and not is_moderator(request.user):
        return f"The result was retracted, and its raw files with it: {submission.retraction_reason}"
    return None

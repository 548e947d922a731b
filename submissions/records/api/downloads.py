"""Hands out raw files: always as a download, never as something a browser would show or run."""

from django.http import FileResponse, HttpRequest
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from submissions.models import Artifact
from submissions.records.downloads import response_of


@require_safe
def download(request: HttpRequest, pk: int, artifact: int) -> FileResponse:
    """The bytes of an artifact of submission `pk`."""
    return response_of(get_object_or_404(Artifact, pk=artifact, submission_id=pk))

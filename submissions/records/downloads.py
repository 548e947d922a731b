"""Raw files as responses: always a download, never something that a browser would show or run."""

from django.core.exceptions import SuspiciousFileOperation
from django.http import FileResponse, Http404

from submissions.ingest.files import storage
from submissions.models import Artifact


def response_of(artifact: Artifact) -> FileResponse:
    """Streams the stored bytes under the artifact's name. Http404 when they are not there."""
    try:
        stored = storage.open_stored(artifact.sha256)
    except (FileNotFoundError, SuspiciousFileOperation) as error:
        raise Http404("the bytes of this file are not in the storage") from error
    response = FileResponse(
        stored,
        as_attachment=True,
        filename=artifact.name.replace("\\", "/").rsplit("/", 1)[-1] or "artifact",
        content_type="application/octet-stream",
    )
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["ETag"] = f'"{artifact.sha256}"'
    response["Cache-Control"] = "public, max-age=31536000, immutable"
    response["Content-Length"] = str(artifact.size_bytes)
    return response

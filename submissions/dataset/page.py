"""The dataset: its newest dump with what is in it, and the files."""

from django.core.files.storage import default_storage
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_safe

from submissions.dataset.schema import TABLES
from submissions.dataset.write import FOLDER, KEPT
from submissions.models import Dataset

LATEST = "latest"


@require_safe
def data(request: HttpRequest) -> HttpResponse:
    newest, *older = [*Dataset.objects.all()[:KEPT]] or [None]
    context = {
        "newest": newest,
        "older": older,
        "tables": TABLES,
        "kept": KEPT,
        "address": request.build_absolute_uri(request.path),
        "submissions": next((file["rows"] for file in newest.files if file["name"] == "submissions.parquet"), None)
        if newest
        else None,
    }
    return render(request, "submissions/dataset/page.html", context)


@require_safe
def download(request: HttpRequest, stamp: str, name: str) -> HttpResponseBase:
    """A file of a dump, byte for byte; /data/latest/... leads to the newest dump's."""
    if stamp == LATEST:
        newest = Dataset.objects.first()
        if newest is None or not _file(newest, name):
            raise Http404("There is no dump with such a file yet.")
        return redirect("submissions:dataset_file", stamp=newest.stamp, name=name)
    dump = get_object_or_404(Dataset, folder=f"{FOLDER}/{stamp}")
    file = _file(dump, name)
    if file is None:
        raise Http404("This dump has no such file.")
    try:
        stored = default_storage.open(file["stored_as"])
    except FileNotFoundError as error:
        raise Http404("The bytes of this file are not in the storage.") from error
    return FileResponse(
        stored,
        as_attachment=True,
        filename=name,
        content_type="application/octet-stream",
        headers={
            "Content-Length": str(file["size_bytes"]),
            "ETag": f'"{file["sha256"]}"',
            "Cache-Control": "public, max-age=86400, immutable",
        },
    )


def _file(dump: Dataset, name: str) -> dict[str, str] | None:
    return next((file for file in dump.files if file["name"] == name), None)

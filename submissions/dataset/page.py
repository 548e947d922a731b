"""The dataset: its newest dump with its tables and columns, the files, and what describes it to programs."""

import json
from typing import Any

from django.core.files.storage import default_storage
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_safe

from benchsite.http.from_data import from_data, not_shared
from submissions.dataset import description
from submissions.dataset.licenses import licenses_of, mixed_sentence
from submissions.dataset.schema import PARTITIONED, TABLES
from submissions.dataset.write import FOLDER, MAX_DUMPS
from submissions.formatting.charts import shareable
from submissions.licenses import UPLOADS
from submissions.models import Dataset
from submissions.models.versions.data_version import Subject

LATEST = "latest"


@shareable("All data", parameters=())
@from_data(*Subject)
@require_safe
def data(request: HttpRequest) -> HttpResponse:
    dumps = list(Dataset.objects.all()[:MAX_DUMPS])
    newest = dumps[0] if dumps else None
    files = newest.files if newest else []
    counts = licenses_of(newest) if newest else []
    context = {
        "newest": newest,
        "whole_files": [file for file in files if "/" not in file["name"]],
        "partitioned": _partitioned(files),
        "older": [(dump.made_at, dump.stamp, [f for f in dump.files if "/" not in f["name"]]) for dump in dumps[1:]],
        "tables": TABLES,
        "most_dumps": MAX_DUMPS,
        "address": request.build_absolute_uri(request.path),
        "results": newest and _rows(newest, "submissions.parquet"),
        "license": UPLOADS,
        "licenses": counts,
        "mixed": mixed_sentence(counts),
        "linked_data": newest and description.linked_data(newest),
    }
    return render(request, "submissions/dataset/page.html", context)


@from_data(*Subject)
@require_safe
def croissant(request: HttpRequest) -> HttpResponse:
    return HttpResponse(json.dumps(description.croissant(_newest()), indent=1), content_type="application/ld+json")


@from_data(*Subject)
@require_safe
def citation(request: HttpRequest) -> HttpResponse:
    return HttpResponse(
        description.citation_cff(_newest()),
        content_type="application/yaml; charset=utf-8",
        headers={"Content-Disposition": 'attachment; filename="CITATION.cff"'},
    )


def _newest() -> Dataset:
    newest = Dataset.objects.first()
    if newest is None:
        raise Http404("There is no dump yet.")
    return newest


@not_shared("a file is streamed")
@require_safe
def download(request: HttpRequest, stamp: str, name: str) -> HttpResponseBase:
    """A file of a dump, byte for byte; /data/latest/... redirects to the newest dump."""
    if stamp == LATEST:
        newest = Dataset.objects.first()
        if newest is None or not _file(newest, name):
            raise Http404("No dump has this file yet.")
        return redirect("submissions:dataset_file", stamp=newest.stamp, name=name)
    dump = get_object_or_404(Dataset, folder=f"{FOLDER}/{stamp}")
    file = _file(dump, name)
    if file is None:
        raise Http404("This dump does not have this file.")
    try:
        stored = default_storage.open(file["stored_as"])
    except FileNotFoundError as error:
        raise Http404("This file is missing from the storage.") from error
    return FileResponse(
        stored,
        as_attachment=True,
        filename=name.rpartition("/")[2],
        content_type="application/octet-stream",
        headers={
            "Content-Length": str(file["size_bytes"]),
            "ETag": f'"{file["sha256"]}"',
            "Cache-Control": "public, max-age=86400, immutable",
        },
    )


def _partitioned(files: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """For each table in folders: how many files, rows and bytes."""
    tables: dict[str, dict[str, Any]] = {}
    for file in files:
        table, slash, _ = file["name"].partition("/")
        if slash:
            row = tables.setdefault(table, {"table": table, "files": 0, "rows": 0, "size_bytes": 0})
            row["files"] += 1
            row["rows"] += file["rows"]
            row["size_bytes"] += file["size_bytes"]
    return [tables[name] for name in PARTITIONED if name in tables]


def _rows(dump: Dataset, name: str) -> int | None:
    file = _file(dump, name)
    return file["rows"] if file else None


def _file(dump: Dataset, name: str) -> dict[str, Any] | None:
    return next((file for file in dump.files if file["name"] == name), None)

"""Real logs as the parts of an import's form."""

import io
import json
import zipfile
from pathlib import Path

from django.core.files.uploadedfile import SimpleUploadedFile

from tests.documents import metadata

LOGS = Path(__file__).parents[1] / "data" / "cassandra-stress"
QUORUM = LOGS / "cs50-10-3node-write-rf3-quorum.log"


def log(path_or_bytes, name="stress.log"):
    if isinstance(path_or_bytes, Path):
        return SimpleUploadedFile(path_or_bytes.name, path_or_bytes.read_bytes())
    return SimpleUploadedFile(name, path_or_bytes)


def form(*logs, meta=None, **fields):
    return {"metadata": json.dumps(metadata() if meta is None else meta), "log": list(logs), **fields}


def zipped(name, content):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return buffer.getvalue()

"""Bundles as a reader gets them."""

import base64
import io
import json
import zipfile


def answered(client, pk, query="", **headers):
    return client.get(f"/api/v1/submissions/{pk}/bundle/{query}", **headers)


def bytes_of(client, pk, query=""):
    response = answered(client, pk, query)
    assert response.status_code == 200, response.content
    return response.getvalue()


def opened(content):
    """{path: bytes} of a zip."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def statement_in(files):
    envelope = json.loads(files["statement.intoto.jsonl"])
    return json.loads(base64.b64decode(envelope["payload"]))

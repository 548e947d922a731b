"""Lines that begin like a result and could not be read are in the preview, in the answer and at the result."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from tests.documents import metadata
from tests.files import DATA
from tests.submissions.caller import BASE

LINE = "progress: 8.0 s, lat 0.412 ms stddev 0.250, 0 failed"
WORDS = f'2 lines were not read: "{LINE}"; "progress: 10.0 s'


@pytest.fixture
def upload(caller):
    text = (DATA / "pgbench/pg18-01-tpcb.log").read_text()
    text = text.replace("transaction type", f"{LINE}\n{LINE.replace('8.0', '10.0')}\ntransaction type")
    meta = metadata({"service": {"name": "postgresql"}})

    def send(query=""):
        log = SimpleUploadedFile("run.log", text.encode())
        return caller.upload({"metadata": json.dumps(meta), "log": log}, query)

    return send


def test_the_preview_says_so(upload):
    [preview] = upload("?dry_run=true").json()["submissions"]

    assert preview["lines_not_read"] == 2
    assert any(WORDS in warning for warning in preview["warnings"])


def test_the_answer_and_the_page_say_so(upload, client):
    [body] = upload().json()["submissions"]

    assert body["lines_not_read"] == 2
    assert body["artifacts"][0]["first_lines_not_read"] == [LINE, LINE.replace("8.0", "10.0")]
    assert client.get(f"{BASE}{body['id']}/").json()["lines_not_read"] == 2
    assert "2 lines were not read" in client.get(f"/submissions/{body['id']}/").content.decode()

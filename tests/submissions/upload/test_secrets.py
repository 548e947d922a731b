"""Credentials that people leave in logs and facts: none is kept anywhere, whichever way they come in."""

import gzip
import json
import logging
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from django.apps import apps
from django.urls import reverse

from submissions.choices import Flag
from submissions.dataset import write
from submissions.ingest.secrets.mask import MASK
from submissions.models import Submission, Upload
from tests.documents import document, metadata
from tests.factories import UserFactory
from tests.submissions.caller import BASE
from tests.submissions.ingest.secrets import credentials
from tests.submissions.ingest.secrets.credentials import LEFT_IN, WORD
from tests.submissions.logs import QUORUM, form, log
from tests.submissions.upload.test_page import FORM, NEW

pytestmark = pytest.mark.django_db

DATA = Path(__file__).parents[2] / "data"
TOOLS = {
    "cassandra-stress": QUORUM,
    "ycsb": DATA / "ycsb" / "ycsb17-02-mixed-target-both.log",
    "go-ycsb": DATA / "go-ycsb" / "goycsb-03-basic-intervals.log",
    "latte": DATA / "latte" / "latte-01-write.json",
    "pgbench": DATA / "pgbench" / "pg18-01-tpcb.log",
}
# each kind once; the rest of LEFT_IN are other places of a password
KINDS = ("pgbench url", "PGPASSWORD", "aws", "gcp", "pem", "github", "gitlab", "slack", "jwt", "bearer", "basic")
SECRETS = sorted({secret for kind in KINDS for secret in LEFT_IN[kind][1:]} | {WORD})
LEFT = "\n".join(LEFT_IN[kind][0] for kind in KINDS)


def with_credentials(tool: str) -> bytes:
    """A real log of the tool in which somebody left all of them."""
    text = TOOLS[tool].read_text(encoding="utf-8")
    if tool != "latte":
        return f"{LEFT}\n{text}".encode()
    report = json.loads(text)
    report["conf"] |= {"password": WORD, "tags": LEFT.splitlines()}
    return json.dumps(report).encode()


def facts_with_credentials() -> dict:
    return metadata(
        {
            "title": f"run with {credentials.GITHUB}",
            "notes": LEFT,
            "source_url": f"https://me:{WORD}@example.org/log",
            "settings": {"keystore_password": WORD, "aws": {"secret_access_key": credentials.AWS_SECRET}},
        }
    )


def remains(text: bytes | str) -> list[str]:
    shown = text if isinstance(text, str) else text.decode("utf-8", "replace")
    return [secret for secret in SECRETS if secret in shown or json.dumps(secret)[1:-1] in shown]


def readable(path: Path) -> str:
    data = path.read_bytes()
    if data.startswith(b"\x1f\x8b"):
        data = gzip.decompress(data)
    if data.startswith(b"PAR1"):
        return str(pq.read_table(path).to_pylist())
    return data.decode("utf-8", "replace")


def in_files(folder: Path) -> list[tuple[str, list[str]]]:
    return [(str(path), found) for path in folder.rglob("*") if path.is_file() and (found := remains(readable(path)))]


def in_tables() -> list[tuple[str, list[str]]]:
    rows = ((model.__name__, str(list(model._default_manager.values()))) for model in apps.get_models())
    return [(name, found) for name, text in rows if (found := remains(text))]


@pytest.fixture
def spool_folder(tmp_path, monkeypatch):
    folder = tmp_path / "spool"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.mark.parametrize("tool", TOOLS)
def test_nothing_remains_of_ten_kinds_of_credentials(tool, caller, client, artifacts_folder, spool_folder, caplog):
    caplog.set_level(logging.DEBUG)
    facts = facts_with_credentials()
    if tool != "cassandra-stress":
        facts |= {"service": {"name": "postgresql" if tool == "pgbench" else "cassandra"}}
        facts["workload"] = {"operations": {"write": 1.0}} if tool == "latte" else {}

    response = caller.upload(form(log(with_credentials(tool), "run.log"), meta=facts))

    assert response.status_code == 201, response.content
    assert remains(response.content) == []
    body = response.json()["submissions"][0]
    assert Flag.SECRETS_MASKED in body["flags"]
    write.write(datetime.now(UTC))
    pages = [
        reverse("submissions:detail", args=[body["id"]]),
        reverse("submissions:list"),
        f"{BASE}{body['id']}/",
        f"{BASE}?format=csv",
        BASE,
        *(artifact["download_url"] for artifact in body["artifacts"]),
    ]
    for page in pages:
        shown = client.get(page)
        assert shown.status_code == 200, page
        content = b"".join(shown.streaming_content) if shown.streaming else shown.content
        assert remains(content) == [], page
    assert in_tables() == []
    assert in_files(artifacts_folder) == []
    assert in_files(spool_folder) == []
    assert remains(caplog.text) == []


def test_the_numbers_of_a_masked_log_are_those_of_the_log(caller):
    as_it_was = caller.upload(form(log(QUORUM))).json()["submissions"][0]

    masked = caller.upload(form(log(with_credentials("cassandra-stress")))).json()["submissions"][0]

    same = ("throughput_ops_s", "latency_p99_ms", "operations", "threads", "trust", "hourly_usd")
    assert [masked[name] for name in same] == [as_it_was[name] for name in same]
    assert masked["flags"] == [*as_it_was["flags"], "secrets_masked"]


def test_a_dry_run_says_in_which_lines_secrets_are_masked(caller, nothing_is_stored):
    facts = metadata({"notes": f"password={WORD}"})
    content = f"password={WORD}\n".encode() + QUORUM.read_bytes()

    answer = caller.upload(form(log(content, "a.log"), meta=facts), "?dry_run=true").json()["submissions"][0]

    assert "a.log: 1 secret masked: line 1 (password)" in answer["warnings"]
    assert "Secrets are masked in #/notes" in answer["warnings"]
    assert "secrets_masked" in answer["flags"]
    assert remains(json.dumps(answer)) == []


def test_the_same_file_masked_by_its_uploader_is_the_same_submission(caller, client):
    first = caller.upload(form(log(with_credentials("ycsb")), meta=_ycsb())).json()["submissions"][0]
    download = client.get(first["artifacts"][0]["download_url"])

    again = caller.upload(form(log(b"".join(download.streaming_content)), meta=_ycsb()))

    assert (again.status_code, again.json()["submissions"][0]["id"]) == (200, first["id"])


def _ycsb() -> dict:
    facts = metadata({"service": {"name": "cassandra"}})
    facts["workload"] = {}
    return facts


def test_a_file_full_of_secrets_is_refused_before_anything_is_stored(caller, faults, nothing_is_stored):
    answer = caller.upload(form(log(f"password={WORD}\n".encode() * 1_000, "a.log")))

    assert faults(answer) == {"#/log/0": "a.log has 1,000 passwords or keys, or more: remove them first"}


def test_a_large_upload_waits_masked(caller, artifacts_folder, settings):
    settings.IMPORT_IN_REQUEST_BYTES = 1
    meta = metadata({"notes": LEFT})

    response = caller.upload(form(log(with_credentials("cassandra-stress")), meta=meta))

    assert response.status_code == 202
    upload = Upload.objects.get()
    assert upload.files[0]["original_sha256"]
    assert in_tables() == []
    assert in_files(artifacts_folder) == []


def test_a_document_and_the_lines_of_a_bulk_upload_are_masked(caller):
    content = document({"notes": LEFT, "source_url": f"https://me:{WORD}@example.org/log"})

    single = caller.submit(content)
    bulk, _ = caller.bulk([json.dumps(document({"notes": f"second: {LEFT}"})).encode()])

    assert "secrets_masked" in single.json()["flags"]
    assert (single.status_code, bulk.status_code) == (201, 200)
    assert in_tables() == []
    assert [MASK in submission.notes for submission in Submission.objects.all()] == [True, True]


def test_the_form_shows_what_was_masked_and_only_the_uploader_sees_the_first_sum(client, artifacts_folder):
    client.force_login(UserFactory())
    sent = log(f"password={WORD}\n".encode() + QUORUM.read_bytes(), "a.log")
    address = client.post(NEW, {"log": [sent]}).url
    page = client.get(address)
    assert "a.log: 1 secret masked: line 1 (password)" in page.content.decode()
    assert in_files(artifacts_folder) == []

    client.post(address, FORM | {"action": "save", "notes": LEFT})

    artifact = Submission.objects.get().artifacts.get(name="a.log")
    saved = client.get(f"/submissions/{artifact.submission_id}/")
    shown = saved.content.decode()
    assert "log verified, secrets masked" in shown
    assert artifact.original_sha256 in shown
    assert remains(shown) == []
    assert in_tables() == []
    client.logout()
    assert artifact.original_sha256 not in client.get(saved.request["PATH_INFO"]).content.decode()

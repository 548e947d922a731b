"""The receipt of a run is signed, by itself and in the bundle of its result; the ids of machines are their owner's."""

import base64
import hashlib
import json

import pytest
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from django.test import Client
from securesystemslib.dsse import Envelope
from securesystemslib.signer import SSlibKey

from runners.choices import OutputKind
from runners.models import RunOutput
from submissions.ingest.files.storage import store_bytes
from tests.submissions.bundles.reading import bytes_of, opened, statement_in

pytestmark = pytest.mark.django_db


def receipt(client, run):
    return client.get(f"/api/v1/runs/{run.pk}/receipt/")


def test_the_bundle_of_a_run_has_its_plan_its_receipt_and_no_log_of_its_hosts(make_run, drive, client):
    run = drive(make_run())
    log = b"a line of a host's journal\n"
    stored = {"sha256": store_bytes(log), "size_bytes": len(log), "name": "journal.log", "path": "journal.log"}
    RunOutput.objects.create(run=run, node=run.nodes.first(), kind=OutputKind.DIAGNOSIS, **stored)

    content = bytes_of(client, run.submission_id)

    files = opened(content)
    folder = f"run/{run.pk}"
    assert json.loads(files[f"{folder}/plan.json"]) == run.plan
    stored = json.loads(files[f"{folder}/receipt.json"])
    assert (stored["total_usd"], stored["left"]) == (run.receipt["total_usd"], 0)
    assert b"a line of a host's journal" not in content
    logs = [path for path in files if path.startswith("logs/")]
    assert len(logs) == run.plan["trials"]
    for machine in run.receipt["machines"]:
        assert machine["provider_id"].encode() not in content
    assert {subject["name"] for subject in statement_in(files)["subject"]} == set(files) - {"statement.intoto.jsonl"}


def test_a_receipt_is_signed_and_its_owner_gets_it_with_the_ids_of_the_machines(make_run, drive, client):
    run = drive(make_run())
    owner = Client()
    owner.force_login(run.owner)
    [key] = client.get("/api/v1/keys/").json()["keys"]
    public = SSlibKey.from_crypto(load_pem_public_key(key["public_key"].encode()), keyid=key["key_id"])

    for caller, has_ids in ((client, False), (owner, True)):
        answer = receipt(caller, run).json()
        statement = json.loads(base64.b64decode(answer["payload"]))
        Envelope.from_dict(answer).verify([public], 1)
        signed = statement["predicate"]["receipt"]
        text = json.dumps(signed, indent=2, ensure_ascii=False) + "\n"
        assert statement["subject"][0]["digest"]["sha256"] == hashlib.sha256(text.encode()).hexdigest()
        assert all(("provider_id" in line) == has_ids for line in signed["machines"])
        assert signed["total_usd"] == run.receipt["total_usd"]
    assert statement["predicate"]["run"]["submission"] == run.submission_id
    assert f'href="/api/v1/runs/{run.pk}/receipt/"' in client.get(f"/runs/{run.pk}/").content.decode()
    assert (
        f'href="/api/v1/submissions/{run.submission_id}/bundle/"'
        in client.get(f"/submissions/{run.submission_id}/").content.decode()
    )


def test_a_run_without_a_receipt_has_no_signed_one(make_run, client):
    assert receipt(client, make_run()).status_code == 404

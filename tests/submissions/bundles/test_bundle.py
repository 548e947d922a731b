"""A bundle has everything that is stored about a result and open to its reader, and a signed sum of each file."""

import hashlib
import json
import tracemalloc
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from django.core.files.storage import default_storage
from django.test import Client
from django.utils import timezone
from securesystemslib.dsse import Envelope
from securesystemslib.signer import SSlibKey

from submissions.bundles.archive import zipped
from submissions.bundles.file import BundleFile, Changed
from submissions.models import Artifact, Submission
from submissions.models.results.artifact import storage_name
from tests.documents import metadata
from tests.factories import ArtifactFactory, SubmissionFactory, UserFactory
from tests.files import stress_log
from tests.submissions.bundles.reading import answered, bytes_of, opened, statement_in
from tests.submissions.logs import form, log

pytestmark = pytest.mark.django_db
SECRET = "correct-horse-battery"


@pytest.fixture
def uploaded(caller):
    """A function: the result of these real logs, each a trial."""

    def upload(*files, **facts):
        logs = files or [log(stress_log("cs50-01"))]
        trials = [str(number) for number in range(len(logs))]
        answer = caller.upload(form(*logs, meta=metadata(facts), trial=trials))
        assert answer.status_code == 201, answer.content
        return Submission.objects.get(pk=answer.json()["submissions"][0]["id"])

    return upload


def test_it_has_logs_facts_prices_and_results_and_the_sum_of_each(uploaded, client):
    row = uploaded()

    files = opened(bytes_of(client, row.pk))

    statement = statement_in(files)
    sums = {subject["name"]: subject["digest"]["sha256"] for subject in statement["subject"]}
    assert sums == {
        path: hashlib.sha256(content).hexdigest() for path, content in files.items() if "intoto" not in path
    }
    assert files["logs/trial-1/cs50-01-write-n20000-t4.log"] == stress_log("cs50-01").read_bytes()
    api = client.get(f"/api/v1/submissions/{row.pk}/").json()
    assert json.loads(files["document.json"]) == api["document"]
    results, prices = json.loads(files["results.json"]), json.loads(files["prices.json"])
    assert results["result"]["throughput_ops_s"] == api["throughput_ops_s"]
    assert results["trials"] == client.get(f"/api/v1/submissions/{row.pk}/trials/").json()["results"]
    assert prices["cost"] == api["cost"]
    assert prices["bill"] == client.get(f"/api/v1/submissions/{row.pk}/bill/").json()
    hosts = client.get(f"/api/v1/submissions/{row.pk}/hosts/").json()
    assert json.loads(files["hosts.json"]) == hosts
    assert "CC-BY-4.0" in files["LICENSE.txt"].decode()
    predicate = statement["predicate"]
    assert predicate["submission"]["content_hash"] == row.content_hash
    assert predicate["results"]["trials"][0]["latency_p99_ms"] == api["trials"][0]["latency_p99_ms"]
    assert predicate["results"]["ops_per_usd"] == api["ops_per_usd"]


def test_its_statement_is_signed_with_a_key_of_the_published_list(uploaded, client):
    envelope = Envelope.from_dict(json.loads(opened(bytes_of(client, uploaded().pk))["statement.intoto.jsonl"]))

    [key] = client.get("/api/v1/keys/").json()["keys"]
    public = SSlibKey.from_crypto(load_pem_public_key(key["public_key"].encode()), keyid=key["key_id"])
    assert list(envelope.verify([public], 1)) == [key["key_id"]]
    assert envelope.payload_type == "application/vnd.in-toto+json"


def test_the_same_state_is_the_same_bytes_and_is_sent_once(uploaded, client):
    row = uploaded()
    first = answered(client, row.pk)
    content = first.getvalue()

    assert bytes_of(Client(SERVER_NAME="127.0.0.1"), row.pk) == content
    assert answered(client, row.pk, headers={"If-None-Match": first["ETag"]}).status_code == 304
    Submission.objects.filter(pk=row.pk).update(title="Another")
    assert bytes_of(client, row.pk) != content


def test_a_large_log_passes_in_small_chunks():
    block, blocks = b"x" * 1024 * 1024, 64
    sha256 = hashlib.sha256(block * blocks).hexdigest()
    path = Path(default_storage.path(storage_name(sha256)))
    path.parent.mkdir(parents=True)
    path.write_bytes(block * blocks)
    tracemalloc.start()

    lengths = [len(chunk) for chunk in zipped([BundleFile("logs/large.log", sha256, len(block) * blocks)])]

    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert sum(lengths) > len(block) * blocks
    assert max(lengths) <= len(block) + 1000
    assert peak < 6 * len(block)


def test_it_breaks_off_where_the_storage_has_other_bytes_than_were_promised(client):
    artifact = ArtifactFactory(content=b"as measured\n")
    default_storage.delete(artifact.storage_name)
    with default_storage.open(artifact.storage_name, "wb") as file:
        file.write(b"as altered\n")

    response = answered(client, artifact.submission_id)

    with pytest.raises(Changed):
        response.getvalue()
    default_storage.delete(artifact.storage_name)
    assert answered(client, artifact.submission_id).status_code == 404


def test_what_a_moderator_took_away_is_named_and_not_in_it(client):
    artifact = ArtifactFactory(content=b"removed\n", removed_at=timezone.now())

    files = opened(bytes_of(client, artifact.submission_id))

    assert not [path for path in files if path.startswith("logs/")]
    [removed] = statement_in(files)["predicate"]["removed_files"]
    assert (removed["name"], removed["sha256"]) == ("stress.log", artifact.sha256)


def test_masked_secrets_stay_masked_and_nobody_can_guess_them_from_a_sum(uploaded, client):
    text = stress_log("cs50-01").read_bytes() + f"\njdbc:postgresql://db/x?password={SECRET}\n".encode()
    row = uploaded(log(text))

    content = bytes_of(client, row.pk)

    original = row.artifacts.get(kind="load_log").original_sha256
    assert original == hashlib.sha256(text).hexdigest()
    assert SECRET.encode() not in content
    assert original.encode() not in content
    statement = statement_in(opened(content))
    assert original not in json.dumps(statement)
    masked = {each["name"]: each["annotations"].get("secrets_masked") for each in statement["subject"]}
    assert masked["logs/trial-1/stress.log"] is True


def test_a_private_result_has_one_for_its_owner_and_an_unlisted_one_for_its_link(uploaded, client, caller):
    row = uploaded(visibility="unlisted")
    owner = Client()
    owner.force_login(caller.user)

    assert answered(client, row.pk).status_code == 404
    by_link = answered(client, row.pk, row.link_query)
    content = by_link.getvalue()
    assert by_link["Cache-Control"] == "private, no-store"
    assert row.link_key.encode() not in content
    assert row.link_key not in json.dumps(statement_in(opened(content)))
    Submission.objects.filter(pk=row.pk).update(visibility="private", link_key=None)
    assert answered(client, row.pk, f"?key={row.link_key}").status_code == 404
    assert answered(owner, row.pk).status_code == 200


def test_a_retracted_result_has_none_but_for_its_owner(client):
    row = SubmissionFactory(retracted_at=timezone.now(), retraction_reason="wrong disk")
    owner = Client()
    owner.force_login(row.submitted_by)

    refused = answered(client, row.pk)

    assert (refused.status_code, "wrong disk" in refused.content.decode()) == (410, True)
    assert statement_in(opened(bytes_of(owner, row.pk)))["predicate"]["submission"]["retracted_at"]


def test_raw_files_of_any_name_lie_below_its_folders_each_by_itself(client):
    row = SubmissionFactory(submitted_by=UserFactory())
    names = ["../../etc/passwd", "a\\..\\b.log", "B.log", "b.log", "/", "x\x1b[31m.log", "C:\\w.log", "n" * 300]
    for number, name in enumerate(names):
        ArtifactFactory(submission=row, name=name[:255], content=f"log {number}\n".encode(), trial_index=None)
    ArtifactFactory(submission=row, name="samples.json", kind="other", content=b"{}")

    files = opened(bytes_of(client, row.pk))

    logs = [path for path in files if path.startswith("logs/")]
    assert len(logs) == len({path.lower() for path in logs}) == len(names)
    assert not [path for path in files if ".." in path.split("/") or "\\" in path or not path.isprintable()]
    assert sorted(files[path] for path in logs) == sorted(f"log {n}\n".encode() for n in range(len(names)))
    assert files["artifacts/samples.json"] == b"{}"
    stated = {each["name"]: each["annotations"].get("name") for each in statement_in(files)["subject"]}
    assert set(stated.values()) - {None} == set(Artifact.objects.values_list("name", flat=True))


def test_it_names_licence_authors_and_pack_of_a_result_that_came_with_the_site(client):
    named = "Spare Cores (sparecores.com), CC BY-SA 4.0"
    row = SubmissionFactory(license="CC-BY-SA-4.0", pack="sparecores", attribution=named, submitted_by=None)

    files = opened(bytes_of(client, row.pk))

    signed = statement_in(files)["predicate"]["submission"]
    assert (signed["license"], signed["attribution"], signed["pack"]) == ("CC-BY-SA-4.0", named, "sparecores")
    assert f"Every copy must include:\n{named}" in files["LICENSE.txt"].decode()
    assert named in files["README.md"].decode()

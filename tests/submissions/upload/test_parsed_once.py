"""An upload by the form: each log is spooled once and parsed once, whatever happens until it is saved."""

import gzip
import zipfile
from io import BytesIO

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile

from submissions.ingest.files import open as opening
from submissions.ingest.parsers import PARSERS
from submissions.models import Submission, Upload
from tests.factories import UserFactory
from tests.files import stress_log
from tests.submissions.upload.test_page import FORM, NEW, log_file

pytestmark = pytest.mark.django_db


@pytest.fixture
def parsed(monkeypatch):
    """The name of the parser of each log, as often as it is parsed."""
    calls = []

    def counting(parser, parse):
        def counted(lines):
            calls.append(parser.name)
            return parse(lines)

        return counted

    for parser in PARSERS:
        monkeypatch.setattr(type(parser), "parse", staticmethod(counting(parser, parser.parse)))
    return calls


@pytest.fixture
def spooled(monkeypatch):
    """The sum of each file, as often as it is spooled."""
    calls, spool = [], opening.spool

    def counted(chunks):
        file = spool(chunks)
        calls.append(file.sha256)
        return file

    monkeypatch.setattr(opening, "spool", counted)
    return calls


@pytest.fixture
def uploader(client):
    user = UserFactory()
    client.force_login(user)
    return user


def readings_of(upload):
    return f"readings/{upload.pk}.json.gz"


def replace_readings(upload, content):
    default_storage.delete(readings_of(upload))
    default_storage.save(readings_of(upload), BytesIO(content))


@pytest.mark.usefixtures("uploader")
def test_upload_check_again_twice_and_save_parse_each_log_once(client, parsed, spooled):
    page = client.post(NEW, {"log": [log_file("cs50-10-3node"), log_file("cs50-10-3node")]}).url
    assert client.get(page).status_code == 200

    for _ in range(2):
        assert client.post(page, {**FORM, "action": "check"}).status_code == 200
    client.post(page, {**FORM, "action": "save"})

    assert len(Submission.objects.get().trials.all()) == 2
    assert len(parsed) == 2
    assert len(spooled) == 2


@pytest.mark.usefixtures("uploader")
def test_another_assignment_of_trials_regroups_the_readings(client, parsed):
    page = client.post(NEW, {"log": [log_file("cs50-10-3node"), log_file("cs50-10-3node")]}).url

    apart = client.post(page, {**FORM, "action": "check"})
    together = client.post(page, {**FORM, "trial-0": "1", "trial-1": "1", "action": "check"})

    assert [row["result"].client_count for row in apart.context["results"]] == [1, 1]
    assert [row["result"].client_count for row in together.context["results"]] == [2]
    assert len(parsed) == 2


@pytest.mark.usefixtures("uploader")
@pytest.mark.parametrize("damage", ["lost", "cut", "other parsers", "other bytes"])
def test_a_reading_that_cannot_be_used_is_made_again_once(client, parsed, damage):
    page = client.post(NEW, {"log": [log_file("cs50-10-3node")]}).url
    upload = Upload.objects.get()
    content = default_storage.open(readings_of(upload)).read()
    if damage == "lost":
        default_storage.delete(readings_of(upload))
    elif damage == "cut":
        replace_readings(upload, content[: len(content) // 2])
    elif damage == "other parsers":
        replace_readings(upload, gzip.compress(gzip.decompress(content).replace(b'"parsers":"', b'"parsers":"0', 1)))
    else:
        sha256 = upload.files[0]["sha256"].encode()
        replace_readings(upload, gzip.compress(gzip.decompress(content).replace(sha256, b"0" * 64, 1)))

    client.post(page, {**FORM, "action": "save"})
    saved = Submission.objects.get()

    assert parsed == ["cassandra-stress"] * 2
    assert saved.artifacts.filter(kind="intervals").exists()


@pytest.mark.usefixtures("uploader")
def test_saving_from_the_readings_stores_what_an_import_of_the_log_stores(client, parsed):
    page = client.post(NEW, {"log": [log_file("cs50-07b-mixed")]}).url
    upload = Upload.objects.get()
    facts = {**FORM, "nodes-0-count": "1"}
    client.post(page, {**facts, "action": "check"})
    default_storage.delete(readings_of(upload))  # the save parses again
    client.post(page, {**facts, "action": "save"})
    parsed_again = stored(Submission.objects.get())
    Submission.objects.all().delete()

    page = client.post(NEW, {"log": [log_file("cs50-07b-mixed")]}).url
    client.post(page, {**facts, "action": "save"})

    assert stored(Submission.objects.get()) == parsed_again


def stored(submission):
    """All of a submission but its numbers and times."""
    artifacts = list(submission.artifacts.values_list("name", "kind", "sha256", "size_bytes", "trial_index"))
    trials = [
        {name: value for name, value in row.items() if name not in ("id", "submission_id")}
        for row in submission.trials.values()
    ]
    return submission.content_hash, submission.document, submission.flags, trials, artifacts


@pytest.mark.usefixtures("uploader")
def test_the_reading_is_deleted_once_the_result_is_stored(client):
    page = client.post(NEW, {"log": [log_file("cs50-10-3node")]}).url
    upload = Upload.objects.get()
    assert default_storage.exists(readings_of(upload))

    client.post(page, {**FORM, "action": "save"})

    assert not default_storage.exists(readings_of(upload))


@pytest.mark.usefixtures("uploader")
def test_a_refused_upload_stores_nothing(client, artifacts_folder):
    response = client.post(NEW, {"log": [log_file("cs50-12-all")]})

    assert response.status_code == 400
    assert not Upload.objects.exists()
    assert not list(artifacts_folder.rglob("*"))


@pytest.mark.usefixtures("uploader")
def test_logs_of_an_archive_and_gzipped_logs_are_read_again_from_the_storage(client, parsed):
    path = stress_log("cs50-10-3node")
    archive = BytesIO()
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("logs/first.log", path.read_bytes())  # of today, as the other one
    second = SimpleUploadedFile("second.log.gz", gzip.compress(path.read_bytes()))
    page = client.post(NEW, {"log": [SimpleUploadedFile("logs.zip", archive.getvalue()), second]}).url
    default_storage.delete(readings_of(Upload.objects.get()))

    response = client.get(page)

    assert [row["result"].operations for row in response.context["results"]] == [30000, 30000]
    assert [file["name"] for file in Upload.objects.get().files] == ["logs/first.log", "second.log.gz"]
    assert len(parsed) == 4

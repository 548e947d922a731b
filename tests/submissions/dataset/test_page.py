"""The page of the dataset, and its files byte for byte."""

import hashlib
from datetime import UTC, datetime, timedelta

import pytest

from submissions.dataset import write
from tests.factories import SubmissionFactory
from tests.pages import faults, links, text

pytestmark = pytest.mark.django_db

NIGHT = datetime(2026, 11, 20, 2, 30, tzinfo=UTC)


def test_the_newest_dump_is_listed_with_its_files_and_how_to_load_them(client):
    SubmissionFactory()
    dump = write.write(NIGHT)

    response = client.get("/data/")

    said = text(response)
    assert "1 result with trials and machines" in said
    assert "Dump of 2026-11-20 02:30 UTC" in said
    assert 'pandas.read_parquet("http://testserver/data/latest/submissions.parquet")' in said
    whole = [file for file in dump.files if "/" not in file["name"]]
    assert links(response, "^/data/2") == [f"/data/20261120T023000Z/{file['name']}" for file in whole]
    assert all(file["sha256"] in said for file in whole)
    assert faults(response) == []


def test_the_page_says_why_a_dump_has_more_results_than_the_list(client):
    SubmissionFactory(throughput_ops_s=None, ops_per_usd=None, relative_throughput=1.4)
    write.write(NIGHT)

    response = client.get("/data/")

    assert "1 result with trials and machines" in text(response)
    assert "those for which an article states only ratios, such as 1.4 times the throughput" in text(response)
    assert {"/submissions/", "/compare/grid/"} <= set(links(response))


def test_a_file_comes_byte_for_byte_as_a_download(client):
    SubmissionFactory()
    dump = write.write(NIGHT)
    file = next(file for file in dump.files if file["name"] == "submissions.parquet")

    response = client.get("/data/20261120T023000Z/submissions.parquet")
    content = b"".join(response.streaming_content)

    assert hashlib.sha256(content).hexdigest() == file["sha256"]
    assert response["Content-Length"] == str(len(content))
    assert response["ETag"] == f'"{file["sha256"]}"'
    assert response["Content-Disposition"] == 'attachment; filename="submissions.parquet"'
    assert response["Content-Type"] == "application/octet-stream"
    assert "Content-Encoding" not in client.get("/data/20261120T023000Z/submissions.csv.gz")


def test_latest_leads_to_the_newest(client):
    write.write(NIGHT - timedelta(days=1))
    write.write(NIGHT)

    response = client.get("/data/latest/trials.csv.gz")

    assert (response.status_code, response.url) == (302, "/data/20261120T023000Z/trials.csv.gz")
    assert "Earlier dumps" in text(client.get("/data/"))


@pytest.mark.parametrize(
    "path",
    [
        "/data/latest/passwords.csv",
        "/data/20261120T023000Z/passwords.csv",
        "/data/20261119T023000Z/submissions.parquet",
        "/data/../20261120T023000Z/submissions.parquet",
        "/data/20261120T023000Z/..%2F..%2Fsecret_key",
        "/data/..%2F../submissions.parquet",
    ],
)
def test_nothing_but_the_files_of_a_dump_is_handed_out(client, path):
    write.write(NIGHT)

    assert client.get(path).status_code == 404


def test_a_file_that_the_storage_has_lost_is_not_found(client, artifacts_folder):
    write.write(NIGHT)
    (artifacts_folder / "datasets/20261120T023000Z/LICENSE").unlink()

    assert client.get("/data/20261120T023000Z/LICENSE").status_code == 404


def test_before_the_first_dump_the_page_says_when_it_comes(client):
    response = client.get("/data/")

    assert "The first dump is generated within minutes of the first results." in text(response)
    assert "hourly_usd" in text(response)
    assert client.get("/data/latest/submissions.parquet").status_code == 404
    assert faults(response) == []

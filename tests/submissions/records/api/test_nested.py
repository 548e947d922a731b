"""One submission's trials, interval series and raw files."""

import gzip
import hashlib
import json

import pytest
from django.core.files.storage import default_storage

from submissions.choices import ArtifactKind
from submissions.ingest.curves import intervals
from submissions.ingest.document.readings import Interval, Latency
from submissions.ingest.logs.trial_results import TrialResult
from tests.factories import ArtifactFactory, SubmissionFactory
from tests.submissions.caller import BASE

pytestmark = pytest.mark.django_db


def test_trials_come_in_their_order(client):
    submission = SubmissionFactory(trials_count=3)

    rows = client.get(f"{BASE}{submission.pk}/trials/").json()["results"]

    assert [row["index"] for row in rows] == [0, 1, 2]
    assert rows[0]["latencies"] == {
        "service_time": {"mean": 2.0, "p50": 1.5, "p95": 3.0, "p99": 4.0, "p999": 20.0, "max": 80.0}
    }


@pytest.mark.parametrize(
    "path", ["999999/", "999999/trials/", "999999/intervals/", "999999/artifacts/", "999999/artifacts/1/", f"{10**30}/"]
)
def test_a_submission_that_is_not_there_is_404(client, faults, path):
    faults(client.get(f"{BASE}{path}"), 404)


@pytest.fixture
def with_series():
    rows = (
        Interval("total", 1.0, 100, 0, 100.0, Latency(mean=1.5, p99=4.0), gc_count=1, gc_ms=12.5),
        Interval("total", 2.0, 120, 3, 117.0),
    )
    submission = SubmissionFactory()
    packed = intervals.packed([TrialResult(throughput_ops_s=110.0, intervals=(rows, rows[:1]))])
    ArtifactFactory(submission=submission, kind=ArtifactKind.INTERVALS, name="intervals.json.gz", content=packed)
    return submission


def test_intervals_are_given_by_trial_and_client(client, with_series):
    body = json.loads(client.get(f"{BASE}{with_series.pk}/intervals/").getvalue())

    first = ["total", 1.0, 100, 0, 100.0, 1.5, None, None, 4.0, None, None, 1, 12.5]
    second = ["total", 2.0, 120, 3, 117.0, None, None, None, None, None, None, None, None]
    assert body == {
        "columns": [
            "operation",
            "elapsed_seconds",
            "operations",
            "errors",
            "throughput_ops_s",
            "mean_ms",
            "p50_ms",
            "p95_ms",
            "p99_ms",
            "p999_ms",
            "max_ms",
            "gc_count",
            "gc_ms",
        ],
        "trials": [{"index": 0, "clients": [[first, second], [first]]}],
    }


def test_intervals_are_sent_packed_as_they_are_stored(client, with_series):
    stored = with_series.artifacts.get().storage_name
    plain = client.get(f"{BASE}{with_series.pk}/intervals/")

    packed = client.get(f"{BASE}{with_series.pk}/intervals/", HTTP_ACCEPT_ENCODING="br, gzip")

    sent = packed.getvalue()
    assert (packed["Content-Encoding"], packed["Content-Type"]) == ("gzip", "application/json")
    assert "Accept-Encoding" in packed["Vary"]
    assert "Content-Encoding" not in plain
    assert gzip.decompress(sent) == plain.getvalue()
    assert sent == default_storage.open(stored).read()


def test_intervals_as_csv_have_trial_and_client_in_each_line(client, with_series):
    response = client.get(f"{BASE}{with_series.pk}/intervals/?format=csv")

    assert response.getvalue().decode().splitlines() == [
        "trial,client,operation,elapsed_seconds,operations,errors,throughput_ops_s,mean_ms,p50_ms,p95_ms,p99_ms,"
        "p999_ms,max_ms,gc_count,gc_ms",
        "0,0,total,1.0,100,0,100.0,1.5,,,4.0,,,1,12.5",
        "0,0,total,2.0,120,3,117.0,,,,,,,,",
        "0,1,total,1.0,100,0,100.0,1.5,,,4.0,,,1,12.5",
    ]


def test_a_submission_without_series_has_none(client):
    answer = client.get(f"{BASE}{SubmissionFactory().pk}/intervals/")

    assert json.loads(answer.getvalue())["trials"] == []


def test_a_raw_file_is_downloaded_by_anyone_as_it_was_sent(client):
    content = b"<script>alert(1)</script>\x00\xff"
    artifact = ArtifactFactory(content=content, name="run 1/stress.html")
    row = client.get(f"{BASE}{artifact.submission_id}/artifacts/").json()["results"][0]

    response = client.get(row["download_url"])

    assert (row["sha256"], row["size_bytes"]) == (hashlib.sha256(content).hexdigest(), len(content))
    assert response.getvalue() == content
    assert response["Content-Type"] == "application/octet-stream"
    assert response["Content-Disposition"] == 'attachment; filename="stress.html"'
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in response["Content-Security-Policy"]


@pytest.mark.parametrize(
    "name", ['a"b.log', "a\r\nSet-Cookie: x=1", "../../etc/passwd", "..\\..\\x.log", "ü.log", "\u202egol.exe"]
)
def test_no_file_name_leaves_its_header(client, name):
    artifact = ArtifactFactory(name=name)

    response = client.get(f"{BASE}{artifact.submission_id}/artifacts/{artifact.pk}/")

    header = response["Content-Disposition"]
    assert response.status_code == 200
    assert header.startswith("attachment; filename")
    assert not set("/\r\n") & set(header)
    assert header.replace('\\"', "").count('"') in (0, 2)  # a quote in the name is escaped
    assert "Set-Cookie" not in response


def test_a_file_is_found_only_under_its_own_submission(client, faults):
    artifact, other = ArtifactFactory(), SubmissionFactory()

    faults(client.get(f"{BASE}{other.pk}/artifacts/{artifact.pk}/"), 404)


def test_a_file_whose_bytes_are_lost_is_404(client, faults):
    artifact = ArtifactFactory()
    default_storage.delete(artifact.storage_name)

    faults(client.get(f"{BASE}{artifact.submission_id}/artifacts/{artifact.pk}/"), 404)


def test_what_is_too_long_to_draw_can_be_downloaded(with_series, client, monkeypatch):
    monkeypatch.setattr("submissions.ingest.curves.intervals.MOST_BYTES", 10)

    page = client.get(f"/submissions/{with_series.pk}/")

    assert page.status_code == 200
    assert "Download them as CSV" in page.content.decode()
    assert client.get(f"{BASE}{with_series.pk}/intervals/?format=csv").status_code == 200

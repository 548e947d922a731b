"""YCSB through the API: an archive of logs and .hdr files, a run ended by time, a run with failed operations."""

import gzip
import io
import json
import zipfile

import pytest

from submissions.models import Submission
from tests.documents import metadata
from tests.files import DATA
from tests.submissions.caller import BASE
from tests.submissions.logs import form, log

PUBLIC = DATA / "ycsb" / "public"
CLIENTS = sorted((PUBLIC / "scylladb-four-clients").iterdir())


def archive() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in CLIENTS:
            packed.writestr(f"run/{path.name}", path.read_bytes())
        packed.writestr("run/0_CLEANUP.hdr", "#[Logging for: CLEANUP]\n#[Histogram log format version 1.1]\n")
    return buffer.getvalue()


@pytest.fixture
def sent(caller):
    """A door's answer: the only submission in it."""

    def send(*files, **fields):
        response = caller.upload(form(*files, meta=metadata({"measured_at": None}), **fields))
        assert response.status_code == 201, response.content
        [one] = response.json()["submissions"]
        return one

    return send


def test_an_archive_of_logs_and_hdr_files_is_one_trial_with_merged_percentiles(sent, client):
    one = sent(log(archive(), "run.zip"), trial=["1"])

    [trial] = one["trials"]
    assert (trial["client_count"], one["operations"], one["latency_kind"]) == (4, 992_568_226, "service_time")
    # between the clients' p99 of updates (5.763 to 5.859) and of reads (14.343 to 14.399)
    assert one["latency_p99_ms"] == pytest.approx(7.6, rel=0.002)
    assert one["latency_distorted_by_errors"] is False
    # the only flag is of its brake
    assert not {"incomplete", "not_mergeable", "rate_mismatch"} & set(one["flags"])
    kinds = [artifact["kind"] for artifact in one["artifacts"]]
    assert (kinds.count("load_log"), kinds.count("histogram_log")) == (4, 9)


def test_several_files_give_the_same_figures_as_the_archive(sent):
    packed = sent(log(archive(), "run.zip"), trial=["1"])
    Submission.objects.all().delete()

    apart = sent(*[log(gzip.compress(path.read_bytes()), f"{path.name}.gz") for path in CLIENTS], trial=["1"] * 12)

    assert [apart[name] for name in ("throughput_ops_s", "latency_p99_ms")] == [
        packed[name] for name in ("throughput_ops_s", "latency_p99_ms")
    ]


def test_a_run_ended_by_time_is_complete_and_not_excluded(sent):
    one = sent(log(PUBLIC / "cassandra-ended-by-time.txt.gz"))

    assert one["flags"] == []
    assert not Submission.objects.get().is_excluded


def test_percentiles_of_a_run_with_many_errors_are_marked(sent, client):
    one = sent(log(PUBLIC / "cassandra-overflow-shortened.txt"))

    # its errors ask for records that the workload itself deletes; and no mismatch of the printed rate, which overflowed
    assert one["flags"] == ["not_found"]
    assert not Submission.objects.get().is_excluded
    assert one["latency_distorted_by_errors"] is True
    assert one["trials"][0]["latency_distorted_by_errors"] is True
    assert json.loads(client.get(BASE).content)["results"][0]["latency_distorted_by_errors"] is True
    assert "distorted by errors" in client.get(f"/submissions/{one['id']}/").content.decode()


def test_a_failed_run_is_listed_with_its_flag_and_not_ranked(sent):
    one = sent(log(DATA / "cassandra-stress" / "cs50-29-single-node-killed-default.log"))

    assert "failed" in one["flags"]
    assert "truncated" not in one["flags"]
    assert Submission.objects.get().is_excluded

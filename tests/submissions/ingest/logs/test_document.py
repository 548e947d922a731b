"""Disk tests beside a log: what becomes of an upload's files of fio and iozone."""

import pytest

from benchsite.refusals import Refusal
from submissions.choices import ArtifactKind, Trust
from submissions.ingest.logs.document import submissions_in, submissions_of_logs
from submissions.ingest.logs.read import read_logs
from submissions.ingest.pipeline import checked
from submissions.ingest.uploads import offered
from tests.documents import metadata
from tests.files import DATA, stress_log, uploaded

LOG = "cs50-33-single-op"


def read(*paths):
    return read_logs(offered([uploaded(path) for path in paths]))


def test_files_of_fio_and_iozone_become_disk_tests_of_the_submission_of_the_log():
    files = read(DATA / "fio/random_read.json", stress_log(LOG), DATA / "iozone/io489-04-direct.log")

    (imported,) = submissions_in(metadata(), files)
    document = checked(imported.content, Trust.LOG_VERIFIED)

    assert [(test.tool, test.pattern, test.is_direct) for test in document.disk_tests] == [
        ("fio", "random_read", True),
        ("iozone", "sequential_write", True),
        ("iozone", "rewrite", True),
        ("iozone", "reverse_read", True),
        ("iozone", "stride_read", True),
    ]
    assert len(document.trials) == 1
    assert {f"#/disk_tests/{index}" for index in range(5)} <= imported.from_log
    kinds = {owned.file.member.name: owned.file.kind for owned in imported.files}
    assert kinds["random_read.json"] == kinds["io489-04-direct.log"] == ArtifactKind.DISK_TEST


def test_disk_tests_that_the_uploader_states_come_first():
    stated = {"tool": "iozone", "pattern": "sequential_write", "mb_s": 1099, "host": "db-0"}

    (imported,) = submissions_in(
        metadata({"disk_tests": [stated]}), read(stress_log(LOG), DATA / "fio/random_read.json")
    )

    assert [test["tool"] for test in imported.content["disk_tests"]] == ["iozone", "fio"]
    assert "#/disk_tests/0" not in imported.from_log
    assert "#/disk_tests/1" in imported.from_log


@pytest.mark.parametrize("name", ["fio/random_read.json", "iozone/io489-01-throughput.log"])
def test_a_disk_test_alone_is_refused_with_what_to_do(name):
    with pytest.raises(Refusal) as caught:
        submissions_of_logs(read(DATA / name))

    (fault,) = caught.value.faults
    assert fault.pointer == "#/files/0"
    assert "is no result of a database: send it together with the log of the load tool" in fault.detail


def test_a_file_of_an_unknown_tool_is_refused_with_where_the_formats_are_and_what_else_can_be_done(tmp_path):
    path = tmp_path / "wrk.log"
    path.write_text("Running 30s test @ http://127.0.0.1:8080/\nRequests/sec: 748868.53\n")

    with pytest.raises(Refusal) as caught:
        read(path)

    (fault,) = caught.value.faults
    assert fault.pointer == "#/files/0"
    assert "The supported formats are listed at /submissions/new/" in fault.detail
    assert "JSON to POST /api/v1/submissions/" in fault.detail


def test_each_test_of_redis_benchmark_is_a_submission_with_its_own_operation():
    imported = submissions_in(
        metadata({"workload": {"tool": "valkey-benchmark"}, "service": {"name": "valkey"}}),
        read(DATA / "redis-benchmark/vb81-01-set-get.log"),
    )

    documents = [checked(each.content, Trust.LOG_VERIFIED) for each in imported]
    assert [document.workload.operations for document in documents] == [{"set": 1.0}, {"get": 1.0}]
    # the same program under two names
    assert {document.workload.tool for document in documents} == {"redis-benchmark"}

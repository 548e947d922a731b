"""What becomes of an upload's files: disk tests beside a log, several results in one file, facts that a log states."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from benchsite.http.refusals import Refusal
from submissions.choices import ArtifactKind, ClientPlacement, Trust
from submissions.ingest.document.fingerprint import fingerprint
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


def memtier(pipeline):
    content = json.loads((DATA / "memtier/interrupted.json").read_text())
    content["configuration"]["pipeline"] = pipeline
    content["ALL STATS"]["Runtime"]["Total duration"] = 3000
    content["benchmark_completion"]["full_run"] = True
    file = SimpleUploadedFile("memtier.json", json.dumps(content).encode())
    nodes = [{"role": "database", "count": 1, "instance_type": "m7g.xlarge"}]
    (imported,) = submissions_in(
        {"provider": "aws", "service": {"name": "redis"}, "nodes": nodes}, read_logs(offered([file]))
    )
    return checked(imported.content, Trust.LOG_VERIFIED)


def test_logs_of_different_pipelines_are_different_workloads():
    plain, piped = memtier(1), memtier(16)

    assert (plain.workload.pipeline, piped.workload.pipeline) == (1, 16)
    assert plain.workload.threads == piped.workload.threads == 200
    assert fingerprint(plain) != fingerprint(piped)


INSPECTED = DATA / "sparecores-redis/aws-m7g.xlarge.csv"


def of_inspector(**machine):
    nodes = [{"role": "database", "count": 1, "instance_type": "m7g.xlarge", **machine}]
    stated = {"provider": "aws", "service": {"name": "redis"}, "nodes": nodes}
    return submissions_in(stated, read(INSPECTED))


def test_a_load_that_grows_with_the_machine_is_known_where_its_vcpus_are_stated():
    workloads = [checked(each.content, Trust.LOG_VERIFIED).workload for each in of_inspector(vcpus=4)]

    assert [(each.pipeline, each.threads) for each in workloads] == [(size, 200) for size in (1, 4, 16, 64, 256, 512)]
    assert {each.content["workload"].get("threads") for each in of_inspector()} == {None}
    assert {each.content["workload"].get("threads") for each in of_inspector(vcpus="four")} == {None}


def test_threads_that_contradict_the_vcpus_are_refused():
    stated = {"provider": "aws", "nodes": [{"role": "database", "count": 1, "instance_type": "x", "vcpus": 4}]}

    with pytest.raises(Refusal) as caught:
        submissions_in({**stated, "workload": {"threads": 50}}, read(INSPECTED))

    assert [(fault.pointer, fault.detail) for fault in caught.value.faults] == [
        ("#/workload/threads", "the log says 200, the upload says 50")
    ]


def test_a_log_states_settings_and_where_its_clients_ran_and_the_uploader_may_add():
    nodes = [{"role": "database", "count": 1, "instance_type": "c4a-highmem-1"}]
    stated = {"provider": "gce", "nodes": nodes, "settings": {"jit": "on", "kernel": "6.17"}}

    (imported,) = submissions_in(stated, read(DATA / "sparecores-pgbench/gcp-c4a-highmem-1.json"))
    document = checked(imported.content, Trust.LOG_VERIFIED)

    assert document.client_placement == ClientPlacement.SEPARATE
    settings = document.settings
    assert (settings["jit"], settings["kernel"], settings["shared_buffers"]) == ("on", "6.17", "1792MB")
    assert "#/settings/shared_buffers" in imported.from_log
    assert [trial.threads for trial in document.trials] == [1, 2]
    assert document.workload.threads is None

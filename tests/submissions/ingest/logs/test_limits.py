"""What load tools limited the rate to, from their logs to the stored rows."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from benchsite.http.refusals import Refusal
from submissions.choices import Flag
from submissions.ingest.pipeline import content_hash_of, prepare_document, prepare_import
from submissions.ingest.store.store import store
from submissions.ingest.uploads import offered
from tests.documents import document, metadata
from tests.files import DATA, uploaded

pytestmark = pytest.mark.django_db

TARGET_7000 = """\
Command line: -db site.ycsb.db.CassandraCQLClient -s -P workloads/workloada -threads 20 -target 7000 -t
YCSB Client 0.17.0
[OVERALL], RunTime(ms), 600123
[OVERALL], Throughput(ops/sec), 6971.2
[READ], Operations, 4183578
[READ], AverageLatency(us), 700.0
[READ], 95thPercentileLatency(us), 900
[READ], 99thPercentileLatency(us), 1500
[READ], Return=OK, 4183578
"""


def prepare(*files, trials=(), workload=None, **stated):
    return prepare_import(metadata({**stated, "workload": workload or {}}), offered(list(files), list(trials)))


def ycsb(name="ycsb.log", text=TARGET_7000):
    return SimpleUploadedFile(name, text.encode())


def log(*place):
    return uploaded(DATA.joinpath(*place))


def held(submission):
    return submission.throttle_ops_s, submission.fixed_rate_ops_s, Flag.THROTTLED in submission.flags


def test_a_ycsb_run_with_a_target_is_no_capacity_and_has_no_value():
    [prepared] = prepare(ycsb())
    submission = store(prepared, submitted_by=None).submission

    assert held(submission) == (7000.0, None, True)
    assert (submission.load_mode, submission.threads) == ("threads", 20)
    assert submission.hourly_usd is not None
    assert (submission.ops_per_usd, submission.usd_per_million_ops) == (None, None)
    assert Flag.LITTLES_LAW not in submission.flags  # 20 threads were held back to five


def test_the_targets_of_clients_that_ran_together_add_up():
    [prepared] = prepare(ycsb("a.log"), ycsb("b.log"), trials=("1", "1"))

    assert prepared.document.workload.throttle_ops_s == 14_000
    assert Flag.THROTTLED in prepared.flags


def test_a_system_that_does_not_reach_the_target_shows_its_capacity():
    slow = TARGET_7000.replace("600123", "900000").replace("6971.2", "4648.4")
    [prepared] = prepare(ycsb(text=slow))

    assert prepared.document.workload.throttle_ops_s == 7000
    assert Flag.THROTTLED not in prepared.flags


def test_each_tools_limit_is_a_fact_of_its_result():
    [unclear] = prepare(log("cassandra-stress", "older", "cs3115-fixed-idle.log"))
    [target] = prepare(log("go-ycsb", "goycsb-06-target.log"))

    assert unclear.document.workload.throttle_ops_s == 1000
    assert target.document.workload.throttle_ops_s == 500
    assert Flag.THROTTLED in unclear.flags
    assert Flag.THROTTLED in target.flags


@pytest.mark.parametrize(
    "stated",
    [
        {"command": "cassandra-stress write n=5000 no-warmup -rate threads=16 fixed=1000/s"},
        {"fixed_rate_ops_s": 1000},
    ],
)
def test_the_uploader_can_tell_a_fixed_rate_from_a_throttle(stated):
    [prepared] = prepare(log("cassandra-stress", "older", "cs3115-fixed-idle.log"), workload=stated)
    submission = store(prepared, submitted_by=None).submission

    assert held(submission) == (None, 1000.0, True)
    assert (submission.load_mode, submission.latency_kind) == ("fixed_rate", "response_time")
    assert [(trial.threads, trial.offered_ops_s) for trial in submission.trials.all()] == [(16, 1000.0)]


def test_with_the_command_line_of_a_throttle_its_latency_is_service_time():
    log_of_both = log("cassandra-stress", "older", "cs3115-fixed-idle.log")
    [prepared] = prepare(log_of_both, workload={"command": "cassandra-stress write -rate threads=16 throttle=1000/s"})
    [unclear] = prepare(log("cassandra-stress", "older", "cs3115-fixed-idle.log"))

    assert prepared.latency.kind == "service_time"
    assert prepared.document.workload.throttle_ops_s == 1000
    assert unclear.latency.kind == "unknown"


def test_a_rate_that_contradicts_the_log_is_refused_with_both():
    with pytest.raises(Refusal) as caught:
        prepare(ycsb(), workload={"throttle_ops_s": 9000})

    assert [(fault.pointer, fault.detail) for fault in caught.value.faults] == [
        ("#/workload/throttle_ops_s", "the log says 7000.0, the upload says 9000")
    ]


def test_a_rate_that_pgbench_kept_but_does_not_print_has_to_be_stated():
    def read(workload=None):
        [prepared] = prepare(
            log("pgbench", "pg15-03-rate-weights.log"), workload=workload, service={"name": "postgresql"}
        )
        return prepared

    unstated, stated = read(), read({"command": "pgbench -f read.sql@9 -f write.sql -R 200 -c 2 -T 5"})

    assert Flag.THROTTLED in unstated.flags
    assert any("limited its rate" in warning for warning in unstated.warnings)
    assert stated.document.workload.fixed_rate_ops_s == 200
    assert Flag.THROTTLED in stated.flags
    assert not any("limited its rate" in warning for warning in stated.warnings)


def test_content_of_before_has_the_hash_of_before():
    prepared = prepare_document(document())
    before = prepared.document.content()
    del before["workload"]["throttle_ops_s"]
    del before["trials"][0]["offered_ops_s"]

    assert prepared.content_hash == content_hash_of(before, [])
    assert prepare_document(document({"workload/throttle_ops_s": 7000})).content_hash != prepared.content_hash

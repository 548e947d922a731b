"""What is kept of a run's hosts before the tear-down: when, how much, and that nothing is lost or delayed by it."""

import base64
from datetime import timedelta

import pytest
from botocore.exceptions import EndpointConnectionError
from django.db import OperationalError

from runners import lifecycle
from runners.choices import RunStatus
from runners.diagnosis import keep
from runners.models import Run
from runners.providers import fake
from submissions.ingest.files import storage

pytestmark = pytest.mark.django_db

TOKEN = "password=Sup3rS3cretValue"


def printed(**files):
    return b"".join(
        f"part {len(content)} {path.replace('__', '/')}\n".encode() + base64.encodebytes(content.encode())
        for path, content in files.items()
    )


@pytest.fixture
def failed(make_run, drive, cloud):
    """A function: a run whose load tool has failed, at its tear-down; keywords change the plan."""

    def make(**plan):
        cloud.plan["trial-0"] = fake.FakeJob(b"java.io.IOException: operation timed out", exit_status=1)
        run = drive(make_run(**plan), RunStatus.TEARING_DOWN)
        assert run.end_reason == "stress_failed"
        return run

    return make


def kept(run):
    return run.outputs.filter(kind="diagnosis")


def test_logs_of_the_hosts_are_kept_masked_before_the_machines_go(failed, cloud, drive):
    run = failed()
    cloud.printed["db-1"] = printed(log__system="INFO up\nERROR No space left on device\n", conf=f"{TOKEN}\n")
    cloud.lost_hosts.add("db-2")

    run = drive(run)

    assert (run.status, run.end_reason) == ("failed", "stress_failed")
    assert run.diagnosis["hosts"] == ["client-0", "db-0", "db-1"]
    assert run.diagnosis["silent"] == ["db-2"]
    assert [(cause["host"], cause["kind"]) for cause in run.diagnosis["causes"]] == [
        ("db-1", "disk_full"),
        ("db-2", "unreachable"),
    ]
    system, conf = kept(run).filter(node__name="db-1")
    assert (system.name, system.path, system.trial) == ("db-1-system", "diagnosis/log/system", None)
    with storage.open_stored(conf.sha256) as stored:
        assert stored.read() == b"password=*masked*\n"
    assert "S3cret" not in conf.tail
    assert len(cloud.asked) == 1  # once, however many steps the tear-down has


def test_a_database_is_asked_for_its_files_and_a_client_for_its_jobs(failed, cloud, drive):
    from runners.load_tools.cassandra_stress.cassandra_stress import CassandraStress

    run = failed()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keep, "for_plan", lambda plan: CassandraStress())
        drive(run)

    [asked] = cloud.asked
    assert set(asked) == {"db-0", "db-1", "db-2", "client-0"}
    assert "log/system.log" in asked["db-0"]
    assert "conf/cassandra.yaml" in asked["db-0"]
    assert "log/system.log" not in asked["client-0"]
    assert "jobs/*/output" in asked["client-0"]


def test_a_run_that_succeeds_or_is_cancelled_is_not_diagnosed_unless_the_plan_says_so(make_run, cloud, drive):
    succeeded = drive(make_run())
    cancelled = drive(make_run(), RunStatus.STRESSING)
    lifecycle.request_cancel(cancelled)
    cancelled = drive(cancelled)

    assert (succeeded.status, cancelled.status) == ("succeeded", "cancelled")
    assert cloud.asked == []
    assert (succeeded.diagnosis, cancelled.diagnosis) == (None, None)


def test_with_a_plan_that_says_always_the_logs_are_published_with_the_result(make_run, cloud, drive):
    cloud.printed["db-0"] = printed(log__system="INFO once there was No space left on device\n")

    run = drive(make_run(diagnosis="always"))

    assert run.status == "succeeded"
    assert run.diagnosis["causes"] == []  # nothing failed
    assert "db-0-system" in set(run.submission.artifacts.values_list("name", flat=True))


def test_logs_of_a_failure_are_no_files_of_the_result_of_its_first_trials(make_run, cloud, drive, later):
    cloud.plan["trial-1"] = fake.FakeJob(b"", exit_status=None)
    run = make_run()
    while run.progress.get("trials_done") != 1:
        run = drive(run, most=1)
    later(run, timedelta(minutes=61))
    run = drive(run)

    assert (run.end_reason, run.submission.trials_count) == ("timed_out", 1)
    assert kept(run).exists()
    names = set(run.submission.artifacts.values_list("name", flat=True))
    assert not names & set(kept(run).values_list("name", flat=True))


def test_only_the_end_of_a_long_log_is_kept_and_that_is_known(failed, cloud, drive):
    cloud.printed["db-0"] = b"part 5000 log/gc.log\n" + base64.encodebytes(b"[gc] the end\n")

    run = drive(failed())

    assert run.diagnosis["cut"] == {"db-0/log/gc.log": 5000}
    with storage.open_stored(kept(run).get(node__name="db-0").sha256) as stored:
        assert stored.read() == b"[the last 13 of 5000 bytes]\n[gc] the end\n"


@pytest.mark.parametrize("error", [RuntimeError("a bug"), ValueError("no keys")])
def test_a_diagnosis_that_fails_ends_no_tear_down(failed, cloud, drive, error):
    run = failed()
    cloud.fail("read", error)

    run = drive(run)

    assert run.status == "failed"
    assert cloud.alive(run.tag) == []


def test_a_storage_that_is_down_costs_the_bytes_but_not_the_last_lines_nor_the_cause(failed, cloud, drive, monkeypatch):
    run = failed()
    cloud.printed["db-0"] = printed(log__system="ERROR No space left on device\n")

    def down(path):
        raise EndpointConnectionError(endpoint_url="http://storage")

    monkeypatch.setattr(storage, "store_path", down)
    run = drive(run)

    assert run.status == "failed"
    assert run.diagnosis["causes"][0]["kind"] == "disk_full"
    log = kept(run).get(node__name="db-0")
    assert (log.sha256, log.tail) == (None, "ERROR No space left on device\n")


def test_a_lost_connection_of_the_database_is_not_hidden(failed, cloud):
    run = failed()
    cloud.fail("read", OperationalError("server closed the connection"))

    with pytest.raises(OperationalError):
        keep.is_done(run)


def test_workers_that_die_while_they_ask_do_not_keep_the_machines_for_ever(failed, cloud):
    run = failed()
    for _ in range(2):  # what stays of a worker that was killed
        cloud.fail("read", KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt):
            keep.is_done(run)
        run = Run.objects.get(pk=run.pk)

    assert keep.is_done(run)


def test_the_tear_down_waits_a_minute_at_most(failed, cloud, later):
    run = failed()
    cloud.fail("read", KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        keep.is_done(run)
    run = Run.objects.get(pk=run.pk)

    later(run, keep.LIMIT + timedelta(seconds=1))

    assert keep.is_done(Run.objects.get(pk=run.pk))


def test_a_run_without_machines_has_nothing_to_keep(make_run, cloud, drive):
    cloud.fail("launch", RuntimeError("a bug"))

    run = drive(make_run())

    assert (run.end_reason, run.diagnosis) == ("internal_error", None)
    assert cloud.asked == []

"""Whole runs on this machine: the real PostgreSQL, the real pgbench, real processes that outlive their worker."""

import multiprocessing
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from datetime import timedelta

import pytest

LIMIT_SECONDS = 600  # of anything that is waited for; on an idle machine a run takes ten


@pytest.fixture
def runs_folder(open_folder, settings):
    """A data folder whose path is too long for any Unix socket."""
    settings.DATA_DIR = open_folder / ("long" * 30)
    settings.RUN_PROVIDERS = ["local"]
    settings.DATA_DIR.mkdir()
    return settings.DATA_DIR / "runs"


@pytest.fixture
def confirmed(transactional_db, runs_folder):
    """A function: a queued run of the preset, made small; keywords change the plan. Nothing of it survives the test."""
    from runners import creation
    from runners.load_tools.pgbench.pgbench import PGBENCH_PRESET
    from runners.providers.registry import provider_for
    from tests.factories import UserFactory

    made = []

    def make(*, seconds=2, **changes):
        workload = {**PGBENCH_PRESET["workload"], "scale": 1, "threads": 2, "duration_seconds": seconds}
        run = creation.create_run({**PGBENCH_PRESET, "trials": 2, "workload": workload, **changes}, UserFactory())
        creation.confirm(run)
        made.append(run)
        return run

    yield make
    for run in made:
        wait_until(lambda run=run: provider_for("local").terminate(run.tag, None))


def wait_until(happens: Callable[[], object]) -> None:
    deadline = time.monotonic() + LIMIT_SECONDS
    while not happens():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def drive(run, until: Callable[[], object] = lambda: False):
    """Be the worker until the run has ended or something has happened."""
    from runners import driver

    def once():
        driver.drive_once(run)
        run.refresh_from_db()
        return run.is_final or until()

    wait_until(once)
    return run


def is_measuring(run) -> bool:
    """Whether the load tool has printed what it measured, and goes on."""
    return run.outputs.filter(trial=0).exclude(series=[]).exists()


def commands(run, runs_folder) -> list[str]:
    """What runs of a run now: its processes as ps shows them."""
    from runners.providers.local import processes

    folder = runs_folder / run.tag
    return sorted(" ".join(process.cmdline()) for process in processes.of_run(folder, str(folder)))


def in_process_list(run) -> str:
    return subprocess.run(["pgrep", "--full", run.tag], capture_output=True, text=True, check=False).stdout


def test_from_the_queue_to_a_submission_by_celery_alone(celery_worker, confirmed, runs_folder, monkeypatch):
    from runners import driver
    from runners.tasks import drive_due
    from submissions.records.detail.query import submission_detail

    monkeypatch.setattr(driver, "PAUSE", timedelta(milliseconds=200))
    run = confirmed(settings={"postgresql.conf": {"shared_buffers": "16MB"}})

    def nudge():  # as beat does every two seconds
        drive_due.delay()
        run.refresh_from_db()
        return run.is_final

    wait_until(nudge)

    assert run.end_detail == ""
    assert run.status == "succeeded"
    assert [event.new_status for event in run.events.filter(kind="status")] == [
        *("queued", "launching", "bootstrapping", "stressing", "collecting", "tearing_down", "submitting", "succeeded"),
    ]
    submission = run.submission
    assert submission.trust == "run_by_us"
    assert (submission.service, submission.provider, submission.operation) == ("postgresql", "local", "tpcb-like")
    assert submission.client_placement == submission.workload.canonical["client_placement"] == "on_database"
    assert (submission.trials_count, submission.threads, submission.hourly_usd) == (2, 2, None)
    assert re.fullmatch(r"\d+\.\d+", submission.service_version)
    assert submission.vcpus == os.cpu_count()
    assert submission.document["settings"]["postgresql.conf"] == {"shared_buffers": "16MB"}
    trials = list(submission.trials.all())
    assert all(
        trial.operations == pytest.approx(trial.throughput_ops_s * trial.duration_s, rel=0.01) for trial in trials
    )
    assert all(1.5 < trial.duration_s < 10 for trial in trials)
    assert all(trial.latency_mean_ms < trial.latency_p99_ms <= trial.latency_max_ms for trial in trials)
    assert submission.latency_p99_ms is not None
    assert sorted(
        submission.artifacts.filter(kind__in=["load_log", "host_summary", "other"]).values_list("name", flat=True)
    ) == [
        "hosts.json",
        *("trial-1-db-0-samples.csv", "trial-1-db-0.log"),
        *("trial-2-db-0-samples.csv", "trial-2-db-0.log"),
    ]
    [host] = submission_detail(submission).hosts.rows
    assert (host.name, host.role) == ("db-0", "database")
    assert host.ops_s == submission.throughput_ops_s
    assert 0 < host.cpu_percent <= host.cpu_max_percent <= 100
    assert run.receipt["left"] == 0
    assert list(runs_folder.iterdir()) == []
    assert commands(run, runs_folder) == []
    assert in_process_list(run) == ""


def test_a_worker_is_killed_while_the_load_runs_and_another_goes_on(confirmed, runs_folder):
    from django.db import connection

    run = confirmed(seconds=6)

    def be_the_worker():
        connection.connection = None  # the parent's: to close it would close it for both
        drive(run)

    worker = multiprocessing.get_context("fork").Process(target=be_the_worker)
    worker.start()
    wait_until(lambda: is_measuring(run))
    os.kill(worker.pid, signal.SIGKILL)
    worker.join()
    seen = commands(run, runs_folder)
    drive(run)

    assert any("pgbench" in command for command in seen)
    assert any("postgres: checkpointer" in command for command in seen)
    assert (run.status, run.end_reason) == ("succeeded", "completed")
    [first, second] = run.submission.trials.all()
    assert 5.5 < first.duration_s < 12
    assert first.is_truncated is second.is_truncated is False
    assert run.nodes.count() == 1
    assert commands(run, runs_folder) == []


def test_cancel_ends_every_process_and_keeps_nothing(confirmed, runs_folder):
    from runners import lifecycle

    run = confirmed(seconds=600)
    drive(run, until=lambda: is_measuring(run))
    before = commands(run, runs_folder)
    lifecycle.request_cancel(run)
    run.refresh_from_db()
    drive(run)

    assert len(before) > 8
    assert (run.status, run.end_reason, run.submission) == ("cancelled", "cancelled_by_user", None)
    assert run.receipt["left"] == 0
    assert commands(run, runs_folder) == []
    assert list(runs_folder.iterdir()) == []


def test_a_database_that_dies_under_the_load_ends_the_run(confirmed, runs_folder):
    run = confirmed(seconds=600)
    drive(run, until=lambda: is_measuring(run))
    postmaster = int((runs_folder / run.tag / "db-0/data/0/postgresql/postmaster.pid").read_text().split()[0])
    os.kill(postmaster, signal.SIGKILL)
    drive(run)

    assert (run.status, run.end_reason) == ("failed", "stress_failed")
    assert "the load tool on db-0 ended with" in run.end_detail
    assert commands(run, runs_folder) == []
    assert [(cause["host"], cause["kind"]) for cause in run.diagnosis["causes"]] == [("db-0", "not_running")]
    kept = set(run.outputs.filter(kind="diagnosis", sha256__isnull=False).values_list("name", flat=True))
    assert {"db-0-postgresql.log", "db-0-postgresql.conf", "db-0-trial-0-output.log"} <= kept


@pytest.mark.parametrize(
    ("changes", "detail"),
    [
        (
            {"service": {"name": "postgresql", "version": "9.6"}},
            r"the plan asks for PostgreSQL 9\.6, this host has \d+",
        ),
        ({"settings": {"postgresql.conf": {"shared_buffers": "many"}}}, "PostgreSQL does not start"),
        ({"workload_scale": 1_000_000}, r"scale 1000000 needs 16002048 MB of disk, \d+ MB are free"),
    ],
)
def test_what_cannot_be_set_up_says_why(confirmed, runs_folder, changes, detail):
    if scale := changes.pop("workload_scale", None):
        changes["workload"] = {"tool": "pgbench", "operation": "tpcb", "scale": scale, "duration_seconds": 2}
    run = drive(confirmed(**changes))

    assert (run.status, run.end_reason) == ("failed", "bootstrap_failed")
    assert re.search(detail, run.end_detail)
    assert commands(run, runs_folder) == []
    assert list(runs_folder.iterdir()) == []


def test_a_service_that_this_machine_does_not_run_is_refused_when_the_run_is_placed(confirmed):
    from benchsite.http.refusals import Refusal

    workload = {"tool": "cassandra-stress", "operation": "write", "operations": 1000, "threads": 2}
    with pytest.raises(Refusal, match="this machine runs postgresql"):
        confirmed(service={"name": "cassandra", "version": "5.0.4"}, workload=workload)


def test_two_runs_do_not_measure_each_other(confirmed):
    first, second = confirmed(seconds=600), confirmed()
    drive(first, until=lambda: first.status == "stressing")

    for _ in range(3):
        drive(second, until=lambda: True)

    assert second.status == "queued"

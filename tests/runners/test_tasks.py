"""Celery's nudges: a worker that has a run does what can be done now, and leaves it for later where it has to wait."""

import json
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.utils import timezone

from runners import clock, driver
from runners.choices import RunStatus
from runners.load_tools.base import Job
from runners.models import Run
from runners.providers.fake import FakeJob
from runners.steps import jobs
from runners.steps.jobs import pause_of


def test_one_nudge_takes_a_run_as_far_as_it_goes(make_run):
    from runners.tasks import drive

    run = make_run()
    drive(run.pk)
    run.refresh_from_db()

    assert (run.status, run.end_reason) == ("succeeded", "completed")


def test_a_run_that_waits_for_its_machines_is_left_for_later(make_run, cloud):
    from runners.tasks import drive

    cloud.not_ready = {"db-0"}
    run = make_run()
    before = timezone.now()
    drive(run.pk)
    run.refresh_from_db()

    assert (run.status, run.held_until) == ("launching", None)
    assert run.due_at > before


def test_a_run_that_another_worker_has_is_left_alone(make_run):
    from runners import lifecycle
    from runners.tasks import drive

    run = make_run()
    assert lifecycle.hold(run.pk, timedelta(minutes=2))
    drive(run.pk)
    run.refresh_from_db()

    assert run.status == "queued"


@pytest.mark.django_db(transaction=True)
def test_a_worker_whose_connection_was_cut_gives_the_run_back(make_run, monkeypatch):
    from runners.tasks import drive

    def cut(run):
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")

    run = make_run()
    monkeypatch.setattr(driver, "drive_once", cut)
    with pytest.raises(driver.DATABASE_AWAY):
        drive(run.pk)
    run.refresh_from_db()

    assert (run.held_until, run.held_by) == (None, None)


def test_of_many_waiting_messages_one_makes_a_step(make_run, cloud):
    from runners.tasks import drive

    run = make_run()
    cloud.not_ready = {"db-0"}
    drive(run.pk)  # as far as it goes: it waits for its machines
    looks = cloud.calls["machines"]
    for _ in range(50):
        drive(run.pk)
    assert cloud.calls["machines"] == looks

    Run.objects.filter(pk=run.pk).update(due_at=timezone.now())
    for _ in range(50):
        drive(run.pk)
    assert cloud.calls["machines"] == looks + 1


def test_a_cancelled_run_does_not_wait_until_it_is_due(make_run, cloud):
    from runners import lifecycle
    from runners.tasks import drive

    run = make_run()
    cloud.not_ready = {"db-0"}
    drive(run.pk)
    lifecycle.request_cancel(run)
    drive(run.pk)
    run.refresh_from_db()

    assert (run.status, run.end_reason) == ("cancelled", "cancelled_by_user")


def test_messages_for_runs_have_a_queue_of_their_own_and_expire(make_run, redis_client, settings):
    from runners.tasks import drive_due

    run = make_run()
    drive_due()

    [message] = [json.loads(raw) for raw in redis_client.lrange(f"{settings.REDIS_PREFIX}:runs", 0, -1)]
    expires = datetime.fromisoformat(message["headers"]["expires"])
    assert message["headers"]["argsrepr"] == f"[{run.pk}]"
    assert timezone.now() < expires <= timezone.now() + timedelta(minutes=5)
    assert settings.CELERY_BEAT_SCHEDULE["drive runs"]["options"]["expires"]
    assert settings.CELERY_TASK_ROUTES["runners.tasks.drive_due"] == {"queue": "runs"}


def test_a_step_ends_before_its_worker_is_taken_for_dead():
    from runners.driver import STEP_LIMIT
    from runners.hosts.remote import Limits
    from runners.tasks import TURN

    limits = Limits()
    longest = TURN.total_seconds() + limits.budget_seconds + limits.grace_seconds

    assert longest + 40 <= STEP_LIMIT.total_seconds()  # 40 s for a cloud that answers late


def test_a_look_at_many_hosts_is_rare_in_a_long_job_and_a_cancel_does_not_wait_for_it(
    make_run, drive, cloud, later, monkeypatch
):
    from runners import lifecycle
    from runners.tasks import drive as drive_task

    monkeypatch.setattr(jobs, "LONGEST_PAUSE_A_HOST", timedelta(seconds=8))  # as of a hundred hosts together
    cloud.plan["trial-0"] = FakeJob(exit_status=None)
    run = drive(make_run(), RunStatus.STRESSING)
    drive_task(run.pk)
    run.refresh_from_db()
    later(run, timedelta(minutes=5))
    before = clock.now()
    drive_task(run.pk)
    run.refresh_from_db()

    assert timedelta(seconds=7) < run.due_at - before < timedelta(seconds=30)  # 8 s, and the time of the step

    lifecycle.request_cancel(run)
    drive_task(run.pk)
    run.refresh_from_db()
    assert run.end_reason == "cancelled_by_user"


def test_looks_are_rarer_with_the_age_of_a_job_and_its_hosts_and_not_at_its_end():
    job = Job("install", dict.fromkeys(map(str, range(348)), "x"), {}, 300, 900, "log")

    pauses = [pause_of(job, timedelta(seconds=elapsed)).total_seconds() for elapsed in (0, 60, 200, 295, 600)]

    assert pauses == pytest.approx([5.22, 6, 20, 5.22, 27.84])
    assert pause_of(replace(job, commands={"db-0": "x"}), timedelta(seconds=200)) < timedelta(seconds=2)

"""Celery's nudges: a worker that has a run does what can be done now, and leaves it for later where it has to wait."""

from django.utils import timezone


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
    from datetime import timedelta

    from runners import lifecycle
    from runners.tasks import drive

    run = make_run()
    assert lifecycle.hold(run.pk, timedelta(minutes=2))
    drive(run.pk)
    run.refresh_from_db()

    assert run.status == "queued"

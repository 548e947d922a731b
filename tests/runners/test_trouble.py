"""Trouble that passes: the run waits for it, ever more rarely, and its history stays readable."""

import pytest
from django.db import connection

from runners import clock, lifecycle, tasks
from runners.choices import RunStatus
from runners.models import Run
from runners.providers.base import NotAllowed, TryAgain

pytestmark = pytest.mark.django_db


def notes_of(run):
    return list(run.events.filter(new_status=None).values_list("message", flat=True))


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("status", "statement"),
    [
        ("queued", "pg_advisory_xact_lock"),
        ("stressing", 'INSERT INTO "runners_runevent"'),
        ("submitting", 'INSERT INTO "submissions_submission"'),
    ],
)
def test_a_connection_to_the_database_that_is_cut_ends_no_run(make_run, drive, cloud, status, statement):
    """In a transaction: Django opens a new connection after it, and the run was ended on that one."""
    run = drive(make_run(), status)
    cuts = []

    def cut(execute, sql, params, many, context):
        if statement in sql and not cuts:
            cuts.append(sql)
            return execute("SELECT pg_terminate_backend(pg_backend_pid())", (), False, context)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(cut):
        drive(run)

    assert cuts
    assert (run.status, run.end_reason, run.end_detail) == ("succeeded", "completed", "")
    assert run.submission.trials_count == 2
    assert len(cloud.created) == 4


def test_two_answers_that_alternate_are_noted_once_each(make_run, drive, cloud):
    run = drive(make_run(), RunStatus.LAUNCHING)
    cloud.fail("launch", *[TryAgain("throttled"), TryAgain("unavailable")] * 4)

    drive(run, most=8)

    assert notes_of(run) == ["waiting for the provider: throttled", "waiting for the provider: unavailable"]


def test_an_answer_longer_than_a_note_is_noted_once(make_run, drive, cloud):
    run = drive(make_run(), RunStatus.TEARING_DOWN)
    cloud.fail("terminate", *[NotAllowed("x" * 2000)] * 5)

    drive(run, most=5)

    assert notes_of(run) == ["x" * 1000]


def test_answers_that_are_never_the_same_do_not_fill_the_history(make_run, drive, cloud, monkeypatch):
    monkeypatch.setattr(lifecycle, "NOTES_A_STATUS", 5)
    run = drive(make_run(), RunStatus.LAUNCHING)
    cloud.fail("launch", *[TryAgain(f"request {number}") for number in range(8)])

    drive(run, most=8)

    assert len(notes_of(run)) == 5


def test_what_fails_again_is_asked_ever_more_rarely_until_it_works(make_run, cloud):
    run = make_run()
    cloud.fail("launch", *[TryAgain("throttled")] * 8)
    pauses = []
    for _ in range(8):
        tasks.drive(run.pk)
        run.refresh_from_db()
        pauses.append(round((run.due_at - clock.now()).total_seconds()))
        Run.objects.filter(pk=run.pk).update(due_at=clock.now())

    assert pauses == [2, 4, 8, 16, 32, 60, 60, 60]
    cloud.not_ready.add("db-0")
    tasks.drive(run.pk)
    run.refresh_from_db()
    assert (run.status, run.troubles) == ("launching", 0)
    assert round((run.due_at - clock.now()).total_seconds()) == 2

"""A run that cannot be torn down: it takes no place, costs few calls, tells of itself, and ends when it has expired."""

from datetime import timedelta

import pytest
from django.core import mail
from django.utils import timezone

from runners import lifecycle, operations
from runners.choices import RunStatus
from runners.endings import run_notices
from runners.limits.queue import MOST_BLOCKED
from runners.models import Run
from runners.providers.base import NotAllowed
from runners.tasks import drive as drive_task
from tests.factories import verify

REFUSAL = "TerminateInstances: UnauthorizedOperation"


@pytest.fixture
def blocked(make_run, drive, cloud, later):
    """A function: a run that the cloud has refused to tear down for a quarter of an hour."""

    def make(**changes):
        run = drive(make_run(**changes), RunStatus.STRESSING)
        lifecycle.request_cancel(run)
        cloud.fail("terminate", *[NotAllowed(REFUSAL)] * 200)
        drive(run, most=3)
        later(run, timedelta(minutes=16))
        drive(run, most=1)
        return run

    return make


def figure(name):
    return next(found for found in operations.figures() if found.name == name)


def test_it_takes_no_place_of_its_owner_and_none_of_the_site(blocked, make_run, drive, settings):
    settings.MAX_OPEN_RUNS = settings.MAX_USER_OPEN_RUNS = 1
    run = blocked()
    next_one = drive(make_run(owner=run.owner), most=1)

    assert (run.status, next_one.status) == ("tearing_down", "launching")


def test_only_some_runs_of_a_user_take_no_place(blocked, make_run, drive, settings):
    settings.MAX_USER_OPEN_RUNS = 1
    first = blocked()
    for _ in range(MOST_BLOCKED):
        blocked(owner=first.owner)

    of_the_user, of_another = make_run(owner=first.owner), make_run()

    assert (drive(of_the_user, most=1).status, drive(of_another, most=1).status) == ("queued", "launching")


def test_it_is_asked_ever_more_rarely(blocked, later):
    run = blocked()
    pauses = []
    for _ in range(4):
        later(run, timedelta(hours=1))
        drive_task(run.pk)
        run.refresh_from_db()
        pauses.append(round((run.due_at - timezone.now()) / timedelta(minutes=1)))

    assert pauses == sorted(pauses)
    assert 15 < pauses[0] < pauses[-1] == 60


def test_its_history_and_the_operators_page_say_what_is_left_and_where(blocked, cloud):
    run = blocked()

    said = run.events.get(kind="error", message__startswith="cannot be torn down").message
    assert said.startswith(
        f"cannot be torn down: {REFUSAL}. left behind in us-east-1: instance fake-1, instance fake-2"
    )
    assert said.endswith(f"(tag {run.tag})")
    assert (figure("runs_blocked").value, f"run {run.pk}" in figure("runs_blocked").alarm) == (1, True)


def test_its_owner_and_the_operators_get_one_mail(blocked, make_run, settings, django_capture_on_commit_callbacks):
    settings.ADMINS = [("ops@example.org", "ops@example.org")]
    with django_capture_on_commit_callbacks() as waiting:
        run = blocked()
    verify(run.owner)
    run_notices.mail_blocked.apply(args=[run.pk, "cannot be torn down: why"])
    run_notices.mail_operators.apply(args=[run.pk, "cannot be torn down: why"])

    assert len(waiting) == 1  # the owner did not ask for any
    assert [letter.to for letter in mail.outbox] == [[run.owner.email], ["ops@example.org"]]
    for letter in mail.outbox:
        assert f"Run {run.pk} cannot be torn down" in letter.subject
        assert "The run cannot be torn down: why." in letter.body
    assert run_notices.content_of(run)["blocked_since"] == run.blocked_since.isoformat()


def test_long_after_its_machines_have_expired_it_ends_and_says_what_it_left(blocked, drive, later):
    run = blocked()
    Run.objects.filter(pk=run.pk).update(expires_at=timezone.now() - timedelta(minutes=31))

    drive(run, most=1)

    assert (run.status, run.end_reason) == ("cancelled", "cancelled_by_user")
    assert run.end_detail.startswith("left behind in us-east-1: instance fake-1")
    assert run.receipt["left"] == len(run.receipt["left_behind"]) == 4
    assert run.nodes.filter(terminated_at=None).count() == 4
    assert (figure("runs_left_behind").value, figure("machines_open").value) == (1, 0)


def test_what_was_measured_is_kept_although_something_is_left(make_run, drive, cloud, later):
    cloud.fail("terminate", *[NotAllowed(REFUSAL)] * 200)
    run = drive(make_run(), RunStatus.TEARING_DOWN)
    drive(run, most=2)
    later(run, timedelta(minutes=16))
    Run.objects.filter(pk=run.pk).update(expires_at=timezone.now() - timedelta(minutes=31))

    drive(run)

    assert (run.status, run.end_reason) == ("succeeded", "completed")
    assert run.submission is not None
    assert run.end_detail.startswith("left behind in us-east-1")


def test_a_tear_down_that_succeeds_late_leaves_nothing(blocked, drive, cloud):
    run = blocked()
    cloud.faults.clear()

    drive(run)

    assert (run.status, run.receipt["left"], cloud.alive(run.tag)) == ("cancelled", 0, [])


def test_an_error_of_the_site_at_the_tear_down_blocks_the_run_as_one_of_the_cloud_does(make_run, drive, cloud, later):
    run = drive(make_run(), RunStatus.STRESSING)
    lifecycle.request_cancel(run)
    cloud.fail("terminate", *[KeyError("InstanceId")] * 200)
    drive(run, most=3)
    later(run, timedelta(minutes=16))

    drive(run, most=1)

    said = run.events.get(message__startswith="cannot be torn down").message
    assert said.startswith("cannot be torn down: an internal error. left behind in us-east-1: instance fake-1")

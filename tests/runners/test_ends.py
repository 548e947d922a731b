"""Ends that were decided and not carried out: the next worker carries them out."""

from datetime import timedelta

import pytest
from django.utils import timezone

from runners import lifecycle
from runners.choices import RunStatus
from runners.models import Run
from runners.providers import fake

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("status", ["queued", "launching", "bootstrapping", "stressing"])
@pytest.mark.parametrize("reason", ["cancelled_by_user", "timed_out"])
def test_a_run_with_a_reason_to_end_does_not_go_on(make_run, drive, cloud, status, reason):
    run = drive(make_run(), status)
    made = len(cloud.created)
    Run.objects.filter(pk=run.pk).update(end_reason=reason)  # its worker was killed before the move

    drive(run, most=1)
    assert run.status in ("collecting", "tearing_down", "failed", "cancelled")
    drive(run)

    assert run.is_final
    assert run.end_reason == reason
    assert len(cloud.created) == made
    assert cloud.alive(run.tag) == []


def test_cancel_ends_a_run_that_collects_past_its_end(make_run, drive, cloud):
    cloud.fail("fetch", *[OSError("storage is down")] * 1000)
    cloud.plan["trial-0"] = fake.FakeJob(b"", exit_status=None)
    run = drive(make_run(), RunStatus.STRESSING)
    drive(run, most=2)
    Run.objects.filter(pk=run.pk).update(deadline_at=timezone.now())
    drive(run, RunStatus.COLLECTING)
    drive(run, most=3)
    assert (run.status, run.end_reason) == ("collecting", "timed_out")

    lifecycle.request_cancel(run)
    drive(run)

    assert (run.status, run.end_reason) == ("failed", "timed_out")
    assert cloud.alive(run.tag) == []


def test_a_worker_whose_clock_is_ahead_ends_no_run_before_its_deadline(make_run, drive, cloud, monkeypatch):
    cloud.plan["trial-0"] = fake.FakeJob(b"", exit_status=None)
    run, true_now = drive(make_run(), RunStatus.STRESSING), timezone.now
    monkeypatch.setattr(timezone, "now", lambda: true_now() + timedelta(hours=2))

    drive(run, most=3)

    assert (run.status, run.end_reason) == ("stressing", None)

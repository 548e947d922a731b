"""The sweep: by tag alone, independent of the run and its worker."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from runners import operations
from runners.choices import RunStatus
from runners.models import Run, Sweep
from runners.providers.base import TryAgain
from runners.sweep import Swept, sweep

pytestmark = pytest.mark.django_db


def test_a_run_in_time_is_left_alone(make_run, drive, cloud):
    run = drive(make_run(), RunStatus.STRESSING)

    assert sweep() == [Swept("fake", 4, (), ())]
    assert len(cloud.alive(run.tag)) == 4


def test_machines_over_their_time_are_deleted_whatever_the_run_says(make_run, drive, cloud):
    run = drive(make_run(), RunStatus.STRESSING)

    [swept] = sweep(timezone.now() + timedelta(hours=3))

    assert swept.removed == (run.tag,)
    assert cloud.alive(run.tag) == []


def test_a_clock_that_is_ahead_deletes_no_run_in_time(make_run, drive, cloud, monkeypatch):
    run, true_now = drive(make_run(), RunStatus.STRESSING), timezone.now
    monkeypatch.setattr(timezone, "now", lambda: true_now() + timedelta(hours=3))

    sweep()

    assert len(cloud.alive(run.tag)) == 4


def test_machines_of_a_run_that_no_database_knows_go_when_their_time_is_over(make_run, drive, cloud):
    run = drive(make_run(), RunStatus.STRESSING)
    run.outputs.all().delete()
    Run.objects.all().delete()

    assert sweep() == [Swept("fake", 4, (), ())]
    [swept] = sweep(timezone.now() + timedelta(hours=3))

    assert swept.removed == (run.tag,)


def test_leftovers_of_an_ended_run_do_not_wait_for_their_time(make_run, drive, cloud):
    run = drive(make_run(), RunStatus.STRESSING)
    Run.objects.filter(pk=run.pk).update(
        status="failed", end_reason="internal_error", ended_at=timezone.now() - timedelta(minutes=6)
    )

    [swept] = sweep()

    assert swept.removed == (run.tag,)
    assert cloud.alive(run.tag) == []


def test_the_command_for_cron_says_what_it_did(make_run, drive, cloud):
    run = drive(make_run(), RunStatus.STRESSING)
    Run.objects.filter(pk=run.pk).update(
        status="failed", end_reason="internal_error", ended_at=timezone.now() - timedelta(minutes=6)
    )
    out = StringIO()

    call_command("sweep", stdout=out)

    assert out.getvalue() == "fake: 4 resources found, leftovers of 1 run deleted\n"


def test_a_provider_that_does_not_answer_is_an_error_of_the_command(make_run, cloud):
    cloud.fail("leftovers", TryAgain("RequestLimitExceeded"))

    with pytest.raises(CommandError, match="Some resources may be left"):
        call_command("sweep", stdout=StringIO())


def test_a_place_that_does_not_answer_is_reported_and_the_others_are_swept(make_run, drive, cloud):
    run = drive(make_run(), RunStatus.STRESSING)
    cloud.unseen = {"eu-south-1": "Unavailable: try again"}

    [swept] = sweep(timezone.now() + timedelta(hours=3))

    assert (swept.removed, swept.unseen) == ((run.tag,), {"eu-south-1": "Unavailable: try again"})
    assert cloud.alive(run.tag) == []
    with pytest.raises(CommandError, match="Some resources may be left"):
        call_command("sweep", stdout=(out := StringIO()))
    assert "fake: could not look into eu-south-1: Unavailable: try again\n" in out.getvalue()


def test_operators_see_what_the_latest_sweep_could_not_see(cloud):
    cloud.unseen = {"eu-south-1": "Unavailable"}
    sweep()
    seen = {figure.name: (figure.value, figure.alarm, dict(figure.labels)) for figure in operations.figures()}
    cloud.unseen = {}
    sweep()
    later = {figure.name: figure.alarm for figure in operations.figures()}

    assert seen["sweep_errors"] == (1, "eu-south-1: Unavailable", {"account": "fake"})
    assert later["sweep_errors"] == ""


@pytest.mark.parametrize(
    ("account", "name"), [("gce", "Google Cloud"), ("aws as arn:aws:iam::1:role/b", "AWS as arn:aws:iam::1:role/b")]
)
def test_operators_see_the_names_of_the_clouds(account, name):
    Sweep.objects.create(account=account, at=timezone.now(), found=0, removed=[], remaining=[], unseen={})

    assert f"Last sweep of {name}" in {figure.label for figure in operations.figures()}


def test_an_account_that_fails_in_a_new_way_does_not_stop_the_sweep(cloud):
    cloud.fail("leftovers", ZeroDivisionError())

    [swept] = sweep()

    assert swept.error == "an internal error: see the log"

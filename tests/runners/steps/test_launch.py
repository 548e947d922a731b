"""A worker that was paused in a launch, and wakes up in another world; a cloud that is full."""

from datetime import timedelta

import pytest

from runners import driver, lifecycle
from runners.choices import RunStatus
from runners.models import Run
from runners.providers import fake
from runners.providers.base import NoCapacity, TryAgain
from submissions.models import InstanceType

pytestmark = pytest.mark.django_db


def paused_while(cloud, happens):
    """The next launch sleeps before its first call that creates anything, and `happens` meanwhile."""

    def sleep():
        cloud.before_launch = lambda: None
        happens()

    cloud.before_launch = sleep


def test_a_worker_that_wakes_up_after_the_teardown_makes_nothing(make_run, drive, cloud):
    late = drive(make_run(), RunStatus.LAUNCHING)
    run = Run.objects.get(pk=late.pk)

    def another_worker_cancels():
        lifecycle.request_cancel(run)
        drive(run)

    paused_while(cloud, another_worker_cancels)
    driver.drive_once(late)

    run.refresh_from_db()
    assert (run.status, run.end_reason, run.receipt["machines"]) == ("cancelled", "cancelled_by_user", [])
    assert cloud.created == []
    assert run.events.last().new_status == "cancelled"


def test_what_it_had_made_already_is_deleted_by_the_worker_itself(make_run, drive, cloud, monkeypatch):
    late = drive(make_run(), RunStatus.LAUNCHING)
    cloud.fail("launch", TryAgain("the answer is late"))
    real_check = cloud.check

    def check(call):
        if call == "launch":  # the machines appear, and the run is over before the answer is there
            Run.objects.filter(pk=late.pk).update(status="cancelled", end_reason="cancelled_by_user")
        real_check(call)

    monkeypatch.setattr(cloud, "check", check)
    deleted = []
    monkeypatch.setattr(fake.FakeProvider, "terminate", lambda self, tag, region: deleted.append(tag))
    driver.drive_once(late)

    assert deleted == [late.tag]


def test_a_worker_that_wakes_up_in_a_later_step_deletes_nothing(make_run, drive, cloud):
    late = drive(make_run(), RunStatus.LAUNCHING)
    run = Run.objects.get(pk=late.pk)

    paused_while(cloud, lambda: drive(run, RunStatus.STRESSING))
    driver.drive_once(late)

    run.refresh_from_db()
    assert run.status == RunStatus.STRESSING
    assert (len(cloud.created), len(cloud.alive(run.tag))) == (4, 4)
    assert drive(run).status == RunStatus.SUCCEEDED


def test_a_full_zone_is_left_for_another_when_the_plan_names_none(make_run, drive, cloud):
    cloud.fail("launch", NoCapacity("no m5.xlarge", "us-east-1a"), TryAgain("throttled"))

    run = drive(make_run(zones=[]), "launching", most=2)
    drive(run, most=2)

    assert run.progress["full_zones"] == ["us-east-1a"]
    assert "us-east-1a has no capacity now, another zone is tried: no m5.xlarge" in [
        event.message for event in run.events.all()
    ]
    assert drive(run).status == RunStatus.SUCCEEDED


def test_a_worker_that_wakes_up_after_its_zone_was_left_makes_nothing_there(make_run, drive, cloud):
    late = drive(make_run(zones=[]), RunStatus.LAUNCHING)
    run = Run.objects.get(pk=late.pk)

    def another_worker_leaves_the_zone():
        cloud.fail("launch", NoCapacity("no m5.xlarge", "us-east-1a"))
        drive(run, most=1)

    paused_while(cloud, another_worker_leaves_the_zone)
    driver.drive_once(late)

    assert cloud.created == []
    assert drive(Run.objects.get(pk=run.pk)).status == RunStatus.SUCCEEDED
    assert len(cloud.created) == 4


def test_a_run_without_capacity_ends_with_the_closest_other_types(make_run, drive, cloud):
    for name, vcpus, memory_gib in (("m5.xlarge", 4, 16), ("m5a.xlarge", 4, 16), ("c5.large", 2, 4)):
        InstanceType.objects.create(provider="fake", name=name, vcpus=vcpus, memory_gib=memory_gib, source="test")
    cloud.fail("launch", NoCapacity("no zone is left"))

    run = drive(make_run())

    assert (run.end_reason, run.end_detail) == (
        "no_capacity",
        "no zone is left. The closest other types: m5a.xlarge for m5.xlarge.",
    )


def test_hosts_have_their_time_from_when_they_exist(make_run, drive, cloud, later):
    run = drive(make_run(), RunStatus.LAUNCHING)
    cloud.fail("launch", *[TryAgain("throttled")] * 2)
    drive(run, most=2)
    later(run, timedelta(minutes=11))
    cloud.lost_hosts = {"db-0", "db-1", "db-2", "client-0"}  # they boot

    drive(run, most=3)
    assert run.status == "launching"
    cloud.lost_hosts = set()

    assert drive(run).status == "succeeded"

"""The receipt: every machine that ever existed, whatever the database had heard of it."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from itertools import count

import pytest
from django.utils import timezone

from runners import lifecycle
from runners.choices import RunStatus
from runners.limits.budget import committed_usd
from runners.models import Run
from runners.providers import fake
from runners.providers.base import NoCredentials, NotAllowed, TryAgain

pytestmark = pytest.mark.django_db


def names_on(receipt):
    return [line["name"] for line in receipt["machines"]]


def an_hour_old(cloud):
    """What the cloud has made is older, and has cost money."""
    for key, machine in cloud.machines.items():
        cloud.machines[key] = replace(machine, launched_at=machine.launched_at - timedelta(hours=1))


def test_machines_of_a_launch_that_failed_halfway_are_on_the_receipt_and_in_the_budget(make_run, drive, cloud):
    cloud.full_zones = {"us-east-1c"}  # db-0, db-1 are made before db-2 is refused

    run = drive(make_run(), RunStatus.TEARING_DOWN)
    an_hour_old(cloud)
    drive(run)

    assert (run.status, run.end_reason) == ("failed", "no_capacity")
    assert names_on(run.receipt) == ["db-0", "db-1"]
    assert run.receipt["never_launched"] == ["client-0", "db-2"]
    assert Decimal(run.receipt["total_usd"]) > Decimal("0.38")  # two of 0.192 USD/h, for an hour
    assert committed_usd(Run.objects.all(), timezone.now()) == round(Decimal(run.receipt["total_usd"]), 4)
    assert cloud.alive(run.tag) == []


def test_machines_of_a_lost_answer_are_on_the_receipt(make_run, drive, cloud):
    run = drive(make_run(), RunStatus.LAUNCHING)
    cloud.lose_answer = True
    drive(run, most=1)
    lifecycle.request_cancel(run)

    drive(run)

    assert (run.status, len(cloud.created)) == ("cancelled", 4)
    assert names_on(run.receipt) == ["client-0", "db-0", "db-1", "db-2"]
    assert run.receipt["never_launched"] == []


def test_a_machine_that_is_listed_late_is_on_the_receipt(make_run, drive, cloud, monkeypatch):
    """It was not in the first list, and it was deleted before the second."""
    run = drive(make_run(), RunStatus.LAUNCHING)
    cloud.lose_answer = True
    drive(run, most=1)
    lifecycle.request_cancel(run)
    drive(run, RunStatus.TEARING_DOWN)
    listed, lists = fake.FakeProvider.history, count()
    monkeypatch.setattr(fake.FakeProvider, "history", lambda *call: listed(*call) if next(lists) else [])

    drive(run)

    assert names_on(run.receipt) == ["client-0", "db-0", "db-1", "db-2"]


def test_the_time_of_the_end_is_that_of_the_cloud(make_run, drive, cloud, settings, later):
    settings.RUN_SETTLE_SECONDS = 30
    run = drive(make_run(), RunStatus.BOOTSTRAPPING)
    lifecycle.request_cancel(run)
    drive(run, most=3)
    deleted = {machine.name: machine.terminated_at for machine in cloud.machines.values()}
    assert run.status == RunStatus.TEARING_DOWN
    later(run, timedelta(seconds=31))

    drive(run)

    assert {node.name: node.terminated_at for node in run.nodes.all()} == deleted


def test_what_cannot_be_listed_is_deleted_all_the_same(make_run, drive, cloud):
    run = drive(make_run(), RunStatus.TEARING_DOWN)
    cloud.fail("history", NotAllowed("ec2:DescribeInstances"))

    drive(run, most=1)

    assert cloud.alive(run.tag) == []


def test_a_list_that_fails_for_a_moment_is_asked_for_again_before_anything_goes(make_run, drive, cloud):
    run = drive(make_run(), RunStatus.TEARING_DOWN)
    cloud.fail("history", TryAgain("RequestLimitExceeded"))

    drive(run, most=1)
    assert len(cloud.alive(run.tag)) == 4

    assert drive(run).status == RunStatus.SUCCEEDED


def test_a_run_without_credentials_ends_at_once_since_nothing_was_ordered(make_run, drive, cloud, monkeypatch):
    reason = "this site has no usable credentials"

    def refuse(*args, **kwargs):
        raise NoCredentials(reason)

    for name in ("check_credentials", "launch", "terminate", "machines", "history"):
        monkeypatch.setattr(fake.FakeProvider, name, refuse)
    run = make_run()

    drive(run)

    assert (run.status, run.end_reason, run.end_detail) == ("failed", "not_allowed", reason)
    assert run.blocked_since is None
    assert run.receipt["left"] == 0
    assert run.receipt["machines"] == []

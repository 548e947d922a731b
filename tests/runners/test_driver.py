"""A run from the queue to the submission, and to every other end."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from runners import driver, lifecycle
from runners.choices import EndReason, NodeState, RunStatus
from runners.models import Run
from runners.providers import fake
from runners.providers.base import InvalidPlan, NoCapacity, NotAllowed, QuotaExceeded, TryAgain
from submissions.choices import Trust
from submissions.models import Submission
from tests.runners.fake_runs import pretend_later

pytestmark = pytest.mark.django_db

STATUSES_WITH_WORK = ["launching", "bootstrapping", "stressing", "collecting", "tearing_down"]


def history(run):
    return [event.new_status for event in run.events.all() if event.new_status]


def ended(run):
    return run.status, run.end_reason


def nothing_is_left(cloud, run):
    return cloud.alive(run.tag) == []


def test_a_run_becomes_a_submission_measured_by_us(make_run, drive, cloud):
    run = drive(make_run())

    assert ended(run) == ("succeeded", "completed")
    assert history(run) == [
        "queued",
        "launching",
        "bootstrapping",
        "stressing",
        "collecting",
        "tearing_down",
        "submitting",
        "succeeded",
    ]
    assert run.submission.trust == Trust.RUN_BY_US
    assert run.submission.submitted_by == run.owner
    assert (run.submission.trials_count, run.submission.replication_factor) == (2, 3)
    assert nothing_is_left(cloud, run)


def test_the_receipt_names_every_machine_and_that_nothing_is_left(make_run, drive):
    run = drive(make_run())

    assert [(line["name"], line["instance_type"], line["hourly_usd"]) for line in run.receipt["machines"]] == [
        ("client-0", "m5.large", "0.096"),
        ("db-0", "m5.xlarge", "0.192"),
        ("db-1", "m5.xlarge", "0.192"),
        ("db-2", "m5.xlarge", "0.192"),
    ]
    assert (run.receipt["left"], run.receipt["never_launched"]) == (0, [])
    assert Decimal(run.receipt["total_usd"]) == sum(Decimal(line["usd"]) for line in run.receipt["machines"])
    assert set(run.nodes.values_list("state", flat=True)) == {NodeState.TERMINATED}


def test_keys_are_gone_when_the_run_has_ended(make_run, drive):
    run = drive(make_run(), RunStatus.LAUNCHING)
    assert b"PRIVATE KEY" not in bytes(run.ssh_key)

    run = drive(run)

    assert (run.ssh_key, run.host_key) == (None, None)


def test_nodes_go_round_the_zones_and_clients_stand_in_the_first(make_run, drive):
    run = drive(make_run(), RunStatus.BOOTSTRAPPING)

    assert dict(run.nodes.values_list("name", "zone")) == {
        "db-0": "us-east-1a",
        "db-1": "us-east-1b",
        "db-2": "us-east-1c",
        "client-0": "us-east-1a",
    }


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (NoCapacity("no m5.xlarge in us-east-1a"), "no_capacity"),
        (QuotaExceeded("32 vCPUs"), "quota_exceeded"),
        (NotAllowed("ec2:RunInstances"), "not_allowed"),
        (InvalidPlan("no such type"), "invalid_plan"),
        (RuntimeError("our bug"), "internal_error"),
    ],
)
def test_an_error_at_launch_ends_the_run_through_the_teardown(make_run, drive, cloud, error, reason):
    cloud.fail("launch", error)

    run = drive(make_run())

    assert ended(run) == ("failed", reason)
    assert "tearing_down" in history(run)
    assert nothing_is_left(cloud, run)


def test_machines_are_looked_at_less_often_where_lists_are_limited(make_run):
    run = make_run()
    run.status = "launching"
    assert driver.pause_of(run) == driver.PAUSE

    run.provider = "gce"
    assert driver.pause_of(run) == timedelta(seconds=8)
    run.status = "stressing"
    assert driver.pause_of(run) == driver.PAUSE


def test_a_text_of_our_own_bug_is_not_shown(make_run, drive, cloud):
    cloud.fail("launch", RuntimeError("password=hunter2"))

    run = drive(make_run())

    assert "hunter2" not in run.end_detail
    assert not run.events.filter(message__contains="hunter2").exists()


def test_a_throttled_provider_is_asked_again(make_run, drive, cloud):
    cloud.fail("launch", *[TryAgain("RequestLimitExceeded")] * 5)
    cloud.fail("machines", *[TryAgain("RequestLimitExceeded")] * 5)
    cloud.fail("terminate", *[TryAgain("RequestLimitExceeded")] * 5)

    assert ended(drive(make_run())) == ("succeeded", "completed")


def test_a_lost_answer_makes_no_second_cluster(make_run, drive, cloud):
    cloud.lose_answer = True

    run = drive(make_run())

    assert ended(run) == ("succeeded", "completed")
    assert sorted(cloud.created) == sorted(f"{run.tag}/{name}" for name in ("db-0", "db-1", "db-2", "client-0"))


def test_a_machine_that_never_takes_commands_ends_the_run(make_run, drive, cloud, later):
    cloud.not_ready |= {"db-1", "db-1b"}  # nor the one that takes its place
    run = make_run()
    for _ in range(2):
        drive(run, most=5)
        later(run, timedelta(minutes=11))

    run = drive(run)

    assert ended(run) == ("failed", "bootstrap_failed")
    assert run.end_detail.startswith("db-1b accepted no commands within 10 minutes")
    assert nothing_is_left(cloud, run)


def test_a_failing_bootstrap_script_ends_the_run_with_its_last_words(make_run, drive, cloud):
    cloud.plan["install"] = fake.FakeJob(b"E: Unable to locate package\n", exit_status=100)

    run = drive(make_run())

    assert ended(run) == ("failed", "bootstrap_failed")
    assert "ended with status 100: E: Unable to locate package" in run.end_detail


def test_a_failing_load_tool_ends_the_run(make_run, drive, cloud):
    cloud.plan["trial-1"] = fake.FakeJob(b"FAILURE\n", exit_status=1)

    run = drive(make_run())

    assert ended(run) == ("failed", "stress_failed")
    assert "in trial 2" in run.end_detail
    assert run.submission is None
    assert nothing_is_left(cloud, run)


def test_a_tool_that_ends_well_with_every_operation_failed_is_no_result(make_run, drive, cloud):
    from tests.files import stress_log

    cloud.plan["trial-0"] = cloud.plan["trial-1"] = fake.FakeJob(stress_log("cs50-12-all").read_bytes())

    run = drive(make_run())

    assert ended(run) == ("failed", "results_rejected")
    assert "all 200 of 200 operations failed" in run.end_detail
    assert not Submission.objects.exists()
    assert nothing_is_left(cloud, run)


def test_a_host_lost_while_stressing_ends_the_run(make_run, drive, cloud):
    cloud.plan["trial-0"] = fake.FakeJob(b"", exit_status=None)
    run = drive(make_run(), RunStatus.STRESSING)
    drive(run, most=2)
    cloud.lost_hosts.add("client-0")

    assert ended(drive(run)) == ("failed", "stress_failed")
    assert nothing_is_left(cloud, run)


def test_what_was_measured_before_a_spot_interruption_is_kept(make_run, drive, cloud):
    cloud.plan["trial-1"] = fake.FakeJob(b"", exit_status=None)
    run = drive(make_run(pricing_model="on_demand"), RunStatus.STRESSING)
    while run.progress.get("trial") != 2:
        drive(run, most=1)
    for key, machine in list(cloud.machines.items()):
        if machine.name == "db-1":
            cloud.machines[key] = fake.replace(machine, is_interrupted=True)
    cloud.lost_hosts.add("client-0")
    drive(run, RunStatus.COLLECTING)
    cloud.lost_hosts.clear()

    run = drive(run)

    assert ended(run) == ("failed", "spot_interrupted")
    assert run.submission is not None
    assert run.submission.trials_count == 1
    assert nothing_is_left(cloud, run)


@pytest.mark.parametrize("is_spot", [False, True])
def test_a_replica_that_goes_while_its_client_goes_on_ends_the_run(make_run, drive, cloud, is_spot):
    cloud.plan["trial-0"] = fake.FakeJob(b"", exit_status=None)
    run = drive(make_run(pricing_model="spot" if is_spot else "on_demand"), RunStatus.STRESSING)
    drive(run, most=1)
    key = next(key for key, machine in cloud.machines.items() if machine.name == "db-1")
    del cloud.machines[key]

    for _ in range(2):  # a list may be late once
        assert run.status == RunStatus.STRESSING
        pretend_later(run, timedelta(seconds=40))
        drive(run, most=1)
    run = drive(run)

    assert ended(run) == ("failed", "spot_interrupted" if is_spot else "stress_failed")
    assert "db-1 disappeared" in run.end_detail
    assert nothing_is_left(cloud, run)


@pytest.mark.parametrize("status", STATUSES_WITH_WORK)
def test_cancel_is_possible_at_every_status_and_leaves_nothing(make_run, drive, cloud, status):
    run = drive(make_run(), status)

    lifecycle.request_cancel(run)
    run = drive(run)

    if status == "tearing_down":  # everything is measured by then: the wish came too late
        assert ended(run) == ("succeeded", "completed")
    else:
        assert ended(run) == ("cancelled", "cancelled_by_user")
        assert run.submission is None
    assert nothing_is_left(cloud, run)


def test_a_queued_run_is_cancelled_without_a_machine(make_run, drive, cloud):
    run = make_run()

    lifecycle.request_cancel(run)

    assert ended(drive(run)) == ("cancelled", "cancelled_by_user")
    assert cloud.created == []


def test_the_deadline_ends_a_run_whatever_it_does(make_run, drive, cloud, later):
    cloud.plan["install"] = fake.FakeJob(b"", exit_status=None)
    run = drive(make_run(), RunStatus.BOOTSTRAPPING)
    later(run, timedelta(minutes=61))

    assert ended(drive(run)) == ("failed", "timed_out")
    assert nothing_is_left(cloud, run)


def test_terminate_refused_for_a_while_is_asked_again(make_run, drive, cloud):
    cloud.refuse_terminate = 5

    run = drive(make_run())

    assert ended(run) == ("succeeded", "completed")
    assert nothing_is_left(cloud, run)


def test_a_right_that_is_missing_at_the_teardown_loses_no_result(make_run, drive, cloud):
    cloud.fail("terminate", *[NotAllowed("ec2:TerminateInstances")] * 3)

    run = drive(make_run())

    assert ended(run) == ("succeeded", "completed")
    assert run.events.filter(message="ec2:TerminateInstances").count() == 1
    assert nothing_is_left(cloud, run)


def test_right_after_a_lost_create_an_empty_list_is_no_proof(make_run, drive, cloud, settings, later):
    settings.RUN_SETTLE_SECONDS = 30
    cloud.fail("launch", NoCapacity("none"))
    run = drive(make_run(), RunStatus.TEARING_DOWN)

    drive(run, most=3)
    assert run.status == RunStatus.TEARING_DOWN
    later(run, timedelta(seconds=31))

    assert ended(drive(run)) == ("failed", "no_capacity")


def test_no_machine_goes_before_its_outputs_are_safe(make_run, drive, cloud):
    cloud.fail("fetch", *[OSError("storage is down")] * 3)
    run = drive(make_run(), RunStatus.COLLECTING)

    drive(run, most=3)
    assert run.status == RunStatus.COLLECTING
    assert len(cloud.alive(run.tag)) == 4

    assert ended(drive(run)) == ("succeeded", "completed")


def test_the_storage_is_waited_for_until_the_deadline_only(make_run, drive, cloud, later):
    cloud.fail("fetch", *[OSError("storage is down")] * 1000)
    run = drive(make_run(), RunStatus.COLLECTING)
    drive(run, most=3)
    later(run, timedelta(minutes=80))

    run = drive(run)

    assert run.status == RunStatus.FAILED
    assert nothing_is_left(cloud, run)


def test_a_run_over_its_own_limit_is_ended_while_it_stresses(make_run, drive, cloud, later):
    cloud.plan["trial-0"] = fake.FakeJob(b"", exit_status=None)
    run = drive(make_run(max_usd="1"), RunStatus.STRESSING)
    drive(run, most=2)
    later(run, timedelta(minutes=50))
    run.nodes.update(hourly_usd=Decimal(100))

    assert ended(drive(run))[1] == "budget_exceeded"
    assert nothing_is_left(cloud, run)


def test_a_month_that_is_spent_lets_nothing_start(make_run, drive, cloud, settings):
    settings.MAX_USER_MONTH_USD = Decimal("0.5")

    run = drive(make_run())

    assert ended(run) == ("failed", "budget_exceeded")
    assert cloud.created == []


def test_one_run_of_a_user_at_a_time(make_run, drive, settings):
    settings.MAX_USER_OPEN_RUNS = 1
    first = make_run()
    second = make_run(owner=first.owner)
    drive(first, RunStatus.STRESSING)

    drive(second, most=5)
    assert second.status == RunStatus.QUEUED
    drive(first)

    assert drive(second).status == RunStatus.SUCCEEDED


@pytest.mark.parametrize("status", ["launching", "bootstrapping", "stressing", "collecting", "tearing_down"])
def test_a_worker_that_dies_in_a_step_is_followed_by_another(make_run, drive, cloud, status):
    run = drive(make_run(), status)
    # it had taken its hold and done its work in the cloud, but nothing of it reached the database
    before = dict(Run.objects.filter(pk=run.pk).values()[0])
    assert lifecycle.hold(run.pk, timedelta(seconds=120))
    drive(run, most=1)
    Run.objects.filter(pk=run.pk).update(
        **{name: before[name] for name in ("status", "state", "progress", "receipt", "end_reason")}
    )

    assert not lifecycle.hold(run.pk, timedelta(seconds=120))
    assert lifecycle.hold(run.pk, timedelta(seconds=120), now=timezone.now() + timedelta(seconds=121))
    run = drive(run)

    assert ended(run) == ("succeeded", "completed")
    assert len(cloud.created) == 4
    assert nothing_is_left(cloud, run)


def test_submitting_twice_makes_one_submission(make_run, drive):
    run = drive(make_run(), RunStatus.SUBMITTING)
    before = Run.objects.filter(pk=run.pk).values("status", "state")[0]
    drive(run)
    Run.objects.filter(pk=run.pk).update(end_reason=None, **before)

    assert drive(run).status == EndReason.COMPLETED.final_status
    assert Submission.objects.count() == 1

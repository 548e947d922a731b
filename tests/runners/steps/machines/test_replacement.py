"""A host that fails twice before the load: another machine takes its place, once and only where that may help."""

from datetime import timedelta
from decimal import Decimal

import pytest

from runners import driver, lifecycle
from runners.choices import NodeState, RunStatus
from runners.errors import BootstrapFailed
from runners.models import Run
from runners.providers.base import NoCapacity, TryAgain
from runners.providers.fake import FakeJob
from runners.steps import bootstrap
from runners.steps.machines import replacement
from tests.runners.fake_runs import PLAN, ReplayedStress

pytestmark = pytest.mark.django_db

FOUR = ["client-0", "db-0", "db-1", "db-2"]


def fail_install(cloud, *names):
    for name in names:
        cloud.plan[f"{name}/install"] = FakeJob(b"E: disk broken", exit_status=100)


def made(cloud, run):
    return sorted(one.removeprefix(f"{run.tag}/") for one in cloud.created if one.startswith(run.tag))


def said(run):
    return [event.message for event in run.events.all()]


def assert_ended_without_another(run, cloud, *reasons):
    assert (run.status, run.end_reason) == ("failed", "bootstrap_failed")
    assert all(reason in run.end_detail for reason in reasons), run.end_detail
    assert made(cloud, run) == FOUR
    assert cloud.alive(run.tag) == []


def assert_replaced(run, cloud, old="db-1"):
    """One machine more than planned, the failed one gone before it, both on the receipt, nothing left."""
    assert (run.status, run.end_reason) == ("succeeded", "completed"), run.end_detail
    assert made(cloud, run) == sorted([*FOUR, f"{old}b"])
    assert cloud.alive(run.tag) == []
    lines = {line["name"]: line for line in run.receipt["machines"]}
    assert sorted(lines) == sorted([*FOUR, f"{old}b"])
    assert lines[old]["to"] <= lines[f"{old}b"]["from"]
    assert lines[old]["provider_id"] != lines[f"{old}b"]["provider_id"]


def test_a_host_whose_script_fails_twice_is_replaced_and_the_cluster_forms_with_the_new_one(make_run, drive, cloud):
    fail_install(cloud, "db-1")

    run = drive(make_run())

    assert_replaced(run, cloud)
    old, new = run.nodes.get(name="db-1"), run.nodes.get(name="db-1b")
    assert (new.role, new.index, new.zone, new.instance_type) == (old.role, old.index, old.zone, old.instance_type)
    why = "db-1 failed and will be deleted, db-1b will take the place: install on db-1 ended with status 100: E: disk"
    assert [message.startswith(why) for message in said(run)].count(True) == 1
    assert run.submission.trials_count == 2


def test_the_load_and_the_facts_are_those_of_the_new_host(make_run, drive, cloud, monkeypatch):
    seen = []

    class Watched(ReplayedStress):
        def bootstrap_jobs(self, plan, cluster):
            seen.append([(member.name, member.index, member.address) for member in cluster])
            return super().bootstrap_jobs(plan, cluster)

    monkeypatch.setattr(bootstrap, "for_plan", lambda plan: Watched())
    fail_install(cloud, "db-0")
    run = drive(make_run())

    assert_replaced(run, cloud, "db-0")
    new = run.nodes.get(name="db-0b")
    assert seen[-1][0] == ("db-0b", 0, new.private_address)
    assert [name for name, _, _ in seen[-1]] == ["db-0b", "db-1", "db-2", "client-0"]
    assert new.facts == {"kernel": "6.1"}


def test_a_host_that_answers_no_more_while_bootstrapping_is_replaced(make_run, drive, cloud):
    run = drive(make_run(), RunStatus.BOOTSTRAPPING)
    cloud.lost_hosts = {"client-0"}

    assert_replaced(drive(run), cloud, "client-0")


@pytest.mark.parametrize("pricing_model", ["on_demand", "spot"])
def test_a_host_that_never_takes_commands_is_replaced(make_run, drive, cloud, later, pricing_model):
    cloud.not_ready.add("db-1")
    run = make_run(pricing_model=pricing_model)
    drive(run, most=5)
    run.nodes.update(hourly_usd=Decimal("0.1"))  # there is no price of spot machines here
    later(run, timedelta(minutes=11))

    assert_replaced(drive(run), cloud)


def test_a_job_that_fails_on_one_of_two_hosts_is_tried_again_there(make_run, drive, cloud):
    fail_install(cloud, "client-0")
    plan = {"count": 1, "instance_type": "m5.xlarge"}
    workload = {**PLAN["workload"], "replication_factor": 1}
    run = drive(make_run(database=plan, zones=[], workload=workload), RunStatus.STRESSING)

    assert run.status == "stressing"
    assert made(cloud, run) == ["client-0", "client-0b", "db-0"]
    assert any("is tried again" in message for message in said(run))


def test_workers_that_die_before_and_after_every_step_of_a_replacement_make_no_machine_twice(
    make_run, drive, cloud, monkeypatch
):
    """Each call of the provider, and each write of a status or a state, is followed by a death once."""
    fail_install(cloud, "db-1")

    class Dead(BaseException):
        pass

    died = set()

    def dies_around(owner, name):
        real = getattr(owner, name)

        def call(*args, **kwargs):
            key = (name, Run.objects.get().status, "before")
            if key not in died:
                died.add(key)
                raise Dead
            result = real(*args, **kwargs)
            key = (name, Run.objects.get().status, "after")
            if key not in died:
                died.add(key)
                raise Dead
            return result

        monkeypatch.setattr(owner, name, call)

    run = drive(make_run(), RunStatus.BOOTSTRAPPING)
    provider = replacement.provider_for("fake").__class__
    for name in ("remove", "launch", "machines", "history"):
        dies_around(provider, name)
    for name in ("advance", "save_state"):
        dies_around(lifecycle, name)
    for _ in range(60):
        run = Run.objects.get(pk=run.pk)
        if run.is_final:
            break
        try:
            driver.drive_once(run)
        except Dead:
            continue

    assert len({key for key in died if key[1] == "launching"}) >= 8, died
    assert_replaced(run, cloud)


def test_a_lost_answer_to_the_order_of_the_new_machine_makes_no_second_one(make_run, drive, cloud):
    fail_install(cloud, "db-1")
    run = drive(make_run(), RunStatus.BOOTSTRAPPING)
    run = drive(run, RunStatus.LAUNCHING)
    cloud.lose_answer = True

    assert_replaced(drive(run), cloud)


def test_the_new_machine_is_ordered_only_when_the_old_one_costs_nothing_more(make_run, drive, cloud):
    fail_install(cloud, "db-1")
    run = drive(make_run(), RunStatus.BOOTSTRAPPING)
    run = drive(run, RunStatus.LAUNCHING)
    cloud.fail("remove", TryAgain("throttled"), TryAgain("throttled"))

    drive(run, most=3)
    assert made(cloud, run) == FOUR
    assert_replaced(drive(run), cloud)


def test_a_machine_that_cannot_be_deleted_is_not_waited_for_for_ever(make_run, drive, cloud, later, monkeypatch):
    fail_install(cloud, "db-1")
    run = drive(make_run(), RunStatus.BOOTSTRAPPING)
    monkeypatch.setattr(replacement.provider_for("fake").__class__, "remove", lambda *args: False)
    run = drive(run, RunStatus.LAUNCHING)
    drive(run, most=3)
    later(run, timedelta(minutes=11))

    assert_ended_without_another(drive(run), cloud, "could not be deleted in time")


@pytest.mark.parametrize("status", ["launching", "bootstrapping"])
def test_a_run_that_is_cancelled_while_a_host_is_replaced_leaves_neither_machine(make_run, drive, cloud, status):
    fail_install(cloud, "db-1")
    run = drive(make_run(), RunStatus.BOOTSTRAPPING)
    run = drive(drive(run, RunStatus.LAUNCHING), status)
    drive(run, most=2)
    lifecycle.request_cancel(run)

    run = drive(run)

    assert run.status == "cancelled"
    assert cloud.alive(run.tag) == []
    assert sorted(line["name"] for line in run.receipt["machines"]) == made(cloud, run)


def test_a_fault_that_all_hosts_of_a_role_share_ends_the_run_at_once(make_run, drive, cloud):
    database = {"count": 6, "instance_type": "m5.xlarge"}
    client = {"count": 2, "instance_type": "m5.large"}
    fail_install(cloud, "client-0", "client-1")

    run = drive(make_run(database=database, client=client))

    assert run.end_reason == "bootstrap_failed"
    assert "every client host failed" in run.end_detail
    assert len(made(cloud, run)) == 8


def test_a_fault_of_many_hosts_ends_the_run_at_once(make_run, drive, cloud):
    run = drive(make_run(), RunStatus.BOOTSTRAPPING)
    cloud.lost_hosts = {"db-0", "db-1"}

    assert_ended_without_another(drive(run), cloud, "too many hosts failed")


def test_a_machine_that_took_a_place_and_fails_too_ends_the_run(make_run, drive, cloud):
    fail_install(cloud, "db-1", "db-1b")

    run = drive(make_run())

    assert run.end_reason == "bootstrap_failed"
    assert "db-1b is a replacement itself" in run.end_detail
    assert made(cloud, run) == sorted([*FOUR, "db-1b"])
    assert cloud.alive(run.tag) == []


def test_no_more_than_a_few_machines_of_a_run_are_replaced(make_run, drive, cloud):
    names = [f"db-{index}" for index in range(replacement.MOST + 1)]
    database = {"count": 20, "instance_type": "m5.xlarge"}
    fail_install(cloud, *names)

    too_many = drive(make_run(database=database))
    assert "at most 3 machines of a run are" in too_many.end_detail
    assert len(made(cloud, too_many)) == 21

    del cloud.plan[f"{names[-1]}/install"]
    cloud.jobs.clear()
    assert drive(make_run(database=database)).status == "succeeded"


def test_nothing_is_replaced_over_the_budget(make_run, drive, cloud):
    fail_install(cloud, "db-1")
    run = drive(make_run(), RunStatus.BOOTSTRAPPING)
    Run.objects.filter(pk=run.pk).update(max_usd=Decimal("0.5"))  # 0.672 USD an hour, for an hour

    assert_ended_without_another(drive(run), cloud, "the budget is 0.50 USD")


def test_what_the_failed_machine_has_cost_counts(make_run, drive, cloud, later):
    fail_install(cloud, "db-1")
    run = drive(make_run(), RunStatus.BOOTSTRAPPING)
    run.nodes.filter(name="db-1").update(hourly_usd=Decimal(30))
    later(run, timedelta(minutes=20))  # 10 USD

    assert_ended_without_another(drive(run), cloud, "the budget is 10.00 USD")


def test_nothing_is_replaced_when_the_deadline_is_near(make_run, drive, cloud, later):
    fail_install(cloud, "db-1")
    run = drive(make_run(), RunStatus.BOOTSTRAPPING)
    later(run, timedelta(minutes=52))

    assert_ended_without_another(drive(run), cloud, "before its deadline")


def test_a_host_that_fails_once_data_is_loaded_is_not_replaced(make_run, drive, cloud, monkeypatch):
    from dataclasses import replace as changed

    class Loading(ReplayedStress):
        def bootstrap_jobs(self, plan, cluster):
            return [changed(job, is_before_data=False) for job in super().bootstrap_jobs(plan, cluster)]

    monkeypatch.setattr(bootstrap, "for_plan", lambda plan: Loading())
    fail_install(cloud, "db-1")

    run = drive(make_run())

    assert_ended_without_another(run, cloud, "E: disk broken")
    assert "not replaced" not in run.end_detail


def test_a_host_lost_under_load_is_not_replaced(make_run, drive, cloud):
    run = drive(make_run(), RunStatus.STRESSING)
    cloud.lost_hosts = {"client-0"}

    run = drive(run)

    assert (run.end_reason, made(cloud, run)) == ("stress_failed", FOUR)


def test_a_cloud_without_another_machine_ends_the_run(make_run, drive, cloud):
    fail_install(cloud, "db-1")
    run = drive(drive(make_run(), RunStatus.BOOTSTRAPPING), RunStatus.LAUNCHING)
    cloud.fail("launch", NoCapacity("no m5.xlarge"))

    run = drive(run)

    assert run.end_reason == "no_capacity"
    assert run.end_detail == "db-1b cannot take the place of a machine that failed: no m5.xlarge"
    assert cloud.alive(run.tag) == []


def test_the_machine_that_was_replaced_is_missed_by_nobody(make_run, drive, cloud):
    fail_install(cloud, "db-1")

    run = drive(make_run(), RunStatus.STRESSING)

    old = run.nodes.get(name="db-1")
    assert (old.state, old.terminated_at is not None) == (NodeState.TERMINATED, True)
    assert drive(run).status == "succeeded"


def test_two_workers_that_both_find_the_host_failed_order_one_machine(make_run, drive, cloud):
    fail_install(cloud, "db-1")
    run = drive(make_run(), RunStatus.BOOTSTRAPPING)
    late = Run.objects.get(pk=run.pk)
    error = BootstrapFailed("it failed")
    replacement.replace(run, ["db-1"], FOUR, error)

    with pytest.raises(lifecycle.LostRace):
        replacement.replace(late, ["db-2"], FOUR, error)

    assert run.nodes.exclude(replaced_at=None).count() == 1
    assert_replaced(drive(run), cloud)

"""What a run on real hosts survives: each fault, then nothing is left, the reason is right, and one cluster was made.

Only time is smaller than life: a cloud throttles for some calls, not a minute; a machine has eight seconds to take ssh,
not ten minutes; an hour is pretended, not waited for.
"""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import count

import boto3
import pytest
from botocore.config import Config
from django.db import connections

from runners import driver, lifecycle, tasks
from runners.diagnosis import keep
from runners.providers.aws import session
from runners.steps import bootstrap, collect, launch, stress, submit
from tests.files import stress_log
from tests.lab.fault_runs import (
    LOG,
    LightLoad,
    assert_ended,
    assert_succeeded,
    driven,
    driven_to,
    give_up_soon,
    in_trial,
    kill_a_worker,
    queued_run,
    record_prices,
)
from tests.lab.waiting import wait_for
from tests.runners.fake_runs import pretend_later

pytestmark = pytest.mark.django_db(transaction=True)

BUCKET = "artifacts"
FIRST_AFTER_LAUNCH = 5  # write to the database: the start, the nodes, when it asked (twice), then what the cloud said
FOREVER = 60.0  # seconds a line: the trial goes on until its host goes


@pytest.fixture
def load(monkeypatch):
    light = LightLoad()
    for module in (bootstrap, stress, collect, submit):
        monkeypatch.setattr(module, "for_plan", lambda plan: light)
    return light


@pytest.fixture(autouse=True)
def site(settings, lab_network, ec2, load):
    """A site with runs on AWS only; after each test the cloud was asked for nothing that it does not know."""
    settings.RUN_PROVIDERS = ["aws"]
    settings.RUN_SETTLE_SECONDS = 1
    settings.RUN_SSH_CIDR = f"{lab_network.gateway}/32"
    yield settings
    assert ec2.invalid_requests == []


def twice(work):
    """Two workers at once; whatever one of them raises is raised."""
    with ThreadPoolExecutor(2) as pool:
        for worker in [pool.submit(work) for _ in range(2)]:
            worker.result()


def host_of(ec2, run, name):
    return ec2.hosts[run.nodes.get(name=name).provider_id]


STATUSES = ("queued", "launching", "bootstrapping", "stressing", "collecting", "tearing_down", "submitting")


def test_workers_killed_at_every_write_of_every_status_are_followed_by_others(ec2):
    run = queued_run()
    kills = {status: killed_at_every_write_of(status, driven_to(run, status)) for status in STATUSES}

    assert all(kills.values()), kills
    assert_succeeded(driven(run))


def killed_at_every_write_of(status, run):
    """How many workers, each at a later write than the one before."""
    kills, writes = 0, count(1)

    def worked() -> bool:
        nonlocal kills
        while run.status == status and kill_a_worker(run, before_write=next(writes)):
            kills += 1
        return run.status != status

    wait_for(worked, "workers come to the next status", every=0.2)
    return kills


def test_a_worker_killed_between_the_answer_of_the_cloud_and_our_commit_makes_no_second_cluster(ec2):
    run = driven_to(queued_run(), "launching")
    ec2.faults.unknown(4)

    assert kill_a_worker(run, before_write=FIRST_AFTER_LAUNCH)

    assert ec2.calls["RunInstances"] == 2
    assert len(ec2.alive) == 2
    assert set(run.nodes.values_list("provider_id", flat=True)) == {None}
    assert_succeeded(driven(run))
    assert ec2.faults.counts["unknown"] > 0


def test_a_worker_killed_after_a_lost_answer_makes_no_second_cluster(ec2):
    run = driven_to(queued_run(), "launching")
    ec2.faults.lose_answers("RunInstances", calls=2)  # boto3 asks a second time by itself

    assert kill_a_worker(run, before_write=FIRST_AFTER_LAUNCH)

    assert ec2.faults.counts["lost:RunInstances"] == 2
    assert len(ec2.alive) == 1
    assert_succeeded(driven(run))


def test_two_workers_at_once_take_turns(monkeypatch):
    run = queued_run()
    refused = []
    take = lifecycle.hold

    def hold(*args, **kwargs):
        taken = take(*args, **kwargs)
        if not taken:
            refused.append(args)
        return taken

    monkeypatch.setattr(lifecycle, "hold", hold)
    monkeypatch.setattr(driver, "PAUSE", timedelta(milliseconds=50))

    def work():
        try:
            wait_for(lambda: tasks.drive(run.pk) or type(run).objects.get(pk=run.pk).is_final, "it ends", seconds=300)
        finally:
            connections.close_all()

    twice(work)

    run.refresh_from_db()
    assert refused
    assert_succeeded(run)


def test_two_workers_that_both_believe_to_hold_the_run_make_one_cluster(ec2):
    run = driven_to(queued_run(), "launching")
    together = threading.Barrier(2)

    def work():
        mine = type(run).objects.get(pk=run.pk)
        together.wait()
        try:
            driven(mine, lambda run: run.status != "launching")
        finally:
            connections.close_all()

    twice(work)

    assert_succeeded(driven(run))


def test_a_throttled_cloud_is_asked_again(ec2):
    run = driven_to(queued_run(), "launching")
    ec2.faults.throttle(calls=6)
    driven_to(run, "tearing_down")
    assert ec2.faults.counts["throttle"] > 1
    ec2.faults.clear()
    ec2.faults.throttle(calls=6)

    assert_succeeded(driven(run))
    assert ec2.faults.counts["throttle"] > 1
    assert run.events.filter(message__contains="RequestLimitExceeded").exists()


def test_no_capacity_in_one_zone_ends_the_run_and_the_machines_of_the_other(ec2):
    ec2.faults.no_capacity("us-east-1b")
    database = {"instance_type": "m5.large", "count": 2}

    run = driven(queued_run(database=database, zones=["us-east-1a", "us-east-1b"]))

    assert ec2.faults.counts["capacity"] > 0
    assert_ended(run, "failed", "no_capacity", made={"db-0": 1})


def test_no_capacity_in_any_zone_ends_the_run(ec2):
    ec2.faults.no_capacity()

    assert_ended(driven(queued_run()), "failed", "no_capacity", made={})


def test_the_quota_of_the_account_ends_the_run(ec2):
    ec2.faults.quota()

    assert_ended(driven(queued_run()), "failed", "quota_exceeded", made={})


def test_a_create_call_that_times_out_though_it_went_through_makes_one_cluster(ec2, monkeypatch):
    monkeypatch.setattr(session, "CONFIG", session.CONFIG.merge(Config(read_timeout=1)))
    ec2.faults.slow(2, calls=2, actions=["RunInstances"])

    run = driven(queued_run())

    assert run.events.filter(message__contains="AWS did not answer: ReadTimeoutError").exists()
    assert_succeeded(run)


def test_machines_that_describe_does_not_know_yet_are_waited_for(ec2):
    ec2.faults.unknown(5)

    run = driven(queued_run())

    assert ec2.faults.counts["unknown"] > 0
    assert ec2.calls["RunInstances"] == 2
    assert_succeeded(run)


def test_machines_that_describe_does_not_know_yet_keep_the_teardown_waiting(ec2):
    ec2.faults.unknown(5)
    run = driven(queued_run(), lambda run: ec2.calls["RunInstances"])

    lifecycle.request_cancel(run)

    assert_ended(driven(run), "cancelled", "cancelled_by_user")


def test_a_machine_that_never_takes_ssh_ends_the_run(ec2, monkeypatch):
    monkeypatch.setattr(launch, "READY_LIMIT", timedelta(seconds=8))
    ec2.faults.never_ssh()

    run = driven(queued_run())

    assert_ended(run, "failed", "bootstrap_failed")
    assert "accepted no commands" in run.end_detail


@pytest.mark.parametrize("fault", ["kill", "cut_link"])
def test_a_host_lost_while_stressing_ends_the_run(ec2, load, monkeypatch, fault):
    give_up_soon(monkeypatch)
    monkeypatch.setattr(keep, "READ_SECONDS", 1.0)  # nobody reads here what the hosts say of it
    load.pauses[0] = FOREVER
    run = driven(queued_run(), in_trial(1))

    getattr(host_of(ec2, run, "client-0"), fault)()

    run = driven(run)
    assert_ended(run, "failed", "stress_failed")
    assert "client-0" in run.end_detail


def test_a_spot_machine_taken_back_ends_the_run_and_the_first_trial_is_kept(ec2, load):
    load.pauses[1] = FOREVER
    run = driven(queued_run(pricing_model="spot"), in_trial(2))

    database = run.nodes.get(name="db-0").provider_id
    ec2.instances.interrupt(database, notice_seconds=1)
    wait_for(lambda: database not in ec2.hosts, "the machine is gone")

    assert_ended(driven(run), "failed", "spot_interrupted", trials=1)


def test_a_bootstrap_script_that_fails_ends_the_run_with_its_last_words(load):
    load.install = "echo E: Unable to locate package; exit 1"

    run = driven(queued_run())

    assert_ended(run, "failed", "bootstrap_failed")
    assert "ended with status 1: E: Unable to locate package" in run.end_detail


def test_a_load_tool_that_fails_ends_the_run(load):
    load.exits[1] = 1

    run = driven(queued_run())

    assert_ended(run, "failed", "stress_failed")
    assert "the load tool on client-0 ended with status 1 in trial 2" in run.end_detail


def test_a_load_tool_that_ends_well_with_every_operation_failed_is_no_result(load):
    load.logs = [stress_log("cs50-12-all").read_bytes()] * 2
    load.pauses = [0, 0]

    run = driven(queued_run())

    assert_ended(run, "failed", "results_rejected")
    assert "all 200 of 200 operations failed" in run.end_detail


def test_a_run_over_its_budget_ends_and_the_first_trial_is_kept(load):
    record_prices("0.096")
    load.pauses[1] = FOREVER
    run = driven(queued_run(max_usd="0.15"), in_trial(2))

    pretend_later(run, timedelta(minutes=50))

    run = driven(run)
    assert_ended(run, "failed", "budget_exceeded", trials=1)
    # two machines, their disks and public addresses
    assert "0.18 USD were spent; the budget is 0.15 USD" in run.end_detail


def test_a_run_at_its_deadline_ends_and_the_first_trial_is_kept(load):
    load.pauses[1] = FOREVER
    run = driven(queued_run(), in_trial(2))

    pretend_later(run, timedelta(minutes=61))

    assert_ended(driven(run), "failed", "timed_out", trials=1)


def test_a_run_cancelled_in_the_queue_makes_no_machine(ec2):
    run = queued_run()

    lifecycle.request_cancel(run)

    assert_ended(driven(run), "cancelled", "cancelled_by_user", made={})


@pytest.mark.parametrize("status", ["launching", "bootstrapping", "stressing", "collecting"])
def test_a_run_is_cancelled_at_every_status(ec2, status):
    run = driven_to(queued_run(), status)
    if status == "launching":
        driven(run, lambda run: ec2.calls["RunInstances"])

    lifecycle.request_cancel(run)

    assert_ended(driven(run), "cancelled", "cancelled_by_user")


@pytest.mark.parametrize("status", ["tearing_down", "submitting"])
def test_a_cancel_that_comes_after_the_measurement_loses_nothing(status):
    run = driven_to(queued_run(), status)

    lifecycle.request_cancel(run)

    assert_succeeded(driven(run))


def test_terminate_refused_for_a_while_is_asked_again(ec2):
    run = driven_to(queued_run(), "tearing_down")
    ec2.faults.refuse_terminate(calls=3)

    run = driven(run)

    assert ec2.faults.counts["terminate"] > 1
    assert run.events.filter(message__contains="OperationNotPermitted").count() == 1
    assert_succeeded(run)


@pytest.fixture
def object_storage(settings, ec2):
    """S3 at the lab's address, in the place of the folder."""
    s3 = boto3.client("s3")
    s3.create_bucket(Bucket=BUCKET)
    once = Config(retries={"max_attempts": 0, "mode": "standard"})
    options = {"bucket_name": BUCKET, "location": "artifacts", "file_overwrite": False, "client_config": once}
    backend = {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options}
    settings.STORAGES = {**settings.STORAGES, "default": backend}
    yield s3
    s3.close()


def test_no_machine_goes_before_its_outputs_are_in_the_object_storage(ec2, object_storage):
    run = driven_to(queued_run(), "collecting")
    ec2.faults.storage_down()

    driven(run, lambda run: ec2.faults.counts["storage"] > 3)
    assert run.status == "collecting"
    assert len(ec2.alive) == 2
    ec2.faults.end("storage")

    assert_succeeded(driven(run))
    kept = [object_storage.get_object(Bucket=BUCKET, Key=one["Key"])["Body"].read() for one in objects(object_storage)]
    assert LOG in kept


def test_outputs_are_waited_for_past_the_deadline_but_not_for_ever(ec2, object_storage):
    run = driven_to(queued_run(), "collecting")
    ec2.faults.storage_down()

    pretend_later(run, timedelta(minutes=61))
    driven(run, lambda run: ec2.faults.counts["storage"] > 3)
    assert run.status == "collecting"
    assert len(ec2.alive) == 2
    pretend_later(run, timedelta(minutes=15))

    run = driven(run)
    assert_ended(run, "failed", "timed_out")
    assert "could not be copied in time" in run.end_detail


def objects(s3):
    return s3.list_objects_v2(Bucket=BUCKET)["Contents"]

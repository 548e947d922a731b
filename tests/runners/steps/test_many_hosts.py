"""Steps over more hosts than can be reached in the time of a step, and hosts that do not answer at once."""

from runners.choices import OutputKind, RunStatus
from runners.load_tools.base import OutputFile
from runners.providers import fake
from runners.providers.fake import FakeJob
from runners.steps import collect
from tests.runners.fake_runs import ReplayedStress


def test_hosts_that_a_step_does_not_reach_in_time_are_started_by_the_next(make_run, drive, cloud):
    cloud.reach = 1

    run = drive(make_run(), most=60)

    assert (run.status, run.end_detail) == ("succeeded", "")
    assert {name for name, job in cloud.jobs if job == "install"} == {"db-0", "db-1", "db-2", "client-0"}


def test_a_host_that_is_silent_for_two_steps_ends_no_run(make_run, drive, cloud):
    run = drive(make_run(), RunStatus.STRESSING)
    cloud.lost_hosts = {"client-0"}
    for _ in range(2):
        drive(run, most=1)
    assert run.status == "stressing"
    cloud.lost_hosts = set()

    run = drive(run)

    assert run.status == "succeeded"
    waits = [event.message for event in run.events.all() if event.message.startswith("waiting for hosts")]
    assert waits == ["waiting for hosts: client-0 does not answer"]


def test_a_host_that_is_silent_in_three_steps_in_a_row_is_lost(make_run, drive, cloud):
    run = drive(make_run(), RunStatus.STRESSING)
    for silent in (True, True, False, True, True, True):
        assert run.status == "stressing"
        cloud.lost_hosts = {"client-0"} if silent else set()
        drive(run, most=1)

    assert run.end_reason == "stress_failed"


def test_a_job_that_fails_on_one_host_of_several_is_tried_again_there(make_run, drive, cloud):
    cloud.plan["db-1/install"] = FakeJob(b"apt: temporary failure", exit_status=100)
    run = drive(make_run(), RunStatus.BOOTSTRAPPING)
    drive(run, most=2)
    cloud.plan["db-1/install"] = FakeJob(b"installed")

    run = drive(run)

    assert run.status == "succeeded"
    said = "install on db-1 ended with status 100 and is tried again: apt: temporary failure"
    assert [event.message for event in run.events.all()].count(said) == 1


def test_a_job_that_fails_at_once_on_many_hosts_ends_the_run(make_run, drive, cloud):
    for name in ("db-1", "db-2"):
        cloud.plan[f"{name}/install"] = FakeJob(b"no such package", exit_status=100)

    run = drive(make_run())

    assert run.end_reason == "bootstrap_failed"
    assert run.end_detail == "install on db-1 ended with status 100: no such package"
    assert "tried again" not in " ".join(event.message for event in run.events.all())


def test_outputs_that_a_step_has_no_time_for_are_copied_by_the_next(make_run, drive, cloud, monkeypatch):
    monkeypatch.setattr(collect, "SECONDS_A_STEP", -1.0)
    run = drive(make_run(), RunStatus.COLLECTING)
    copied = []
    while run.status == RunStatus.COLLECTING:
        drive(run, most=1)
        copied.append(run.outputs.filter(trial__isnull=False, sha256__isnull=False).count())

    assert copied == [1, 2, 2]  # of two trials; the last step finds nothing left to copy
    assert drive(run).status == "succeeded"


def test_outputs_of_a_host_that_is_silent_for_a_while_are_not_given_up(make_run, drive, cloud):
    run = drive(make_run(), RunStatus.COLLECTING)
    cloud.lost_hosts = {"client-0"}
    drive(run, most=4)
    assert (run.status, run.troubles) == ("collecting", 4)
    cloud.lost_hosts = set()

    assert drive(run).status == "succeeded"
    assert run.submission.trials.count() == 2


def test_outputs_of_a_host_that_stays_silent_are_given_up(make_run, drive, cloud):
    run = drive(make_run(), RunStatus.COLLECTING)
    cloud.lost_hosts = {"client-0"}

    drive(run)

    assert run.end_reason == "stress_failed"
    missing = [event.message for event in run.events.all() if " is missing: " in event.message]
    assert len(missing) == 2


def test_outputs_that_went_with_a_spot_machine_are_not_waited_for_and_the_reason_is_said(make_run, drive, cloud):
    run = drive(make_run(pricing_model="spot"), RunStatus.COLLECTING)
    cloud.lost_hosts = {"client-0"}
    key = next(key for key, machine in cloud.machines.items() if machine.name == "client-0")
    cloud.machines[key] = fake.replace(cloud.machines[key], is_interrupted=True)

    drive(run, most=2)
    assert run.status == "tearing_down"
    drive(run)

    assert (run.status, run.end_reason) == ("failed", "spot_interrupted")
    assert run.end_detail == "the provider took back client-0 before all outputs were copied"


def test_a_database_host_that_went_after_the_load_costs_no_result(make_run, drive, cloud, monkeypatch):
    logs = ReplayedStress.outputs
    samples = OutputFile("db-1", "/run/samples.csv", OutputKind.SAMPLES, 0, "db-1-samples.csv")
    monkeypatch.setattr(ReplayedStress, "outputs", lambda *arguments: [*logs(*arguments), samples])
    run = drive(make_run(pricing_model="spot"), RunStatus.COLLECTING)
    cloud.lost_hosts = {"db-1"}
    key = next(key for key, machine in cloud.machines.items() if machine.name == "db-1")
    cloud.machines[key] = fake.replace(cloud.machines[key], is_interrupted=True)

    run = drive(run)

    assert (run.status, run.end_reason, run.submission.trials_count) == ("succeeded", "completed", 2)
    assert "db-1-samples.csv is missing: db-1 does not answer" in [event.message for event in run.events.all()]

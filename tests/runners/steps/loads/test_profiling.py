"""The trial with a profiler after all others: it costs no result, whatever happens in it."""

from datetime import timedelta

import pytest

from runners.choices import OutputKind
from runners.load_tools.base import OutputFile
from runners.providers import fake
from submissions.choices import ArtifactKind
from tests.runners.fake_runs import ReplayedStress

pytestmark = pytest.mark.django_db
STACKS = b"run;apply 10\n"


@pytest.fixture
def profiled(make_run, cloud, monkeypatch, settings):
    """A function: a run whose plan wants a profile."""
    settings.MAVEN_MIRROR = "https://repo.example"

    def job(self, plan, cluster):
        return self._job("profile", [member.name for member in cluster]) if plan.cpu_profile else None

    def outputs(self, plan, cluster):
        return [OutputFile("db-0", "log/profile.collapsed", OutputKind.PROFILE, None, "profile-db-0.collapsed")]

    monkeypatch.setattr(ReplayedStress, "profile_job", job)
    monkeypatch.setattr(ReplayedStress, "profile_outputs", outputs)
    cloud.files["db-0", "log/profile.collapsed"] = STACKS
    return lambda: make_run(cpu_profile=True)


def notes(run):
    return [event.message for event in run.events.filter(kind="note")]


def test_the_stacks_are_published_with_the_result_and_no_figure_of_that_trial(profiled, cloud, drive):
    run = drive(profiled())

    assert (run.status, run.submission.trials_count) == ("succeeded", 2)
    assert ("db-0", "profile") in cloud.jobs
    [profile] = run.submission.artifacts.filter(kind=ArtifactKind.PROFILE)
    assert (profile.name, profile.size_bytes) == ("profile-db-0.collapsed", len(STACKS))


def test_a_plan_without_a_profile_has_no_such_trial(profiled, make_run, cloud, drive):
    run = drive(make_run())

    assert run.status == "succeeded"
    assert ("db-0", "profile") not in cloud.jobs


def test_a_profiler_that_fails_costs_no_result(profiled, cloud, drive):
    cloud.plan["profile"] = fake.FakeJob(b"async-profiler cannot be loaded", exit_status=1)

    run = drive(profiled())

    assert (run.status, run.submission.trials_count) == ("succeeded", 2)
    assert not run.submission.artifacts.filter(kind=ArtifactKind.PROFILE).exists()
    assert any("there is no CPU profile" in note and "cannot be loaded" in note for note in notes(run))


def to_profiling(run, drive):
    for _ in range(40):
        run = drive(run, most=1)
        if run.progress.get("stage") == "profiling":
            return run
    raise AssertionError(run.status)


def test_a_host_lost_while_it_is_profiled_costs_no_result(profiled, cloud, drive):
    cloud.plan["profile"] = fake.FakeJob(b"", exit_status=None)
    run = to_profiling(profiled(), drive)
    cloud.lost_hosts.add("db-1")

    run = drive(run)

    assert (run.status, run.submission.trials_count) == ("succeeded", 2)


def test_near_the_deadline_the_run_goes_on_without_a_profile(profiled, cloud, drive, later):
    cloud.plan["profile"] = fake.FakeJob(b"", exit_status=None)
    run = to_profiling(profiled(), drive)

    later(run, timedelta(minutes=59, seconds=30))
    run = drive(run)

    assert (run.status, run.end_reason) == ("succeeded", "completed")
    assert "there is no CPU profile: the deadline is too near" in notes(run)

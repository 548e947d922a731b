"""A plan with a CPU profile: which jobs it adds, and where it is refused."""

import subprocess

import pytest

from runners.databases.cassandra_here import CassandraHere
from runners.load_tools.base import Member
from runners.load_tools.cassandra_stress.cassandra_stress import CassandraStress
from runners.load_tools.downloads import Downloads
from runners.load_tools.pgbench.pgbench import PGBENCH_PRESET, Pgbench
from runners.plan_schema.run_plan import RunPlan
from tests.runners.fake_runs import PLAN

WORKLOAD = CassandraStress(Downloads("http://mirror", maven_mirror="http://maven/"))
CLUSTER = [Member(f"db-{index}", "database", index, f"10.0.0.{index}", None) for index in range(3)]
CLUSTER.append(Member("client-0", "client", 0, "10.0.0.9", None))


def plan(**workload):
    load = {**PLAN["workload"], **workload}
    return RunPlan.model_validate({**PLAN, "cpu_profile": True, "workload": load})


def test_the_first_node_gets_the_profiler_and_its_process_is_sampled_around_one_more_trial():
    jobs = {job.name: job for job in WORKLOAD.bootstrap_jobs(plan(), CLUSTER)}
    profile = WORKLOAD.profile_job(plan(), CLUSTER)

    assert set(jobs["profiler"].commands) == {"db-0"}
    assert (
        "http://maven/tools/profiler/async-profiler/3.0/async-profiler-3.0-linux-" in jobs["profiler"].commands["db-0"]
    )
    assert "bin/profile.py" in jobs["profiler"].files["db-0"]
    trial = WORKLOAD.trial_job(plan(), CLUSTER, plan().trials)
    assert set(profile.commands) == set(trial.commands)
    assert {name for name in trial.commands if profile.commands[name] != trial.commands[name]} == {"db-0"}
    assert [file.name for file in WORKLOAD.profile_outputs(plan(), CLUSTER)] == ["profile-db-0.collapsed"]
    for command in (jobs["profiler"].commands["db-0"], profile.commands["db-0"]):
        subprocess.run(["sh", "-n", "-c", command], check=True)


@pytest.mark.parametrize(("trial", "start", "stop", "status"), [(0, 0, 0, 0), (3, 0, 0, 3), (0, 1, 0, 1), (0, 0, 1, 1)])
def test_the_job_fails_when_the_trial_or_the_profiler_does(tmp_path, trial, start, stop, status):
    command = WORKLOAD.profile_job(plan(), CLUSTER).commands["db-0"]
    (tmp_path / "python3").write_text(
        f'#!/bin/sh\necho "$2" >>calls\ncase $2 in start) exit {start} ;; stop) exit {stop} ;; esac\nexit {trial}\n'
    )
    (tmp_path / "python3").chmod(0o755)
    (tmp_path / "host.env").touch()

    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, check=False)

    assert done.returncode == status
    assert (tmp_path / "calls").read_text().split() == ["start", "trials/2", *(["stop"] if not start else [])]


def test_a_long_workload_is_profiled_for_a_minute():
    long = WORKLOAD.profile_job(plan(operations=None, duration_seconds=3600), CLUSTER)

    assert long.expected_seconds < 120


def test_a_plan_without_a_profile_has_no_such_jobs():
    without = RunPlan.model_validate(PLAN)

    assert WORKLOAD.profile_job(without, CLUSTER) is None
    assert "profiler" not in [job.name for job in WORKLOAD.bootstrap_jobs(without, CLUSTER)]


def test_where_there_is_no_profiler_the_plan_is_refused_with_the_reason():
    local = {**PGBENCH_PRESET, "cpu_profile": True}

    assert "needs MAVEN_MIRROR" in CassandraStress(Downloads("http://mirror")).refusal(plan())
    assert WORKLOAD.refusal(plan()) is None
    assert "Java process" in Pgbench().refusal(RunPlan.model_validate(local))
    here = {**PLAN, "client": None, "cpu_profile": True}
    assert "hosts of its own" in CassandraHere().refusal(RunPlan.model_validate(here))

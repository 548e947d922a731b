"""pgbench on a host of its own: what both hosts are sent, and which plans it cannot run."""

import re
from dataclasses import replace

import pytest

from runners.errors import BootstrapFailed
from runners.load_tools import UnsupportedWorkload, for_plan
from runners.load_tools.base import Member
from runners.load_tools.pgbench.on_hosts import WORKLOAD
from runners.plan_schema.run_plan import RunPlan

DISKS = ("/dev/disk/by-id/1", "/dev/disk/by-id/2")
CLUSTER = [Member("db-0", "database", 0, "10.0.0.4", "a", DISKS), Member("client-0", "client", 0, "10.0.0.5", "a")]
PLAN = {
    "provider": "aws",
    "region": "us-east-1",
    "service": {"name": "postgresql", "version": "16"},
    "database": {
        "instance_type": "m5.large",
        "count": 1,
        "disks": [{"kind": "gp3", "count": 2, "size_gib": 100, "raid": "raid0"}],
    },
    "client": {"instance_type": "m5.large", "count": 1},
    "workload": {"tool": "pgbench", "operation": "select", "scale": 7, "threads": 4, "duration_seconds": 30},
    "max_duration_minutes": 60,
    "max_usd": "5",
}


def plan(**changes):
    return RunPlan.model_validate({**PLAN, **changes})


def test_the_database_is_installed_beside_no_other_and_takes_the_client_alone():
    jobs = {job.name: job for job in WORKLOAD.bootstrap_jobs(plan(), CLUSTER)}

    assert list(jobs) == ["prepare", "facts", "start", "fill"]
    assert jobs["prepare"].commands["db-0"] == (
        "sh bin/postgresql_host.sh prepare && "
        "PROGRAMS=pg_ctlcluster:postgresql DISKS='/dev/disk/by-id/1 /dev/disk/by-id/2' RAID=raid0 FILESYSTEM=xfs "
        "sh bin/prepare.sh && "
        "sh bin/postgresql_host.sh tools 16"
    )
    assert "DISKS" not in jobs["prepare"].commands["client-0"]
    assert jobs["start"].commands == {"db-0": "sh bin/postgresql_host.sh start 7 10.0.0.5/32"}
    assert b"listen_addresses = '*'" in jobs["prepare"].files["db-0"]["conf/postgresql.conf"]
    connection = "--host=10.0.0.4 --username=benchsite"
    fill = f"tools/postgresql/bin/pgbench {connection} --initialize --scale=7 --quiet postgres"
    assert jobs["fill"].commands == {"client-0": fill}


def test_a_host_whose_cloud_lists_too_few_disks_is_refused():
    hosts = [replace(CLUSTER[0], disks=DISKS[:1]), CLUSTER[1]]

    with pytest.raises(BootstrapFailed, match="the cloud lists 1 of the 2 disks of db-0"):
        WORKLOAD.bootstrap_jobs(plan(), hosts)


def test_every_script_that_a_host_runs_or_includes_is_sent():
    for sent in WORKLOAD.bootstrap_jobs(plan(), CLUSTER)[0].files.values():
        named = {name for content in sent.values() for name in re.findall(rb"\bbin/(\w+\.(?:sh|py))\b", content)}
        assert named <= {path.removeprefix("bin/").encode() for path in sent} | {b"fetch.py"}  # only Java is fetched


def test_the_client_measures_while_both_hosts_sample_themselves():
    job = WORKLOAD.trial_job(plan(), CLUSTER, 1)

    assert job.commands["db-0"] == "python3 bin/trial.py trials/1 2 1 10.0.0.5"
    measured = job.commands["client-0"]
    assert measured.startswith("tools/postgresql/bin/psql --host=10.0.0.4 --username=benchsite --quiet")
    assert "bin/trial.py trials/1 2 1 - tools/postgresql/bin/pgbench --host=10.0.0.4" in measured
    outputs = [(file.node, file.path) for file in WORKLOAD.outputs(plan(), CLUSTER, 1)]
    assert outputs == [
        ("client-0", "jobs/trial-1/output"),
        ("client-0", "trials/1/latency.hdr"),
        ("db-0", "trials/1/samples.csv"),
        ("client-0", "trials/1/samples.csv"),
    ]


def test_the_published_command_names_no_address():
    workload = WORKLOAD.document(plan(), {})["workload"]

    assert workload["command"].startswith("pgbench --builtin=select-only --client=4")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"database": {**PLAN["database"], "count": 2}}, "one database node and one client"),
        ({"client": {**PLAN["client"], "count": 2}}, "one database node and one client"),
        ({"database": {**PLAN["database"], "disks": [{"kind": "gp3", "count": 2, "size_gib": 9}]}}, "need a RAID"),
        ({"workload": {**PLAN["workload"], "operation": "write"}}, "supports the operations"),
    ],
)
def test_what_it_cannot_run_is_refused(changes, reason):
    with pytest.raises(UnsupportedWorkload, match=reason):
        for_plan(plan(**changes))

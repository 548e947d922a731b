"""The jobs of a run with cassandra-stress, written out."""

import json
from dataclasses import replace

import pytest

from runners.errors import BootstrapFailed
from runners.load_tools.base import OutputFile
from runners.load_tools.cassandra_stress.cassandra_stress import CassandraStress
from runners.load_tools.downloads import Downloads
from submissions.ingest.document.submission import ClusterDocument
from tests.files import stress_log
from tests.runners.databases.cassandra_plans import cluster, plan

MIRROR = "http://mirror/cassandra"
HDR = "http://maven/org/hdrhistogram/HdrHistogram/2.1.12/HdrHistogram-2.1.12.jar"
SCRIPTS = {
    f"bin/{n}"
    for n in ("prepare.sh", "apt.sh", "disks.py", "cassandra.sh", "fetch.py", "facts.py", "configure.py", "trial.py")
}
STRESS = ". ./host.env; export JAVA_HOME; exec dist/apache-cassandra-5.0.4/tools/bin/cassandra-stress "


@pytest.fixture
def workload():
    return CassandraStress(Downloads(MIRROR, maven_mirror="http://maven/"))


def jobs(workload, made):
    return {job.name: job for job in workload.bootstrap_jobs(made, cluster(made))}


def test_the_jobs_of_a_write_come_in_this_order(workload):
    made = plan(zones=["za", "zb", "zc"])

    assert list(jobs(workload, made)) == ["prepare", "install", "facts", "start-seeds", "form", "schema"]


def test_the_jobs_of_a_read_with_a_disk_test_on_six_nodes(workload):
    made = plan(databases=6, operation="read", disk_test=True)

    assert list(jobs(workload, made)) == [
        "prepare",
        "disk-test",
        "install",
        "facts",
        "start-seeds",
        "start",
        "form",
        "schema",
        "fill",
        "settle",
    ]


def test_with_another_host_in_the_cluster_the_database_starts_again_with_its_address(workload):
    made = plan(databases=6, operation="read")
    [first, second, *others] = cluster(made)
    new = replace(second, name="db-1b", address="10.0.0.99", is_replacement=True)

    after = {job.name: job for job in workload.bootstrap_jobs(made, [first, new, *others])}

    assert list(after) == [
        *("prepare", "install", "facts", "start-seeds-2", "start-2", "form", "schema", "fill", "settle")
    ]
    assert list(after["start-seeds-2"].commands) == ["db-0", "db-1b", "db-2"]
    for name in ("db-0", "db-1b"):
        settings = json.loads(after["start-seeds-2"].files[name]["overrides.json"])["yaml"]
        assert settings["seed_provider"][0]["parameters"] == [{"seeds": "10.0.0.1,10.0.0.99,10.0.0.3"}]
    before = jobs(workload, made)["start-seeds"].files["db-1"]["overrides.json"]
    assert settings["initial_token"] == json.loads(before)["yaml"]["initial_token"]


def test_no_host_is_replaced_from_the_schema_on(workload):
    made = plan(databases=6, operation="read")

    later = [name for name, job in jobs(workload, made).items() if not job.is_before_data]

    assert later[:2] == ["schema", "fill"]


def test_commands_of_the_jobs(workload):
    made = plan(databases=4, operation="read", operations=1000, threads=8, replication_factor=1, clients=2)

    commands = {name: dict(job.commands) for name, job in jobs(workload, made).items()}

    install = f"sh bin/cassandra.sh install {MIRROR}/5.0.4/apache-cassandra-5.0.4-bin.tar.gz 5.0.4 {HDR}"
    nodes, clients = [f"db-{index}" for index in range(4)], ["client-0", "client-1"]
    schema = "-schema 'replication(strategy=NetworkTopologyStrategy,dc1=1)' -rate threads="
    contacts = " -node 10.0.0.1,10.0.0.2,10.0.0.3,10.0.0.4"
    assert commands == {
        "prepare": dict.fromkeys([*nodes, *clients], "JAVA_MAJOR=17 sh bin/prepare.sh"),
        "install": dict.fromkeys([*nodes, *clients], install),
        "facts": dict.fromkeys([*nodes, *clients], "python3 bin/facts.py"),
        "start-seeds": {f"db-{i}": f"sh bin/cassandra.sh start 5.0.4 10.0.0.{i + 1} 300" for i in range(3)},
        "start": {"db-3": "sh bin/cassandra.sh start 5.0.4 10.0.0.4 300"},
        "form": {"db-0": "sh bin/cassandra.sh await 5.0.4 4 900"},
        "schema": {"client-0": f"{STRESS}write n=1 no-warmup cl=ALL {schema}1{contacts}"},
        "fill": {
            "client-0": f"{STRESS}write n=500 no-warmup cl=ALL -pop seq=1..500 {schema}8{contacts}",
            "client-1": f"{STRESS}write n=500 no-warmup cl=ALL -pop seq=501..1000 {schema}8{contacts}",
        },
        "settle": dict.fromkeys(nodes, "sh bin/cassandra.sh settle 5.0.4 3600"),
    }


def test_disks_are_prepared_on_database_hosts_only(workload):
    disks = [{"kind": "local-ssd", "count": 2, "raid": "raid0", "filesystem": "xfs"}]
    made = plan(disks=disks, disk_test=True)

    prepare = jobs(workload, made)["prepare"]

    assert prepare.commands["db-0"] == (
        "JAVA_MAJOR=17 DISKS='/dev/disk/by-id/0 /dev/disk/by-id/1' RAID=raid0 FILESYSTEM=xfs PROGRAMS=fio:fio "
        "sh bin/prepare.sh"
    )
    assert prepare.commands["client-0"] == "JAVA_MAJOR=17 sh bin/prepare.sh"
    assert set(prepare.files["db-0"]) == SCRIPTS | {"bin/disk_test.py"}
    assert prepare.files["db-0"]["bin/prepare.sh"].startswith(b"#!/bin/sh\n")
    assert jobs(workload, made)["disk-test"].commands == dict.fromkeys(
        ["db-0", "db-1", "db-2"], "python3 bin/disk_test.py 2G 30"
    )


def test_a_host_whose_cloud_lists_too_few_disks_is_refused(workload):
    made = plan(disks=[{"kind": "gp3", "count": 2, "size_gib": 100}])
    hosts = [replace(member, disks=member.disks[:1]) for member in cluster(made)]

    with pytest.raises(BootstrapFailed, match="the cloud lists 1 of the 2 disks of db-0"):
        workload.bootstrap_jobs(made, hosts)


def test_the_tools_version_may_differ_from_the_servers():
    workload = CassandraStress(Downloads(MIRROR, "4.0-alpha2", maven_mirror="http://maven"))

    install = jobs(workload, plan())["install"].commands

    assert install["db-0"].split()[3:5] == [f"{MIRROR}/5.0.4/apache-cassandra-5.0.4-bin.tar.gz", "5.0.4"]
    assert install["client-0"].split()[3:5] == [
        f"{MIRROR}/4.0-alpha2/apache-cassandra-4.0-alpha2-bin.tar.gz",
        "4.0-alpha2",
    ]


def test_in_a_large_cluster_one_host_of_each_zone_downloads_for_the_others(workload):
    made = plan(databases=30, clients=9, zones=["za", "zb", "zc"])

    installs = jobs(workload, made)["install"].commands

    serving = {
        name: command for name, command in installs.items() if " cassandra.sh share " in command.replace("bin/", "")
    }
    assert sorted(serving) == ["db-0", "db-1", "db-2"]
    assert serving["db-1"].endswith(" && sh bin/cassandra.sh share 10.0.0.2 7099 900")
    assert installs["db-4"].startswith("export PEER=10.0.0.2:7099; sh bin/cassandra.sh install ")
    assert installs["client-8"].startswith("export PEER=10.0.0.1:7099; ")
    assert all("PEER" in command for name, command in installs.items() if name not in serving)


def test_every_host_takes_part_in_a_trial_and_the_first_client_is_where_they_meet(workload):
    made = plan(databases=2, clients=2, replication_factor=2, operations=100, threads=4, consistency_level="ONE")

    job = workload.trial_job(made, cluster(made), 1)

    options = (
        " -schema 'replication(strategy=NetworkTopologyStrategy,dc1=2)' -rate threads=4 -errors ignore"
        " -log interval=1s hdrfile=trials/1/stress.hdr -node 10.0.0.1,10.0.0.2"
    )
    python = ". ./host.env; export JAVA_HOME; exec python3 bin/trial.py trials/1 4 2 "
    tool = "dist/apache-cassandra-5.0.4/tools/bin/cassandra-stress write n=50 cl=ONE -pop "
    assert job.name == "trial-1"
    assert job.log_path == "jobs/trial-1/output"
    assert job.commands == {
        "client-0": f"{python}- {tool}seq=1..50{options}",
        "client-1": f"{python}10.0.1.1 {tool}seq=51..100{options}",
        "db-0": f"{python}10.0.1.1",
        "db-1": f"{python}10.0.1.1",
    }


def test_a_trial_by_duration_is_given_up_after_twice_its_time(workload):
    made = plan(operations=None, duration_seconds=120)

    job = workload.trial_job(made, cluster(made), 0)

    assert (job.expected_seconds, job.timeout_seconds) == (140.0, 1140.0)


def test_outputs_of_the_first_and_of_a_later_trial(workload):
    disks = [{"kind": "local-ssd", "count": 2}]
    made = plan(databases=1, replication_factor=1, disks=disks, disk_test=True)
    later = [
        OutputFile("client-0", "jobs/trial-1/output", "log", 1, "trial-2-client-0.log"),
        OutputFile("client-0", "trials/1/stress.hdr", "hdr", 1, "trial-2-client-0.hdr"),
        OutputFile("db-0", "trials/1/samples.csv", "samples", 1, "trial-2-db-0-samples.csv"),
        OutputFile("client-0", "trials/1/samples.csv", "samples", 1, "trial-2-client-0-samples.csv"),
    ]

    assert list(workload.outputs(made, cluster(made), 1)) == later
    assert list(workload.outputs(made, cluster(made), 0))[4:] == [
        OutputFile("db-0", f"disk-test/{name}.json", "disk_test", None, f"disk-test-db-0-{name}.json")
        for name in ("0-sequential_write", "0-random_read", "1-sequential_write", "1-random_read")
    ]


@pytest.mark.parametrize("version", [None, "latest", "5.0.4; reboot", "../5"])
def test_without_a_release_there_is_nothing_to_install(workload, version):
    with pytest.raises(BootstrapFailed, match=r"service\.version"):
        workload.bootstrap_jobs(plan(version=version), cluster(plan()))


def test_progress_is_the_totals_of_the_intervals(workload):
    lines = stress_log("cs50-03").read_text().splitlines()
    rows = [line for line in lines if line.startswith(("READ,", "WRITE,", "total,"))]

    found = workload.progress(["0.4,  12", *rows[:6], "WARN something", rows[-1][:30]])

    assert found == [(1.0, 5060.0, 23.9), (2.0, 5369.0, 37.1)]


FACTS = {
    "at": "2026-11-20T07:51:47Z",
    "cpu_model": "AMD EPYC 7R13",
    "vcpus": 4,
    "memory_gib": 30.74,
    "kernel": "6.1.0-25-cloud-amd64",
    "architecture": "x86_64",
    "os": "Debian GNU/Linux 12 (bookworm)",
    "java": {"version": "17.0.15", "vendor": "openjdk", "text": "..."},
    "disk_test": None,
}


def test_the_document_says_what_was_asked_and_what_the_hosts_said(workload):
    disks = [{"kind": "local-ssd", "count": 2, "raid": "raid0"}]
    made = plan(
        zones=["us-east-1a"],
        consistency_level="QUORUM",
        columns=5,
        value_bytes=34,
        disks=disks,
        settings={"heap": "8G"},
    )
    slow = {"0-random_read": {"test": "random_read", "mb_s": 200.0, "iops": 50000.0, "latency_p99_ms": 2.0}}
    fast = {"0-random_read": {"test": "random_read", "mb_s": 300.0, "iops": 75000.0, "latency_p99_ms": 1.0}}
    facts = {
        "db-0": {**FACTS, "disk_test": slow},
        "db-1": {**FACTS, "memory_gib": 30.75, "disk_test": fast},
        "db-2": {**FACTS, "cpu_model": "AMD EPYC 9R14"},
        "client-0": {**FACTS, "vcpus": 8},
    }

    document = workload.document(made, facts)

    database = {
        "role": "database",
        "instance_type": "i4i.xlarge",
        "vcpus": 4,
        "memory_gib": 30.74,
        "disks": [{"kind": "local-ssd", "count": 2, "raid": "raid0"}],
        "pricing_model": "on_demand",
    }
    assert document == {
        "service": {"name": "cassandra", "version": "5.0.4"},
        "measured_at": "2026-11-20T07:51:47Z",
        "title": "three nodes",
        "provider": "aws",
        "region": "us-east-1",
        "zones": ["us-east-1a"],
        "nodes": [
            {**database, "count": 2, "cpu_model": "AMD EPYC 7R13"},
            {**database, "count": 1, "cpu_model": "AMD EPYC 9R14"},
            {
                "role": "client",
                "count": 1,
                "instance_type": "c6i.2xlarge",
                "cpu_model": "AMD EPYC 7R13",
                "vcpus": 8,
                "memory_gib": 30.74,
                "pricing_model": "on_demand",
            },
        ],
        "jdk": {"vendor": "openjdk", "version": "17.0.15"},
        "settings": {
            "heap": "8G",
            "kernel": "6.1.0-25-cloud-amd64",
            "os": "Debian GNU/Linux 12 (bookworm)",
            "architecture": "x86_64",
            "disk_test": {
                "random_read": {
                    "mb_s_min": 200.0,
                    "mb_s_max": 300.0,
                    "iops_min": 50000.0,
                    "iops_max": 75000.0,
                    "latency_p99_ms_min": 1.0,
                    "latency_p99_ms_max": 2.0,
                }
            },
        },
        "workload": {
            "tool": "cassandra-stress",
            "tool_version": "5.0.4",
            "command": "cassandra-stress write n=2000000 cl=QUORUM -col n=FIXED(5) size=FIXED(34) -pop seq=1..2000000"
            " -schema replication(strategy=NetworkTopologyStrategy,dc1=3) -rate threads=100 -errors ignore"
            " -log interval=1s hdrfile=stress.hdr",
            "consistency_level": "QUORUM",
            "replication_factor": 3,
            "columns": 5,
            "value_bytes": 34,
        },
    }
    ClusterDocument.model_validate({**document, "workload": {**document["workload"], "operations": {"write": 1.0}}})


def test_what_no_host_said_is_not_in_the_document(workload):
    made = plan(jdk={"vendor": "openjdk", "version": "17"})

    document = workload.document(made, {"db-0": {}, "db-1": {}, "db-2": {}, "client-0": {}})

    assert document == {
        "service": {"name": "cassandra", "version": "5.0.4"},
        "title": "three nodes",
        "provider": "aws",
        "region": "us-east-1",
        "nodes": [
            {"role": "database", "count": 3, "instance_type": "i4i.xlarge", "pricing_model": "on_demand"},
            {"role": "client", "count": 1, "instance_type": "c6i.2xlarge", "pricing_model": "on_demand"},
        ],
        "jdk": {"vendor": "openjdk", "version": "17"},
        "workload": {
            "tool": "cassandra-stress",
            "tool_version": "5.0.4",
            "command": "cassandra-stress write n=2000000 -pop seq=1..2000000"
            " -schema replication(strategy=NetworkTopologyStrategy,dc1=3) -rate threads=100 -errors ignore"
            " -log interval=1s hdrfile=stress.hdr",
            "replication_factor": 3,
        },
    }


@pytest.mark.parametrize(("rate", "clients", "stated"), [(9000, 2, 9000.0), (10, 4, 8.0), (1, 3, 3.0), (None, 2, None)])
def test_the_fixed_rate_is_stated_as_the_clients_were_told(workload, rate, clients, stated):
    """Each has a whole number, and the log of none tells a fixed rate from a throttle."""
    document = workload.document(plan(clients=clients, **({"fixed_rate_ops_s": rate} if rate else {})), {})

    assert document["workload"].get("fixed_rate_ops_s") == stated

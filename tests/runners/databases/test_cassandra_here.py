"""Cassandra on one machine: what the nodes are told, what is refused, what the submission says."""

import os
import socket
import subprocess
from pathlib import Path

import pytest

import runners.load_tools.scripts
from runners.databases.cassandra_here import CassandraHere
from runners.load_tools import UnsupportedWorkload, for_plan
from runners.load_tools.base import Member
from runners.plan_schema.run_plan import RunPlan
from runners.plans.presets import preset_by_slug

SCRIPT = Path(runners.load_tools.scripts.__file__).with_name("cassandra_here.sh")
ADDRESS = "127.201.202.203"


def plan_with(**changes):
    return RunPlan.model_validate({**preset_by_slug("cassandra-here").plan, **changes})


def members(count=3):
    return [Member(f"db-{index}", "database", index, f"127.9.9.{index + 1}", None) for index in range(count)]


def test_a_plan_without_clients_is_for_one_machine():
    assert type(for_plan(plan_with())) is CassandraHere


def test_nothing_is_downloaded_and_every_node_has_its_address_and_a_small_heap():
    jobs = {job.name: job for job in CassandraHere().bootstrap_jobs(plan_with(), members())}

    assert list(jobs) == ["prepare", "facts", "start-seeds", "form", "schema"]
    assert jobs["prepare"].commands == {
        "db-0": "sh bin/cassandra_here.sh 5.0.9 '' 127.9.9.1",
        "db-1": "sh bin/cassandra_here.sh 5.0.9 '' 127.9.9.2",
        "db-2": "sh bin/cassandra_here.sh 5.0.9 '' 127.9.9.3",
    }
    assert [files["cassandra.env"] for files in jobs["start-seeds"].files.values()] == [
        b"MAX_HEAP_SIZE=512M\nHEAP_NEWSIZE=128M\n"
    ] * 3


def test_the_plans_own_heap_and_java_are_kept():
    plan = plan_with(settings={"heap": "1G"}, jdk={"vendor": "openjdk", "version": "11"})
    jobs = {job.name: job for job in CassandraHere().bootstrap_jobs(plan, members())}

    assert jobs["prepare"].commands["db-0"] == "sh bin/cassandra_here.sh 5.0.9 11 127.9.9.1"
    assert jobs["start-seeds"].files["db-0"]["cassandra.env"] == b"MAX_HEAP_SIZE=1024M\nHEAP_NEWSIZE=256M\n"


def test_the_nodes_of_a_trial_wait_for_each_other_on_loopback_only():
    job = CassandraHere().trial_job(plan_with(), members(), 0)

    assert [command.partition(";")[0] for command in job.commands.values()] == ["export MEETING_ADDRESS=127.9.9.1"] * 3


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"database": {"instance_type": "this-machine", "count": 4}}, "at most 3 Cassandra nodes; the plan has 4"),
        (
            {"database": {"instance_type": "x", "count": 3, "disks": [{"kind": "gp3", "count": 1}]}},
            "a plan cannot order or test disks",
        ),
        ({"jdk": {"vendor": "zulu", "version": "17"}}, "a plan cannot choose zulu"),
    ],
)
def test_what_one_machine_cannot_do_is_refused(changes, reason):
    with pytest.raises(UnsupportedWorkload, match=reason):
        for_plan(plan_with(**changes))


def test_the_submission_names_processor_heap_and_the_load_tool_that_ran():
    said = {"cpu_model": "Intel(R) Xeon(R) CPU @ 2.80GHz", "vcpus": 2, "load_tool": "4.0-alpha2"}
    document = CassandraHere().document(plan_with(), {f"db-{index}": said for index in range(3)})

    assert document["nodes"] == [
        {
            "role": "database",
            "count": 3,
            "instance_type": "intel-xeon",
            "cpu_model": "Intel(R) Xeon(R) CPU @ 2.80GHz",
            "vcpus": 2,
            "pricing_model": "on_demand",
        }
    ]
    assert document["settings"] == {"heap": "512M"}
    assert document["workload"]["tool_version"] == "4.0-alpha2"
    assert document["title"] == "Cassandra write, 3 nodes on one machine"
    assert document["notes"].startswith("All nodes and the load tool ran on one machine")


def test_a_cloud_plan_without_clients_is_asked_for_them_and_nothing_else(db, settings):
    from benchsite.http.refusals import Refusal
    from runners import creation

    settings.RUN_PROVIDERS = ["aws"]
    database = {"instance_type": "m5.large", "count": 6}
    with pytest.raises(Refusal) as refused:
        creation.validated(plan_with(provider="aws", database=database).model_dump(mode="json"))

    assert [fault.pointer for fault in refused.value.faults] == ["#/client", "#/region"]


@pytest.fixture
def host(tmp_path):
    """A host's folder with a distribution and a Java 17 that only says so."""
    home, java = tmp_path / "tools/cassandra/apache-cassandra-5.0.9", tmp_path / "tools/java/bin/java"
    for path, text in (
        (home / "bin/cassandra", "#!/bin/sh\n"),
        (home / "conf/cassandra.yaml", "cluster_name: x\n"),
        (home / "lib/server.jar", ""),
        (home / "load-tool.version", "5.0.9\n"),
        (java, "#!/bin/sh\necho 'openjdk version \"17.0.15\"' >&2\n"),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
    return tmp_path


def prepare(host, *arguments):
    done = subprocess.run(["sh", SCRIPT, *arguments], cwd=host, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout + done.stderr


def test_a_node_gets_its_own_settings_and_shares_the_rest(host):
    for _ in range(2):
        assert prepare(host, "5.0.9", "", ADDRESS) == (0, "")

    node = host / "dist/apache-cassandra-5.0.9"
    assert {path.name: path.is_symlink() for path in node.iterdir()} == {
        "bin": False,
        "conf": False,
        "lib": True,
        "load-tool.version": True,
    }
    assert os.access(node / "bin/cassandra", os.X_OK)
    assert (host / "host.env").read_text() == f"JAVA_HOME={host}/tools/java\n"
    assert (host / "data/0").is_dir()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("5.0.4", ""), "this machine has no Cassandra 5.0.4: make cassandra VERSION=5.0.4"),
        (("5.0.9", "11"), "the plan asks for Java 11, this machine has 17"),
    ],
)
def test_what_the_machine_does_not_have_is_said(host, arguments, said):
    assert prepare(host, *arguments, ADDRESS) == (1, said + "\n")


@pytest.mark.parametrize("port", [9042, 7000])
def test_a_port_that_is_taken_is_said(host, port):
    with socket.create_server((ADDRESS, port)):
        status, output = prepare(host, "5.0.9", "", ADDRESS)

    assert (status, output) == (
        1,
        f"Cassandra cannot have port {port} of {ADDRESS}: Address already in use. Does another one run here?\n",
    )

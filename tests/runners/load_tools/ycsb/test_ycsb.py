"""The jobs of a run with YCSB on hosts, what the live page sees of it, and what its result states."""

import pytest

from runners.load_tools import UnsupportedWorkload, for_plan
from runners.load_tools.downloads import Downloads
from runners.load_tools.ycsb.ycsb import NOTES, Ycsb
from tests.files import DATA
from tests.runners.databases.cassandra_plans import cluster, plan

MAVEN = "http://maven"
JAVA = ". ./host.env; export JAVA_HOME; exec "


@pytest.fixture
def workload():
    return Ycsb(Downloads("http://mirror", maven_mirror=MAVEN))


def ycsb(**workload):
    return plan(**{"tool": "ycsb", "operation": "workloadb", **workload})


def jobs(workload, made):
    return {job.name: job for job in workload.bootstrap_jobs(made, cluster(made))}


def test_the_clients_have_ycsb_instead_of_cassandra(workload):
    made = ycsb(clients=2)
    prepared = jobs(workload, made)

    assert list(prepared) == ["prepare", "install", "facts", "start-seeds", "form", "schema", "fill", "settle"]
    install = prepared["install"].commands
    assert install["client-0"] == install["client-1"] == "sh bin/ycsb.sh install"
    assert install["db-0"].startswith("sh bin/cassandra.sh install http://mirror/5.0.4/")
    files = prepared["prepare"].files
    assert {"bin/ycsb.sh", "bin/CassandraBinding.java", "bin/ycsb.jars"} <= files["client-0"].keys() - files[
        "db-0"
    ].keys()
    assert files["client-0"]["bin/ycsb.jars"].decode().splitlines()[::5] == [
        "http://maven/site/ycsb/core/0.17.0/core-0.17.0.jar",
        "http://maven/com/datastax/cassandra/cassandra-driver-core/3.11.5/cassandra-driver-core-3.11.5-shaded.jar",
        "http://maven/org/eclipse/jdt/ecj/3.22.0/ecj-3.22.0.jar",
    ]


def test_schema_and_rows_come_before_the_first_trial(workload):
    prepared = jobs(workload, ycsb(clients=2, prefill=1_000))

    contacts = "10.0.0.1,10.0.0.2,10.0.0.3"
    assert prepared["schema"].commands == {"client-0": f"{JAVA}sh bin/ycsb.sh schema {contacts} 3 dc1 usertable 10"}
    fill = prepared["fill"].commands
    assert fill["client-1"].startswith(f"{JAVA}sh bin/ycsb.sh fill 500 -load -s -db benchsite.CassandraBinding ")
    assert " -p insertstart=500 " in fill["client-1"]
    assert not prepared["fill"].is_before_data


def test_every_host_takes_part_in_a_trial(workload):
    made = ycsb(databases=1, replication_factor=1, fixed_rate_ops_s=500)

    commands = workload.trial_job(made, cluster(made), 1).commands

    assert commands["client-0"].startswith(f"{JAVA}python3 bin/trial.py trials/1 2 1 - sh bin/ycsb.sh run -t -s ")
    assert commands["db-0"] == f"{JAVA}python3 bin/trial.py trials/1 2 1 10.0.1.1"


def test_a_trial_leaves_its_log_and_a_histogram_of_each_kind(workload):
    made = ycsb(databases=1, replication_factor=1, fixed_rate_ops_s=500)

    outputs = workload.outputs(made, cluster(made), 1)

    assert [(file.path, file.kind, file.name) for file in outputs] == [
        ("jobs/trial-1/output", "log", "trial-2-client-0.log"),
        *(
            (f"trials/1/{name}.hdr", "hdr", f"trial-2-client-0-{name}.hdr")
            for name in ("READ", "UPDATE", "Intended-READ", "Intended-UPDATE")
        ),
        ("trials/1/samples.csv", "samples", "trial-2-db-0-samples.csv"),
        ("trials/1/samples.csv", "samples", "trial-2-client-0-samples.csv"),
    ]


def test_the_live_page_sees_the_rate_of_each_second(workload):
    lines = (DATA / "ycsb/ycsb17-02-mixed-target-both.log").read_text().splitlines()

    assert workload.progress(lines)[:3] == [(1.0, 1451.0, None), (2.0, 1501.0, None), (3.0, 1500.0, None)]


def test_the_live_page_sees_the_p99_of_a_single_operation_from_when_it_was_due(workload):
    block = "Count=752, Max=4447, Min=0, Avg=1525.17, 90=3083, 99={}, 99.9=4127, 99.99=4447"
    start = "2026-11-20 06:49:11:570 1 sec: 1488 operations; 1451 current ops/sec; est completion in 4 second "
    due = f"{start}[READ: {block.format(3107)}] [Intended-READ: {block.format(4000)}] "

    assert workload.progress([f"{start}[READ: {block.format(3107)}] "]) == [(1.0, 1451.0, 3.107)]
    assert workload.progress([due, "[READ], Operations, 3069"]) == [(1.0, 1451.0, 4.0)]


def test_the_part_of_a_second_at_the_end_is_no_second(workload):
    lines = ["4 sec: 977 operations; 585.59 current ops/sec; ", "4 sec: 984 operations; 48.61 current ops/sec; "]

    assert workload.progress(lines) == [(4.0, 585.59, None)]


def test_the_result_states_what_the_log_does_not_have(workload):
    document = workload.document(ycsb(clients=3, fixed_rate_ops_s=1_000), {})

    assert document["notes"] == NOTES
    described = document["workload"]
    command = described.pop("command")
    assert described == {"tool": "ycsb", "tool_version": "0.17.0", "replication_factor": 3, "fixed_rate_ops_s": 999.0}
    assert command.startswith("ycsb -t -s -db benchsite.CassandraBinding -threads 100 -target 333 ")
    assert "hosts" not in command


def test_hosts_of_a_site_without_a_maven_repository_cannot_have_it(settings):
    settings.MAVEN_MIRROR = ""
    with pytest.raises(UnsupportedWorkload, match="YCSB needs MAVEN_MIRROR: hosts download it from there"):
        for_plan(ycsb())
    settings.MAVEN_MIRROR = MAVEN
    assert for_plan(ycsb()).tool == "ycsb"


def test_other_settings_are_refused(workload):
    reason = workload.refusal(ycsb(settings={"cassandra-stress": {"ops": {"insert": 1}}}))

    assert reason == (
        "Cassandra runs support only the settings cassandra.yaml, jvm_options, heap, ycsb, not cassandra-stress"
    )

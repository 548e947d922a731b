"""The command lines of YCSB, and the loads that it is not started for."""

import pytest

from runners.load_tools.ycsb import commands
from tests.runners.databases.cassandra_plans import plan

CORE = "-p workload=site.ycsb.workloads.CoreWorkload -p table=usertable"
BINDING = "-db benchsite.CassandraBinding"


def ycsb(**workload):
    asked = {"tool": "ycsb", "operation": "workloada", **workload}
    if "duration_seconds" in asked:
        asked["operations"] = None
    return plan(**asked)


def trial(made, client=0, clients=1):
    return " ".join(commands.trial(made, client, clients, ["10.0.0.1", "10.0.0.2"], folder="trials/0"))


def test_a_trial_of_a_number_of_operations():
    made = ycsb(operations=10_001, threads=8, consistency_level="ONE", prefill=1_001, columns=5, value_bytes=34)

    assert trial(made, clients=2) == (
        f"-t -s {BINDING} -threads 8 {CORE} -p recordcount=1002 -p fieldcount=5 -p fieldlength=34"
        " -p readproportion=0.5 -p updateproportion=0.5 -p insertproportion=0 -p scanproportion=0"
        " -p readmodifywriteproportion=0 -p requestdistribution=zipfian -p operationcount=5001 -p status.interval=1"
        " -p measurementtype=hdrhistogram -p measurement.interval=op -p hdrhistogram.percentiles=50,95,99,99.9"
        " -p hdrhistogram.fileoutput=true -p hdrhistogram.output.path=trials/0/ -p warmupreads=10000"
        " -p cassandra.readconsistencylevel=ONE -p cassandra.writeconsistencylevel=ONE -p hosts=10.0.0.1,10.0.0.2"
    )


def test_at_a_fixed_rate_each_client_has_its_share_and_both_latencies():
    words = trial(ycsb(duration_seconds=60, fixed_rate_ops_s=1_001), clients=2)

    assert f"-t -s {BINDING} -threads 100 -target 500 {CORE} -p recordcount=100000" in words
    assert " -p operationcount=2147483647 -p maxexecutiontime=60 " in words
    assert " -p measurement.interval=both " in words
    assert " -p cassandra.readconsistencylevel=QUORUM -p cassandra.writeconsistencylevel=QUORUM " in words


@pytest.mark.parametrize(
    ("workload", "mix", "names"),
    [
        ({"operation": "workloadb"}, {"read": 0.95, "update": 0.05}, ["READ", "UPDATE"]),
        ({"operation": "workloadc"}, {"read": 1}, ["READ"]),
        ({"operation": "workloadd"}, {"read": 0.95, "insert": 0.05}, ["READ", "INSERT"]),
        (
            {"operation": "workloadf"},
            {"read": 0.5, "readmodifywrite": 0.5},
            ["READ", "UPDATE", "READ-MODIFY-WRITE"],
        ),
        ({"operation": "mixed", "read_share": 0.9}, {"read": 0.9, "update": 0.1}, ["READ", "UPDATE"]),
        ({"operation": "mixed", "read_share": 0.0}, {"update": 1}, ["UPDATE"]),
        (
            {"operation": "workloadc", "fixed_rate_ops_s": 10},
            {"read": 1},
            ["READ", "Intended-READ"],
        ),
    ],
)
def test_the_mix_names_the_histogram_files(workload, mix, names):
    made = ycsb(**workload)

    proportions = dict(word.split("=") for word in trial(made).split() if "proportion=" in word)
    assert {name: float(share) for name, share in proportions.items() if share != "0"} == {
        f"{name}proportion": share for name, share in mix.items()
    }
    assert commands.measured_names(made) == names


def test_the_newest_rows_are_read_in_workload_d_and_a_plan_may_choose_others():
    chosen = ycsb(settings={"ycsb": {"requestdistribution": "uniform", "readallfields": False}})

    assert " -p requestdistribution=latest " in trial(ycsb(operation="workloadd"))
    assert " -p requestdistribution=uniform -p readallfields=false " in trial(chosen)
    assert "zipfian" not in trial(chosen)


def test_each_client_fills_its_own_rows_on_every_replica():
    made = ycsb(prefill=1_001, threads=4)

    assert commands.rows(made, 2) == 1_002
    assert " ".join(commands.fill(made, 1, 2, ["10.0.0.1"])) == (
        f"501 -load -s {BINDING} -threads 4 {CORE} -p recordcount=1002 -p fieldcount=10 -p fieldlength=100"
        " -p insertstart=501 -p insertcount=501 -p core_workload_insertion_retry_limit=10"
        " -p cassandra.readconsistencylevel=ALL -p cassandra.writeconsistencylevel=ALL -p hosts=10.0.0.1"
    )
    assert commands.schema(made, ["10.0.0.1", "10.0.0.2"]) == ["10.0.0.1,10.0.0.2", "3", "dc1", "usertable", "10"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"operation": "workloade"}, "YCSB supports the operations workloada, .*, mixed, not 'workloade'"),
        ({"read_share": 0.5}, "YCSB has no read_share with workloada"),
        ({"profile": "x"}, "YCSB has no profile with workloada"),
        ({"scale": 3}, "YCSB has no scale with workloada"),
        ({"consistency_level": "ANY"}, "the same consistency level, and ANY is not for both"),
        ({"prefill": 0}, "prefill must be at least 1"),
        ({"operations": 2**31}, "at most 2,147,483,647 operations"),
        ({"columns": 1_000, "value_bytes": 10**7}, "more than 10 MB"),
        ({"settings": {"ycsb": ["x"]}}, "ycsb must be an object"),
        ({"settings": {"ycsb": {"requestdistribution": "file:/etc/passwd"}}}, "requestdistribution .uniform"),
        ({"settings": {"ycsb": {"exporter": "x"}}}, "ycsb may have requestdistribution"),
        ({"settings": {"ycsb": {"readallfields": "yes"}}}, "readallfields and writeallfields .true or false"),
    ],
)
def test_a_load_that_ycsb_cannot_run_is_refused_with_the_reason(changes, reason):
    with pytest.raises(ValueError, match=reason):
        commands.check(ycsb(**changes))

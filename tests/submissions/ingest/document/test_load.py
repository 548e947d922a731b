"""The load of a result: its mode, its limits, and what of a command line is no part of a workload."""

import pytest

from submissions.ingest.document.fingerprint import fingerprint
from submissions.ingest.document.load import RateLimits, limits_in, limits_of, load_mode, threads_of
from submissions.ingest.document.submission import SubmissionDocument
from tests.documents import document


def read(changes=None):
    return SubmissionDocument.model_validate(document(changes))


@pytest.mark.parametrize(
    ("tool", "command", "limits"),
    [
        ("ycsb", "bin/ycsb run cassandra-cql -threads 20 -target 7000 -P workloada", RateLimits(7000.0)),
        ("ycsb", "site.ycsb.Client -t -p target=7000", RateLimits(7000.0)),
        ("ycsb", "ycsb run -target 7000 -p measurement.interval=both", RateLimits(None, 7000.0)),
        ("ycsb", "ycsb run -threads 20", RateLimits()),
        ("ycsb", "ycsb run -target 0", RateLimits()),
        ("go-ycsb", "go-ycsb run mysql -p target=500", RateLimits(500.0)),
        ("cassandra-stress", "cassandra-stress read -rate threads=8 throttle=200/s", RateLimits(200.0)),
        ("cassandra-stress", "cassandra-stress read -rate threads=8 fixed=3000/s -node a", RateLimits(None, 3000.0)),
        ("cassandra-stress", "cassandra-stress write -col size=fixed(34) -rate threads=8", RateLimits()),
        ("latte", "latte run w.rn --rate 5000", RateLimits(5000.0)),
        ("sysbench", "sysbench oltp_read_only --threads=8 --rate=100 run", RateLimits(None, 100.0)),
        ("cockroach-workload", "cockroach workload run kv --max-rate=500 --concurrency 8", RateLimits(500.0)),
        ("ycsb-cpp", "ycsb -run -db rocksdb -p limit.ops=500 -s", RateLimits(500.0)),
        ("ycsb-cpp", "ycsb -run -db rocksdb -p limit.ops=500 -p limit.file=rates.txt", RateLimits()),
        ("scylla-bench", "scylla-bench -mode=write -max-rate=32000 -concurrency=7", RateLimits(None, 32000.0)),
        ("nosqlbench", "nb5 run driver=cql workload=kv cyclerate=5000 cycles=1M", RateLimits(5000.0)),
        ("pgbench", "pgbench -c 8 -R 300 -T 60", RateLimits(None, 300.0)),
        ("pgbench", "pgbench --client=8 --rate=302.5 postgres", RateLimits(None, 302.5)),
        ("some-other-tool", "tool --rate=5", RateLimits()),
    ],
)
def test_each_tools_limit_is_read_in_its_command_line(tool, command, limits):
    assert limits_in(tool, command) == limits


def test_a_limit_of_a_command_line_is_that_of_each_client():
    command = "cassandra-stress write -rate threads=200 throttle=1000/s"

    assert limits_of(read({"workload/command": command, "trials/0/client_count": 4})) == RateLimits(4000.0)
    assert limits_of(read({"workload/command": command, "workload/throttle_ops_s": 5000})) == RateLimits(5000.0)


@pytest.mark.parametrize(
    ("changes", "mode"),
    [
        ({}, "threads"),
        ({"workload/threads": None}, None),
        ({"workload/threads": None, "trials/0/threads": 20}, "threads"),
        ({"workload/throttle_ops_s": 7000}, "threads"),
        ({"workload/threads": None, "workload/throttle_ops_s": 7000}, "threads"),
        ({"workload/fixed_rate_ops_s": 7000}, "fixed_rate"),
        ({"trials/0/offered_ops_s": 7000}, "fixed_rate"),
        ({"workload/command": "cassandra-stress write -rate threads=9 fixed=7000/s"}, "fixed_rate"),
    ],
)
def test_the_mode_of_a_load(changes, mode):
    assert load_mode(read(changes)) == mode


@pytest.mark.parametrize(("fact", "values"), [("threads", (4, 8)), ("offered_ops_s", (1000, 2000))])
def test_trials_of_several_loads_are_a_curve(fact, values):
    trial = document()["trials"][0]
    curve = read({"trials": [{**trial, fact: value} for value in values], "workload/threads": None})

    assert load_mode(curve) == "curve"
    assert threads_of(curve) is None
    assert fingerprint(curve) != fingerprint(read())


@pytest.mark.parametrize(
    "changes",
    [
        {"workload/threads": 50},
        {"workload/throttle_ops_s": 7000},
        {"workload/threads": None, "trials/0/threads": 20},
    ],
)
def test_neither_threads_nor_a_limit_on_them_change_the_fingerprint(changes):
    assert fingerprint(read(changes)) == fingerprint(read())


def test_one_fixed_rate_is_the_workload_of_another():
    at_7000, at_9000 = ({"workload/fixed_rate_ops_s": rate} for rate in (7000, 9000))

    assert fingerprint(read(at_7000)) == fingerprint(read(at_9000)) == fingerprint(read({"trials/0/offered_ops_s": 5}))
    assert fingerprint(read(at_7000)) != fingerprint(read())


@pytest.mark.parametrize(
    ("tool", "one", "other"),
    [
        ("ycsb", "ycsb run -P workloada -threads 20 -target 7000", "ycsb run -P workloada -threads 64"),
        ("ycsb", "ycsb run -P a -p threadcount=4 -p target=9", "ycsb run -P a"),
        (
            "cassandra-stress",
            "cassandra-stress user profile=a.yaml ops(x=1) -rate threads=8 throttle=200/s -node a",
            "cassandra-stress user profile=a.yaml ops(x=1) -rate threads>=4 auto -node a",
        ),
        ("pgbench", "pgbench -f a.sql -c 8 -j 4 -R 300 -T 60", "pgbench -f a.sql -c 16 -j4 --rate=9 -T 60"),
        ("latte", "latte run a.rn --threads 4 --concurrency=8 -r 500", "latte run a.rn -t 2"),
        ("sysbench", "sysbench a.lua --threads=8 --rate=100 run", "sysbench a.lua --threads=16 --rate=9 run"),
    ],
)
def test_command_lines_that_differ_in_threads_and_rates_are_one_workload(tool, one, other):
    unread = {"workload/tool": tool, "workload/operations": ..., "workload/threads": 8}
    with_commands = [read({**unread, "workload/command": command}) for command in (one, other)]

    assert len({fingerprint(each) for each in with_commands}) == 1
    assert fingerprint(read({**unread, "workload/command": f"{one} more"})) != fingerprint(with_commands[0])


def test_a_closed_loop_with_a_fixed_rate_is_refused():
    with pytest.raises(ValueError, match="either throttle_ops_s"):
        read({"workload/throttle_ops_s": 7000, "workload/fixed_rate_ops_s": 7000})

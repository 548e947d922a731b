"""The rules of the methodology, tool by tool, on facts as documents state them."""

import pytest

from submissions.analysis.data_rules import RULES, Rows

STRESS = {"tool": "cassandra-stress", "operations": {"write": 1.0}}
YCSB = {"tool": "ycsb", "operations": {"read": 0.5, "update": 0.5}, "key_count": 1000}
SYSBENCH = {"tool": "sysbench", "operations": {"read": 0.7, "write": 0.2, "other": 0.1}}
MEMTIER = {"tool": "memtier-benchmark", "key_count": 1_000_000, "value_bytes": 32, "key_distribution": "sequential"}


def rows(workload, **settings):
    return RULES[workload["tool"]](workload, settings)


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        # nothing is said of the columns: 5 of 34 bytes
        ({"command": "cassandra-stress write n=2000000 cl=LOCAL_ONE"}, Rows(2_000_000, 170)),
        ({"command": "cassandra-stress write n=2m -pop seq=1..500k"}, Rows(500_000, 170)),
        ({"command": "cassandra-stress write n=2m -pop dist=UNIFORM(1..20000) -rate threads=4"}, Rows(20_000, 170)),
        ({"command": "cassandra-stress write n=10 -col size=FIXED(1024) n=FIXED(10)"}, Rows(10, 10_240)),
        ({"command": r'cassandra-stress write n=10 -col "size=UNIFORM\(100..300\)"'}, Rows(10, 1000)),
        ({"command": "cassandra-stress write n=10 -col size=exp(1..300)"}, None),
        ({"command": "cassandra-stress write duration=60s"}, None),
        ({"requested_operations": 300, "columns": 10, "value_bytes": 10}, Rows(300, 100)),
        ({"key_count": 27_000_000, "columns": 10, "value_bytes": 10}, Rows(27_000_000, 100)),
        # the log has a size that is not fixed
        ({"key_count": 300, "columns": 5}, None),
        # how many of its keys a read finds is not known from their number of reads
        ({"operations": {"read": 1.0}, "requested_operations": 300}, None),
        ({"operations": {"read": 0.75, "write": 0.25}, "key_count": 300}, Rows(300, 170)),
        ({"operations": {"counter_write": 1.0}, "key_count": 300}, None),
        ({"operations": {"insert": 1.0}, "command": "cassandra-stress user profile=a.yaml ops(insert=1) n=9"}, None),
        ({"operations": None, "command": "cassandra-stress mixed ratio(write=1) n=9 -pop seq=1..9"}, Rows(9, 170)),
    ],
)
def test_cassandra_stress(facts, expected):
    assert rows(STRESS | facts) == expected


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({}, Rows(1000, 1000)),
        ({"columns": 10, "value_bytes": 50}, Rows(1000, 500)),
        ({"columns": 1}, Rows(1000, 100)),
        ({"key_count": None}, None),
        # from 1 byte, or minfieldlength, to fieldlength: the mean is the middle
        ({"command": "-t -p fieldlengthdistribution=uniform"}, Rows(1000, 505)),
        ({"command": "-t -p fieldlengthdistribution=uniform -p minfieldlength=50"}, Rows(1000, 750)),
        ({"command": "-t -p fieldlengthdistribution=histogram"}, None),
        # the workloads of YCSB itself leave the size of a record at its default; what another file says is not known
        ({"command": "-t -P workloads/workloada"}, Rows(1000, 1000)),
        ({"command": "-t -P mine.properties"}, None),
        ({"command": "-t -P mine.properties", "columns": 2, "value_bytes": 7}, Rows(1000, 14)),
        ({"command": "-t -p workload=site.ycsb.workloads.TimeSeriesWorkload"}, None),
        ({"operations": {"read": 0.5, "insert": 0.4, "delete": 0.1}}, Rows(1000, 1000, pytest.approx(0.3))),
        ({"operations": {"insert": 1.0}, "command": "-load"}, Rows(1000, 1000, 1.0, is_load=True)),
        # 100 % inserts are no load
        ({"operations": {"insert": 1.0}, "command": "-t -p insertproportion=1"}, Rows(1000, 1000, 1.0)),
    ],
)
@pytest.mark.parametrize("tool", ["ycsb", "go-ycsb"])
def test_ycsb(tool, facts, expected):
    assert rows(YCSB | facts | {"tool": tool}) == expected


def test_lengths_that_are_zipfian_have_the_mean_of_their_distribution():
    command = "-t -p fieldlengthdistribution=zipfian -p fieldlength=3 -p fieldcount=1"
    weights = [1, 2**-0.99, 3**-0.99]  # of 1, 2 and 3 bytes
    mean = (1 * weights[0] + 2 * weights[1] + 3 * weights[2]) / sum(weights)

    assert rows(YCSB | {"command": command, "columns": 1}).row_bytes == pytest.approx(mean)


def test_a_log_without_its_command_says_among_its_settings_that_lengths_vary():
    assert rows(YCSB | {"tool": "go-ycsb"}, fieldlengthdistribution="uniform", fieldlength="200") == Rows(1000, 1005)
    assert rows(YCSB | {"tool": "go-ycsb"}, fieldlengthdistribution="histogram") is None


@pytest.mark.parametrize(
    ("facts", "stated", "expected"),
    [
        ({"operations": {"tpcb-like": 1.0}, "key_count": 2_000_000}, {}, Rows(2_000_000, 97)),  # scale 20
        ({"operations": {"select-only": 0.9, "simple-update": 0.1}, "key_count": 100_000}, {}, Rows(100_000, 97)),
        ({"operations": {"read.sql": 1.0}, "key_count": 100_000}, {}, None),
        ({"operations": {"select-only": 1.0}}, {}, None),
        ({"operations": {"own script pgbench-ro-cpu-v1": 1.0}}, {"schema_gib": 0.5}, Rows(1, 2**29)),
    ],
)
def test_pgbench(facts, stated, expected):
    assert rows({"tool": "pgbench"} | facts, **stated) == expected


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({}, None),
        ({"command": "sysbench --tables=2 --table-size=5000 oltp_read_write run"}, Rows(10_000, 188)),
        ({"command": "sysbench --table_size=5000 oltp_read_write run"}, Rows(5000, 188)),
        ({"command": "sysbench --test=oltp.lua --oltp-tables-count=4 --oltp-table-size=100 run"}, Rows(400, 188)),
        ({"command": "sysbench --table-size=100 oltp_insert run"}, Rows(100, 188, 1.0)),
        ({"command": "sysbench --table-size=100 oltp_delete run"}, Rows(100, 188, -1.0)),
        ({"command": "sysbench --table-size=100 bulk_insert run"}, None),
        ({"key_count": 300}, Rows(300, 188)),
    ],
)
def test_sysbench(facts, expected):
    assert rows(SYSBENCH | facts) == expected


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"operations": {"set": 1.0}, "requested_operations": 1_000_000}, Rows(1_000_000, 32)),
        # not each key was written
        ({"operations": {"set": 1.0}, "requested_operations": 999_999}, None),
        ({"operations": {"set": 1.0}, "requested_operations": 10**7, "key_distribution": "uniform"}, None),
        ({"operations": {"set": 0.1, "get": 0.9}, "requested_operations": 10**7}, None),
    ],
)
def test_a_cache_has_what_was_written_to_each_key_in_turn(facts, expected):
    assert rows(MEMTIER | facts) == expected


@pytest.mark.parametrize("tool", ["latte", "nosqlbench", "hammerdb", "benchbase", "application"])
def test_other_tools_have_no_rule(tool):
    assert tool not in RULES

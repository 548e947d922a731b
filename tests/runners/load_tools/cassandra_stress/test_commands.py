"""cassandra-stress command lines, written out."""

import shlex

import pytest
import yaml

from runners.load_tools.cassandra_stress import commands
from submissions.ingest.document.readings import Facts
from submissions.ingest.parsers.cassandra_stress import command
from tests.runners.databases.cassandra_plans import plan

NODES = ["10.0.0.1", "10.0.0.2", "10.0.0.3"]


def trial(made, client=0, clients=1, version="5.0.4"):
    return " ".join(commands.trial(made, client, clients, NODES, version=version, hdr="trials/0/stress.hdr"))


def test_writes_of_one_client():
    made = plan(consistency_level="LOCAL_ONE", columns=5, value_bytes=34, threads=200)

    assert trial(made) == (
        "write n=2000000 cl=LOCAL_ONE -col n=FIXED(5) size=FIXED(34) -pop seq=1..2000000"
        " -schema replication(strategy=NetworkTopologyStrategy,dc1=3) -rate threads=200 -errors ignore"
        " -log interval=1s hdrfile=trials/0/stress.hdr -node 10.0.0.1,10.0.0.2,10.0.0.3"
    )


def test_three_clients_have_disjoint_keys_and_the_same_amount():
    made = plan(operations=1_000_000, threads=50)

    lines = [trial(made, client, 3) for client in range(3)]

    # a million does not divide by three: the last keys are one and two more
    assert [line.split(" -schema")[0] for line in lines] == [
        "write n=333334 -pop seq=1..333334",
        "write n=333334 -pop seq=333335..666668",
        "write n=333334 -pop seq=666669..1000002",
    ]


def test_mixed_reads_are_spread_over_the_rows_that_are_there():
    made = plan(
        operation="mixed",
        read_share=0.75,
        operations=None,
        duration_seconds=600,
        prefill=40_000,
        threads=64,
        fixed_rate_ops_s=9000.0,
        consistency_level="QUORUM",
    )

    assert trial(made, 1, 2) == (
        "mixed ratio(write=1,read=3) duration=600s cl=QUORUM -pop dist=UNIFORM(20001..40000)"
        " -schema replication(strategy=NetworkTopologyStrategy,dc1=3) -rate threads=64 fixed=4500/s -errors ignore"
        " -log interval=1s hdrfile=trials/0/stress.hdr -node 10.0.0.1,10.0.0.2,10.0.0.3"
    )


@pytest.mark.parametrize(
    ("share", "ratio"),
    [(0.0, "ratio(write=1)"), (0.5, "ratio(write=1,read=1)"), (0.95, "ratio(write=1,read=19)"), (1.0, "ratio(read=1)")],
)
def test_ratio_of_a_mix(share, ratio):
    assert trial(plan(operation="mixed", read_share=share)).split()[1] == ratio


def test_a_tool_before_4_is_told_to_speak_cql_and_knows_no_histogram_file():
    assert trial(plan(operation="counter_write", threads=10), version="2.2.6") == (
        "counter_write n=2000000 -pop seq=1..2000000 -schema replication(strategy=NetworkTopologyStrategy,dc1=3)"
        " -rate threads=10 -errors ignore -log interval=1s -mode native cql3 -node 10.0.0.1,10.0.0.2,10.0.0.3"
    )


PROFILE = """
keyspace: stresscql
keyspace_definition: |
  CREATE KEYSPACE stresscql WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
table: blogposts
table_definition: |
  CREATE TABLE blogposts (domain text PRIMARY KEY, body text)
"""


def test_a_user_profile_runs_with_its_operations_and_the_plans_replication():
    made = plan(
        operation="user",
        profile=PROFILE,
        operations=1000,
        threads=8,
        columns=3,
        settings={"cassandra-stress": {"ops": {"insert": 1, "singlepost": 2}}},
    )

    assert trial(made) == (
        "user profile=bin/profile.yaml ops(insert=1,singlepost=2) n=1000 -pop seq=1..1000 -rate threads=8"
        " -errors ignore -log interval=1s hdrfile=trials/0/stress.hdr -node 10.0.0.1,10.0.0.2,10.0.0.3"
    )
    assert yaml.safe_load(commands.profile(made)) == {
        "keyspace": "stresscql",
        "keyspace_definition": "CREATE KEYSPACE stresscql WITH replication = "
        "{'class': 'NetworkTopologyStrategy', 'dc1': 3};\n",
        "table": "blogposts",
        "table_definition": "CREATE TABLE blogposts (domain text PRIMARY KEY, body text)\n",
    }


@pytest.mark.parametrize(
    "profile", ["keyspace: 'x; DROP'", "- a list", "a: [", "table: t", "keyspace: k\nx: 2001-99-99", "[" * 2_000]
)
def test_what_is_no_profile_is_refused(profile):
    with pytest.raises(ValueError, match="the profile"):
        commands.profile(plan(operation="user", profile=profile))


@pytest.mark.parametrize("ops", [{}, {"a b": 1}, {"x": 0}, {"x": "1"}, ["insert"]])
def test_operations_that_are_no_weights_are_refused(ops):
    with pytest.raises(ValueError, match=r"cassandra-stress\.ops"):
        trial(plan(operation="user", profile=PROFILE, settings={"cassandra-stress": {"ops": ops}}))


def test_the_schema_is_made_by_one_row_on_all_replicas():
    made = plan(operation="read", columns=5, value_bytes=34)

    assert " ".join(commands.schema(made, NODES, version="5.0.4")) == (
        "write n=1 no-warmup cl=ALL -col n=FIXED(5) size=FIXED(34)"
        " -schema replication(strategy=NetworkTopologyStrategy,dc1=3) -rate threads=1 -node 10.0.0.1,10.0.0.2,10.0.0.3"
    )


def test_each_client_fills_its_own_share():
    made = plan(operation="counter_read", prefill=10_000, operations=500, threads=16)

    assert " ".join(commands.prefill(made, 1, 2, NODES, version="5.0.4")) == (
        "counter_write n=5000 no-warmup cl=ALL -pop seq=5001..10000"
        " -schema replication(strategy=NetworkTopologyStrategy,dc1=3) -rate threads=16 -node 10.0.0.1,10.0.0.2,10.0.0.3"
    )


@pytest.mark.parametrize(
    ("workload", "needed"),
    [
        ({"operation": "write"}, False),
        ({"operation": "write", "prefill": 10}, True),
        ({"operation": "read"}, True),
        ({"operation": "read", "prefill": 0}, False),
        ({"operation": "mixed", "read_share": 0.5}, True),
    ],
)
def test_reads_need_rows_first(workload, needed):
    assert commands.needs_prefill(plan(**workload)) is needed


def test_no_word_has_a_blank_and_the_sites_own_parser_reads_back_what_was_asked():
    made = plan(consistency_level="LOCAL_ONE", columns=5, value_bytes=34, threads=200)
    words = commands.trial(made, 0, 2, NODES, version="5.0.4", hdr="x.hdr")

    assert not [word for word in words if word.split() != [word]]
    assert shlex.split(shlex.join(words)) == words
    assert command.parse(" ".join(words)).facts == Facts(
        command="cassandra-stress " + " ".join(words),
        operations={"write": 1.0},
        consistency_level="LOCAL_ONE",
        replication_factor=3,
        threads=200,
        columns=5,
        value_bytes=34,
        key_count=1_000_000,
        key_distribution="sequential",
        requested_operations=1_000_000,
        node_count=3,
    )

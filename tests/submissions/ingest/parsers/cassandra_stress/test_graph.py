"""The HTML of -graph file=: a trial set for each revision, with the facts of its command line."""

from dataclasses import replace
from pathlib import Path

import pytest

from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Facts, Interval, Latency, LogReading, OperationReading, TrialReading
from submissions.ingest.parsers.cassandra_stress import PARSERS
from submissions.ingest.parsers.cassandra_stress.command import parse
from submissions.ingest.parsers.errors import ParseError

DATA = Path("tests/data/cassandra-stress")
TRIAL = TrialReading(throughput_ops_s=None, errors=0, latency_kind=LatencyKind.SERVICE_TIME)
THRIFT = "-mode thrift -node 127.0.0.1 -port thrift=9161"


def read(name: str) -> LogReading:
    lines = (DATA / name).read_text(encoding="utf-8").splitlines(keepends=True)
    parser = next(parser for parser in PARSERS if parser.matches(lines[:400]))
    return parser.parse(lines)


def without_rows(reading: LogReading) -> LogReading:
    sets = tuple(tuple(replace(trial, intervals=()) for trial in trials) for trials in reading.trial_sets)
    return replace(reading, trial_sets=sets)


def test_two_revisions_are_two_trial_sets_with_their_own_facts():
    graph = read("cs50-30-graph.html")
    common = Facts(operations={"write": 1.0}, requested_operations=20000, node_count=1, title="base")

    assert without_rows(graph) == LogReading(
        "cassandra-stress",
        common,
        (
            (
                replace(
                    TRIAL,
                    throughput_ops_s=2246.0,
                    operations=20000,
                    duration_s=20000 / 2246,  # the last row, 15,447 operations at 8.0 s, is not the end
                    printed_ops_s=2246.0,
                    threads=8,
                    latency=Latency(3.2, 0.7, 12.2, 43.8, 184.4, 416.0),
                    label="run1",
                ),
            ),
            (
                replace(
                    TRIAL,
                    throughput_ops_s=20000 / 5.7,
                    operations=20000,
                    duration_s=5.7,
                    printed_ops_s=3520.0,
                    threads=32,
                    latency=Latency(8.8, 1.8, 41.5, 131.5, 355.5, 620.8),
                    label="run2",
                ),
            ),
        ),
        set_facts=(
            replace(
                common,
                command="cassandra-stress write n=20000 cl=LOCAL_QUORUM no-warmup -rate threads=8 -graph "
                "file=results/cs50-30-graph.html title=base revision=run1 -reporting output-frequency=2s "
                "header-frequency=4s -node 127.0.0.1",
                consistency_level="LOCAL_QUORUM",
                threads=8,
            ),
            replace(
                common,
                command="cassandra-stress write n=20000 cl=ONE no-warmup -rate threads=32 -graph "
                "file=results/cs50-30-graph.html title=base revision=run2 -log no-settings -node 127.0.0.1",
                consistency_level="ONE",
                threads=32,
            ),
        ),
    )
    assert [
        (len(trials[0].intervals), trials[0].intervals[0], trials[0].intervals[-1]) for trials in graph.trial_sets
    ] == [
        (
            4,
            Interval("total", 2.0, 499, 0, 491.0, Latency(16.5, 11.6, 42.7, 92.4, 143.7, 143.7), 0, 0.0),
            Interval("total", 8.0, 7946, 0, 4482.0, Latency(1.9, 0.7, 4.8, 17.2, 279.7, 356.0), 0, 0.0),
        ),
        (
            6,
            Interval("total", 1.0, 242, 0, 242.0, Latency(93.6, 64.7, 331.4, 348.7, 355.5, 355.5), 0, 0.0),
            Interval("total", 5.7, 4731, 0, 6941.0, Latency(4.5, 1.7, 7.3, 60.8, 301.7, 341.0), 0, 0.0),
        ),
    ]


def test_a_mixed_run_keeps_the_rows_of_all_operations_only():
    # The page drops the types' names: of three rows a second the last is the total.
    graph = read("older/cs3115-graph-mixed.html")
    facts = Facts(
        command="cassandra-stress mixed ratio(write=1,read=3) n=8000 cl=ONE no-warmup -pop seq=1..5000 -rate "
        f"threads=8 -graph file=out/cs3115-graph-mixed.html title=mix revision=a {THRIFT}",
        operations={"write": 0.25, "read": 0.75},
        consistency_level="ONE",
        threads=8,
        key_count=5000,
        key_distribution="sequential",
        requested_operations=8000,
        node_count=1,
        title="mix",
    )

    assert graph == LogReading(
        "cassandra-stress",
        facts,
        (
            (
                replace(
                    TRIAL,
                    throughput_ops_s=8000 / 2.2,
                    operations=8000,
                    duration_s=2.2,
                    printed_ops_s=3617.0,
                    threads=8,
                    latency=Latency(1.9, 1.2, 6.1, 9.1, 14.1, 18.8),
                    by_operation=(
                        OperationReading("read", 6103, 0, 2759.0, Latency(1.9, 1.2, 6.1, 9.1, 14.6, 18.8)),
                        OperationReading("write", 1897, 0, 858.0, Latency(2.0, 1.2, 6.1, 9.9, 12.1, 14.2)),
                    ),
                    intervals=(
                        Interval("total", 1.0, 2663, 0, 2663.0, Latency(2.2, 1.7, 6.2, 9.9, 14.6, 16.2)),
                        Interval("total", 2.0, 4380, 0, 4380.0, Latency(1.8, 1.1, 5.9, 9.1, 12.1, 18.8)),
                        Interval("total", 2.2, 957, 0, 4515.0, Latency(1.8, 1.1, 5.2, 9.1, 14.1, 14.1)),
                    ),
                    label="a",
                ),
            ),
        ),
        set_facts=(facts,),
    )


def test_rate_auto_names_the_thread_count_in_the_revision():
    graph = read("older/cs3115-graph-auto.html")

    assert [(trials[0].label, trials[0].threads, trials[0].printed_ops_s) for trials in graph.trial_sets] == [
        ("b - 4 threads", 4, 2213.0),
        ("b - 8 threads", 8, 1283.0),
    ]
    assert graph.facts == Facts(
        command="cassandra-stress write n=1500 no-warmup -rate auto threads>=4 threads<=8 -graph "
        f"file=out/cs3115-graph-auto.html title=auto revision=b {THRIFT}",
        operations={"write": 1.0},
        requested_operations=1500,
        node_count=1,
        title="auto",
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            'stats = {"title":"x","stats":[{"op rate":"1 op/s","intervals":[[null,1,',
            "the page's stats cannot be read after 63 characters: the line is cut or damaged",
        ),
        ('stats = {"stats":' + "[" * 100_000 + "]" * 100_000 + "};", "the page's stats cannot be read"),
        ('stats = {"title":"x","stats":null};', "the page's stats hold no list of runs"),
        ('stats = {"title":"x","stats":[{}]};', "the graph contains no finished run"),
        (
            'stats = {"stats":[{"op rate":"5 op/s [WRITE: 5 op/s]","partition rate":"5 pk/s","revision":"r",'
            '"total partitions":"9 [WRITE: 9]","total errors":"9 [WRITE: 9]"}]};',
            "r is excluded: all 9 of 9 operations failed: no throughput to record",
        ),
    ],
)
def test_a_damaged_or_empty_graph_is_refused(line, message):
    parser = next(parser for parser in PARSERS if parser.matches([line]))

    with pytest.raises(ParseError) as caught:
        parser.parse([line])

    assert str(caught.value).startswith(message)


def test_everything_a_command_line_can_say():
    command = parse(
        "/opt/bin/cassandra-stress user profile=a.yaml ops(insert=3, singlepost=1) n=2M cl=local_quorum "
        "-rate threads=100 fixed=5000/s -pop dist=UNIFORM(1..1M) -col n=FIXED(8) size=FIXED(128) "
        "-schema replication(strategy=NetworkTopologyStrategy,dc1=3,dc2=3) -node 10.0.0.1,10.0.0.2 -log hdrfile=a.hdr"
    )

    assert command.facts == Facts(
        command="cassandra-stress user profile=a.yaml ops(insert=3, singlepost=1) n=2M cl=local_quorum "
        "-rate threads=100 fixed=5000/s -pop dist=UNIFORM(1..1M) -col n=FIXED(8) size=FIXED(128) "
        "-schema replication(strategy=NetworkTopologyStrategy,dc1=3,dc2=3) -node 10.0.0.1,10.0.0.2 -log hdrfile=a.hdr",
        operations={"insert": 0.75, "singlepost": 0.25},
        consistency_level="LOCAL_QUORUM",
        replication_factor=3,
        threads=100,
        fixed_rate_ops_s=5000.0,
        columns=8,
        value_bytes=128,
        key_count=1_000_000,
        key_distribution="uniform",
        requested_operations=2_000_000,
        node_count=2,
    )
    assert command.latency_kind == LatencyKind.RESPONSE_TIME


def test_a_throttle_is_no_fixed_rate():
    command = parse("read duration=5m -rate threads=8 throttle=200/s")

    assert command.facts == Facts(
        command="cassandra-stress read duration=5m -rate threads=8 throttle=200/s",
        operations={"read": 1.0},
        threads=8,
        throttle_ops_s=200.0,
        requested_duration_s=300.0,
    )
    assert command.latency_kind == LatencyKind.SERVICE_TIME

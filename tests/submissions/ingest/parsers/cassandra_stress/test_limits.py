"""Hostile and huge input: bounded memory and time, and never another error than a refusal."""

import contextlib
import json
import signal
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from submissions.ingest.document.readings import LogReading
from submissions.ingest.parsers.cassandra_stress import PARSERS
from submissions.ingest.parsers.cassandra_stress.log import MAX_INTERVALS
from submissions.ingest.parsers.errors import ParseError

GRAPH, LOG = PARSERS
HEADER = (
    "type,      total ops,    op/s,    mean,     med,     .95,     .99,    .999,     max,   time,   stderr, errors\n"
)
MEGABYTE = 1_000_000

# Parses 300 MB of what a driver prints when its server is gone, made line by line, never held:
# half of it short lines of traces, half of it lines of 20,000 characters.
STREAM = """
import json, sys
from submissions.ingest.parsers.cassandra_stress import PARSERS

header = sys.argv[1]
trace = [
    "com.datastax.driver.core.exceptions.TransportException: [/127.0.0.3:9042] Connection has been closed\\n",
    "\\tat com.datastax.driver.core.Connection$ConnectionCloseFuture.force(Connection.java:1455)\\n",
    "\\tat com.datastax.driver.core.Connection$ConnectionCloseFuture.force(Connection.java:1431)\\n",
    "\\tat java.base/java.util.concurrent.Executors$RunnableAdapter.call(Executors.java:539)\\n",
    "Caused by: java.net.ConnectException: Connection refused, and a text of a hundred characters or so\\n",
    "WARN  05:34:31,114 Error creating connection to /127.0.0.3:9042\\n",
    "ERROR 05:51:30,002 [Control connection] Cannot connect to any host, scheduling retry in 2000 ms\\n",
] * 30 + ["x" * 20_000 + "\\n"]
once = sum(map(len, trace))
sizes = [0]

def lines():
    yield header
    for second in range(1, 11):
        total = second * 1000
        yield f"total,{total},1000,1.0,1.0,2.0,3.0,4.0,5.0,{second}.0,0.0,0\\n"
        for _ in range(int(sys.argv[2]) // 10 // once):
            yield from trace
            sizes[0] += once

reading = PARSERS[1].parse(lines())
# not ru_maxrss, in which Linux leaves the size of the parent before exec
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
peak = int(status["VmHWM"].split()[0]) * 1024
trial = reading.trial_sets[0][0]
print(json.dumps([sizes[0], peak, trial.operations, trial.duration_s, len(trial.intervals)]))
"""


@pytest.mark.slow
def test_300_mb_of_stack_traces_are_read_in_bounded_memory():
    done = subprocess.run(
        [sys.executable, "-c", STREAM, HEADER, str(300 * MEGABYTE)], capture_output=True, text=True, check=True
    )
    size, peak, *read = json.loads(done.stdout)

    assert size > 299 * MEGABYTE
    assert peak < 150 * MEGABYTE
    assert read == [10_000, 10.0, 10]


def test_a_series_of_too_many_rows_keeps_its_first_ones_and_its_totals():
    def lines():
        yield HEADER
        for second in range(1, MAX_INTERVALS + 51):
            yield f"total,{second * 10},10,1.0,1.0,2.0,3.0,4.0,{second % 7}.5,{second}.0,0.0,1\n"

    log = LOG.parse(lines())

    trial = log.trial_sets[0][0]
    assert len(trial.intervals) == MAX_INTERVALS
    assert (trial.operations, trial.errors, trial.duration_s) == (900_450, 100_050, 100_050.0)
    assert (trial.latency.mean, trial.latency.max) == (pytest.approx(1.0), 6.5)
    assert "The last 50 interval rows are not stored; all count in the totals." in log.warnings


PIECES = st.one_of(
    st.sampled_from(
        [
            HEADER.strip(),
            "total,interval_op_rate,interval_key_rate,avg_latency,elapsed_time",
            "total,interval_op_rate,interval_key_rate,latency/95th/99th,elapsed_time",
            "            id, type,      total ops,    op/s,    mean,   time",
            "total,   10,   10,   1.0,   1.0,   1.0,   1.0,   1.0,   1.0,   1.0,  0.0,   0",
            "READ,   10,   10,   1.0,   1.0,   1.0,   1.0,   1.0,   1.0,   1.0,  0.0,   10",
            "total,    5,   10,   NaN,   1,0,   1.0,   1.0,   1.0,   1.0,   0.0,  0.0,   99",
            "10,10,10,0.5,1",
            "10,10,10,NAN,0",
            "******************** Stress Settings ********************",
            "******************** Profile(s) ********************",
            "  Keyspace CQL: ",
            "CREATE KEYSPACE a WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 3}",
            "Command:",
            "  Type: mixed",
            "  Command Ratios: {WRITE=0.0, READ=NaN}",
            "Rate:",
            "  Thread Count: 0",
            "  OpsPer Sec: 100",
            "Population:",
            "  Distribution: Uniform:  min=5,max=1",
            "Schema:",
            "  Replication Strategy Options: {}",
            "Datacenter: a; Host: /1.1.1.1; Rack: r",
            "Running with 4 threadCount",
            "Running [READ, WRITE] with 0 threads for -1 iteration",
            "Results:",
            "Op rate                   :    1.069 op/s  [READ: 0 op/s, WRITE: NaN op/s]",
            "Op rate                   : 0",
            "Partition rate            :    1.069 op/s  [READ: 0 op/s, WRITE: NaN op/s]",
            "Latency mean              :  2,1 ms [READ",
            "Total partitions          : 10 [READ: 5, WRITE: 5]",
            "Total errors              : 11 [READ: 11]",
            "Total operation time      : 00:00:00",
            "Total operation time      : 99:99:99999999",
            "Averages from the middle 80% of values:",
            "Operation [5] retried 1 times - error inserting key",
            "Usage:      cassandra-stress <command> [options]",
            "END",
            "FAILURE",
            "",
        ]
    ),
    st.text(max_size=40),
    st.text("0123456789,. -:[]{}=eE+NaNtotal\u202f", max_size=120),
)


@settings(max_examples=400, deadline=None)
@given(st.lists(PIECES, max_size=40))
def test_no_soup_of_lines_is_anything_but_read_or_refused(lines):
    try:
        log = LOG.parse(line + "\n" for line in lines)
    except ParseError:
        return

    for trials in log.trial_sets:
        for trial in trials:
            assert trial.throughput_ops_s is not None
            assert 0 < trial.throughput_ops_s < float("inf")
            assert trial.operations is None or trial.operations > 0
            assert trial.duration_s is None or trial.duration_s > 0


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(
            st.sampled_from(["stats", "title", "op rate", "intervals", "metrics", "command", "revision"]) | st.text(),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@settings(max_examples=200, deadline=None)
@given(st.fixed_dictionaries({"op rate": st.text(max_size=20)}, optional={"intervals": JSON, "metrics": JSON}), JSON)
def test_no_soup_of_json_is_anything_but_read_or_refused(entry, other):
    for content in ({"stats": [entry, other]}, {"stats": other}, other):
        try:
            log = GRAPH.parse([f"stats = {json.dumps(content)};"])
        except ParseError:
            continue
        assert isinstance(log, LogReading)


@pytest.mark.parametrize(
    "line",
    [
        "x" * 20_000,
        "A" * 19_990 + "Exception",
        "a." * 9_999 + "Error",
        "total," + "1," * 9_990,
        "Op rate : " + "1," * 9_990,
        "Op rate : 1 [" + "a:1," * 4_990,
        "Running [" + "a, " * 6_600 + "] with 4 threads",
        "java.lang.RuntimeException: " * 700,
        "9" * 20_000 + ",1,1,1,1",
    ],
)
def test_no_line_of_20_000_characters_runs_away(line):
    def runs_away(*_):
        raise AssertionError("a minute of processor time for twenty lines")

    before = signal.signal(signal.SIGVTALRM, runs_away)
    signal.setitimer(signal.ITIMER_VIRTUAL, 60)
    try:
        with contextlib.suppress(ParseError):
            LOG.parse([HEADER, line + "\n"] * 20)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)

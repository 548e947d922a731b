"""Logs that hold no result: each is refused with the tool's own reason."""

from pathlib import Path

import pytest

from submissions.ingest.document.readings import Facts, LogReading
from submissions.ingest.parsers.cassandra_stress import PARSERS
from submissions.ingest.parsers.errors import ParseError

DATA = Path("tests/data/cassandra-stress")
NOTHING = "the log contains no result and no interval row"
SETTINGS = """\
******************** Stress Settings ********************
Command:
  Type: write
  Count: 1,000
Rate:
  Auto: false
  Thread Count: 4
  OpsPer Sec: 0
Log:
  File: {file}

"""


def read(text: str) -> LogReading:
    lines = text.splitlines(keepends=True)
    parser = next(parser for parser in PARSERS if parser.matches(lines[:400]))
    return parser.parse(lines)


def refusal(text: str) -> str:
    with pytest.raises(ParseError) as caught:
        read(text)
    return str(caught.value)


@pytest.mark.parametrize(
    ("sample", "message"),
    [
        (
            "cs50-12-all-unavailable-ignored-zero-ops.log",
            'all 200 of 200 operations failed: no throughput to record; the tool says: "Not enough replicas '
            'available for query at consistency ALL (3 required but only 2 alive)"',
        ),
        (
            "cs50-16-connection-refused.log",
            f'{NOTHING}; the tool says: "All host(s) tried for query failed (tried: /127.0.0.9:9042 '
            '(com.datastax.driver.core.exceptions.TransportException: [/127.0.0.9:9042] Cannot connect))"',
        ),
        ("cs50-17-bad-argument.log", f'{NOTHING}; the tool says: "Invalid parameter thread=4"'),
        (
            "cs50-21-graph-reporting.log",
            f'{NOTHING}; the tool says: "Invalid duration: 4 Accepted units:[SECONDS, MINUTES, HOURS, DAYS] '
            'where case matters and only non-negative values."',
        ),
        (
            "cs50-21x-bad-option.log",
            f'{NOTHING}; the tool says: "Invalid duration: 4 Accepted units:[SECONDS, MINUTES, HOURS, DAYS] '
            'where case matters and only non-negative values."',
        ),
        ("cs50-26-bad-profile.log", f"{NOTHING}; the tool says: \"File '/nonexistent.yaml' doesn't exist!\""),
        ("older/cs110-refused.log", f'{NOTHING}; the tool says: "Connection refused"'),
    ],
)
def test_a_sample_without_a_result_is_refused_with_its_reason(sample, message):
    assert refusal((DATA / sample).read_text()) == message


def test_a_failure_before_the_first_row_is_refused_with_its_first_exception():
    text = (
        SETTINGS.format(file="null")
        + "Running WRITE with 4 threads for 1000 iteration\n"
        + "java.io.IOException: Operation x10 on key(s) [30]: Error executing: (WriteTimeoutException): no answer\n"
        + "\tat org.apache.cassandra.stress.Operation.error(Operation.java:127)\n"
        + "FAILURE\n"
        + "java.lang.RuntimeException: Failed to execute stress action\n"
    )

    assert refusal(text) == (
        f'{NOTHING}; the tool says: "Operation x10 on key(s) [30]: Error executing: (WriteTimeoutException): no answer"'
    )


def test_a_long_reason_is_cut():
    text = SETTINGS.format(file="null") + "java.lang.RuntimeException: " + "x" * 5000 + "\n"

    assert refusal(text) == f'{NOTHING}; the tool says: "{"x" * 197}..."'


def test_a_log_that_ends_before_the_first_row_is_refused():
    text = SETTINGS.format(file="null") + "Running WRITE with 4 threads for 1000 iteration\n"

    assert refusal(text) == NOTHING


def test_settings_whose_rows_went_to_a_file_are_read_without_a_trial():
    reading = read(SETTINGS.format(file="out/rows.txt"))

    assert reading == LogReading(
        "cassandra-stress",
        Facts(operations={"write": 1.0}, threads=4, requested_operations=1000),
        warnings=("The rows are in the file out/rows.txt (-log file=): upload it as well.",),
    )


def test_rows_that_all_failed_are_no_truncated_trial():
    text = (
        "type,      total ops,    op/s,    mean,     med,     .95,     .99,    .999,     max,   time, errors\n"
        "total,             7,       7,     1.0,     1.0,     1.0,     1.0,     1.0,     1.0,    1.0,      7\n"
    )

    assert refusal(text) == "all 7 of 7 operations failed: no throughput to record"


def test_a_run_without_any_operation_is_refused():
    text = (
        "type,      total ops,    op/s,    mean,     med,     .95,     .99,    .999,     max,   time, errors\n"
        "total,             0,       0,     NaN,     NaN,     NaN,     NaN,     NaN,     NaN,    1.0,      0\n"
    )

    assert refusal(text) == "no operation completed: no throughput to record"


@pytest.mark.parametrize(
    ("setting", "other"),
    [
        ("Consistency Level: ONE", "Consistency Level: ALL"),
        ("Table Compression: null", "Table Compression: LZ4"),
    ],
)
def test_runs_of_different_settings_in_one_file_are_results_of_their_own(setting, other):
    log = (DATA / "cs50-01-write-n20000-t4.log").read_text()

    assert setting in log
    assert len(read(log + log.replace(setting, other)).set_facts) == 2


def test_runs_of_different_operations_in_one_file_are_results_of_their_own():
    log = (DATA / "older/cs226-write.log").read_text()

    assert [facts.operations for facts in read(log + log.replace("WRITE", "READ")).set_facts] == [
        {"write": 1.0},
        {"read": 1.0},
    ]

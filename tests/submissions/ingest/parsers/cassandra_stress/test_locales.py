"""Java writes numbers in the locale of its machine: decimal commas, thousands dots and spaces."""

from dataclasses import replace
from pathlib import Path

import pytest

from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Facts, Interval, Latency, LogReading, OperationReading, TrialReading
from submissions.ingest.parsers.cassandra_stress import PARSERS, figures

DATA = Path("tests/data/cassandra-stress")


def read(name: str) -> LogReading:
    lines = (DATA / name).read_text(encoding="utf-8").splitlines(keepends=True)
    parser = next(parser for parser in PARSERS if parser.matches(lines[:400]))
    return parser.parse(lines)


def without_rows(reading: LogReading) -> LogReading:
    sets = tuple(tuple(replace(trial, intervals=()) for trial in trials) for trials in reading.trial_sets)
    return replace(reading, trial_sets=sets)


def rows(reading: LogReading, trial_set: int = 0) -> tuple[int, Interval, Interval]:
    intervals = reading.trial_sets[trial_set][0].intervals
    return len(intervals), intervals[0], intervals[-1]


def test_a_german_log_has_decimal_commas_and_thousands_dots():
    log = read("older/cs3115-mixed-german.log")

    assert without_rows(log) == LogReading(
        "cassandra-stress",
        Facts(
            operations={"read": 0.5, "write": 0.5},
            consistency_level="LOCAL_ONE",
            replication_factor=1,
            threads=8,
            columns=5,
            value_bytes=34,
            key_count=5000,
            key_distribution="sequential",
            requested_operations=10000,
            node_count=1,
        ),
        (
            (
                TrialReading(
                    throughput_ops_s=10000 / 3.1,
                    operations=10000,
                    errors=0,
                    duration_s=3.1,
                    printed_ops_s=3275.0,
                    threads=8,
                    latency_kind=LatencyKind.SERVICE_TIME,
                    latency=Latency(1.7, 1.1, 6.1, 9.1, 14.1, 19.1),
                    by_operation=(
                        OperationReading("read", 5178, 0, 1696.0, Latency(1.6, 1.1, 6.1, 9.1, 14.1, 19.1)),
                        OperationReading("write", 4822, 0, 1579.0, Latency(1.7, 1.1, 6.1, 9.1, 13.2, 19.1)),
                    ),
                ),
            ),
        ),
    )
    assert rows(log) == (
        12,
        Interval("read", 1.0, 36, 0, 36.0, Latency(2.2, 1.4, 5.9, 8.9, 8.9, 8.9)),
        Interval("total", 3.1, 217, 0, 4048.0, Latency(2.0, 1.1, 6.1, 8.1, 12.5, 12.5)),
    )


def test_a_french_log_separates_thousands_with_narrow_spaces():
    log = read("older/cs3115-write-french.log")

    assert [(t.operations, t.duration_s, t.printed_ops_s, t.latency) for (t,) in log.trial_sets] == [
        (20000, 4.7, 4233.0, Latency(1.7, 1.1, 6.1, 9.1, 14.5, 34.1))
    ]
    assert rows(log) == (
        5,
        Interval("total", 1.0, 2235, 0, 2235.0, Latency(1.8, 1.1, 5.7, 9.1, 13.7, 14.3)),
        Interval("total", 4.7, 3485, 0, 4806.0, Latency(1.7, 1.1, 6.1, 9.1, 13.1, 19.1)),
    )
    assert (log.facts.requested_operations, log.facts.key_count) == (20000, 20000)


def test_2_2_in_a_locale_with_decimal_commas():
    log = read("older/cs226-write-german.log")

    assert [(t.operations, t.duration_s, t.printed_ops_s, t.latency) for (t,) in log.trial_sets] == [
        (10000, 2.2, 4625.0, Latency(1.7, 1.1, 5.5, 9.1, 13.1, 20.1))
    ]
    assert rows(log) == (
        3,
        Interval("total", 1.0, 4607, 0, 4606.0, Latency(1.7, 1.1, 5.2, 9.1, 13.1, 17.1)),
        Interval("total", 2.2, 728, 0, 4726.0, Latency(1.7, 1.1, 6.1, 8.2, 13.2, 13.2)),
    )


@pytest.mark.parametrize(
    ("written", "expected", "rate"),
    [
        ("255,886", 255_900.0, 255_886.0),
        ("255.886", 255_900.0, 255_886.0),
        ("255.886", 256.0, 255.886),
        ("255.886", None, 255_886.0),
        ("1.255.886", None, 1_255_886.0),
        ("4\u202f233", 4.2, 4233.0),
        ("4\u00a0233", None, 4233.0),
        ("4\u2019233", None, 4233.0),
        ("255.88", None, 255.88),
        ("  126 op/s  [WRITE: 126 op/s]", 200.0, 126.0),
        ("NaN", 5.0, None),
        ("", None, None),
    ],
)
def test_a_lone_separator_in_a_rate_is_settled_by_operations_over_time(written, expected, rate):
    assert figures.rate(written, expected) == rate


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("8,069.8 ms", 8069.8),
        ("8.069,8 ms", 8069.8),
        ("0.6", 0.6),
        ("9.5E-4", 0.00095),
        ("-0.00213", -0.00213),
        ("NaN ms", None),
        ("ms", None),
        ("1" * 400, None),
    ],
)
def test_the_last_separator_of_a_latency_is_its_decimal_mark(written, value):
    assert figures.decimal(written) == value

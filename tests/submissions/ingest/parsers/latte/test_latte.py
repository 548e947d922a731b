"""latte: each expected reading is worked out by hand from the file."""

import json
import random
from copy import deepcopy
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from submissions.analysis.curves import histograms
from submissions.choices import LatencyKind
from submissions.ingest.document.readings import (
    Facts,
    Histogram,
    Interval,
    Latency,
    LogReading,
    OperationReading,
    TrialReading,
)
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.latte.latte import JSON_PARSER, LOG_PARSER

DATA = Path(__file__).resolve().parents[4] / "data" / "latte"
LINES = (DATA / "latte-01-write.json").read_text().splitlines()
REPORT = json.loads("\n".join(LINES))
HISTOGRAM = REPORT["result"]["cycle_latency"]["histogram"]
STARTED_AT = datetime(2026, 11, 20, 5, 39, 45, 858776, UTC)


def parse(report: dict[str, Any]) -> LogReading:
    return JSON_PARSER.parse(json.dumps(report, indent=2).splitlines())


def changed(*changes: tuple[str, Any]) -> dict[str, Any]:
    """The report with values replaced, at paths like conf.connection.password."""
    report = deepcopy(REPORT)
    for path, value in changes:
        *parents, last = path.split(".")
        target = report
        for key in parents:
            target = target[key]
        target[last] = value
    return report


def test_the_report_is_read_whole():
    reading = JSON_PARSER.parse(iter(LINES))

    latency = Latency(
        mean=2.374008997488833,
        p50=0.8002549999999999,
        p95=8.536063,
        p99=29.704190999999998,
        p999=87.621631,
        max=253.493247,
    )
    ((trial,),) = reading.trial_sets
    assert replace(reading, trial_sets=()) == LogReading(
        tool="latte",
        facts=Facts(
            service_version="5.0.9",
            operations={"write": 1.0},  # `run` of write.rn
            consistency_level="LOCAL_QUORUM",
            threads=32,  # 1 thread x 32 requests
            requested_duration_s=15.0,
            measured_at=STARTED_AT,
        ),
    )
    assert replace(trial, intervals=()) == TrialReading(
        throughput_ops_s=198314 / 15.001567509,
        operations=198314,
        errors=0,
        duration_s=15.001567509,
        printed_ops_s=13219.610605535365,
        threads=32,
        started_at=STARTED_AT,
        latency_kind=LatencyKind.SERVICE_TIME,
        latency=latency,
        by_operation=(OperationReading("write", 198314, 0, 198314 / 15.001567509, latency),),
        histograms=(
            Histogram("total", LatencyKind.SERVICE_TIME, HISTOGRAM),
            Histogram("write", LatencyKind.SERVICE_TIME, HISTOGRAM),
        ),
    )
    assert len(trial.intervals) == 15
    assert trial.intervals[0] == Interval(
        "total",
        1.001,
        2944,
        0,
        2940.2314,
        Latency(10.741269108695654, 3.573759, 56.328191, 83.623935, 253.493247, 253.493247),
    )
    assert trial.intervals[-1] == Interval(
        "total",
        15.001,
        26802,
        0,
        26830.197,
        Latency(1.1421307180061182, 0.754687, 3.094527, 8.986623, 44.138495, 48.857087),
    )


def test_the_histograms_say_what_the_report_says():
    latency = histograms.percentiles(HISTOGRAM)

    assert latency.p50 == pytest.approx(0.800255)
    assert latency.p99 == pytest.approx(29.704191)
    assert latency.max == pytest.approx(253.493247)
    assert histograms.curve(HISTOGRAM)[-1].count == 198314


def test_a_report_on_one_line_is_the_same():
    assert JSON_PARSER.parse([json.dumps(REPORT)]) == JSON_PARSER.parse(LINES)


def test_a_report_without_its_log_has_no_intervals():
    ((trial,),) = parse(changed(("result.log", []))).trial_sets

    assert trial.intervals == ()


def test_failed_cycles_are_errors_and_a_difference_to_the_requests_is_told():
    report = changed(("result.error_count", 314), ("conf.rate", 5000.0))
    report["result"]["log"][3]["req_error_count"] = 400

    reading = parse(report)

    ((trial,),) = reading.trial_sets
    assert (trial.operations, trial.errors) == (198000, 314)
    assert trial.throughput_ops_s == 198000 / 15.001567509
    assert reading.warnings == ("400 requests failed, but latte counts 314 cycles as failed",)


def test_a_rate_is_a_throttle_because_the_clock_starts_when_the_request_is_sent():
    reading = parse(changed(("conf.rate", 5000.0)))

    ((trial,),) = reading.trial_sets
    assert trial.latency_kind == LatencyKind.SERVICE_TIME
    assert (reading.facts.throttle_ops_s, reading.facts.fixed_rate_ops_s) == (5000.0, None)


def test_a_rate_of_scylladbs_latte_leaves_the_kind_of_latency_unknown():
    reading = parse(
        changed(
            ("conf.rate", {"rate": 5000.0, "rate_sine_amplitude": None}),
            ("conf.connection.validation_strategy", "Retry"),
        )
    )

    ((trial,),) = reading.trial_sets
    assert (trial.latency_kind, trial.histograms) == (LatencyKind.UNKNOWN, ())
    assert (reading.facts.throttle_ops_s, reading.facts.fixed_rate_ops_s) == (None, 5000.0)
    assert len(reading.warnings) == 1


def test_scylladbs_latte_without_a_rate_measures_service_time():
    reading = parse(changed(("conf.rate", {"rate": None}), ("conf.connection.validation_strategy", "Retry")))

    ((trial,),) = reading.trial_sets
    assert (trial.latency_kind, reading.warnings) == (LatencyKind.SERVICE_TIME, ())


def test_several_functions_are_operations_by_weight_whose_counts_are_not_told():
    distribution = REPORT["result"]["cycle_latency"]
    reading = parse(
        changed(
            ("conf.functions", [{"name": "get", "weight": 3.0}, {"name": "put", "weight": 1.0}]),
            ("result.cycle_latency_by_fn", {"get": distribution, "put": distribution}),
        )
    )

    ((trial,),) = reading.trial_sets
    assert reading.facts.operations == {"get": 0.75, "put": 0.25}
    assert [(o.name, o.operations, o.latency.p50) for o in trial.by_operation] == [
        ("get", None, 0.8002549999999999),
        ("put", None, 0.8002549999999999),
    ]
    assert [h.operation for h in trial.histograms] == ["total", "get", "put"]


def test_a_number_of_cycles_is_asked_for_instead_of_a_time():
    facts = parse(changed(("conf.run_duration", {"Count": 200000}))).facts

    assert (facts.requested_operations, facts.requested_duration_s) == (200000, None)


def test_a_version_that_scylladb_only_claims_is_not_taken():
    assert parse(changed(("conf.cass_version", "3.0.8"))).facts.service_version is None


def test_a_password_in_the_report_is_warned_of():
    assert parse(changed(("conf.connection.password", "hunter2"))).warnings == (
        "the file has a password in it: whoever can see the submission can download it",
    )


@pytest.mark.parametrize(
    ("report", "reason"),
    [
        (changed(("result.error_count", 198314)), "all 198,314 cycles failed"),
        (changed(("result.elapsed_time_s", 0)), "no cycle_count, error_count and elapsed_time_s"),
        (changed(("result.cycle_count", float("nan"))), "no cycle_count, error_count"),
        (changed(("result", None)), "no result in the latte report"),
    ],
)
def test_what_is_no_result_is_refused_with_the_reason(report, reason):
    with pytest.raises(ParseError) as caught:
        parse(report)

    assert reason in str(caught.value)


@pytest.mark.parametrize("kept", [10, 400, 2000, len(LINES) - 1])
def test_a_report_cut_short_is_refused(kept):
    with pytest.raises(ParseError, match="the latte report is cut short or not JSON"):
        JSON_PARSER.parse(LINES[:kept])


def test_a_report_10000_levels_deep_is_refused():
    with pytest.raises(ParseError, match="the latte report is cut short or not JSON"):
        JSON_PARSER.parse(['{"conf": ' + "[" * 10_000 + "]" * 10_000 + "}"])


def test_a_report_that_was_printed_instead_of_saved_names_the_file_to_upload():
    with pytest.raises(ParseError) as caught:
        LOG_PARSER.parse((DATA / "latte-01-write.log").read_text().splitlines())

    assert str(caught.value) == (
        "upload the JSON report that latte saved (latte-20261120-053945.json), not what it printed"
    )


def test_the_making_of_a_schema_is_no_benchmark():
    with pytest.raises(ParseError) as caught:
        LOG_PARSER.parse((DATA / "latte-00-schema.log").read_text().splitlines())

    assert str(caught.value) == ("no benchmark in the output of latte: it only prepared the database")


def _paths(value: Any, path: tuple = ()) -> list[tuple]:
    children = value.items() if isinstance(value, dict) else []
    if isinstance(value, list):
        children = list(enumerate(value[:2]))
    return [path, *(below for key, child in children for below in _paths(child, (*path, key)))]


PATHS = [path for path in _paths(REPORT) if path]
ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from([-1, 0, 10**400, 1e999, -0.5, float("nan"), "", "x", [], {}, [[]], [{}]]),
    st.text(max_size=9),
    st.integers(),
    st.floats(),
)


@settings(max_examples=30, deadline=None)  # each parses 300 kB
@given(st.lists(st.tuples(st.sampled_from(PATHS), ODD), min_size=1, max_size=4))
def test_a_report_with_odd_values_is_read_or_refused(changes):
    report = deepcopy(REPORT)
    for path, value in changes:
        target: Any = report
        for key in path[:-1]:
            inside = isinstance(target, dict) and key in target
            inside |= isinstance(target, list) and isinstance(key, int) and key < len(target)
            target = target[key] if inside else None
        if isinstance(target, dict) or (
            isinstance(target, list) and isinstance(path[-1], int) and path[-1] < len(target)
        ):
            target[path[-1]] = value
    try:
        reading = JSON_PARSER.parse([json.dumps(report)])
    except ParseError:
        return
    ((trial,),) = reading.trial_sets
    assert trial.operations > 0


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 30))
def test_a_report_with_lines_lost_or_swapped_is_read_or_refused(seed, count):
    rng, lines = random.Random(seed), list(LINES)
    for _ in range(count):
        first, second = rng.randrange(len(lines)), rng.randrange(len(lines))
        lines[first], lines[second] = lines[second], lines[first]
    del lines[rng.randrange(len(lines))]

    try:
        JSON_PARSER.parse(lines)
    except ParseError:
        return

"""go-ycsb: each expected reading is worked out by hand from the file."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Facts, Interval, Latency, LogReading, OperationReading, TrialReading
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.ycsb.go_ycsb import PARSER

DATA = Path(__file__).resolve().parents[4] / "data" / "go-ycsb"
SERVICE = LatencyKind.SERVICE_TIME


def parse(name: str) -> LogReading:
    return PARSER.parse(iter((DATA / name).read_text().splitlines()))


def us(mean: int, p50: int, p95: int, p99: int, p999: int, max: int) -> Latency:
    return Latency(mean / 1000, p50 / 1000, p95 / 1000, p99 / 1000, p999 / 1000, max / 1000)


def test_a_load_phase_is_a_valid_insert_run():
    latency = us(1311, 690, 2369, 12791, 54495, 91775)

    assert parse("ycsb-01-load.log") == LogReading(
        tool="go-ycsb",
        facts=Facts(operations={"insert": 1.0}, threads=4, key_count=5000, requested_operations=5000),
        trial_sets=(
            (
                TrialReading(
                    throughput_ops_s=5000 / 1.676356371,
                    operations=5000,
                    errors=0,
                    duration_s=1.676356371,
                    printed_ops_s=2993.3,
                    threads=4,
                    latency_kind=SERVICE,
                    latency=latency,
                    by_operation=(OperationReading("insert", 5000, 0, 2992.7, latency),),
                ),
            ),
        ),
    )


def test_a_run_has_percentiles_of_each_type_and_of_all():
    read = us(2058, 1023, 4427, 20863, 90239, 254207)
    update = us(2018, 941, 4255, 27711, 76479, 254207)

    assert parse("ycsb-02-run.log") == LogReading(
        tool="go-ycsb",
        facts=Facts(
            operations={"read": 0.5, "update": 0.5},
            threads=8,
            key_count=5000,
            requested_operations=20000,
        ),
        trial_sets=(
            (
                TrialReading(
                    throughput_ops_s=20000 / 5.152628149,
                    operations=20000,
                    errors=0,
                    duration_s=5.152628149,
                    printed_ops_s=3884.8,
                    threads=8,
                    latency_kind=SERVICE,
                    latency=us(2038, 984, 4363, 21663, 90239, 254207),
                    by_operation=(
                        OperationReading("read", 10026, 0, 1949.1, read),
                        OperationReading("update", 9974, 0, 1937.2, update),
                    ),
                ),
            ),
        ),
    )


def test_rows_printed_on_the_way_are_cumulative_and_become_intervals():
    reading = parse("goycsb-03-basic-intervals.log")

    ((trial,),) = reading.trial_sets
    insert = us(1686, 1547, 3405, 3807, 4915, 14439)
    read = us(1705, 2141, 3413, 3863, 5847, 14463)
    update = us(1728, 2163, 3415, 3853, 5167, 14423)
    assert reading.facts == Facts(
        operations={"insert": 0.1, "read": 0.8, "update": 0.1},
        threads=16,
        key_count=1000,
        key_distribution="zipfian",
        requested_operations=60000,
    )
    assert replace(trial, intervals=()) == TrialReading(
        throughput_ops_s=60000 / 6.496964983,
        operations=60000,
        errors=0,
        duration_s=6.496964983,
        printed_ops_s=9236.0,
        threads=16,
        latency_kind=SERVICE,
        latency=us(1705, 2143, 3413, 3857, 5843, 14463),
        by_operation=(
            OperationReading("insert", 6080, 0, 935.9, insert),
            OperationReading("read", 47967, 0, 7383.9, read),
            OperationReading("update", 5953, 0, 916.8, update),
        ),
    )
    assert len(trial.intervals) == 12  # (insert, read, total, update) at 3.0, 6.0 and 6.5 s
    assert trial.intervals[0] == Interval("insert", 3.0, 2796, 0, 2796 / 3)
    assert trial.intervals[2] == Interval("total", 3.0, 27915, 0, 27915 / 3)
    assert trial.intervals[6] == Interval("total", 6.0, 28225, 0, 28225 / 3)  # 56,140 - 27,915
    assert trial.intervals[-1] == Interval("update", 6.5, 401, 0, 401 / 0.5)


def test_a_killed_run_is_what_its_last_rows_say():
    lines = (DATA / "goycsb-03-basic-intervals.log").read_text().splitlines()
    killed = lines[: lines.index("Run finished, takes 6.496964983s") - 1]

    ((trial,),) = PARSER.parse(killed).trial_sets

    assert (trial.operations, trial.duration_s, trial.truncated) == (56140, 6.0, True)
    assert (trial.throughput_ops_s, trial.printed_ops_s) == (56140 / 6.0, 9355.4)


def test_the_output_style_table_is_read():
    ((trial,),) = parse("goycsb-04-table.log").trial_sets

    assert trial == TrialReading(
        throughput_ops_s=5000 / 0.748350047,
        operations=5000,
        errors=0,
        duration_s=0.748350047,
        printed_ops_s=6683.7,
        threads=4,
        latency_kind=SERVICE,
        latency=us(577, 1066, 1188, 1207, 1355, 3905),
        by_operation=(
            OperationReading("read", 4740, 0, 6335.2, us(578, 1066, 1189, 1208, 1355, 3905)),
            OperationReading("update", 260, 0, 348.2, us(563, 1043, 1181, 1191, 1216, 1216)),
        ),
    )


def test_the_output_style_json_is_read():
    ((trial,),) = parse("goycsb-05-json.log").trial_sets

    assert trial == TrialReading(
        throughput_ops_s=5000 / 0.728091882,
        operations=5000,
        errors=0,
        duration_s=0.728091882,
        printed_ops_s=6874.3,
        threads=4,
        latency_kind=SERVICE,
        latency=us(555, 0, 1185, 1205, 1909, 2028),
        by_operation=(
            OperationReading("read", 4750, 0, 6528.5, us(553, 0, 1185, 1205, 1909, 2028)),
            OperationReading("update", 250, 0, 345.7, us(601, 1069, 1188, 1205, 1245, 1245)),
        ),
    )


def test_a_target_is_a_throttle_and_a_read_modify_write_one_operation():
    reading = parse("goycsb-06-target.log")

    assert reading == LogReading(
        tool="go-ycsb",
        facts=Facts(
            operations={"read": 0.5, "read-modify-write": 0.5},
            threads=4,
            throttle_ops_s=500.0,
            key_count=1000,
            requested_operations=2000,
        ),
        trial_sets=(
            (
                TrialReading(
                    throughput_ops_s=2000 / 4.007066648,
                    operations=2000,  # TOTAL 3,017 has the read and the update of each of 1,017
                    errors=0,
                    duration_s=4.007066648,
                    printed_ops_s=None,
                    threads=4,
                    latency_kind=SERVICE,
                    latency=us(558, 1061, 1151, 1211, 1305, 3003),
                    by_operation=(
                        OperationReading("read", 2000, 0, 499.5, us(566, 1066, 1150, 1199, 1305, 3003)),
                        OperationReading(
                            "read-modify-write",
                            1017,
                            0,
                            254.0,
                            us(1107, 1097, 2271, 2341, 2403, 3009),
                        ),
                        OperationReading("update", 1017, 0, 254.0, us(542, 1, 1154, 1217, 1283, 1563)),
                    ),
                ),
            ),
        ),
    )


def errors_of(lines: list[str]) -> list[str]:
    """The same file with every READ row turned into a row of failures."""
    return [line.replace("READ   -", "READ_ERROR -") for line in lines]


def test_failed_operations_are_errors_and_not_in_the_total():
    lines = (DATA / "ycsb-02-run.log").read_text().splitlines()
    lines = [line.replace("Count: 20000", "Count: 9974") for line in errors_of(lines)]

    ((trial,),) = PARSER.parse(lines).trial_sets

    assert (trial.operations, trial.errors) == (9974, 10026)
    assert [(o.name, o.operations, o.errors) for o in trial.by_operation] == [
        ("read", 0, 10026),
        ("update", 9974, 0),
    ]
    assert trial.by_operation[0].latency == Latency()


def test_a_warm_up_is_not_in_the_measured_time():
    lines = (DATA / "ycsb-02-run.log").read_text().splitlines()

    ((trial,),) = PARSER.parse(['"warmuptime"="5"', *lines]).trial_sets

    assert (trial.duration_s, trial.throughput_ops_s) == (5.1, 20000 / 5.1)


@pytest.mark.parametrize(
    ("printed", "seconds"),
    [("1h2m3.5s", 3723.5), ("748.350047ms", 0.748350047), ("90s", 90.0), ("12µs", 0.000012)],
)
def test_go_durations_are_read(printed, seconds):
    lines = (DATA / "ycsb-02-run.log").read_text().splitlines()
    lines = [line.replace("5.152628149s", printed) for line in lines]

    ((trial,),) = PARSER.parse(lines).trial_sets

    assert trial.duration_s == seconds


def all_failed() -> list[str]:
    lines = errors_of((DATA / "ycsb-02-run.log").read_text().splitlines())
    return [line for line in lines if not line.startswith(("TOTAL", "UPDATE"))]


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (all_failed(), "all 10,026 operations failed: there is no result to record"),
        (["***************** properties *****************"], "no row of measurements"),
        (["Run finished, takes 1s"], "no row of measurements"),
    ],
)
def test_what_is_no_result_is_refused_with_the_reason(lines, reason):
    with pytest.raises(ParseError) as caught:
        PARSER.parse(lines)

    assert reason in str(caught.value)


SOUP = st.lists(
    st.one_of(
        st.text(max_size=60),
        st.from_regex(r"(READ|TOTAL|UPDATE_ERROR) +- Takes\(s\): [0-9.]{1,6}, Count: [0-9-]{1,20}.*"),
        st.from_regex(r"\| (READ|TOTAL) +\| +[0-9.]{1,9} \| .{1,80}"),
        st.from_regex(r'\[\{"Takes\(s\)": ?"?[0-9.]{1,5}.{0,30}'),
        st.from_regex(r"Run finished, takes [0-9hmsµ.]{1,12}"),
        st.sampled_from((DATA / "goycsb-06-target.log").read_text().splitlines()),
    ),
    max_size=30,
)


@settings(deadline=None)
@given(SOUP)
def test_a_soup_of_lines_is_read_or_refused(lines):
    try:
        reading = PARSER.parse(lines)
    except ParseError:
        return
    assert reading.tool == "go-ycsb"

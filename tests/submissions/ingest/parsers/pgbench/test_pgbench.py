"""pgbench: each expected reading is worked out by hand from the file."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Facts, Interval, Latency, LogReading, OperationReading, TrialReading
from submissions.ingest.parsers.pgbench.pgbench import PARSER

DATA = Path(__file__).resolve().parents[4] / "data" / "pgbench"
SERVICE, RESPONSE = LatencyKind.SERVICE_TIME, LatencyKind.RESPONSE_TIME
FAILED_IN_MEAN = "the mean latency includes the failed transactions"


def parse(name: str) -> LogReading:
    return PARSER.parse(iter((DATA / name).read_text().splitlines()))


def reading(facts: Facts, trial: TrialReading, warnings: tuple[str, ...] = (), tool: str = "pgbench") -> LogReading:
    return LogReading(tool=tool, facts=facts, trial_sets=((trial,),), warnings=warnings)


def single(
    name: str,
    *,
    operations: int,
    tps: float,
    duration_s: float,
    mean_ms: float | None,
    threads: int,
    errors: int | None = 0,
    kind: LatencyKind = SERVICE,
    intervals: tuple[Interval, ...] = (),
) -> TrialReading:
    """A trial of one script, whose figures stand in the trial and again in its operation."""
    return TrialReading(
        throughput_ops_s=tps,
        operations=operations,
        errors=errors,
        duration_s=duration_s,
        printed_ops_s=tps,
        threads=threads,
        latency_kind=kind,
        latency=Latency(mean=mean_ms),
        by_operation=(OperationReading(name, operations, errors, tps, Latency(mean=mean_ms)),),
        intervals=intervals,
    )


def row(at_s: float, tps: float, mean_ms: float, failed: int | None = 0) -> Interval:
    return Interval("total", at_s, None, failed, tps, Latency(mean=mean_ms))


def builtin(tool: str | None, server: str | None, name: str, threads: int, **facts) -> Facts:
    return Facts(
        tool_version=tool,
        service_version=server,
        operations={name: 1.0},
        threads=threads,
        key_distribution="uniform",
        **{"key_count": 200_000, **facts},
    )


@pytest.mark.parametrize(
    ("file", "facts", "trial"),
    [
        (
            "pg18-01-tpcb.log",
            builtin("18.4", "15.18", "tpcb-like", 4, requested_duration_s=6.0),
            single(
                "tpcb-like",
                operations=64862,
                tps=10811.856003,
                duration_s=5.999155,
                mean_ms=0.360,
                threads=4,
                intervals=(
                    row(2.0, 8896.5, 0.440),
                    row(4.0, 12160.0, 0.318),
                    row(6.0, 11368.8, 0.342),
                ),
            ),
        ),
        (
            "pg18-02-select-only.log",
            builtin("18.4", "15.18", "select-only", 8, requested_duration_s=6.0),
            single(
                "select-only",
                operations=593964,
                tps=99100.962973,
                duration_s=5.993524,
                mean_ms=0.054,
                threads=8,
                intervals=(
                    row(2.0, 84531.7, 0.066),
                    row(4.0, 108739.7, 0.048),
                    row(6.0, 103626.2, 0.051),
                ),
            ),
        ),
        (
            "pg16-01-tpcb.log",
            builtin("16.14", "15.18", "tpcb-like", 4, requested_duration_s=6.0),
            single(
                "tpcb-like",
                operations=56125,
                tps=9354.453537,
                duration_s=5.999816,
                mean_ms=0.421,
                threads=4,
                intervals=(
                    row(2.0, 8605.3, 0.460),
                    row(4.0, 8041.0, 0.494),
                    row(6.0, 11387.2, 0.341),
                ),
            ),
        ),
        (
            "pg15-01-tpcb.log",
            builtin("15.18", "15.18", "tpcb-like", 4, requested_duration_s=6.0),
            single(
                "tpcb-like",
                operations=37397,
                tps=6236.432794,
                duration_s=5.996537,
                mean_ms=0.641,
                threads=4,
            ),
        ),
        (
            "pg15-02-connect-each.log",
            builtin("15.18", "15.18", "select-only", 2, requested_duration_s=5.0),
            single(
                "select-only",
                operations=1328,
                tps=265.432088,
                duration_s=5.003163,
                mean_ms=7.535,
                threads=2,
            ),
        ),
        (
            "composed-pg90.log",
            builtin(None, None, "tpcb-like", 10, requested_operations=10_000, key_count=1_000_000),
            single(
                "tpcb-like",
                operations=10000,
                errors=None,
                tps=85.296346,
                duration_s=117.238316,
                mean_ms=None,
                threads=10,
            ),
        ),
        (
            "composed-pg13.log",
            builtin(None, None, "simple-update", 10, requested_operations=10_000, key_count=1_000_000),
            single(
                "simple-update",
                operations=10000,
                errors=None,
                tps=622.977698,
                duration_s=16.051939,
                mean_ms=15.844,
                threads=10,
            ),
        ),
        (
            "composed-pg13-connect.log",
            builtin(None, None, "select-only", 2, requested_duration_s=5.0),
            single(
                "select-only",
                operations=1328,
                errors=None,
                tps=265.432088,  # connecting was a part of each transaction
                duration_s=5.003163,
                mean_ms=7.535,
                threads=2,
            ),
        ),
    ],
)
def test_a_builtin_script_is_one_operation(file, facts, trial):
    assert parse(file) == reading(facts, trial)


def test_a_script_without_a_name_is_not_named():
    assert parse("composed-pg95.log") == reading(
        Facts(threads=10, requested_duration_s=10.0),
        TrialReading(
            throughput_ops_s=622.977698,
            operations=6230,
            errors=None,
            duration_s=10.000358,
            printed_ops_s=622.977698,
            threads=10,
            latency_kind=SERVICE,
            latency=Latency(mean=15.844),
            intervals=(row(5.0, 600.2, 16.318, None), row(10.0, 645.8, 15.402, None)),
        ),
    )


def test_weighted_scripts_are_operations_with_their_shares():
    assert parse("pg18-03-weights.log") == reading(
        Facts(
            tool_version="18.4",
            service_version="15.18",
            operations={"read.sql": 0.75, "write.sql": 0.25},
            threads=4,
            requested_duration_s=5.0,
        ),
        TrialReading(
            throughput_ops_s=63261.264054,
            operations=316368,
            errors=0,
            duration_s=5.000975,
            printed_ops_s=63261.264054,
            threads=4,
            latency_kind=SERVICE,
            latency=Latency(mean=0.051),
            by_operation=(
                OperationReading("read.sql", 237397, 0, 47470.143322, Latency(mean=0.049)),
                OperationReading("write.sql", 78908, 0, 15778.523188, Latency(mean=0.056)),
            ),
            intervals=(
                row(1.0, 44510.8, 0.082),
                row(2.0, 63501.4, 0.052),
                row(3.0, 74993.1, 0.041),
                row(4.0, 65821.8, 0.047),
            ),
        ),
    )


def test_a_rate_makes_response_time_of_the_latency():
    assert parse("pg15-03-rate-weights.log") == reading(
        Facts(
            tool_version="15.18",
            service_version="15.18",
            operations={"read.sql": 0.9, "write.sql": 0.1},
            threads=2,
            has_unknown_limit=True,
            requested_duration_s=5.0,
        ),
        TrialReading(
            throughput_ops_s=209.129660,
            operations=1045,
            errors=0,
            duration_s=4.9969,
            printed_ops_s=209.129660,
            threads=2,
            latency_kind=RESPONSE,
            latency=Latency(mean=0.244),
            by_operation=(
                OperationReading("read.sql", 940, 0, 188.116632, Latency(mean=0.237)),
                OperationReading("write.sql", 105, 0, 21.013028, Latency(mean=0.310)),
            ),
        ),
    )


def test_a_rate_with_a_latency_limit_that_nothing_passed_is_response_time():
    assert parse("pg18-04-rate.log") == reading(
        builtin("18.4", "15.18", "select-only", 4, requested_duration_s=6.0, has_unknown_limit=True),
        single(
            "select-only",
            operations=1817,
            tps=302.961284,
            duration_s=5.997466,
            mean_ms=0.214,
            threads=4,
            kind=RESPONSE,
            intervals=(row(2.0, 306.5, 0.207), row(4.0, 300.0, 0.184), row(6.0, 301.6, 0.250)),
        ),
    )


def test_skipped_transactions_leave_the_kind_of_latency_unknown():
    assert parse("pg15-04-simple-skip.log") == reading(
        builtin("15.18", "15.18", "simple-update", 4, requested_duration_s=5.0, has_unknown_limit=True),
        single(
            "simple-update",
            operations=54854,
            tps=10998.723559,
            duration_s=4.987306,
            mean_ms=1.262,
            threads=4,
            kind=LatencyKind.UNKNOWN,
        ),
        ("45,110 transactions were late and skipped: no latency counts them",),
    )


@pytest.mark.parametrize(
    ("file", "operations", "errors", "tps", "duration_s", "mean_ms"),
    [
        ("pg18-05-retries.log", 21997, 17755, 4403.581641, 4.995252, 1.005),
        ("pg18-06-failed.log", 25471, 74850, 5092.404418, 5.001763, 0.399),
    ],
)
def test_failed_transactions_are_errors(file, operations, errors, tps, duration_s, mean_ms):
    assert parse(file) == reading(
        Facts(
            tool_version="18.4",
            service_version="15.18",
            operations={"hot.sql": 1.0},
            threads=8,
            requested_duration_s=5.0,
        ),
        single(
            "hot.sql",
            operations=operations,
            errors=errors,
            tps=tps,
            duration_s=duration_s,
            mean_ms=mean_ms,
            threads=8,
        ),
        (FAILED_IN_MEAN,),
    )


def test_a_mix_of_builtin_scripts_keeps_their_keys():
    assert parse("pg18-07-transactions.log") == reading(
        Facts(
            tool_version="18.4",
            service_version="15.18",
            operations={"simple-update": 0.25, "select-only": 0.5, "tpcb-like": 0.25},
            threads=4,
            key_count=200_000,
            key_distribution="uniform",
            requested_operations=2000,
        ),
        TrialReading(
            throughput_ops_s=13521.187701,
            operations=2000,
            errors=0,
            duration_s=0.147916,
            printed_ops_s=13521.187701,
            threads=4,
            latency_kind=SERVICE,
            latency=Latency(mean=0.296),
            by_operation=(
                OperationReading("simple-update", 507, 0, 3427.621082, Latency(mean=0.353)),
                OperationReading("select-only", 982, 0, 6638.903161, Latency(mean=0.090)),
                OperationReading("tpcb-like", 511, 0, 3454.663458, Latency(mean=0.536)),
            ),
        ),
    )


def test_a_killed_run_is_what_its_progress_rows_say_and_their_time_of_day_is_kept():
    assert parse("composed-pg18-epoch.log") == reading(
        Facts(
            tool_version="18.4",
            service_version="15.18",
            measured_at=datetime(2026, 11, 20, 5, 53, 20, tzinfo=UTC),  # 1795154000
        ),
        TrialReading(
            throughput_ops_s=1000.0,  # (1000 x 2 s + 2000 x 2 s + 500 x 4 s) / 8 s
            errors=4,
            duration_s=8.0,
            latency_kind=SERVICE,
            intervals=(row(2.0, 1000.0, 0.440), row(4.0, 2000.0, 0.318, 3), row(8.0, 500.0, 0.342, 1)),
            truncated=True,
        ),
    )


def test_an_aborted_run_is_truncated():
    lines = (DATA / "pg18-07-transactions.log").read_text().splitlines()
    lines = [line.replace("2000/2000", "1900/2000") for line in lines]
    end = "pgbench: error: Run was aborted; the above results are incomplete."

    result = PARSER.parse([*lines, end])

    assert [trial.truncated for (trial,) in result.trial_sets] == [True]
    assert result.warnings == ("pgbench aborted the run: clients stopped at an error before its end",)

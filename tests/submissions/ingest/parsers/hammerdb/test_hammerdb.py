"""Readings of HammerDB TPROC-C: what its CLI prints, and its job report."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Facts, Interval, Latency, LogReading, TrialReading
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.hammerdb import hammerdb, hammerdb_report

DATA = Path(__file__).resolve().parents[4] / "data" / "hammerdb"


def parse(name):
    parser = hammerdb_report.PARSER if name.endswith(".json") else hammerdb.PARSER
    return parser.parse((DATA / name).read_text().splitlines())


def minute(nopm, users):
    return (TrialReading(throughput_ops_s=nopm / 60, operations=nopm, duration_s=60.0, threads=users),)


def test_the_rate_is_new_orders_and_each_number_of_users_a_submission():
    assert parse("hammerdb40-cli.log") == LogReading(
        tool="hammerdb",
        facts=Facts(service="sql-server", tool_version="4.0", operations={"neword": 1.0}, requested_duration_s=60.0),
        trial_sets=(minute(35576, 1), minute(60364, 2), minute(103055, 4)),
        warnings=(
            "the rate is HammerDB's NOPM (35,576, 60,364, 103,055 new orders a minute) as new orders a second; TPM"
            " (81,705, 138,633, 236,412) is what SQL Server itself counts as transactions, and not comparable",
        ),
    )


def test_runs_of_the_same_number_of_users_are_trials():
    text = (DATA / "hammerdb40-cli.log").read_text().replace("2 Active", "4 Active")

    assert [len(trials) for trials in hammerdb.PARSER.parse(text.splitlines()).trial_sets] == [1, 2]


def test_the_time_profile_gives_the_latency_of_new_orders():
    reading = parse("composed-profile.log")
    ((trial,),) = reading.trial_sets

    assert (trial.throughput_ops_s, trial.threads, trial.duration_s) == (31405 / 60, 8, 300.0)
    assert trial.latency_kind == LatencyKind.SERVICE_TIME
    assert trial.latency == Latency(p50=23.915, p95=160.868, p99=413.374, max=1255.893)
    assert [(one.name, one.operations, one.latency.mean) for one in trial.by_operation] == [
        ("neword", 648063, 48.569),
        ("ostat", 63558, 2.725),
    ]
    # PostgreSQL's driver tests Aurora and YugabyteDB too
    assert reading.facts.service is None
    assert reading.warnings[1] == "virtual users that failed: 1; the rate is that of the others"


def test_the_job_report_is_read_with_its_response_times():
    reading = parse("hammerdb60-mysql-report.json")
    ((trial,),) = reading.trial_sets

    assert reading.facts == Facts(
        databases=("mysql",),
        service_version="8.4.3",
        tool_version="6.0",
        operations={"neword": 1.0},
        requested_duration_s=300.0,
        measured_at=datetime(2026, 6, 18, 10, 4, 11, tzinfo=UTC),
    )
    assert (trial.throughput_ops_s, trial.operations, trial.threads) == (12206 / 60, 61030, 24)
    assert trial.latency == Latency(p50=37.564, p95=101.762, p99=162.052, max=554.283)
    assert [one.name for one in trial.by_operation] == ["neword", "payment", "delivery", "slev", "ostat"]
    assert trial.intervals[1] == Interval("transactions", 12.0, None, None, 28680 / 60)
    assert "are read as UTC" in reading.warnings[1]


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (["Vuser 1:RUNNING", "Vuser 1:Beginning rampup time of 2 minutes"], "the timed run did not finish"),
        (["Vuser 1:RUNNING", "Vuser 1:query 14 completed in 0.5 seconds"], "a log of TPROC-H"),
        (["TEST RESULT : System achieved 0 NOPM from 0 MySQL TPM"], "0 NOPM"),
    ],
)
def test_a_log_without_a_result_is_refused(lines, reason):
    with pytest.raises(ParseError, match=reason):
        hammerdb.PARSER.parse(lines)


def test_a_report_without_a_result_is_refused():
    report = json.loads((DATA / "hammerdb60-mysql-report.json").read_text())

    with pytest.raises(ParseError, match="a report of TPROC-H"):
        hammerdb_report.PARSER.parse([json.dumps(report | {"job": {"benchmark": "TPROC-H"}})])
    with pytest.raises(ParseError, match="no nopm and tpm"):
        hammerdb_report.PARSER.parse([json.dumps(report | {"result": {}})])

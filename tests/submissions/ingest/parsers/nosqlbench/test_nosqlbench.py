"""Readings of NoSQLBench: the metrics in its log and summary, and its histograms."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from submissions.analysis.curves.histograms import Merger, percentiles
from submissions.choices import LatencyKind
from submissions.ingest import parsers
from submissions.ingest.document.readings import Facts, Latency, LogReading, TrialReading
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.nosqlbench import nosqlbench, nosqlbench_hdr

DATA = Path(__file__).resolve().parents[4] / "data" / "nosqlbench"


def parse(name):
    return nosqlbench.PARSER.parse((DATA / name).read_text().splitlines())


def encoded(*milliseconds):
    merger = Merger()
    for value in milliseconds:
        merger.record(round(value * 1e6), 10)
    return merger.encoded()


def row(metric, *milliseconds):
    return f"Tag={metric},0.003,0.500,{max(milliseconds):.3f},{encoded(*milliseconds)}"


def test_the_log_gives_successful_cycles_and_the_rate_they_were_held_to():
    assert parse("nb-log.log") == LogReading(
        tool="nosqlbench",
        facts=Facts(throttle_ops_s=5000.0, measured_at=datetime(2019, 8, 12, 15, 46, tzinfo=UTC)),
        trial_sets=(
            (
                TrialReading(
                    throughput_ops_s=4003.3090048756894,
                    operations=100000,
                    errors=0,
                    duration_s=24.979336,
                    printed_ops_s=4003.3090048756894,
                    latency_kind=LatencyKind.SERVICE_TIME,
                    latency=Latency(  # printed in microseconds
                        mean=pytest.approx(3.75240990808),
                        p50=pytest.approx(1.889791),
                        p95=pytest.approx(10.154495),
                        p99=pytest.approx(24.280063),
                        p999=pytest.approx(111.443967),
                        max=pytest.approx(358.645759),
                    ),
                ),
            ),
        ),
        warnings=(
            "threads and operations are not among the metrics: state them",
            "the log's times have no time zone: they are read as UTC",
        ),
    )


def test_of_a_summary_the_main_activity_is_read():
    reading = parse("composed-summary.log")
    ((trial,),) = reading.trial_sets

    assert (trial.operations, trial.errors, trial.throughput_ops_s) == (100000, 20, 4003.31)
    assert trial.latency == Latency(mean=3.75, p50=1.89, p95=10.15, p99=24.28, p999=111.44, max=358.65)
    assert reading.facts.throttle_ops_s == 5000.0
    assert reading.warnings[0] == (
        "read is the activity cqlkeyvalue_default_main; not cqlkeyvalue_default_rampup, cqlkeyvalue_default_schema"
    )


def test_several_activities_without_a_main_one_are_refused():
    text = (DATA / "composed-summary.log").read_text().replace("_main", "_third")

    with pytest.raises(ParseError, match=r"several activities .* called main"):
        nosqlbench.PARSER.parse(text.splitlines())


def test_metrics_without_a_success_are_refused():
    with pytest.raises(ParseError, match="no metric result-success"):
        nosqlbench.PARSER.parse(["x.result-success", "             count = 0"])


def test_histograms_of_the_main_activity_are_merged_by_kind():
    reading = nosqlbench_hdr.PARSER.parse(
        [
            "#logging histograms for session scenario_20220301_221225_107",
            "#[Histogram log format version 1.3]",
            "#[StartTime: 1646172746.199 (seconds since epoch), Tue Mar 01 22:12:26 UTC 2022]",
            row("kv_rampup.result-success", 900),
            row("kv_main.result-success", 1, 2),
            row("kv_main.result-success", 3),
            row("kv_main.cycles.servicetime", 400),  # the same cycles, measured again
            row("kv_main.cycles.responsetime", 50),
        ]
    )

    service, response = reading.histograms
    assert (service.operation, service.kind) == ("total", LatencyKind.SERVICE_TIME)
    assert percentiles(service.encoded).p50 == pytest.approx(2, rel=0.001)
    assert percentiles(service.encoded).max == pytest.approx(3, rel=0.001)
    assert response.kind == LatencyKind.RESPONSE_TIME
    assert percentiles(response.encoded).max == pytest.approx(50, rel=0.001)
    assert reading.facts.measured_at == datetime.fromtimestamp(1646172746.199, UTC)
    assert reading.warnings == ("read is the activity kv_main; not kv_rampup",)


def test_its_histogram_log_is_no_log_of_cassandra_stress():
    head = ["#logging histograms for session x", "#[Histogram log format version 1.3]", row("kv_main.result", 1)]

    assert [parser.name for parser in parsers.PARSERS if parser.matches(head)] == ["nosqlbench-hdr"]


def test_statistics_of_intervals_are_refused_with_what_to_send():
    with pytest.raises(ParseError, match="--log-histograms"):
        nosqlbench_hdr.PARSER.parse(
            ["#logging stats for session scenario-1479089852022", "Tag=diag1.cycles,0.48,0.021,31,4096,8191"]
        )


def test_histograms_that_cannot_be_read_are_refused():
    with pytest.raises(ParseError, match="cannot be decoded"):
        nosqlbench_hdr.PARSER.parse(["Tag=kv_main.result,0.003,0.500,0.000,HISTFAAAABl42pN"])
    with pytest.raises(ParseError, match="several activities"):
        nosqlbench_hdr.PARSER.parse([row("a.result", 1), row("b.result", 1)])

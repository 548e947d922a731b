"""Readings of memtier_benchmark's text and JSON."""

import json
from pathlib import Path

import pytest

from submissions.analysis.curves.histograms import percentiles
from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Facts, Latency, LogReading, OperationReading, TrialReading
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.memtier import memtier, memtier_json

DATA = Path(__file__).resolve().parents[4] / "data" / "memtier"


def parse(name):
    parser = memtier_json.PARSER if name.endswith(".json") else memtier.PARSER
    return parser.parse((DATA / name).read_text().splitlines())


def document(change):
    content = json.loads((DATA / "interrupted.json").read_text())
    change(content)
    return memtier_json.PARSER.parse([json.dumps(content)])


def test_the_table_is_read_with_the_operations_of_the_progress():
    totals = Latency(mean=0.42118, p50=0.407, p99=0.871, p999=3.775)
    assert parse("composed-text.log") == LogReading(
        tool="memtier-benchmark",
        facts=Facts(operations={"set": 0.09, "get": 0.91}, threads=200, requested_duration_s=50.0),
        trial_sets=(
            (
                TrialReading(
                    throughput_ops_s=440000.0,
                    operations=22_000_000,
                    duration_s=50.0,
                    printed_ops_s=440000.0,
                    threads=200,
                    latency_kind=LatencyKind.SERVICE_TIME,
                    latency=totals,
                    by_operation=(
                        OperationReading(
                            "set", None, None, 40000.0, Latency(mean=0.423, p50=0.407, p99=0.879, p999=3.871)
                        ),
                        OperationReading(
                            "get", None, None, 400000.0, Latency(mean=0.421, p50=0.407, p99=0.871, p999=3.759)
                        ),
                    ),
                ),
            ),
        ),
    )


def test_each_run_is_a_trial_and_their_average_is_none():
    (trials,) = parse("composed-runs.log").trial_sets

    assert [(trial.throughput_ops_s, trial.operations) for trial in trials] == [
        (100000.0, 1_000_000),
        (110000.0, 1_100_000),
    ]


def test_the_table_of_1_2_has_a_mean_only():
    reading = parse("composed-old.log")
    ((trial,),) = reading.trial_sets

    assert reading.facts == Facts(operations={"get": 1.0}, threads=1000, requested_operations=20_000_000)
    assert trial.latency == Latency(mean=8.7)


def test_pipelines_are_noticed_where_the_text_does_not_state_them():
    text = (DATA / "composed-text.log").read_text().replace("0.42118", "4.21180")

    ((trial,),) = memtier.PARSER.parse(text.splitlines()).trial_sets
    assert trial.threads is None  # 440,000 requests a second of 4.2 ms: 1,853 under way on 200 connections


def test_an_interrupted_run_is_read_from_its_counts_and_histograms():
    reading = parse("interrupted.json")
    ((trial,),) = reading.trial_sets

    assert trial.truncated
    assert (trial.operations, trial.duration_s) == (310069, 2.915)
    assert trial.throughput_ops_s == pytest.approx(310069 / 2.915)  # it printed 0.00
    assert trial.printed_ops_s is None
    # the mean of sets and gets; Totals says 1.000
    assert trial.latency.mean == pytest.approx((28282 * 1.298 + 281787 * 1.299) / 310069)
    assert (trial.latency.p50, trial.latency.p99, trial.latency.p999, trial.latency.max) == (
        1.407,
        2.911,
        4.351,
        13.375,
    )
    assert [operation.name for operation in trial.by_operation] == ["set", "get"]
    assert [row.operations for row in trial.intervals] == [181203, 126656, 2210]
    assert reading.facts.operations == {"set": 1 / 11, "get": 10 / 11}
    assert (reading.facts.value_bytes, reading.facts.key_count, reading.facts.key_distribution) == (
        32,
        10_000_001,
        "uniform",
    )
    assert reading.warnings == ("memtier_benchmark was interrupted before the end of the run",)


def test_its_histograms_become_nanoseconds():
    ((trial,),) = parse("interrupted.json").trial_sets

    recorded = {histogram.operation: percentiles(histogram.encoded) for histogram in trial.histograms}
    assert set(recorded) == {"set", "get", "total"}
    assert recorded["total"].p50 == pytest.approx(1.407, rel=0.001)  # as the tool printed them
    assert recorded["total"].p99 == pytest.approx(2.911, rel=0.001)
    assert recorded["get"].p999 == pytest.approx(4.319, rel=0.001)


def test_a_complete_run_has_its_rate_pipeline_and_brake():
    def complete(content):
        content["configuration"] |= {"pipeline": 4, "rate_limit": 10, "test_time": 3}
        content["ALL STATS"]["Runtime"]["Total duration"] = 3000
        content["benchmark_completion"]["full_run"] = True

    reading = document(complete)
    ((trial,),) = reading.trial_sets
    assert (trial.duration_s, trial.threads, trial.truncated) == (3.0, 200, False)
    assert (reading.facts.threads, reading.facts.pipeline) == (200, 4)
    assert (reading.facts.throttle_ops_s, reading.facts.requested_operations) == (2000.0, None)


def test_a_damaged_histogram_is_left_out_and_said():
    def damage(content):
        content["ALL STATS"]["Gets"]["Percentile Latencies"]["Histogram log format"]["Compressed Histogram"] = "HISTx"

    reading = document(damage)
    assert reading.trial_sets[0][0].histograms == ()
    assert any("the histograms of the file were omitted" in warning for warning in reading.warnings)


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (["[RUN #1 10%,   1 secs]  4 threads:        1000 ops,"], "no row Totals"),
        (["AGGREGATED AVERAGE RESULTS (3 runs)", "Type         Ops/sec     Hits/sec"], "--print-all-runs"),
    ],
)
def test_text_without_a_result_is_refused(lines, reason):
    with pytest.raises(ParseError, match=reason):
        memtier.PARSER.parse(lines)


def test_json_without_a_result_is_refused():
    with pytest.raises(ParseError, match="cut short or damaged"):
        memtier_json.PARSER.parse((DATA / "interrupted.json").read_text().splitlines()[:80])
    with pytest.raises(ParseError, match="no operation was completed"):
        document(lambda content: content["ALL STATS"]["Totals"].update({"Count": 0}))
    with pytest.raises(ParseError, match="no ALL STATS"):
        document(lambda content: content.pop("ALL STATS"))

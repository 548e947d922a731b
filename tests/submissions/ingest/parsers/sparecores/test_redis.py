"""Readings of the CSV of the inspector's task redis."""

from pathlib import Path

import pytest

from submissions.choices import ClientPlacement, LatencyKind
from submissions.ingest.document.readings import Facts, Latency, LogReading, TrialReading
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.sparecores.redis import PARSER

DATA = Path(__file__).resolve().parents[4] / "data" / "sparecores-redis"
HEAD = '"operation","threads","pipeline","rps","latency","server_usr","server_sys","client_usr","client_sys"'


def parse(*lines: str) -> LogReading:
    return PARSER.parse(lines)


def trial(rate: float, mean_ms: float) -> tuple[TrialReading]:
    return (
        TrialReading(
            throughput_ops_s=rate,
            duration_s=10.0,
            printed_ops_s=rate,
            latency_kind=LatencyKind.SERVICE_TIME,
            latency=Latency(mean=mean_ms),
        ),
    )


def test_each_row_is_a_result_with_its_pipeline_and_a_mean_latency_only():
    pipelines = (1, 4, 16, 64, 256, 512)

    assert parse(*(DATA / "aws-m7g.xlarge.csv").read_text().splitlines()) == LogReading(
        tool="memtier-benchmark",
        facts=Facts(
            databases=("redis",),
            columns=1,
            value_bytes=32,
            requested_duration_s=10.0,
            client_placement=ClientPlacement.ON_DATABASE,
        ),
        trial_sets=(
            trial(268076.0, 0.75),
            trial(838319.0, 0.95),
            trial(1806291.0, 1.77),
            trial(2507330.0, 5.09),
            trial(2768618.0, 18.44),
            trial(2819763.0, 36.2),
        ),
        set_facts=tuple(
            Facts(operations={"set": 1.0}, threads_per_vcpu=50, pipeline=pipeline) for pipeline in pipelines
        ),
    )


def test_each_number_of_threads_is_a_result_of_its_own():
    reading = parse(*(DATA / "aws-c6g.16xlarge-three-thread-counts.csv").read_text().splitlines())

    assert [(facts.threads_per_vcpu, facts.pipeline) for facts in reading.set_facts] == [
        (50 * threads, pipeline) for threads in (1, 2, 4) for pipeline in (1, 4, 16, 64, 256, 512)
    ]
    assert reading.trial_sets[8] == trial(18555819.0, 5.51)


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ([HEAD], "the run did not finish"),
        ([HEAD, '"SET",1,1,268076,0.75,4.17'], r"row 1 has 6 of 9 columns: the file is cut short"),
        ([HEAD, '"SET",1,1,268076,0.75,4.17,12.79,6.77,16.18', '"SET",1,4,83'], "row 2 has 4 of 9 columns"),
        (['"operation","threads","pipeline","latency"', '"SET",1,1,0.75'], "the file has no column rps"),
        ([HEAD, '"SET",1,16,0,0,4.17,12.79,6.77,16.18'], "SET, threads 1, pipeline 16 has no completed request"),
        ([HEAD, '"SET",1,16,nan,0.75,4.17,12.79,6.77,16.18'], "no number as rps or latency"),
        ([HEAD, '"SET",1,16,268076,-1,4.17,12.79,6.77,16.18'], "no number as rps or latency"),
        ([HEAD, '"SET",0,16,268076,0.75,4.17,12.79,6.77,16.18'], "no operation, threads or pipeline"),
        ([HEAD, *['"SET",1,1,268076,0.75,4.17,12.79,6.77,16.18'] * 2], "more than one run in the file"),
        ([HEAD, *[f'"SET",1,{row},9,1,1,1,1,1' for row in range(1, 300)]], "more than 200 rows"),
        ([HEAD, '"SET",1,1,"' + "9" * 200_000], "the CSV is damaged"),
    ],
)
def test_what_is_no_result_is_refused_with_the_reason(lines, reason):
    with pytest.raises(ParseError, match=reason):
        parse(*lines)

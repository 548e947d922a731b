"""The .hdr files of YCSB, against the status lines of the same run."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from submissions.analysis.curves import histograms
from submissions.choices import LatencyKind
from submissions.ingest import parsers
from submissions.ingest.document.readings import Facts, LogReading
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.ycsb.ycsb_hdr import PARSER

FILE = Path(__file__).resolve().parents[4] / "data" / "ycsb" / "public" / "scylladb-first-rows-READ.hdr"
LINES = FILE.read_text().splitlines()
HEAD = LINES[:4]


def named(name: str) -> list[str]:
    return [f"#[Logging for: {name}]", *LINES[1:]]


def ms(encoded: str) -> tuple[float, float]:
    latency = histograms.percentiles(encoded)
    return latency.mean, latency.p99


def test_a_file_is_known_by_its_first_line():
    assert parsers.detect(LINES).name == "ycsb-hdr"


@pytest.mark.parametrize(
    ("rows", "count", "mean", "p99"),
    [
        # 10 sec: [READ: Count=599882, Max=173439, Min=559, Avg=2531.34, 90=3203, 99=16671, ...
        (LINES[4:5], 599_882, 2.53134, 16.671),
        # 20 sec: [READ: Count=712909, Max=53983, Min=553, Avg=2312.29, 90=2979, 99=13935, ...
        (LINES[5:6], 712_909, 2.31229, 13.935),
    ],
)
def test_a_row_has_the_count_the_mean_and_the_p99_that_ycsb_printed(rows, count, mean, p99):
    [histogram] = PARSER.parse([*HEAD, *rows]).histograms

    assert histograms.count(histogram.encoded) == count
    assert ms(histogram.encoded) == pytest.approx((mean, p99), rel=0.001)


def test_the_rows_are_added_up_and_the_kind_is_left_to_the_log():
    reading = PARSER.parse(LINES)

    [histogram] = reading.histograms
    assert (reading.tool, reading.trial_sets, reading.warnings) == ("ycsb-hdr", (), ())
    assert reading.facts == Facts(measured_at=datetime(2023, 5, 5, 7, 49, 24, 331000, tzinfo=UTC))
    assert (histogram.operation, histogram.kind) == ("read", LatencyKind.UNKNOWN)
    assert histograms.count(histogram.encoded) == 599_882 + 712_909


def test_latencies_against_the_schedule_are_response_time():
    [histogram] = PARSER.parse(named("Intended-UPDATE")).histograms

    assert (histogram.operation, histogram.kind) == ("update", LatencyKind.RESPONSE_TIME)


@pytest.mark.parametrize("name", ["CLEANUP", "Intended-CLEANUP", "READ-FAILED", "READ-NOT_FOUND", "READ-COMB"])
def test_what_is_no_successful_operation_is_accepted_and_not_counted(name):
    assert PARSER.parse(named(name)).histograms == ()


def test_a_file_without_rows_is_accepted():
    assert PARSER.parse(HEAD) == LogReading(
        tool="ycsb-hdr", facts=Facts(measured_at=datetime(2023, 5, 5, 7, 49, 24, 331000, tzinfo=UTC))
    )


def test_a_last_row_that_is_cut_short_is_left_out_and_told():
    reading = PARSER.parse([*LINES[:5], LINES[5][:400]])

    assert reading.warnings == ("the last row of the histogram log is cut short",)
    assert histograms.count(reading.histograms[0].encoded) == 599_882


def test_a_row_that_cannot_be_read_before_the_last_one_is_refused():
    with pytest.raises(ParseError, match="a row that cannot be decoded"):
        PARSER.parse([*HEAD, LINES[4][:400], LINES[5]])


def test_files_that_were_put_together_are_refused():
    with pytest.raises(ParseError, match="more than one operation"):
        PARSER.parse([*LINES, *named("UPDATE")])

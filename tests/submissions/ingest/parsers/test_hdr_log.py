"""The HdrHistogram log, against what cassandra-stress itself printed of the same run."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from submissions.analysis.curves import histograms
from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Facts
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.hdr_log import PARSER

LOG = Path(__file__).resolve().parents[3] / "data" / "cassandra-stress" / "cs50-07b.hdr"
LINES = LOG.read_text().splitlines()
SERVICE, RESPONSE = LatencyKind.SERVICE_TIME, LatencyKind.RESPONSE_TIME


def rounded(encoded: str) -> tuple[float, ...]:
    """Mean, p50, p95, p99, p99.9 and max as cassandra-stress prints them: to 0.1 ms."""
    latency = histograms.percentiles(encoded)
    values = (latency.mean, latency.p50, latency.p95, latency.p99, latency.p999, latency.max)
    return tuple(round(value, 1) for value in values)


def test_each_operation_and_kind_is_merged_and_there_is_a_total_of_each_kind():
    reading = PARSER.parse(iter(LINES))

    assert (reading.tool, reading.trial_sets, reading.warnings) == ("hdr-log", (), ())
    assert reading.facts == Facts(measured_at=datetime(2026, 11, 20, 5, 22, 54, tzinfo=UTC))
    counts = [(h.operation, h.kind, histograms.curve(h.encoded)[-1].count) for h in reading.histograms]
    assert counts == [
        ("read", RESPONSE, 15308),
        ("write", RESPONSE, 14692),
        ("total", RESPONSE, 30000),
        ("read", SERVICE, 15308),
        ("write", SERVICE, 14692),
        ("total", SERVICE, 30000),
    ]


def test_response_time_is_what_the_summary_of_the_same_run_says():
    found = {(h.operation, h.kind): h.encoded for h in PARSER.parse(LINES).histograms}

    # The Results of cs50-07b-mixed-fixed-hdrfile.log: a run of `fixed=` prints response time.
    assert rounded(found["read", RESPONSE]) == (1335.0, 1646.3, 2363.5, 2462.1, 2514.5, 2537.6)
    assert rounded(found["write", RESPONSE]) == (1339.5, 1680.9, 2369.8, 2466.3, 2516.6, 2573.2)
    assert rounded(found["total", RESPONSE]) == (1337.2, 1667.2, 2365.6, 2464.2, 2516.6, 2573.2)


def test_service_time_stands_apart():
    found = {(h.operation, h.kind): h.encoded for h in PARSER.parse(LINES).histograms}

    # The largest interval maxima in the log: 387.449 (READ-st) and 325.845 (WRITE-st).
    assert rounded(found["read", SERVICE])[-1] == 387.4
    assert rounded(found["write", SERVICE])[-1] == 325.8
    assert rounded(found["total", SERVICE])[-1] == 387.4


def test_a_last_row_cut_short_is_left_out_with_a_warning():
    rows = [line for line in LINES if line.startswith("Tag=READ-st")]

    reading = PARSER.parse([*rows[:2], rows[2][:200]])

    assert reading.warnings == ("the last row of the histogram log is cut short",)
    expected = PARSER.parse(rows[:2])
    assert reading.histograms == expected.histograms


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (LINES[:5], "no recorded latency in the histogram log"),
        ([LINES[5][:150], LINES[6]], "a row that cannot be decoded"),
        ([LINES[5].removeprefix("Tag=READ-st,")], "a histogram without a tag of cassandra-stress"),
        ([LINES[5].replace("READ-st", "fn--read")], "a histogram without a tag"),
        (
            [LINES[5].replace("READ", f"OPERATION{n}") for n in range(101)],
            "histograms of more than 100 operations and kinds",
        ),
    ],
)
def test_what_cannot_be_told_apart_is_refused_with_the_reason(lines, reason):
    with pytest.raises(ParseError) as caught:
        PARSER.parse(lines)

    assert reason in str(caught.value)


SOUP = st.lists(
    st.one_of(
        st.text(max_size=60),
        st.from_regex(r"(Tag=[A-Z]{1,4}-(st|rt|wt),)?[0-9.]{1,5},1\.000,2\.0,HISTFAAAA[A-Za-z0-9+/=]{0,60}"),
        st.from_regex(r"#\[StartTime: [0-9.]{1,20} \(seconds"),
        st.sampled_from(LINES[:20]),
    ),
    max_size=20,
)


@settings(deadline=None)
@given(SOUP)
def test_a_soup_of_lines_is_read_or_refused(lines):
    try:
        reading = PARSER.parse(lines)
    except ParseError:
        return
    assert reading.histograms

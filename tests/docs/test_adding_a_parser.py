"""The guide's example is a parser that works."""

import re
from pathlib import Path

import pytest

from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Facts, Latency, LogReading, TrialReading
from submissions.ingest.parsers import detect
from submissions.ingest.parsers.errors import ParseError

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "adding-a-parser.md"


def block(language):
    return re.search(rf"```{language}\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)[1]


@pytest.fixture
def parser():
    module = {}
    exec(compile(block("python"), str(GUIDE), "exec"), module)
    return module["PARSER"]


def test_the_guides_parser_reads_the_guides_log(parser):
    lines = block("text").splitlines(keepends=True)

    assert parser.matches(lines)
    assert parser.parse(lines) == LogReading(
        tool="tinybench",
        facts=Facts(tool_version="1.2", threads=3),
        trial_sets=(
            (
                TrialReading(
                    throughput_ops_s=2999.5,
                    operations=179_970,
                    errors=30,
                    duration_s=60.0,
                    latency_kind=LatencyKind.SERVICE_TIME,
                    latency=Latency(p99=4.1),
                ),
            ),
        ),
    )


def test_the_guides_parser_refuses_what_is_no_result(parser):
    head = "tinybench 1.2: 3 threads for 60 s\n"

    with pytest.raises(ParseError, match="did not finish"):
        parser.parse([head])
    with pytest.raises(ParseError, match="all 50 operations failed"):
        parser.parse([head, "total=50 failed=50 p99=4.1ms\n"])


def test_no_parser_of_the_site_takes_the_guides_log_for_its_own():
    with pytest.raises(ParseError, match="not a benchmark log that we can read"):
        detect(block("text").splitlines(keepends=True))

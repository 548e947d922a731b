"""Which parser reads a file."""

import io
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from submissions.ingest import parsers
from submissions.ingest.files.open import open_upload
from submissions.ingest.parsers.errors import ParseError
from tests.submissions.ingest.parsers.reading import read, read_or_reason

DATA = Path(__file__).resolve().parents[3] / "data"
LOGS = {".log", ".txt", ".hdr", ".html", ".json", ".csv"}
TOOL_OF_FOLDER = {
    "cassandra-stress": "cassandra-stress",
    "ycsb": "ycsb",
    "go-ycsb": "go-ycsb",
    "latte": "latte-log",
    "pgbench": "pgbench",
    "sysbench": "sysbench",
    "redis-benchmark": "redis-benchmark",
    "memtier": "memtier-benchmark",
    "hammerdb": "hammerdb",
    "benchbase": "benchbase",
    "nosqlbench": "nosqlbench",
    "fio": "fio",
    "iozone": "iozone",
    "sparecores-redis": "sparecores-redis",
    "sparecores-pgbench": "sparecores-pgbench",
    "scylla-bench": "scylla-bench",
    "go-tpc": "go-tpc",
    "ycsb-cpp": "ycsb-cpp",
    "oltpbench-console": "oltpbench-console",
    "db-bench": "db-bench",
    "perfkitbenchmarker": "perfkitbenchmarker",
    "easy-stress": "cassandra-easy-stress",
    "cockroach-workload": "cockroach-workload",
}
TOOL_OF_FILE = {
    "tlp-timeseries.csv": "cassandra-easy-stress-csv",
    "cs50-07b.hdr": "hdr-log",
    "cs50-30-graph.html": "cassandra-stress-graph",
    "latte-01-write.json": "latte",
    "interrupted.json": "memtier-benchmark-json",
    "hammerdb60-mysql-report.json": "hammerdb-report",
    "fio333-02-randrw.log": "fio-text",
    "fio333-03-two-jobs.log": "fio-text",
    "fio333-07-terse.log": "fio-terse",
}
FILES = [path for folder in TOOL_OF_FOLDER for path in sorted((DATA / folder).iterdir()) if path.suffix in LOGS]


def head(path: Path) -> list[str]:
    return path.read_text(errors="replace").splitlines()[: parsers.HEAD_LINES]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_each_sample_is_recognised_by_its_own_parser_and_no_other(path):
    expected = TOOL_OF_FILE.get(path.name, TOOL_OF_FOLDER[path.parent.name])

    assert parsers.detect(head(path)).name == expected
    assert [parser.name for parser in parsers.PARSERS if parser.matches(head(path))] == [expected]


def test_what_is_not_recognised_says_which_formats_are():
    with pytest.raises(ParseError) as caught:
        parsers.detect(["Requests per second: 12", "END"])

    labels = ", ".join(parsers.FORMAT_LABELS)
    assert str(caught.value) == parsers.UNKNOWN_FORMAT
    assert not {"what latte prints", "fio --minimal"} & set(labels.split(", "))  # they are refused
    assert {"YCSB", "go-ycsb", "pgbench", "latte JSON report", "memtier_benchmark"} <= set(labels.split(", "))


@pytest.mark.parametrize("lines", [[], ["", "  "]])
def test_an_empty_file_says_so(lines):
    with pytest.raises(ParseError, match="the file is empty"):
        parsers.detect(lines)


def test_lines_of_another_tool_are_not_left_out_in_silence():
    pgbench = (DATA / "pgbench/pg18-01-tpcb.log").read_bytes()
    ycsb = (DATA / "ycsb/ycsb17-03-histogram.log").read_bytes()

    reading = read(pgbench + ycsb)

    assert reading.tool == "ycsb"
    assert "the file has lines of pgbench, too" in reading.warnings[0]


def test_lines_of_several_containers_are_not_read_as_one_run():
    lines = (DATA / "ycsb/ycsb17-03-histogram.log").read_text().splitlines()
    mixed = "".join(f"ycsb-1  | {line}\nycsb-2  | {line}\n" for line in lines)

    assert "lines of several sources are mixed in the file (ycsb-1, ycsb-2)" in str(read_or_reason(mixed.encode()))


def test_a_file_of_two_formats_is_read_by_the_first():
    ycsb, pgbench = "[OVERALL], RunTime(ms), 5", "transaction type: multiple scripts"

    assert parsers.detect([pgbench, ycsb]).name == "ycsb"


def test_only_the_first_lines_are_looked_at():
    with pytest.raises(ParseError, match="not a benchmark log that we can read"):
        parsers.detect(["noise"] * parsers.HEAD_LINES + ["[OVERALL], RunTime(ms), 5"])


def test_names_and_labels_are_unique():
    assert len({parser.name for parser in parsers.PARSERS}) == len(parsers.PARSERS)
    assert len({parser.label for parser in parsers.PARSERS}) == len(parsers.PARSERS)


@pytest.mark.parametrize(
    "name",
    [
        "cassandra-stress/cs50-30-graph.html",  # one line of 32,235 characters
        "cassandra-stress/cs50-07b.hdr",
        "latte/latte-01-write.json",
        "pgbench/pg18-01-tpcb.log",
        "memtier/interrupted.json",
        "hammerdb/hammerdb60-mysql-report.json",
        "sparecores-pgbench/gcp-c4a-highmem-1.json",
    ],
)
def test_an_uploaded_file_is_read_with_lines_as_long_as_its_format_needs(name):
    path = DATA / name
    with path.open("rb") as file:
        (member,) = open_upload([file_named(file, path.name)])

    parser = parsers.detect(list(islice(member.open_lines(), parsers.HEAD_LINES)))
    reading = parser.parse(member.open_lines(parsers.line_characters(parser)))

    assert reading == parser.parse(path.read_text().splitlines())


def file_named(file: io.BufferedReader, name: str) -> io.BytesIO:
    upload = io.BytesIO(file.read())
    upload.name = name
    return upload


REAL_LINES = [line for path in FILES for line in head(path)[:40] if len(line) < 2000]


@settings(deadline=None)
@given(st.lists(st.one_of(st.text(max_size=80), st.sampled_from(REAL_LINES)), max_size=40))
def test_a_soup_of_lines_of_all_tools_is_read_or_refused(lines):
    try:
        reading = parsers.detect(lines).parse(iter(lines))
    except ParseError:
        return
    assert reading.trial_sets or reading.histograms or reading.disk_tests or reading.facts

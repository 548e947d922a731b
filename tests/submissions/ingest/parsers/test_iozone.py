"""Disk tests read in real outputs of iozone 3.489."""

from pathlib import Path

import pytest

from submissions.choices import DiskPattern
from submissions.ingest.document.readings import DiskTestReading, Latency
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.iozone import PARSER

DATA = Path(__file__).resolve().parents[3] / "data" / "iozone"


def parse(name):
    return PARSER.parse((DATA / name).read_text().splitlines())


def test_the_throughput_test_is_the_sum_of_its_processes():
    reading = parse("io489-01-throughput.log")

    assert [test.pattern for test in reading.disk_tests] == [
        DiskPattern.SEQUENTIAL_WRITE,
        DiskPattern.REWRITE,
        DiskPattern.SEQUENTIAL_READ,
        DiskPattern.REREAD,
        DiskPattern.RANDOM_READ,
        DiskPattern.RANDOM_WRITE,
    ]
    assert reading.disk_tests[0] == DiskTestReading(
        DiskPattern.SEQUENTIAL_WRITE,
        mb_s=pytest.approx(582096.92 * 1024 / 1e6),  # kBytes are KiB
        iops=pytest.approx(582096.92 / 64),
        tool_version="3.489",
        command="iozone -t 2 -s 8m -r 64k -i 0 -i 1 -i 2 -e",
        block_bytes=65536,
        jobs=2,
        file_bytes=8 * 1024**2,
        is_direct=False,
    )
    assert "without -I" in reading.warnings[0]


def test_each_cell_of_the_table_is_a_test_of_its_column():
    tests = parse("io489-02-auto.log").disk_tests

    assert len(tests) == 12 * 6
    last = tests[-1]
    assert (last.pattern, last.file_bytes, last.block_bytes) == (DiskPattern.RANDOM_WRITE, 512 * 1024, 128 * 1024)
    assert last.mb_s == pytest.approx(7647578 * 1024 / 1e6)


def test_tests_that_were_not_run_leave_their_columns_blank():
    reading = parse("io489-04-direct.log")

    assert [(test.pattern, test.is_direct) for test in reading.disk_tests] == [
        (DiskPattern.SEQUENTIAL_WRITE, True),
        (DiskPattern.REWRITE, True),
        (DiskPattern.REVERSE_READ, True),
        (DiskPattern.STRIDE_READ, True),
    ]
    assert reading.warnings == ()


def test_operations_a_second_and_microseconds_are_told_from_kilobytes():
    write = parse("io489-03-ops.log").disk_tests[0]
    slow = parse("io489-05-microseconds.log").disk_tests[1]

    assert (write.iops, write.mb_s) == (296904.0, pytest.approx(296904 * 4096 / 1e6))
    assert (slow.latency_ms, slow.iops) == (Latency(mean=0.041), pytest.approx(1e6 / 41))


def test_a_mixed_workload_has_no_direction_and_is_left_out():
    reading = parse("io489-06-mixed.log")

    assert [test.iops for test in reading.disk_tests] == [170278.77, 248977.51]
    assert reading.warnings[0] == "not read: mixed workload"


def test_of_a_large_table_only_the_largest_file_is_read():
    lines = (DATA / "io489-02-auto.log").read_text().splitlines()
    row = next(line for line in lines if line.split()[:2] == ["512", "4"])
    many = [row.replace("512", str(size)) for size in range(513, 600)]

    reading = PARSER.parse([*lines[:-2], *many])
    assert {test.file_bytes for test in reading.disk_tests} == {599 * 1024}
    assert reading.warnings[0].startswith("only the 6 results of the largest file were read")


def test_output_without_a_result_is_refused():
    with pytest.raises(ParseError, match="the test did not finish"):
        PARSER.parse((DATA / "io489-01-throughput.log").read_text().splitlines()[:28])

"""Disk tests read in real outputs of fio 3.33."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from submissions.choices import DiskPattern
from submissions.ingest.document.readings import DiskTestReading, Latency, LogReading
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.fio import fio, fio_text

DATA = Path(__file__).resolve().parents[4] / "data" / "fio"


def parse(name, parser=fio.JSON_PARSER):
    return parser.parse((DATA / name).read_text().splitlines())


def changed(change):
    document = json.loads((DATA / "fio333-01-randrw.json").read_text())
    change(document)
    return fio.JSON_PARSER.parse([json.dumps(document)])


def test_reads_and_writes_of_a_mixed_job_are_a_test_each():
    common = {
        "name": "mixed",
        "tool_version": "3.33",
        "target": "./f",
        "read_share": 0.7,
        "block_bytes": 4096,
        "jobs": 2,
        "queue_depth": 8,
        "file_bytes": 32 * 1024**2,
        "duration_s": 3.001,
        "is_direct": True,
        "measured_at": datetime(2026, 11, 22, 18, 39, 54, tzinfo=UTC),
    }
    assert parse("fio333-01-randrw.json") == LogReading(
        tool="fio",
        disk_tests=(
            DiskTestReading(
                DiskPattern.RANDOM_READ,
                92.309454,
                22536.487837,
                Latency(mean=390821.778803 / 1e6, p50=0.25088, p95=0.88064, p99=4.489216, p999=7.962624, max=9.480738),
                **common,
            ),
            DiskTestReading(
                DiskPattern.RANDOM_WRITE,
                39.563729,
                9659.113629,
                Latency(
                    mean=715897.97699 / 1e6, p50=0.313344, p95=3.260416, p99=6.455296, p999=10.289152, max=111.766592
                ),
                **common,
            ),
        ),
    )


def test_the_text_says_the_same_in_three_digits():
    reads, writes = parse("fio333-02-randrw.log", fio_text.PARSER).disk_tests

    assert (reads.pattern, reads.iops, reads.mb_s) == (DiskPattern.RANDOM_READ, 20900.0, pytest.approx(85.6, abs=0.05))
    assert reads.latency_ms == Latency(mean=0.41941, p50=0.245, p95=1.139, p99=5.014, p999=9.503, max=15.871)
    assert (reads.jobs, reads.queue_depth, reads.block_bytes, reads.duration_s) == (2, 8, 4096, 3.001)
    assert (writes.pattern, writes.iops) == (DiskPattern.RANDOM_WRITE, 8956.0)
    # clat in nanoseconds, its percentiles in microseconds
    assert writes.latency_ms.mean == pytest.approx(0.76801708)
    assert writes.latency_ms.p99 == 8.586


def test_each_job_of_the_text_has_its_own_pattern_and_block():
    write, read = parse("fio333-03-two-jobs.log", fio_text.PARSER).disk_tests

    assert (write.name, write.pattern, write.block_bytes, write.iops) == (
        "seqwrite",
        DiskPattern.SEQUENTIAL_WRITE,
        65536,
        860.0,
    )
    assert (read.name, read.pattern, read.block_bytes, read.iops) == ("randread", DiskPattern.RANDOM_READ, 4096, 7129.0)


def test_the_layout_of_fio_2_is_read():
    (test,) = fio_text.PARSER.parse(
        [
            "job1: (g=0): rw=randread, bs=4K-4K/4K-4K/4K-4K, ioengine=libaio, iodepth=16",
            "fio-2.1.3",
            "job1: (groupid=0, jobs=4): err= 0: pid=2115: Tue Mar  4 10:00:00 2014",
            "  read : io=1024.0MB, bw=5138.6KB/s, iops=1284 , runt=204055msec",
            "    clat (usec): min=191 , max=88012 , avg=12450.11, stdev=3100.01",
        ]
    ).disk_tests

    assert (test.iops, test.mb_s) == (1284.0, pytest.approx(5138.6 * 1024 / 1e6, rel=1e-4))  # KiB, whatever it prints
    assert (test.jobs, test.queue_depth, test.block_bytes, test.duration_s) == (4, 16, 4096, 204.055)


def test_json_behind_other_lines_is_found():
    (test,) = parse("fio333-05-both.log").disk_tests

    assert (test.pattern, test.mb_s, test.is_direct) == (DiskPattern.SEQUENTIAL_WRITE, 798.915047, False)


def test_hosts_of_clients_are_named_and_their_total_is_no_test():
    def to_clients(document):
        (job,) = document.pop("jobs")
        document["client_stats"] = [
            job | {"hostname": "db-0"},
            job | {"hostname": "db-1"},
            job | {"jobname": "All clients"},
        ]

    tests = changed(to_clients).disk_tests
    assert [test.host for test in tests] == ["db-0", "db-0", "db-1", "db-1"]
    assert {test.jobs for test in tests} == {1}  # not one line for the group


def test_a_percentile_is_never_above_the_maximum():
    def lower(document):
        document["jobs"][0]["read"]["clat_ns"]["max"] = 7_000_000

    assert changed(lower).disk_tests[0].latency_ms.p999 == 7.0


@pytest.mark.parametrize(
    ("text", "size"), [("4k", 4096), ("64KiB", 65536), ("1.5g", 3 * 2**29), ("80%", None), ("4k-8k", None), ("0", None)]
)
def test_sizes_are_powers_of_1024(text, size):
    assert fio.size_of(text) == size


def test_jobs_with_an_error_are_no_tests():
    with pytest.raises(ParseError, match="no job of fio read or wrote anything"):
        parse("fio333-06-failed.json")
    with pytest.raises(ParseError, match="all 1 jobs of fio ended with an error"):
        changed(lambda document: document["jobs"][0].update(error=28))


def test_the_terse_output_is_refused_with_what_to_send():
    with pytest.raises(ParseError, match="--output-format=json"):
        parse("fio333-07-terse.log", fio.TERSE_PARSER)

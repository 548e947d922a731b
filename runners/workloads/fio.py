"""The disk test of the database hosts, before the database is there: fio, as the articles used iozone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runners.hosts import output_of
from runners.workloads.base import Job, Member, OutputFile
from runners.workloads.scripts.disk_test import TESTS, figures

SIZE = "2G"
SECONDS = 30  # a test at most, in which small disks do not reach the size


@dataclass(frozen=True, slots=True)
class DiskFigures:
    """One test: 64 KiB sequential writes or 4 KiB random reads, past the page cache."""

    test: str
    mb_s: float  # 10**6 bytes
    iops: float
    latency_mean_ms: float  # from submission to completion
    latency_p99_ms: float


def parse(text: str) -> DiskFigures:
    """fio's JSON, with whatever it warns before; ValueError when it is no result of one of our tests."""
    try:
        found: Mapping[str, Any] = figures(text)
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise ValueError(f"no result of fio: {type(error).__name__} at {error}") from error
    return DiskFigures(**found)


def job(database: Sequence[Member]) -> Job:
    command = f"python3 bin/disk_test.py {SIZE} {SECONDS}"
    return Job("disk-test", {m.name: command for m in database}, {}, 2.0 * SECONDS, 3600.0, output_of("disk-test"))


def outputs(database: Sequence[Member], folders: int) -> list[OutputFile]:
    """fio's own answers, for each data folder and test."""
    names = [f"{folder}-{test}.json" for folder in range(folders) for test in TESTS]
    return [
        OutputFile(member.name, f"disk-test/{name}", "disk_test", None, f"disk-test-{member.name}-{name}")
        for member in database
        for name in names
    ]

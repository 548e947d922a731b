"""The disk test of the database hosts before the database is installed: fio, where the articles used iozone."""

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from runners.choices import OutputKind
from runners.hosts.hosts import output_of
from runners.load_tools.base import Job, Member, OutputFile
from runners.load_tools.scripts.disk_test import TESTS, figures
from submissions.analysis.host_metrics.hosts import DiskFigures

SIZE = "2G"
SECONDS = 30  # at most, per test: slow disks do not reach the size


def parse(text: str) -> DiskFigures:
    """fio's JSON, after any warnings. Raises ValueError when it is not the result of one of our tests."""
    try:
        result: Mapping[str, Any] = figures(text)
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise ValueError(f"not a result of fio: {type(error).__name__} at {error}") from error
    return DiskFigures(**result)


def job(database: Sequence[Member]) -> Job:
    command = f"python3 bin/disk_test.py {SIZE} {SECONDS}"
    return Job("disk-test", {m.name: command for m in database}, {}, 2.0 * SECONDS, 3600.0, output_of("disk-test"))


def outputs(database: Sequence[Member], folders: int) -> list[OutputFile]:
    """fio's results for each data folder and test."""
    names = [f"{folder}-{test}.json" for folder in range(folders) for test in TESTS]
    return [
        OutputFile(member.name, f"disk-test/{name}", OutputKind.DISK_TEST, None, f"disk-test-{member.name}-{name}")
        for member in database
        for name in names
    ]


def folder_of(path: str) -> str:
    """The data folder that a disk test is about: disk-test/<folder>-<test>.json."""
    return PurePosixPath(path).name.partition("-")[0]

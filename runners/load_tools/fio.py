"""The disk test of the database hosts, before the database is there: fio, as the articles used iozone."""

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from runners.hosts.hosts import output_of
from runners.load_tools.base import Job, Member, OutputFile
from runners.load_tools.scripts.disk_test import TESTS, figures
from submissions.analysis.hosts import DiskFigures

SIZE = "2G"
SECONDS = 30  # a test at most, in which small disks do not reach the size


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


def folder_of(path: str) -> str:
    """The data folder that an output of the disk test is about: disk-test/<folder>-<test>.json."""
    return PurePosixPath(path).name.partition("-")[0]

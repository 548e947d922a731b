"""However a log was kept, its figures are the same, or it is refused with the reason.

WRAPPERS=all takes every log through every wrapper, the suite a few.
"""

import os
from dataclasses import replace
from pathlib import Path
from zlib import crc32

import pytest

from submissions.ingest.document.readings import LogReading, TrialReading
from tests.submissions.ingest.parsers.reading import read_or_reason
from tests.submissions.ingest.parsers.wrappers import WRAPPERS

DATA = Path(__file__).resolve().parents[3] / "data"
FOLDERS = (
    *("cassandra-stress", "cassandra-stress/older", "ycsb", "ycsb/public", "go-ycsb", "pgbench", "sysbench"),
    *("redis-benchmark", "memtier", "hammerdb", "nosqlbench", "odd-logs"),
)
LOGS = [
    path for folder in FOLDERS for path in sorted((DATA / folder).glob("*.log")) + sorted((DATA / folder).glob("*.txt"))
]
EACH = len(WRAPPERS) if os.environ.get("WRAPPERS") == "all" else 3
CASES = [
    pytest.param(path, name, id=f"{path.parent.name}/{path.name}-{name}")
    for path in LOGS
    for name in sorted(WRAPPERS, key=lambda name: crc32(f"{path.name} {name}".encode()))[:EACH]
]


def text_of(path: Path) -> str:
    return path.read_bytes().decode(errors="replace").removeprefix("\ufeff").replace("\r\n", "\n")


def figures(reading: LogReading | str) -> object:
    """All that is read, without the sentences about it; of a refusal only that it is one."""
    return "refused" if isinstance(reading, str) else replace(reading, warnings=())


@pytest.mark.parametrize(("path", "name"), CASES)
def test_a_wrapper_changes_no_figure(path, name):
    text = text_of(path)

    assert figures(read_or_reason(WRAPPERS[name](text))) == figures(read_or_reason(text.encode()))

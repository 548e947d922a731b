"""The files of the pack: a line for each machine type and task."""

import gzip
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[2] / "data" / "packs" / "sparecores"
REDIS, PGBENCH = "redis", "pgbench"

_PLACE = re.compile(r'"provider":"(?P<provider>[^"]+)","instance_type":"(?P<instance_type>[^"]+)"')
_PRICED_FIRST = ("aws", "azure", "gcp")  # these soon fill the pages that need prices


@dataclass(frozen=True, slots=True)
class Line:
    """A machine type's output of one task, not yet read."""

    task: str
    provider: str
    instance_type: str
    text: str

    @property
    def key(self) -> str:
        return f"{self.task}/{self.provider}/{self.instance_type}"

    def content(self) -> Mapping[str, Any]:
        content: Mapping[str, Any] = json.loads(self.text)
        return content


def lines(folder: Path = FOLDER) -> Iterator[Line]:
    """PostgreSQL first, then Redis by cloud; the text of one file is in memory, some megabytes."""
    for task in (PGBENCH, REDIS):
        with gzip.open(folder / f"{task}.ndjson.gz", "rt", encoding="utf-8") as file:
            of_task = [_line(task, text) for text in file]
        yield from sorted(of_task, key=lambda line: line.provider not in _PRICED_FIRST)


@cache
def keys(folder: Path = FOLDER) -> tuple[tuple[str, str], ...]:
    """Task and key of each line."""
    return tuple((line.task, line.key) for line in lines(folder))


def _line(task: str, text: str) -> Line:
    place = _PLACE.search(text)
    if place is None:
        raise ValueError(f"a line of {task}.ndjson.gz names no machine type")
    return Line(task, place["provider"], place["instance_type"], text)

"""The measurements of Spare Cores as a pack: the outputs of its inspector by the way of any upload."""

import io
import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchsite.http.refusals import Refusal
from submissions.ingest.logs.read import ReadFile, read_logs
from submissions.ingest.pipeline import Prepared, prepare_readings
from submissions.ingest.uploads import offered
from submissions.packs.pack import Entry
from submissions.packs.sparecores.facts import postgresql_facts, redis_facts
from submissions.packs.sparecores.lines import FOLDER, REDIS, Line, keys, lines

LICENSE = "CC-BY-SA-4.0"
ATTRIBUTION = "Spare Cores (sparecores.com), CC BY-SA 4.0"
PIPELINES = (1, 16)  # the raw file has four more

_THREADS_PER_VCPU = 50  # of the rows with one thread; two machine types were measured with more, too

Outcome = tuple[Entry, Prepared | Refusal]


class SpareCores:
    name = "sparecores"
    version = "2026-08-22.1"  # of the data, and what is made of it

    def __init__(self, folder: Path = FOLDER) -> None:
        self._folder = folder

    def entries(self) -> Sequence[Entry]:
        return [_entry(key) for task, line in keys(self._folder) for key in _keys_of(task, line)]

    def prepared(self, keys: Collection[str]) -> Iterator[Outcome]:
        for line in lines(self._folder):
            wanted = [key for key in _keys_of(line.task, line.key) if key in keys]
            if wanted and line.task == REDIS:
                yield from _redis(line, wanted)
            elif wanted:
                yield from _postgresql(line, wanted)


SPARECORES = SpareCores()


def _keys_of(task: str, line: str) -> tuple[str, ...]:
    """A result for each pipeline of Redis, one for the ladder of PostgreSQL."""
    return tuple(f"{line}/{pipeline}" for pipeline in PIPELINES) if task == REDIS else (line,)


def _entry(key: str) -> Entry:
    return Entry(key, LICENSE, ATTRIBUTION)


def _redis(line: Line, wanted: Sequence[str]) -> Iterator[Outcome]:
    content = line.content()
    try:
        file = _read(line, "csv", content["stdout"])
    except Refusal as refusal:
        yield from ((_entry(key), refusal) for key in wanted)
        return
    cpu_seconds = _rows(content["stdout"])
    rows = {
        f"{line.key}/{facts.pipeline}": index
        for index, facts in enumerate(file.reading.set_facts)
        if facts.threads_per_vcpu == _THREADS_PER_VCPU
    }
    for key in wanted:
        if (index := rows.get(key)) is None:
            yield _entry(key), Refusal.at("#/files/0", "the file has no row of this pipeline with one thread")
        else:
            yield _entry(key), _prepared(redis_facts(line, content, cpu_seconds[index]), _only(file, index))


def _postgresql(line: Line, wanted: Sequence[str]) -> Iterator[Outcome]:
    content = line.content()
    # as the inspector writes it
    text = json.dumps(content["stdout"], indent=2, sort_keys=True) + "\n"
    for key in wanted:
        try:
            yield _entry(key), _prepared(postgresql_facts(line, content), _read(line, "json", text))
        except Refusal as refusal:
            yield _entry(key), refusal


def _prepared(facts: dict[str, Any], file: ReadFile) -> Prepared | Refusal:
    try:
        [prepared] = prepare_readings(facts, [file])
    except Refusal as refusal:
        return refusal
    return prepared


def _read(line: Line, suffix: str, text: str) -> ReadFile:
    [file] = read_logs(offered([_Output(f"{line.key.replace('/', '-')}.{suffix}", text)]))
    return file


def _only(file: ReadFile, index: int) -> ReadFile:
    """One of the results in a file: others are not loaded, and each has facts of its own beside the file."""
    reading = file.reading
    chosen = replace(reading, trial_sets=(reading.trial_sets[index],), set_facts=(reading.set_facts[index],))
    return replace(file, reading=chosen)


def _rows(text: str) -> list[dict[str, str]]:
    heads, *rows = ([cell.strip('"') for cell in row.split(",")] for row in text.splitlines() if row)
    return [dict(zip(heads, row, strict=True)) for row in rows]


class _Output(io.BytesIO):
    """An output of the inspector as an uploaded file."""

    def __init__(self, name: str, text: str):
        super().__init__(text.encode())
        self.name = name

"""The readings of an upload's logs as one compressed file, so that each log is parsed once.

Line 1 is a header with everything but the intervals: a preview reads no more. A line for each trial follows, in
order, with its interval series. JSON only: what comes back is validated, whoever wrote the file.
"""

import gzip
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import IO

from pydantic import BaseModel, ConfigDict
from pydantic_core import from_json, to_json

from submissions.choices import ArtifactKind
from submissions.ingest import parsers
from submissions.ingest.curves.intervals import interval_of, row_of
from submissions.ingest.document.readings import LogReading, TrialReading
from submissions.ingest.logs.read import OfferedFile, ReadFile

FORMAT = 1  # raise it when the lines below change their form

_FAST = 1  # gzip's level: a file that lives for a day
_DAMAGED = (OSError, EOFError, zlib.error, ValueError, TypeError)  # ValueError: of JSON and of pydantic too


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    sha256: str
    kind: ArtifactKind
    reading: LogReading  # without intervals


class _Header(BaseModel):
    model_config = ConfigDict(extra="forbid", ser_json_inf_nan="constants")

    format: int
    parsers: str  # the version of their code
    files: list[_File]


def write_readings(files: Sequence[ReadFile], out: IO[bytes]) -> None:
    header = _Header(
        format=FORMAT,
        parsers=parsers.version(),
        files=[
            _File(sha256=file.member.sha256, kind=file.kind, reading=_without_intervals(file.reading)) for file in files
        ],
    )
    with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=_FAST, mtime=0) as packed:
        packed.write(header.model_dump_json().encode() + b"\n")
        for trial in _trials(files):
            packed.write(to_json((row_of(interval) for interval in trial.intervals), inf_nan_mode="constants") + b"\n")


def load_readings(raw: IO[bytes], offered: Sequence[OfferedFile], *, with_intervals: bool) -> list[ReadFile] | None:
    """The readings of just these files, grouped by the trials stated now.

    None where they must be read again: the bytes are others, the parsers have changed, the file is damaged.
    """
    try:
        with gzip.GzipFile(fileobj=raw) as packed:
            header = _Header.model_validate_json(packed.readline())
            if (header.format, header.parsers) != (FORMAT, parsers.version()):
                return None
            if [file.sha256 for file in header.files] != [file.member.sha256 for file in offered]:
                return None
            files = [
                ReadFile(log.member, log.trial or None, file.reading, file.kind, log.load)
                for log, file in zip(offered, header.files, strict=True)
            ]
            return [_with_intervals(file, packed) for file in files] if with_intervals else files
    except _DAMAGED:
        return None


def _trials(files: Sequence[ReadFile]) -> Iterator[TrialReading]:
    for file in files:
        for trials in file.reading.trial_sets:
            yield from trials


def _without_intervals(reading: LogReading) -> LogReading:
    sets = tuple(tuple(replace(trial, intervals=()) for trial in trials) for trials in reading.trial_sets)
    return replace(reading, trial_sets=sets)


def _with_intervals(file: ReadFile, packed: gzip.GzipFile) -> ReadFile:
    sets = tuple(
        tuple(
            replace(trial, intervals=tuple(interval_of(row) for row in from_json(packed.readline())))
            for trial in trials
        )
        for trials in file.reading.trial_sets
    )
    return replace(file, reading=replace(file.reading, trial_sets=sets))

"""Reads one uploaded log: finds the parser of its format and parses it, once."""

import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice

from benchsite.http.refusals import Refusal
from submissions.choices import ArtifactKind
from submissions.ingest import parsers
from submissions.ingest.document.readings import LogReading
from submissions.ingest.files.member import Member
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.ycsb import ycsb_hdr


@dataclass(frozen=True, slots=True)
class StatedLoad:
    """The load of a log's trial as its uploader states it; None is not stated."""

    offered_ops_s: float | None = None  # all clients of the trial together
    threads: int | None = None  # of one client


UNSTATED = StatedLoad()


@dataclass(frozen=True, slots=True)
class OfferedFile:
    """One log, not yet read, and the trial that the uploader put it in (None: not stated)."""

    member: Member
    trial: str | None = None
    load: StatedLoad = UNSTATED


@dataclass(frozen=True, slots=True)
class ReadFile:
    """One log and what its parser read in it."""

    member: Member
    trial: str | None
    reading: LogReading
    kind: ArtifactKind
    load: StatedLoad = UNSTATED


def read_logs(offered: Sequence[OfferedFile]) -> list[ReadFile]:
    """Each file, in order; Refusal at the first that cannot be read."""
    return [read_log(file) for file in offered]


def read_log(offered: OfferedFile) -> ReadFile:
    """Detect the format and parse; Refusal at the file when that is not possible."""
    member = offered.member
    try:
        parser, unwrapping = parsers.recognize(list(islice(member.open_lines(), parsers.HEAD_LINES)))
        lines: Iterable[str] = member.open_lines(parsers.line_characters(parser))
        with _no_garbage_collected():
            reading = parser.parse(unwrapping.lines(lines) if unwrapping else lines)
    except ParseError as error:
        raise Refusal.at(member.pointer, f"{member.name}: {error}") from error
    if about := tuple(unwrapping.sentences()):
        reading = replace(reading, warnings=(*about, *reading.warnings))
    return ReadFile(member, offered.trial or None, reading, _kind(parser.name, reading), offered.load)


@contextmanager
def _no_garbage_collected() -> Iterator[None]:
    """A parser makes hundreds of thousands of rows and no cycles: looking for some takes half of its time."""
    if not gc.isenabled():  # another thread reads a log, or somebody does not want it at all
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _kind(parser_name: str, reading: LogReading) -> ArtifactKind:
    if "graph" in parser_name:
        return ArtifactKind.GRAPH
    if reading.disk_tests:
        return ArtifactKind.DISK_TEST
    if parser_name == ycsb_hdr.PARSER.name or (reading.histograms and not reading.trial_sets):
        return ArtifactKind.HISTOGRAM_LOG
    return ArtifactKind.LOAD_LOG

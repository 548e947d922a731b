"""Reads one uploaded log: finds the parser of its format and parses it, once."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from benchsite.refusals import Refusal
from submissions.choices import ArtifactKind
from submissions.ingest import parsers
from submissions.ingest.document.readings import LogReading
from submissions.ingest.files.member import Member
from submissions.ingest.parsers import ycsb_hdr
from submissions.ingest.parsers.errors import ParseError


@dataclass(frozen=True, slots=True)
class OfferedFile:
    """One log, not yet read, and the trial that the uploader put it in (None: not stated)."""

    member: Member
    trial: str | None = None


@dataclass(frozen=True, slots=True)
class ReadFile:
    """One log and what its parser read in it."""

    member: Member
    trial: str | None
    reading: LogReading
    kind: ArtifactKind


def read_logs(offered: Sequence[OfferedFile]) -> list[ReadFile]:
    """Each file, in order; Refusal at the first that cannot be read."""
    return [read_log(file) for file in offered]


def read_log(offered: OfferedFile) -> ReadFile:
    """Detect the format and parse; Refusal at the file when that is not possible."""
    member = offered.member
    try:
        parser = parsers.detect(list(islice(member.open_lines(), parsers.HEAD_LINES)))
        reading = parser.parse(member.open_lines(parsers.line_characters(parser)))
    except ParseError as error:
        raise Refusal.at(member.pointer, f"{member.name}: {error}") from error
    return ReadFile(member, offered.trial or None, reading, _kind(parser.name, reading))


def _kind(parser_name: str, reading: LogReading) -> ArtifactKind:
    if "graph" in parser_name:
        return ArtifactKind.GRAPH
    if reading.disk_tests:
        return ArtifactKind.DISK_TEST
    if parser_name == ycsb_hdr.PARSER.name or (reading.histograms and not reading.trial_sets):
        return ArtifactKind.HISTOGRAM_LOG
    return ArtifactKind.LOAD_LOG

"""Which uploaded file belongs to which trial, and what its parser read in it."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePosixPath

from benchsite.refusals import Refusal
from submissions.choices import ArtifactKind
from submissions.ingest import parsers
from submissions.ingest.document.readings import LogReading
from submissions.ingest.files.open import Member
from submissions.ingest.parsers.errors import ParseError


@dataclass(frozen=True, slots=True)
class OfferedFile:
    """One log and the trial that the uploader put it in (None: not said)."""

    member: Member
    trial: str | None = None


@dataclass(frozen=True, slots=True)
class ReadFile:
    member: Member
    trial: str | None
    reading: LogReading
    kind: ArtifactKind


@dataclass(frozen=True, slots=True)
class TrialFiles:
    """The files of one trial: the logs of its clients, and what goes with them."""

    logs: tuple[ReadFile, ...]  # with measured trials
    histograms: tuple[ReadFile, ...]
    others: tuple[ReadFile, ...]  # settings without rows, graphs of the same run

    @property
    def all(self) -> tuple[ReadFile, ...]:
        return (*self.logs, *self.histograms, *self.others)


def read(offered: OfferedFile) -> ReadFile:
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
    if reading.histograms and not reading.trial_sets:
        return ArtifactKind.HISTOGRAM_LOG
    return ArtifactKind.LOAD_LOG


def by_trial(files: Sequence[ReadFile]) -> list[TrialFiles]:
    """Group by the uploader's `trial`; without it each log is a trial of its own.

    A graph page of a run whose log is there too is kept but not counted again.
    """
    logs = [file for file in files if file.reading.trial_sets and file.kind != ArtifactKind.GRAPH]
    if not logs:
        logs = [file for file in files if file.reading.trial_sets]
    if not logs:
        raise Refusal.at(
            files[0].member.pointer,
            "no file has a measured trial: add the log that the load tool printed",
        )
    rest = [file for file in files if file not in logs]
    histograms = [file for file in rest if file.kind == ArtifactKind.HISTOGRAM_LOG]
    others = [file for file in rest if file not in histograms]
    groups: dict[str, list[ReadFile]] = {}
    for index, file in enumerate(logs):
        groups.setdefault(file.trial if file.trial is not None else f"\0{index}", []).append(file)
    placed = {name: [] for name in groups}  # type: dict[str, list[ReadFile]]
    for position, file in enumerate(histograms):
        placed[_home(file, position, groups, len(histograms))].append(file)
    first = next(iter(groups))
    return [
        TrialFiles(tuple(members), tuple(placed[name]), tuple(others) if name == first else ())
        for name, members in groups.items()
    ]


def _home(file: ReadFile, position: int, groups: dict[str, list[ReadFile]], histogram_count: int) -> str:
    """The trial of a histogram file: as said, the only one, the one of its name, or by its place."""
    if file.trial is not None:
        if file.trial in groups:
            return file.trial
        raise Refusal.at(file.member.pointer, f"there is no log with trial {file.trial!r}")
    if len(groups) == 1:
        return next(iter(groups))
    stem = PurePosixPath(file.member.name).name.split(".")[0]
    same_name = [
        name
        for name, logs in groups.items()
        if any(PurePosixPath(log.member.name).name.startswith(stem) for log in logs)
    ]
    if len(same_name) == 1:
        return same_name[0]
    if histogram_count == len(groups):
        return list(groups)[position]
    raise Refusal.at(
        file.member.pointer,
        f"{file.member.name}: say by the field `trial` which log this histogram file belongs to",
    )

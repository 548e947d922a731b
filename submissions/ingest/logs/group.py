"""Groups the logs that were read: which file belongs to which trial, which trials make a submission."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from benchsite.http.refusals import Refusal
from submissions.choices import ArtifactKind
from submissions.ingest.document.readings import TrialReading
from submissions.ingest.logs.read import ReadFile
from submissions.ingest.parsers.ycsb.names import OPERATIONS

# YCSB writes a file for each operation: client1READ.hdr, client1READ-FAILED.hdr, client1Intended-READ.hdr
_OPERATION = re.compile(rf"(?:Intended-)?(?:CLEANUP|{'|'.join(OPERATIONS)})(?:-[A-Z_]{{1,60}})?$")


@dataclass(frozen=True, slots=True)
class TrialFiles:
    """The files of one trial: the logs of its clients, and what goes with them."""

    logs: tuple[ReadFile, ...]  # with measured trials
    histograms: tuple[ReadFile, ...]
    others: tuple[ReadFile, ...]  # settings without rows, graphs of the same run, disk tests

    @property
    def all(self) -> tuple[ReadFile, ...]:
        return (*self.logs, *self.histograms, *self.others)


def by_trial(files: Sequence[ReadFile]) -> list[TrialFiles]:
    """Group by the uploader's `trial`; without it each log is a trial of its own.

    A graph page of a run whose log is there too is stored but not counted again.
    """
    logs = [file for file in files if file.reading.trial_sets and file.kind != ArtifactKind.GRAPH]
    if not logs:
        logs = [file for file in files if file.reading.trial_sets]
    if not logs:
        raise Refusal.at(files[0].member.pointer, _without_trial(files))
    rest = [file for file in files if file not in logs]
    histograms = [file for file in rest if file.kind == ArtifactKind.HISTOGRAM_LOG]
    others = [file for file in rest if file not in histograms]
    groups: dict[str, list[ReadFile]] = {}
    for index, file in enumerate(logs):
        groups.setdefault(file.trial if file.trial is not None else f"\0{index}", []).append(file)
    histograms_of: dict[str, list[ReadFile]] = {name: [] for name in groups}
    for position, file in enumerate(histograms):
        histograms_of[_trial_of(file, position, groups, len(histograms))].append(file)
    first = next(iter(groups))
    return [
        TrialFiles(tuple(members), tuple(histograms_of[name]), tuple(others) if name == first else ())
        for name, members in groups.items()
    ]


def _without_trial(files: Sequence[ReadFile]) -> str:
    tests = sorted({file.reading.tool for file in files if file.kind == ArtifactKind.DISK_TEST})
    if not tests:
        return "no file contains a measured trial: add the log that the load tool printed"
    return (
        f"{files[0].member.name}: a disk test ({', '.join(tests)}) is no result of a database: send it together with"
        " the log of the load tool, and it is stored as a disk test of that result"
    )


def _trial_of(file: ReadFile, position: int, groups: dict[str, list[ReadFile]], histogram_count: int) -> str:
    """The trial of a histogram file: as stated, the only one, the one of its name, or by its position."""
    if file.trial is not None:
        if file.trial in groups:
            return file.trial
        raise Refusal.at(file.member.pointer, f"there is no log with trial {file.trial!r}")
    if len(groups) == 1:
        return next(iter(groups))
    for is_near in (is_in_folder, _is_anywhere):
        names = [name for name, logs in groups.items() if any(is_near(file, log) and fits(file, log) for log in logs)]
        if len(names) == 1:
            return names[0]
    if histogram_count == len(groups):
        return list(groups)[position]
    raise Refusal.at(
        file.member.pointer,
        f"{file.member.name}: name the trial of this histogram file in the field `trial`",
    )


def is_in_folder(file: ReadFile, log: ReadFile) -> bool:
    return PurePosixPath(file.member.name).parent == PurePosixPath(log.member.name).parent


def _is_anywhere(file: ReadFile, log: ReadFile) -> bool:
    return True


def fits(file: ReadFile, log: ReadFile) -> bool:
    """Whether the names begin alike: 1_READ.hdr is beside 1_run.txt, and not beside 10_run.txt."""
    start = _OPERATION.sub("", PurePosixPath(file.member.name).name.split(".")[0])
    name = PurePosixPath(log.member.name).name
    return name.startswith(start) and not (start[-1:].isdigit() and name[len(start) : len(start) + 1].isdigit())


@dataclass(frozen=True, slots=True)
class LoggedTrial:
    """What the clients of one trial read, and the files that they are from."""

    group: TrialFiles
    clients: list[TrialReading]


def by_submission(groups: Sequence[TrialFiles]) -> list[list[LoggedTrial]]:
    """The trials of each submission.

    All trials of the logs are of one, a load curve where their loads differ; but where the sets of a file were run with
    different settings (the revisions of a graph), each set is a submission, those of several files side by side.
    """
    if not any(file.reading.set_facts for group in groups for file in group.logs):
        return [
            [trial for group in groups for index in range(_count_of_sets(group)) for trial in _of_set(group, index)]
        ]
    counts = {len(file.reading.trial_sets) for group in groups for file in group.logs}
    if len(counts) > 1:
        raise Refusal.at("#/files", "the logs have different numbers of trial sets: upload them separately")
    return [[trial for group in groups for trial in _of_set(group, index)] for index in range(counts.pop())]


def _count_of_sets(group: TrialFiles) -> int:
    counts = {len(file.reading.trial_sets) for file in group.logs}
    if len(counts) > 1:
        raise Refusal.at(group.logs[0].member.pointer, "the clients of this trial have different numbers of trials")
    return counts.pop()


def _of_set(group: TrialFiles, index: int) -> list[LoggedTrial]:
    sets = [file.reading.trial_sets[index] for file in group.logs]
    if len({len(trial_set) for trial_set in sets}) > 1:
        raise Refusal.at(group.logs[0].member.pointer, "the clients of this trial have different numbers of trials")
    return [LoggedTrial(group, list(clients)) for clients in zip(*sets, strict=True)]

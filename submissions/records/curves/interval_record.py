"""What load tools printed during a run, as it is stored: read once for charts and windows."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from submissions.analysis.steady_state import Interval, Row, intervals
from submissions.choices import ArtifactKind, LoadMode
from submissions.ingest.files.storage import open_stored
from submissions.ingest.intervals import unpacked
from submissions.models import Artifact, Submission, Trial

ALL_OPERATIONS = "total"

PrintedRow = dict[str, Any]  # by the file's columns; an older file may lack some


@dataclass(frozen=True, slots=True)
class PrintedTrial:
    """The rows of each client, over all its operation types together; a client may have none."""

    index: int  # from 0
    clients: tuple[tuple[PrintedRow, ...], ...]
    # The tool prints a p99 for each operation type only: the rows have that of the slowest type, which
    # the p99 over all of them does not exceed.
    has_p99_of_slowest: bool = False

    @property
    def is_whole(self) -> bool:
        return bool(self.clients) and all(self.clients)


@dataclass(frozen=True, slots=True)
class RecordedTrial:
    """The intervals of a trial whose clients all have some."""

    index: int  # from 0
    clients: tuple[tuple[Interval, ...], ...]

    @property
    def end_s(self) -> float:
        return max(series[-1].end_s for series in self.clients)


def printed_trials(artifacts: Iterable[Artifact]) -> tuple[PrintedTrial, ...]:
    """The trials in the first interval file; none when there is no file, its bytes are gone, or it is too long."""
    for artifact in artifacts:
        if artifact.kind == ArtifactKind.INTERVALS:
            try:
                with open_stored(artifact.sha256) as stored:
                    content = unpacked(stored)
            except FileNotFoundError:
                return ()
            return trials_of(content) if content is not None else ()
    return ()


def printed_trials_of(submissions: Sequence[Submission]) -> dict[int, tuple[PrintedTrial, ...]]:
    """By the submission's number, of those that have a file; one query, two where there are load curves.

    Of a load curve the trials of its peak.
    """
    artifacts = defaultdict(list)
    curves = [submission.pk for submission in submissions if submission.load_mode == LoadMode.CURVE]
    others = Trial.objects.filter(submission__in=curves, is_at_peak=False) if curves else Trial.objects.none()
    elsewhere = set(others.values_list("submission_id", "index"))
    for artifact in Artifact.objects.filter(submission__in=submissions, kind=ArtifactKind.INTERVALS).order_by("pk"):
        artifacts[artifact.submission_id].append(artifact)
    return {
        pk: trials
        for pk, files in artifacts.items()
        if (trials := tuple(each for each in printed_trials(files) if (pk, each.index) not in elsewhere))
    }


def trials_of(content: dict[str, Any]) -> tuple[PrintedTrial, ...]:
    """The content of an interval file, see ingest/intervals.py."""
    return tuple(_trial(content["columns"], trial) for trial in content["trials"])


def recorded_trials(trials: Iterable[PrintedTrial]) -> tuple[RecordedTrial, ...]:
    """Those of which every client has intervals."""
    recorded = []
    for trial in trials:
        clients = tuple(intervals([_row(row) for row in rows]) for rows in trial.clients)
        if clients and all(clients):
            recorded.append(RecordedTrial(trial.index, clients))
    return tuple(recorded)


def _trial(columns: Sequence[str], trial: dict[str, Any]) -> PrintedTrial:
    clients, bounded = [], False
    for rows in trial["clients"]:
        named = [dict(zip(columns, row, strict=True)) for row in rows]
        types = {row["operation"] for row in named} - {ALL_OPERATIONS}
        totals = [row for row in named if row["operation"] == ALL_OPERATIONS]
        if totals and types and all(row["p99_ms"] is None for row in totals):
            totals = _with_slowest(totals, named)
            bounded |= len(types) > 1 and any(row["p99_ms"] is not None for row in totals)
        # of a tool without rows over all types, those of its only type
        clients.append(tuple(totals or (named if len(types) == 1 else ())))
    return PrintedTrial(trial["index"], tuple(clients), bounded)


def _with_slowest(totals: Sequence[PrintedRow], named: Sequence[PrintedRow]) -> list[PrintedRow]:
    """Each row with the highest p99 of the active operation types; None where one of them has none."""
    p99s = defaultdict(list)
    for row in named:
        if row["operation"] != ALL_OPERATIONS and row.get("operations") != 0:
            p99s[row["elapsed_seconds"]].append(row["p99_ms"])
    return [
        {
            **row,
            "p99_ms": max(of_types) if (of_types := p99s[row["elapsed_seconds"]]) and None not in of_types else None,
        }
        for row in totals
    ]


def _row(row: PrintedRow) -> Row:
    return Row(
        end_s=row["elapsed_seconds"],
        operations=row.get("operations"),
        errors=row.get("errors"),
        rate_ops_s=row.get("throughput_ops_s"),
        p99_ms=row.get("p99_ms"),
    )

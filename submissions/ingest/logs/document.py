"""From metadata and readings to submission documents: one, or one for each set of trials in the logs."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime, timedelta
from typing import Any

from benchsite.http.refusals import Refusal
from submissions.choices import Role
from submissions.formatting.text import lines_not_read_words
from submissions.ingest.document.readings import Facts, Histogram, LogReading, TrialReading
from submissions.ingest.logs import ycsb_histograms
from submissions.ingest.logs.complete import clients_facts, complete
from submissions.ingest.logs.group import LoggedTrial, TrialFiles, by_submission, by_trial
from submissions.ingest.logs.limits import LIMIT_NOT_STATED, with_kind
from submissions.ingest.logs.loads import Load, Loads, loads_of
from submissions.ingest.logs.read import ReadFile
from submissions.ingest.logs.trial_results import TrialResult, from_clients


@dataclass(frozen=True, slots=True)
class OwnedFile:
    """A raw file and the trial that it belongs to (None: the whole submission)."""

    file: ReadFile
    trial_index: int | None


@dataclass(frozen=True, slots=True)
class Imported:
    """One submission's content, not yet checked against the document's rules."""

    content: dict[str, Any]
    trials: tuple[TrialResult, ...]
    files: tuple[OwnedFile, ...]
    from_log: frozenset[str]  # pointers of the facts that the log gave or confirms
    has_unknown_limit: bool
    warnings: tuple[str, ...]
    is_log_date: bool = False  # `measured_at` is the log's
    file_date: datetime | None = None  # of the oldest file, where that is known


def submissions_in(metadata: Mapping[str, Any], files: Sequence[ReadFile]) -> list[Imported]:
    """The content of `metadata` and the logs together; Refusal where they contradict each other."""
    if not files:
        raise Refusal.at("#/files", "no file was sent")
    if "trials" in metadata:
        raise Refusal.at("#/trials", "is read from the logs: leave it out of the metadata")
    groups = by_trial(files)
    tools = sorted({file.reading.tool for group in groups for file in group.logs})
    if len(tools) > 1:
        raise Refusal.at("#/files", f"logs of different load tools: {', '.join(tools)}")
    return [
        _imported(dict(metadata), groups, trials, index, tool=tools[0])
        for index, trials in enumerate(by_submission(groups))
    ]


def submissions_of_logs(files: Sequence[ReadFile]) -> list[Imported]:
    """What the logs alone say; Refusal where no fact that the uploader adds could make a submission of them."""
    # an unnamed database group takes the number of nodes that the log knows
    return submissions_in({"nodes": [{"role": Role.DATABASE.value}]}, files)


def _facts_of_trial(group: TrialFiles, index: int) -> Facts:
    return clients_facts([_facts_of_set(file.reading, index) for file in group.all])


def _facts_of_set(reading: LogReading, index: int) -> Facts:
    """A file's facts, and those of its one trial set where the sets differ."""
    if index >= len(reading.set_facts):
        return reading.facts
    own = reading.set_facts[index]
    known = {field.name: value for field in fields(own) if (value := getattr(own, field.name)) is not None}
    return replace(reading.facts, **known)


def _imported(
    metadata: dict[str, Any], groups: Sequence[TrialFiles], logged: Sequence[LoggedTrial], index: int, *, tool: str
) -> Imported:
    loads = loads_of(metadata, logged, [_facts_of_trial(trial.group, index) for trial in logged], tool=tool)
    facts = loads.facts
    readings = with_kind(metadata, [trial.clients for trial in logged], tool=tool)
    content, from_log = complete(metadata, facts, tool=tool, threads=facts.threads)
    trials, about_trials = _trials(groups, readings)
    trials = tuple(_with_load(trial, load, loads) for trial, load in zip(trials, loads.of_trials, strict=True))
    content["trials"] = [_trial_content(trial) for trial in trials]
    from_log |= _add_disk_tests(content, groups)
    return Imported(
        content=content,
        trials=trials,
        files=tuple(
            # a log that holds several trials belongs to none of them alone
            OwnedFile(file, index if len(groups) == len(trials) else None)
            for index, group in enumerate(groups)
            for file in group.all
        ),
        from_log=from_log,
        has_unknown_limit=bool(facts.has_unknown_limit),
        warnings=(
            *(
                warning
                for group in groups
                for file in group.all
                for warning in (*file.member.warnings, *_not_read(file), *file.reading.warnings)
            ),
            *about_trials,
            *((LIMIT_NOT_STATED,) if facts.has_unknown_limit else ()),
        ),
        is_log_date="#/measured_at" in from_log and _is_same_minute(metadata.get("measured_at"), facts.measured_at),
        file_date=_file_date(groups),
    )


def _not_read(file: ReadFile) -> Sequence[str]:
    words = lines_not_read_words(file.reading.lines_not_read_count, file.reading.lines_not_read)
    return (f"{file.member.name}: {words}",) if words else ()


def _with_load(trial: TrialResult, load: Load, loads: Loads) -> TrialResult:
    """With the load that is its own: of a curve, or one that only the uploader states."""
    own = load.limits.ops_s if loads.is_curve else None
    threads = load.threads if loads.is_curve else trial.threads
    return replace(
        trial,
        threads=threads or load.stated.threads,
        offered_ops_s=trial.offered_ops_s or own or (None if load.limits.ops_s else load.stated.offered_ops_s),
    )


def _is_same_minute(stated: Any, from_log: datetime | None) -> bool:
    """Whether a form repeats the log's time, or nothing was stated; another time near it is the uploader's own."""
    if stated in (None, "") or from_log is None:
        return True
    try:
        return abs(datetime.fromisoformat(str(stated)) - from_log) < timedelta(minutes=1)
    except (ValueError, TypeError):  # refused later, or without a zone
        return False


def _file_date(groups: Sequence[TrialFiles]) -> datetime | None:
    known = [file.member.modified_at for group in groups for file in group.all]
    return min((date for date in known if date is not None), default=None)


def _trials(
    groups: Sequence[TrialFiles], readings: list[list[TrialReading]]
) -> tuple[tuple[TrialResult, ...], tuple[str, ...]]:
    """The trials, and what to say about their histogram files; these are of no use where a log holds several."""
    trials: list[TrialResult] = []
    warnings: dict[str, None] = {}
    owners = groups if len(groups) == len(readings) else [None] * len(readings)
    for clients, group in zip(readings, owners, strict=True):
        files = [file.reading for file in group.histograms] if group else []
        sets: list[Sequence[Histogram]] = [each.histograms for each in files if each.tool != ycsb_histograms.TOOL]
        of_ycsb = [each for file in files if file.tool == ycsb_histograms.TOOL for each in file.histograms]
        client_sets, fault = ycsb_histograms.client_sets(clients, of_ycsb)
        trial = from_clients(clients, [*sets, *client_sets])
        if fault:
            warnings[fault] = None
        elif group and group.logs[0].reading.tool == "ycsb" and ycsb_histograms.lacks_percentiles(trial):
            warnings[ycsb_histograms.NO_COMMON_PERCENTILES] = None
        trials.append(trial)
    return tuple(trials), tuple(warnings)


def _add_disk_tests(content: dict[str, Any], groups: Sequence[TrialFiles]) -> frozenset[str]:
    """Behind those that the uploader stated; returns the pointers of what was added."""
    stated = content.get("disk_tests") or []
    measured = [
        {"tool": file.reading.tool, **asdict(test)}
        for group in groups
        for file in group.others
        for test in file.reading.disk_tests
    ]
    if not measured or not isinstance(stated, list):
        return frozenset()  # what is no list is refused by the document's own check
    content["disk_tests"] = [*stated, *measured]
    return frozenset(f"#/disk_tests/{len(stated) + index}" for index in range(len(measured)))


def _trial_content(trial: TrialResult) -> dict[str, Any]:
    return {
        "throughput_ops_s": trial.throughput_ops_s,
        "operations": trial.operations,
        "errors": trial.errors,
        "duration_s": trial.duration_s,
        "started_at": trial.started_at,
        "threads": trial.threads,
        "offered_ops_s": trial.offered_ops_s,
        "client_count": trial.client_count,
        "latency_kind": trial.latency_kind.value,
        "latency_ms": asdict(trial.latency),
    }

"""Several runs in one file: repetitions are trials, other loads are points of a curve, other workloads are results.

A parser of text gives its runs to `read_runs`, which puts the lines of each together, and to `joined`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

from submissions.ingest.document.readings import Facts, LogReading, TrialReading
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.not_read import NotRead

MAX_RUNS = 100
_MIX_TOLERANCE = 0.05  # measured shares of the same mix differ by chance
_MOST_OF_RUN = 0.9
_LIMITS = ("throttle_ops_s", "fixed_rate_ops_s")
_LOAD = frozenset({"threads", *_LIMITS, "has_unknown_limit", "requested_operations", "requested_duration_s"})
# What two runs of the same workload may each state in their own way.
_FREE = frozenset({"operations", "command", "title", "settings", "measured_at", "node_count"})
COUNTED_ONCE = "the file has the same run more than once: it is counted once"
UNNAMED = "the log does not name the operations of its runs: they are taken for repetitions of the same"


@dataclass(frozen=True, slots=True)
class RunReading:
    """What one run states."""

    facts: Facts
    trial: TrialReading
    warnings: tuple[str, ...] = ()
    start: int = 0  # of the tool: what was started once has one load
    settings: frozenset[tuple[str, str]] | None = None  # of the tool, that are no facts; None: not printed


class Run(ABC):
    """The lines of one run, as far as they were read."""

    def __init__(self) -> None:
        self.not_read = NotRead()

    @abstractmethod
    def read(self, line: str) -> bool:
        """False, and nothing is read, where the line belongs to the next run."""

    @abstractmethod
    def readings(self) -> Sequence[RunReading]:
        """Several where the tool repeats its measurement. Raises ParseError where the run has no result."""

    def takes(self, following: Any) -> bool:
        """Whether what follows was this run's own rows, printed to another stream and put behind its summary.

        They are then read.
        """
        return False


R = TypeVar("R", bound=Run)


def read_runs(
    lines: Iterable[str], start: Callable[[], R], *, may_repeat: Callable[[str], bool] = lambda line: False
) -> list[R]:
    """The runs of a file, in order. A line equal to the one before is read once, unless it `may_repeat`."""
    runs = [start()]
    before = None
    for line in lines:
        if line == before and not may_repeat(line):
            continue
        before = line
        if not runs[-1].read(line):
            if len(runs) >= MAX_RUNS:
                raise ParseError(f"more than {MAX_RUNS} runs in the file")
            if len(runs) > 1 and runs[-2].takes(runs[-1]):
                runs.pop()
            runs.append(start())
            runs[-1].read(line)
    if len(runs) > 1 and runs[-2].takes(runs[-1]):
        runs.pop()
    return runs


def is_length_of(rows_s: float, run_s: float) -> bool:
    """Whether rows end where a run does: the last row may be missing."""
    return rows_s <= run_s + 1 and rows_s >= run_s * _MOST_OF_RUN


def reading_of(tool: str, runs: Sequence[Run], *, warnings: Iterable[str] = ()) -> LogReading:
    """Of all runs. Raises ParseError where none has a result; one without is left out, and that is said."""
    readings: list[RunReading] = []
    refused: list[str] = []
    for start, run in enumerate(runs):
        try:
            readings += [replace(reading, start=start) for reading in run.readings()]
        except ParseError as error:
            refused.append(str(error))
    if not readings:
        raise ParseError("; ".join(dict.fromkeys(refused)))
    excluded = [f"a run of the file is left out: {reason}" for reason in dict.fromkeys(refused)]
    not_read = NotRead.total(run.not_read for run in runs)
    return joined(tool, readings, warnings=(*warnings, *excluded), not_read=not_read)


def joined(
    tool: str,
    readings: Sequence[RunReading],
    *,
    warnings: Iterable[str] = (),
    not_read: NotRead | None = None,
    load_line: str = "",
) -> LogReading:
    """Of one run just what it states. `load_line` is how the tool states its threads."""
    about = [warning for each in readings for warning in each.warnings] + list(warnings)
    different = _without_repetitions(readings)
    if len(different) < len(readings):
        about.append(COUNTED_ONCE)
    groups = _by_workload(different)
    if any(group[0].facts.operations is None and len({each.start for each in group}) > 1 for group in groups):
        about.append(UNNAMED)
    for group in groups:
        _refuse_unknown_loads(group, load_line)
    facts = [_common(group) for group in groups]
    is_single = len(groups) == 1
    return LogReading(
        tool=tool,
        facts=facts[0] if is_single else Facts(),
        set_facts=() if is_single else tuple(facts),
        trial_sets=_by_load(groups[0]) if is_single else tuple(_trials(group) for group in groups),
        warnings=tuple(dict.fromkeys(about)),
        lines_not_read=not_read.lines() if not_read else (),
        lines_not_read_count=not_read.count if not_read else 0,
    )


def _without_repetitions(readings: Sequence[RunReading]) -> list[RunReading]:
    different: list[RunReading] = []
    for reading in readings:
        if not any(replace(reading, start=each.start, warnings=each.warnings) == each for each in different):
            different.append(reading)
    return different


def _by_workload(readings: Sequence[RunReading]) -> list[list[RunReading]]:
    groups: list[list[RunReading]] = []
    for reading in readings:
        group = next((each for each in groups if all(_is_same(reading, other) for other in each)), None)
        if group is None:
            groups.append([reading])
        else:
            group.append(reading)
    return groups


def _is_same(one: RunReading, other: RunReading) -> bool:
    """Whether two runs have the same workload. What one of them does not state is no difference, but its operations."""
    first, second = one.facts, other.facts
    if not same_mix(first.operations, second.operations):
        return False
    if None not in (one.settings, other.settings) and one.settings != other.settings:
        return False
    for field in fields(Facts):
        if field.name not in _LOAD and field.name not in _FREE:
            values = getattr(first, field.name), getattr(second, field.name)
            if None not in values and values[0] != values[1]:
                return False
    return True


def same_mix(first: dict[str, float] | None, second: dict[str, float] | None) -> bool:
    if first is None or second is None:
        return first is second
    return all(abs(first.get(name, 0) - second.get(name, 0)) <= _MIX_TOLERANCE for name in {*first, *second})


def _refuse_unknown_loads(group: Sequence[RunReading], load_line: str) -> None:
    """Runs of which nobody knows the threads may be repetitions, or a curve."""
    starts = {each.start for each in group}
    unknown = len({each.start for each in group if _threads(each) is None})
    if len(starts) > 1 and unknown:
        raise ParseError(
            f"{len(starts)} runs of the same workload, and the threads (clients, users) of {unknown} of them are not in"
            " the file: they could be repetitions or the points of a load curve. Add the lines that state them"
            f"{f' ({load_line})' if load_line else ''}, or upload one file per run and state its threads"
        )


def _threads(reading: RunReading) -> int | None:
    return reading.trial.threads or reading.facts.threads or reading.facts.threads_per_vcpu


def _common(group: Sequence[RunReading]) -> Facts:
    """The facts of one workload: the first that are stated, and a load that all runs share."""
    if len(group) == 1:
        return group[0].facts
    values = {}
    for field in fields(Facts):
        values_of_runs = [getattr(each.facts, field.name) for each in group]
        stated = [value for value in values_of_runs if value is not None]
        if field.name == "has_unknown_limit":
            values[field.name] = True if any(stated) else None
        elif field.name in _LOAD:
            values[field.name] = stated[0] if len(set(values_of_runs)) == 1 and stated else None
        elif field.name == "measured_at":
            values[field.name] = min(stated, default=None)
        else:
            values[field.name] = stated[0] if stated else None
    if _differ_in_rate(group):  # the command line of a limited run would limit all
        values["command"] = next((each.facts.command for each in group if _limits(each.facts) == (None, None)), None)
    return Facts(**values)


def _limits(facts: Facts) -> tuple[float | None, float | None]:
    return facts.throttle_ops_s, facts.fixed_rate_ops_s


def _differ_in_rate(group: Sequence[RunReading]) -> bool:
    return len({_limits(each.facts) for each in group}) > 1


def _trials(group: Sequence[RunReading]) -> tuple[TrialReading, ...]:
    """Each with its own load and, where there are several, its own start."""
    if len(group) == 1:
        return (group[0].trial,)
    has_rates = _differ_in_rate(group)
    return tuple(
        replace(
            each.trial,
            threads=each.trial.threads or each.facts.threads,
            started_at=each.trial.started_at or each.facts.measured_at,
            throttle_ops_s=each.facts.throttle_ops_s if has_rates else None,
            fixed_rate_ops_s=each.facts.fixed_rate_ops_s if has_rates else None,
        )
        for each in group
    )


def _by_load(group: Sequence[RunReading]) -> tuple[tuple[TrialReading, ...], ...]:
    sets: dict[tuple[object, ...], list[TrialReading]] = {}
    for trial in _trials(group):
        sets.setdefault((trial.threads, trial.throttle_ops_s, trial.fixed_rate_ops_s), []).append(trial)
    return tuple(tuple(trials) for trials in sets.values())

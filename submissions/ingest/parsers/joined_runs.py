"""Several runs in one file: trials of one result, points of its load curve, or results of their own."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from submissions.ingest.document.readings import Facts, LogReading, TrialReading
from submissions.ingest.parsers.errors import ParseError

MAX_RUNS = 200
_OF_A_RUN = ("measured_at", "operations")  # two runs of one mix differ in these by chance


@dataclass(frozen=True, slots=True)
class Run:
    """`facts` is what the file states about this run."""

    facts: Facts
    trial: TrialReading
    warnings: tuple[str, ...] = ()


def reading(tool: str, runs: Sequence[Run]) -> LogReading:
    """Runs that differ in nothing are trials; in their threads only, a load curve; else each is a submission."""
    if len(runs) > MAX_RUNS:
        raise ParseError(f"more than {MAX_RUNS} runs in the file")
    sets = _sets(runs)
    facts = [alike[0].facts for alike in sets]
    is_curve = len({_without_threads(each) for each in facts}) == 1
    common = facts[0] if len(sets) == 1 else _common(facts)
    return LogReading(
        tool=tool,
        facts=replace(common, operations=facts[0].operations) if is_curve else common,
        trial_sets=tuple(tuple(run.trial for run in alike) for alike in sets),
        set_facts=() if is_curve else tuple(facts),
        warnings=tuple(dict.fromkeys(warning for run in runs for warning in run.warnings)),
    )


def _sets(runs: Sequence[Run]) -> list[list[Run]]:
    """A run that is there already, figure by figure, was pasted twice."""
    by_settings: dict[str, list[Run]] = {}
    for run in runs:
        alike = by_settings.setdefault(_settings(run.facts), [])
        if run not in alike:
            alike.append(run)
    return list(by_settings.values())


def _settings(facts: Facts) -> str:
    mix = sorted(facts.operations or ())
    return repr((mix, replace(facts, **dict.fromkeys(_OF_A_RUN))))


def _without_threads(facts: Facts) -> str:
    # a command line has the threads in it
    return _settings(replace(facts, threads=None, command=None))


def _common(all_facts: Sequence[Facts]) -> Facts:
    values: dict[str, Any] = {}
    for field in fields(Facts):
        found = [getattr(facts, field.name) for facts in all_facts]
        if all(value == found[0] for value in found):
            values[field.name] = found[0]
    if any(facts.measured_at for facts in all_facts):
        values["measured_at"] = min(facts.measured_at for facts in all_facts if facts.measured_at)
    return Facts(**values)

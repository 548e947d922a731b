"""Logs read one by one: what is wrong with one of them stops no other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchsite.refusals import Refusal
from submissions.analysis.trials import headline
from submissions.ingest.files.member import Member
from submissions.ingest.files.open import Unopened
from submissions.ingest.logs.read import OfferedFile, ReadFile, read_log
from submissions.ingest.logs.trial_results import from_clients, latency_headline


@dataclass(frozen=True, slots=True)
class Figures:
    """Of one file; None where it has none, or where its results have one each."""

    throughput_ops_s: float | None = None
    latency_p99_ms: float | None = None
    trials: int = 0
    results: int = 0  # more than one for a log with a set of trials for each thread count


def read_each(
    opened: Sequence[Member | Unopened], trials: Mapping[str, str] | None = None
) -> list[ReadFile | Unopened]:
    """`trials` names the trial of a file by its pointer."""
    return [_read(each, trials or {}) for each in opened]


def _read(opened: Member | Unopened, trials: Mapping[str, str]) -> ReadFile | Unopened:
    if isinstance(opened, Unopened):
        return opened
    try:
        return read_log(OfferedFile(opened, trials.get(opened.pointer)))
    except Refusal as error:
        return Unopened(opened.name, "; ".join(fault.detail for fault in error.faults))


def figures_of(file: ReadFile) -> Figures:
    sets = file.reading.trial_sets
    if len(sets) != 1:
        return Figures(trials=sum(len(trials) for trials in sets), results=len(sets))
    trials = [from_clients([reading]) for reading in sets[0]]
    rates = [trial.throughput_ops_s for trial in trials if trial.throughput_ops_s is not None]
    return Figures(
        throughput_ops_s=headline(rates).mean if rates else None,
        latency_p99_ms=latency_headline(trials).latency.p99 if trials else None,
        trials=len(trials),
        results=1,
    )

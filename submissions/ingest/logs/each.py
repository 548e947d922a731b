"""Logs read one by one: what is wrong with one of them stops no other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchsite.http.refusals import Refusal
from submissions.analysis.trials import headline
from submissions.ingest.curves.load_curve import at_peak, points_of
from submissions.ingest.files.member import Member
from submissions.ingest.files.open import Unopened
from submissions.ingest.logs.read import UNSTATED, OfferedFile, ReadFile, StatedLoad, read_log
from submissions.ingest.logs.trial_results import from_clients, latency_headline


@dataclass(frozen=True, slots=True)
class Figures:
    """Of one file, of a load curve those of its peak; None where it has none, or where its results have one each."""

    throughput_ops_s: float | None = None
    latency_p99_ms: float | None = None
    trials: int = 0
    results: int = 0  # more than one where their settings differ


def read_each(
    opened: Sequence[Member | Unopened],
    trials: Mapping[str, str] | None = None,
    loads: Mapping[str, StatedLoad] | None = None,
) -> list[ReadFile | Unopened]:
    """`trials` names the trial of a file by its pointer, `loads` has what the uploader states of its load."""
    return [_read(each, trials or {}, loads or {}) for each in opened]


def _read(opened: Member | Unopened, trials: Mapping[str, str], loads: Mapping[str, StatedLoad]) -> ReadFile | Unopened:
    if isinstance(opened, Unopened):
        return opened
    try:
        load = loads.get(opened.pointer, UNSTATED)
        return read_log(OfferedFile(opened, trials.get(opened.pointer), load))
    except Refusal as error:
        return Unopened(opened.name, "; ".join(fault.detail for fault in error.faults))


def figures_of(file: ReadFile) -> Figures:
    sets = file.reading.trial_sets
    count = sum(len(trials) for trials in sets)
    if not sets or file.reading.set_facts:
        return Figures(trials=count, results=len(sets))
    every = [from_clients([reading]) for trials in sets for reading in trials]
    trials = at_peak(every, points_of(every)) if every else ()
    rates = [trial.throughput_ops_s for trial in trials if trial.throughput_ops_s is not None]
    return Figures(
        throughput_ops_s=headline(rates).mean if rates else None,
        latency_p99_ms=latency_headline(trials).latency.p99 if trials else None,
        trials=count,
        results=1,
    )

"""What an upload would become, before anything is stored: of its logs with the uploader's facts, complete or not."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from benchsite.http.refusals import Fault, Refusal
from submissions.analysis.documents import facts
from submissions.formatting.facts import disk_text, field_label, field_text
from submissions.ingest.logs.document import Imported, submissions_of_logs
from submissions.ingest.logs.read import ReadFile
from submissions.ingest.logs.trial_results import TrialResult
from submissions.ingest.pipeline import Prepared, prepare_readings
from submissions.ingest.provenance import Origin, SourcedFact
from submissions.upload.document_form import Place, place_of


@dataclass(frozen=True, slots=True)
class Unfinished:
    """What the logs alone say of one submission whose facts are not complete."""

    facts: dict[str, Any]  # flat, as in analysis/documents.py
    trials: tuple[TrialResult, ...]


@dataclass(frozen=True, slots=True)
class Preview:
    """Either `prepared` or `faults`, and what the logs alone say."""

    prepared: tuple[Prepared, ...] = ()
    faults: tuple[Fault, ...] = ()
    unfinished: tuple[Unfinished, ...] = ()  # empty: the logs cannot be read together
    from_log: Mapping[str, Any] | None = None  # the part of a document that the logs alone give
    warnings: tuple[str, ...] = ()

    @property
    def trials(self) -> list[tuple[TrialResult, ...]]:
        """Of each submission that the logs become."""
        return [unfinished.trials for unfinished in self.unfinished]

    @property
    def client_count(self) -> int:
        """How many clients the first trial's logs come from."""
        return (self.trials[0][0].client_count if self.trials else None) or 1

    @property
    def lines(self) -> list["FactLine"]:
        """The facts of the first submission, in words."""
        if self.prepared:
            return fact_lines(self.prepared[0])
        return [line for unfinished in self.unfinished[:1] for line in lines_of_log(unfinished)]


def preview_of(files: Sequence[ReadFile], metadata: Mapping[str, Any], received_at: datetime | None = None) -> Preview:
    """Faults are part of the preview; none is raised. By default the files are received now."""
    try:
        alone = _of_logs(submissions_of_logs(files))
    except Refusal as error:
        return Preview(faults=error.faults)
    try:
        prepared = tuple(prepare_readings(metadata, files, received_at=received_at))
    except Refusal as error:
        return replace(alone, faults=error.faults)
    warnings = (warning for submission in prepared for warning in submission.warnings)
    return replace(alone, prepared=prepared, warnings=tuple(dict.fromkeys((*alone.warnings, *warnings))))


def _of_logs(imported: Sequence[Imported]) -> Preview:
    return Preview(
        unfinished=tuple(Unfinished(facts(submission.content), submission.trials) for submission in imported),
        from_log=_common_content(imported),
        warnings=tuple(dict.fromkeys(warning for submission in imported for warning in submission.warnings)),
    )


def _common_content(imported: Sequence[Imported]) -> dict[str, Any]:
    """What every submission of the logs has: not the thread count, where there is one for each."""
    first = {name: value for name, value in imported[0].content.items() if name != "trials"}
    workload = first.get("workload", {})
    threads = {submission.content.get("workload", {}).get("threads") for submission in imported}
    if len(threads) > 1:
        workload = {name: value for name, value in workload.items() if name != "threads"}
    return {**first, "workload": workload}


@dataclass(frozen=True, slots=True)
class FactLine:
    """One fact in words."""

    label: str
    value: str
    source: Origin
    note: str = ""


def fact_lines(prepared: Prepared) -> list[FactLine]:
    """Every fact but the trials, which have a table of their own."""
    lines = []
    for fact in prepared.understood:
        place = place_of(fact.pointer)
        if place[0] == "nodes":
            lines += _node_line(prepared, place, fact)
        elif place[0] != "trials":
            lines.append(_line(place, fact))
    return lines


def lines_of_log(unfinished: Unfinished) -> list[FactLine]:
    """The same for logs whose facts are not complete: all of it is the log's."""
    return [
        FactLine(field_label(name), field_text(name, value) or "", Origin.LOG)
        for name, value in unfinished.facts.items()
    ]


def _line(place: Place, fact: SourcedFact) -> FactLine:
    name = ".".join(str(part) for part in place if not isinstance(part, int))
    return FactLine(field_label(name), field_text(name, fact.value) or "", fact.source)


def _node_line(prepared: Prepared, place: Place, fact: SourcedFact) -> list[FactLine]:
    index, field = int(place[1]), str(place[2])
    group, price = prepared.document.nodes[index], prepared.priced.groups[index]
    label = field_label(f"nodes.{group.role}.{field}")
    if field == "role":
        return []
    if field == "disks":
        if place[-1] != "kind":  # a disk is one line, that of its kind
            return []
        disk = group.disks[int(place[3])].model_dump(mode="json")
        return [FactLine(label, disk_text(disk), fact.source)]
    note = ""
    if field == "hourly_usd" and fact.source == Origin.PRICE_BOOK:
        note = f"{price.price_source}, {price.price_date}"
    value = field_text(f"nodes.{field}", fact.value) or ""
    return [FactLine(label, value, fact.source, note)]

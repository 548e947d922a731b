"""What an upload would become, worked out before anything is saved, complete or not."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from benchsite.refusals import Fault, Refusal
from submissions.analysis.documents import facts
from submissions.choices import Role
from submissions.formatting import facts as fact_words
from submissions.ingest import uploads
from submissions.ingest.logs import read as log_import
from submissions.ingest.logs.group import OfferedFile
from submissions.ingest.logs.trial_results import TrialResult
from submissions.ingest.pipeline import Prepared, prepare_import
from submissions.ingest.understood import Origin, Understood
from submissions.models import Upload
from submissions.upload.document_form import Place, place_of


@dataclass(frozen=True, slots=True)
class Unfinished:
    """What the logs alone say of one submission whose facts are not complete."""

    facts: dict[str, Any]  # flat, as in analysis/documents.py
    trials: tuple[TrialResult, ...]


@dataclass(frozen=True, slots=True)
class Preview:
    """Either `prepared` or `faults`; what the logs alone say stands beside both."""

    prepared: tuple[Prepared, ...]
    faults: tuple[Fault, ...]
    unfinished: tuple[Unfinished, ...]  # empty: the logs themselves cannot be read
    from_log: Mapping[str, Any]  # the part of a document that the logs alone give
    warnings: tuple[str, ...]

    @property
    def trials(self) -> list[tuple[TrialResult, ...]]:
        """Of each submission that the logs become."""
        return [one.trials for one in self.unfinished]


def preview(upload: Upload, metadata: Mapping[str, Any]) -> Preview:
    """Read the logs with the uploader's facts; every fault is told, none is raised."""
    try:
        logs = uploads.logs_of(upload)
        alone = _of_logs(_read(logs))
    except Refusal as error:
        return Preview((), error.faults, (), {}, ())
    try:
        prepared = tuple(prepare_import(metadata, logs))
    except Refusal as error:
        return replace(alone, faults=error.faults)
    return replace(alone, prepared=prepared)


def check_readable(upload: Upload) -> None:
    """Raises Refusal where the logs cannot be read, whatever the uploader would add."""
    _read(uploads.logs_of(upload))


def _read(logs: list[OfferedFile]) -> list[log_import.Imported]:
    # an unnamed database group takes the number of nodes that the log knows
    return log_import.submissions_in({"nodes": [{"role": Role.DATABASE.value}]}, logs)


def _of_logs(imported: list[log_import.Imported]) -> Preview:
    return Preview(
        prepared=(),
        faults=(),
        unfinished=tuple(Unfinished(facts(one.content), one.trials) for one in imported),
        from_log=_common_content(imported),
        warnings=tuple(dict.fromkeys(warning for one in imported for warning in one.warnings)),
    )


def _common_content(imported: list[log_import.Imported]) -> dict[str, Any]:
    """What every submission of the logs has: not the thread count, where there is one for each."""
    first = {name: value for name, value in imported[0].content.items() if name != "trials"}
    workload = first.get("workload", {})
    threads = {one.content.get("workload", {}).get("threads") for one in imported}
    if len(threads) > 1:
        workload = {name: value for name, value in workload.items() if name != "threads"}
    return {**first, "workload": workload}


@dataclass(frozen=True, slots=True)
class FactLine:
    """One understood fact in words."""

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
        FactLine(fact_words.label(name), fact_words.shown(name, value) or "", Origin.LOG)
        for name, value in unfinished.facts.items()
    ]


def _line(place: Place, fact: Understood) -> FactLine:
    name = ".".join(str(part) for part in place if not isinstance(part, int))
    return FactLine(fact_words.label(name), fact_words.shown(name, fact.value) or "", fact.source)


def _node_line(prepared: Prepared, place: Place, fact: Understood) -> list[FactLine]:
    index, field = int(place[1]), str(place[2])
    group, price = prepared.document.nodes[index], prepared.priced.groups[index]
    label = fact_words.label(f"nodes.{group.role}.{field}")
    if field == "role":
        return []
    if field == "disks":
        if place[-1] != "kind":  # a disk is one line, where its kind stands
            return []
        disk = group.disks[int(place[3])].model_dump(mode="json")
        return [FactLine(label, fact_words.disk(disk), fact.source)]
    note = ""
    if field == "hourly_usd" and fact.source == Origin.PRICE_BOOK:
        note = f"{price.price_source}, {price.price_date}"
    value = fact_words.shown(f"nodes.{field}", fact.value) or ""
    return [FactLine(label, value, fact.source, note)]

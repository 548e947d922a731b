"""What the page of many logs says in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from benchsite.http.refusals import Fault
from submissions import facts
from submissions.choices import ArtifactKind, Role
from submissions.formatting.facts import field_label
from submissions.formatting.text import in_sentence, join_and, plural
from submissions.ingest.batches import Result
from submissions.upload.document_form import place_of

if TYPE_CHECKING:
    from submissions.upload.batch.rows import Row

_REQUIRED = "is required"
_KINDS = {
    ArtifactKind.HISTOGRAM_LOG: "histogram",
    ArtifactKind.DISK_TEST: "disk test",
    ArtifactKind.GRAPH: "graph",
}


def format_name(tool: str, kind: ArtifactKind) -> str:
    words = _KINDS.get(kind)
    return f"{tool} {words}" if words else tool


def becomes(result: Result) -> str:
    """What a log is a part of."""
    submissions = len(result.prepared)
    if submissions > 1:
        return f"{submissions} results with different settings"
    others = len(result.parts) - 1
    return f"Result {result.number}, with {plural(others, 'other file')}" if others else "Separate result"


def reasons(faults: Sequence[Fault]) -> tuple[str, ...]:
    """What is missing in one sentence, then everything else as it was refused."""
    missing, others = _missing(faults), _others(faults)
    return (*((f"{_sentence(missing)} missing",) if missing else ()), *others)


def lacking(common: Sequence[Fault]) -> str:
    """What keeps all results from being published; "" where nothing does."""
    missing, others = _missing(common), _others(common)
    needed = f"Still needed for all results: {_sentence(missing, is_start=False)}. Enter them below." if missing else ""
    refused = [text if text.endswith(".") else f"{text}." for text in others]
    return " ".join(filter(None, (needed, "For all results:" if refused else "", *refused)))


def _missing(faults: Sequence[Fault]) -> list[str]:
    """What is required, each once."""
    return list(dict.fromkeys(_label(fault) for fault in faults if fault.detail == _REQUIRED))


def _others(faults: Sequence[Fault]) -> list[str]:
    return [fault.detail for fault in faults if fault.detail != _REQUIRED]


def _sentence(labels: Sequence[str], *, is_start: bool = True) -> str:
    """ "Database, provider and machines"; in the middle of a sentence "database, provider and machines"."""
    text = join_and([in_sentence(label) for label in labels])
    return text[:1].upper() + text[1:] if is_start else text


def _label(fault: Fault) -> str:
    if fault.pointer in ("#/service", "#/service/name"):
        return facts.SERVICE.label
    if fault.pointer == "#/nodes":
        return "machines"
    parts = [part for part in place_of(fault.pointer) if not isinstance(part, int)]
    if parts[:1] == ["nodes"] and len(parts) > 1:
        parts.insert(1, Role.DATABASE.value)
    return field_label(".".join(str(part) for part in parts))


def counts(rows: Sequence[Row]) -> tuple[int, int]:
    """Files that the button publishes, and those that it skips; what is published already is neither."""
    ready = sum(row.is_ready for row in rows)
    return ready, sum(not row.part.is_published for row in rows) - ready


def publish_button(rows: Sequence[Row]) -> str:
    ready, skipped = counts(rows)
    return f"Publish {ready}, skip {skipped}" if skipped else f"Publish {ready}"


def finding(rows: Sequence[Row], results: Sequence[Result]) -> str:
    """The page's first sentence."""
    published = [row for row in rows if row.part.is_published]
    if published:
        numbers = {submission.pk for row in published for submission in row.published}
        skipped = len(rows) - len(published)
        done = f"Published {plural(len(numbers), 'result')} from {plural(len(published), 'file')}."
        return (
            f"{done} {plural(skipped, 'file was', 'files were')} skipped: the reasons are below." if skipped else done
        )
    readable = sum(row.is_editable for row in rows)
    refused = len(rows) - readable
    read = f"{readable} of {plural(len(rows), 'file')} can be read and become {plural(len(results), 'result')}"
    about = f"; {plural(refused, 'file is', 'files are')} refused" if refused else ""
    return f"{read}{about}. Nothing is published yet."

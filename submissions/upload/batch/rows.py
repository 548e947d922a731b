"""The rows of the table of many logs: what was read in each, and what becomes of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchsite.http.refusals import Fault
from submissions.formatting.names import tool_name
from submissions.ingest.batches import BatchLog, Result
from submissions.ingest.checks.duplicates import Duplicate, allows_duplicates
from submissions.ingest.logs.each import Figures, figures_of
from submissions.ingest.parsers import UNKNOWN_FORMAT
from submissions.models import PUBLICATION_FIELDS, Submission, Upload
from submissions.upload.batch import sentences


@dataclass(frozen=True, slots=True)
class Row:
    part: BatchLog
    format: str = ""
    figures: Figures = Figures()
    result: Result | None = None  # of a chosen log that waits
    published: tuple[Submission, ...] = ()
    reasons: tuple[str, ...] = ()

    @property
    def upload(self) -> Upload:
        return self.part.upload

    @property
    def trial(self) -> str:
        return str(self.upload.files[0]["trial"]) if self.upload.files else ""

    @property
    def is_ready(self) -> bool:
        return self.result is not None and not self.result.faults

    @property
    def is_editable(self) -> bool:
        return self.part.file is not None

    @property
    def is_first(self) -> bool:
        """Of its result: there its details are edited."""
        return self.result is not None and self.result.parts[0].upload.pk == self.upload.pk

    @property
    def has_own_facts(self) -> bool:
        return self.is_first and bool(self.upload.metadata)

    @property
    def duplicate(self) -> Duplicate | None:
        """The result that its log is part of already."""
        sums = {entry["sha256"] for entry in self.upload.files}
        found = self.result.duplicates if self.result else ()
        return next((each for each in found if each.log.sha256 in sums), None)

    @property
    def may_repeat_logs(self) -> bool:
        return allows_duplicates(self.upload)

    @property
    def names_itself(self) -> bool:
        """Whether its reason begins with its name, which need not stand before it."""
        return bool(self.reasons) and self.reasons[0].startswith(self.part.name)

    @property
    def is_unknown_format(self) -> bool:
        return any(UNKNOWN_FORMAT in reason for reason in self.reasons)

    @property
    def becomes(self) -> str:
        return sentences.becomes(self.result) if self.result else ""


def rows_of(parts: Sequence[BatchLog], results: Sequence[Result], common: Sequence[Fault] = ()) -> list[Row]:
    """Without the faults that are shown once for all."""
    result_of = {part.upload.pk: result for result in results for part in result.parts}
    return [_row(part, result_of.get(part.upload.pk), common) for part in parts]


def _row(part: BatchLog, result: Result | None, common: Sequence[Fault]) -> Row:
    if part.file is None:
        published = part.upload.submissions.only(*PUBLICATION_FIELDS).order_by("pk") if part.is_published else ()
        return Row(part, published=tuple(published), reasons=_texts(part))
    faults = [fault for fault in result.faults if fault not in common] if result else []
    figures = figures_of(part.file)
    label = sentences.format_name(tool_name(part.file.reading.tool), part.file.kind)
    return Row(part, label, figures, result, reasons=sentences.reasons(faults) if result else _texts(part))


def _texts(part: BatchLog) -> tuple[str, ...]:
    """Without the name of the file, beside which they are shown."""
    texts = sentences.reasons([Fault(error["pointer"], str(error["detail"])) for error in part.upload.errors])
    return tuple(text.removeprefix(f"{part.name}: ") for text in texts)

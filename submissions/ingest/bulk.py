"""Many submissions, one JSON document a line: each line is stored or refused on its own."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from django.contrib.auth.models import User

from benchsite.http.refusals import Fault, Refusal
from benchsite.http.strict_json import MAX_LINE_BYTES, read_json
from submissions.choices import Trust
from submissions.ingest.attach_prices import load_book
from submissions.ingest.document.submission import SubmissionDocument
from submissions.ingest.pipeline import checked_without_log, prepare_checked
from submissions.ingest.store.store import store_each
from submissions.models import Submission

BATCH_LINES = 200


@dataclass(frozen=True, slots=True)
class LineOutcome:
    """The outcome of one line; `line` counts from 1, blank lines included."""

    line: int
    submission: Submission | None = None
    created: bool = False
    refusal: Refusal | None = None

    @property
    def faults(self) -> tuple[Fault, ...]:
        return self.refusal.faults if self.refusal else ()


def submit_lines(
    lines: Iterable[bytes], *, submitted_by: User | None, trust: Trust = Trust.UPLOADED
) -> Iterator[LineOutcome]:
    """Store each line's document; one outcome for each line that is not blank, in order.

    A batch is priced by one query and written in one transaction. Memory holds one batch.
    """
    numbered = ((number, line) for number, line in enumerate(lines, start=1) if line.strip())
    while batch := list(islice(numbered, BATCH_LINES)):
        yield from _submit(batch, submitted_by, trust)


def _submit(batch: list[tuple[int, bytes]], submitted_by: User | None, trust: Trust) -> list[LineOutcome]:
    read = [(number, _document(line, trust)) for number, line in batch]
    documents = [document for _, document in read if isinstance(document, SubmissionDocument)]
    book = load_book(documents)
    stored = iter(
        store_each(
            [prepare_checked(document, trust=trust, book=book) for document in documents],
            submitted_by=submitted_by,
        )
    )
    outcomes = []
    for number, document in read:
        result = document if isinstance(document, Refusal) else next(stored)
        if isinstance(result, Refusal):
            outcomes.append(LineOutcome(number, refusal=result))
        else:
            outcomes.append(LineOutcome(number, result.submission, result.created))
    return outcomes


def _document(line: bytes, trust: Trust) -> SubmissionDocument | Refusal:
    try:
        if len(line) > MAX_LINE_BYTES:
            raise Refusal.at("#", f"the line is over {MAX_LINE_BYTES:,} bytes")
        return checked_without_log(read_json(line), trust)
    except Refusal as error:
        return error

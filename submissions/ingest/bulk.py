"""Many submissions, one JSON document a line: each line stands or falls alone."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from submissions.choices import Trust
from submissions.ingest.attach_prices import load_book
from submissions.ingest.document import SubmissionDocument
from submissions.ingest.errors import Fault, IngestError
from submissions.ingest.pipeline import checked, prepare_checked, read_json
from submissions.ingest.store import store
from submissions.models import Submission

BATCH_LINES = 200  # priced by one query, written in one transaction
MAX_LINE_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class LineOutcome:
    """What became of one line; `line` counts from 1, blank lines included."""

    line: int
    submission: Submission | None = None
    created: bool = False
    faults: tuple[Fault, ...] = ()


def submit_lines(
    lines: Iterable[bytes], *, submitted_by: AbstractBaseUser | None, trust: Trust = Trust.UPLOADED
) -> Iterator[LineOutcome]:
    """Store each line's document; one outcome for each line that is not blank, in order.

    A batch is written in one transaction, a savepoint for each line. Memory holds one batch.
    """
    numbered = ((number, line) for number, line in enumerate(lines, start=1) if line.strip())
    while batch := list(islice(numbered, BATCH_LINES)):
        yield from _submit(batch, submitted_by, trust)


def _submit(batch: list[tuple[int, bytes]], submitted_by: AbstractBaseUser | None, trust: Trust) -> list[LineOutcome]:
    read = [(number, _document(line, trust)) for number, line in batch]
    book = load_book(document for _, document in read if isinstance(document, SubmissionDocument))
    outcomes = []
    with transaction.atomic():
        for number, document in read:
            if isinstance(document, IngestError):
                outcomes.append(LineOutcome(number, faults=document.faults))
                continue
            stored = store(prepare_checked(document, trust=trust, book=book), submitted_by=submitted_by)
            outcomes.append(LineOutcome(number, stored.submission, stored.created))
    return outcomes


def _document(line: bytes, trust: Trust) -> SubmissionDocument | IngestError:
    try:
        if len(line) > MAX_LINE_BYTES:
            raise IngestError.at("#", f"the line is over {MAX_LINE_BYTES:,} bytes")
        return checked(read_json(line), trust)
    except IngestError as error:
        return error

"""When a result was measured: as stated, else by its log, else by its file, else the day on which it was received."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from submissions.choices import DateSource
from submissions.ingest.document.submission import SubmissionDocument

EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)  # clocks that were never set show 1970 or 1980
CLOCK_GRACE = timedelta(days=1)  # for clocks that are fast, and times without a zone


@dataclass(frozen=True, slots=True)
class Measured:
    """The time whose prices count, and where it comes from."""

    at: datetime
    source: DateSource


def plausible(moment: datetime | None, *, received_at: datetime) -> datetime | None:
    """A time of a log or a file, never after its receipt; None where the clock that wrote it was wrong."""
    if moment is None or not EARLIEST <= moment <= received_at + CLOCK_GRACE:
        return None
    return min(moment, received_at)


def measured(
    document: SubmissionDocument, *, is_log_date: bool, file_date: datetime | None, received_at: datetime
) -> Measured:
    """Of a document whose own date, if it has one, is either stated or a log's."""
    starts = [trial.started_at for trial in document.trials if trial.started_at is not None]
    own = document.measured_at or min(starts, default=None)
    if own is not None:
        return Measured(own, DateSource.LOG if is_log_date else DateSource.STATED)
    if written_at := plausible(file_date, received_at=received_at):
        return Measured(written_at, DateSource.FILE)
    return Measured(received_at, DateSource.RECEIVED)

"""Where each fact of a document came from: shown in the preview, before anything is stored."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from submissions.choices import DateSource
from submissions.ingest.attach_prices import PricedSystem
from submissions.ingest.dates import Measured
from submissions.ingest.document.faults import pointer
from submissions.ingest.document.submission import SubmissionDocument


class Origin(StrEnum):
    LOG = "log"
    UPLOADER = "uploader"
    PRICE_BOOK = "price book"
    FILE = "file"
    RECEIVED = "day of receipt"


_DATES = {
    DateSource.STATED: Origin.UPLOADER,
    DateSource.LOG: Origin.LOG,
    DateSource.FILE: Origin.FILE,
    DateSource.RECEIVED: Origin.RECEIVED,
}


@dataclass(frozen=True, slots=True)
class SourcedFact:
    pointer: str  # RFC 6901, as in the API's errors
    value: Any  # a JSON value
    source: Origin


def sourced_facts(
    document: SubmissionDocument, priced: PricedSystem, measured: Measured, *, from_log: frozenset[str] | None
) -> tuple[SourcedFact, ...]:
    """Every known fact; `from_log` holds the log's pointers, None when there was no log."""
    whole = document.content(exclude_none=True)
    facts = [SourcedFact(place, value, _origin(place, from_log)) for place, value in _leaves(whole, ())]
    if document.measured_at is None:
        facts.append(SourcedFact("#/measured_at", measured.at.isoformat(), _DATES[measured.source]))
    for index, group in enumerate(priced.groups):
        if group.node_hourly_usd is not None and not group.is_price_stated:
            place = pointer(("nodes", index, "hourly_usd"))
            facts.append(SourcedFact(place, str(group.node_hourly_usd), Origin.PRICE_BOOK))
    return tuple(facts)


def _leaves(value: Any, place: tuple[int | str, ...]) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from _leaves(item, (*place, key))
    elif isinstance(value, list) and value:
        for index, item in enumerate(value):
            yield from _leaves(item, (*place, index))
    elif value not in ("", {}, []):
        yield pointer(place), value


def _origin(place: str, from_log: frozenset[str] | None) -> Origin:
    if from_log is None:
        return Origin.UPLOADER
    if place.startswith("#/trials/"):
        return Origin.LOG
    parts = place.split("/")
    prefixes = {"/".join(parts[:length]) for length in range(2, len(parts) + 1)}
    return Origin.LOG if prefixes & from_log else Origin.UPLOADER

"""From a document or logs to what can be stored: every way in ends here, and nothing is written yet."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from django.utils import timezone
from pydantic import ValidationError

from benchsite.http.refusals import Refusal
from benchsite.http.strict_json import read_json
from submissions.analysis.curves.load_curve import LoadPoint
from submissions.analysis.trials import Spread, headline
from submissions.choices import Flag, Trust
from submissions.ingest.attach_prices import PricedSystem, attach_prices, load_book
from submissions.ingest.checks.plausibility import flags_of
from submissions.ingest.checks.stated_prices import check_storable, is_stated_price_off
from submissions.ingest.checks.storage import check_local_disks, is_without_storage
from submissions.ingest.curves.load_curve import at_peak, curve_of
from submissions.ingest.dates import Measured, measured
from submissions.ingest.document import fingerprint
from submissions.ingest.document.faults import refusal
from submissions.ingest.document.load import limits_of
from submissions.ingest.document.submission import SubmissionDocument
from submissions.ingest.logs.databases import contradiction, databases_of
from submissions.ingest.logs.document import Imported, OwnedFile, submissions_in
from submissions.ingest.logs.read import OfferedFile, ReadFile, read_logs
from submissions.ingest.logs.trial_results import LatencyHeadline, TrialResult, from_document, latency_headline
from submissions.ingest.provenance import SourcedFact, sourced_facts
from submissions.ingest.secrets.facts import mask_facts, masked_places
from submissions.ingest.secrets.sentences import masked_in_facts
from submissions.pricing.book.quotes import PriceBook


@dataclass(frozen=True)
class Prepared:
    """A submission that was accepted but not stored."""

    document: SubmissionDocument
    content: Mapping[str, Any]  # the document as it is stored
    trials: tuple[TrialResult, ...]
    repetitions: tuple[TrialResult, ...]  # those that the figures are made of: of a load curve the ones of its peak
    points: tuple[LoadPoint, ...]  # of a load curve, in order of load; of others none
    throughput: Spread | None  # None where the source gives only ratios
    latency: LatencyHeadline
    measured: Measured
    priced: PricedSystem
    flags: tuple[Flag, ...]
    trust: Trust
    workload: Mapping[str, Any]  # the canonical form that `fingerprint` hashes
    from_log: frozenset[str] | None = None  # pointers of the facts that a log gave; None: no log
    files: tuple[OwnedFile, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def understood(self) -> tuple[SourcedFact, ...]:
        """Each fact and where it came from; computed on demand, since only a preview shows it."""
        return sourced_facts(self.document, self.priced, self.measured, from_log=self.from_log)

    @cached_property
    def fingerprint(self) -> str:
        return fingerprint.fingerprint_of(dict(self.workload))

    @cached_property
    def content_hash(self) -> str:
        """Equal for equal content: the facts, the trials and the raw files, whoever sends them under whatever title."""
        sums = [owned.file.member.sha256 for owned in self.files]
        return content_hash_of(self.content, sums)

    @property
    def document_bytes(self) -> int:
        """About as many as the text of the stored document has in the database, which counts what accounts store."""
        return len(json.dumps(self.content, ensure_ascii=False).encode(errors="replace"))


# Fields that the first documents did not have: where they are empty, the sum is the one of then.
_ADDED_FIELDS = frozenset(
    (
        "averaged_over",
        "offered_ops_s",
        "throttle_ops_s",
        "hosts",
        "disk_tests",
        "bill",
        "measured_at_source",
        "series",
        "slo",
    )
)


# What a result is called changes nothing about it.
_WORDS = frozenset(("title", "notes"))


def content_hash_of(document: Mapping[str, Any], sha256s: Iterable[str]) -> str:
    """Of the facts and the trials in a document, and of its files; its title and its notes do not count."""
    return sum_of({name: value for name, value in document.items() if name not in _WORDS}, sha256s)


def sum_of(document: Mapping[str, Any], sha256s: Iterable[str]) -> str:
    """Of everything in `document`."""
    content = {"document": _without_empty_additions(document), "files": sorted(set(sha256s))}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _without_empty_additions(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            name: item if type(item) in _SCALARS or name == "settings" else _without_empty_additions(item)
            for name, item in value.items()
            if name not in _ADDED_FIELDS or item not in (None, "", [], {})
        }
    if isinstance(value, list | tuple):
        return [_without_empty_additions(item) for item in value]
    return value


_SCALARS = frozenset((str, int, float, bool, type(None)))


def prepare_document(
    content: bytes | Mapping[str, Any],
    *,
    trust: Trust = Trust.UPLOADED,
    book: PriceBook | None = None,
) -> Prepared:
    """Check a whole submission document; Refusal names every fault.

    A relative throughput is only for `historical` sources. Without a `book` it is priced by the one of now.
    """
    parsed = read_json(content) if isinstance(content, bytes) else content
    document = checked_without_log(parsed, trust)
    return prepare_checked(document, trust=trust, book=book)


def prepare_checked(
    document: SubmissionDocument,
    *,
    trust: Trust,
    book: PriceBook | None = None,
    file_date: datetime | None = None,
    received_at: datetime | None = None,
) -> Prepared:
    """The same for a document that was checked before."""
    trials = tuple(from_document(trial) for trial in document.trials)
    date = measured(document, is_log_date=False, file_date=file_date, received_at=received_at or timezone.now())
    return _prepared(document, trials, date, trust=trust, book=book)


def checked(content: object, trust: Trust) -> SubmissionDocument:
    """The document in `content`, its secrets masked; Refusal names every fault."""
    if not isinstance(content, Mapping):
        raise Refusal.at("#", "must be a JSON object")
    try:
        document = SubmissionDocument.model_validate(mask_facts(content))
    except ValidationError as error:
        raise refusal(error) from error
    if document.is_relative and trust != Trust.HISTORICAL:
        raise Refusal.at("#/trials/0/throughput_ops_s", "is required")
    return document


def checked_without_log(content: object, trust: Trust) -> SubmissionDocument:
    """The same for a document that is sent alone: its tool must be one that can load its database."""
    document = checked(content, trust)
    tool = document.workload.tool
    reason = contradiction(document.service.name, tool=tool, databases=databases_of(tool), what="result")
    if reason and trust != Trust.HISTORICAL:
        raise Refusal.at("#/service/name", reason)
    if trust != Trust.HISTORICAL:
        check_local_disks(document)
    return document


def prepare_import(
    metadata: Mapping[str, Any],
    files: Sequence[OfferedFile],
    *,
    trust: Trust = Trust.LOG_VERIFIED,
) -> list[Prepared]:
    """Read the logs, complete `metadata` by their facts and check the outcome.

    One submission, or one for each of the settings in a file (revisions of a graph, pipelines). Refusal names every
    fault: in the metadata, in a file (`#/files/0`) or where the two contradict each other.
    """
    return prepare_readings(metadata, read_logs(files), trust=trust)


def prepare_readings(
    metadata: Mapping[str, Any],
    files: Sequence[ReadFile],
    *,
    trust: Trust = Trust.LOG_VERIFIED,
    received_at: datetime | None = None,
) -> list[Prepared]:
    """The same for logs that were read before: nothing is parsed. By default they are received now."""
    received_at = received_at or timezone.now()
    return [_of_log(imported, trust, received_at) for imported in submissions_in(mask_facts(metadata), files)]


def _of_log(imported: Imported, trust: Trust, received_at: datetime) -> Prepared:
    document = checked(imported.content, trust)
    if trust == Trust.LOG_VERIFIED:  # a run of this site has the machines that it has
        check_local_disks(document, except_at=imported.from_log or ())
    has_log_date = imported.is_log_date or document.measured_at is None
    return _prepared(
        document,
        imported.trials,
        measured(document, is_log_date=has_log_date, file_date=imported.file_date, received_at=received_at),
        trust=trust,
        from_log=imported.from_log,
        has_unknown_limit=imported.has_unknown_limit,
        files=imported.files,
        warnings=imported.warnings,
    )


def _prepared(
    document: SubmissionDocument,
    trials: tuple[TrialResult, ...],
    date: Measured,
    *,
    trust: Trust,
    book: PriceBook | None = None,
    from_log: frozenset[str] | None = None,
    has_unknown_limit: bool = False,
    files: tuple[OwnedFile, ...] = (),
    warnings: tuple[str, ...] = (),
) -> Prepared:
    book = book if book is not None else load_book([document])
    priced = attach_prices(document, book, on=date.at.date())
    content = document.content()
    masked = tuple(masked_places(content))
    is_masked = bool(masked) or any(owned.file.member.original_sha256 for owned in files)
    threads, offered_ops_s = document.workload.threads, limits_of(document).fixed_rate_ops_s
    trials = tuple(_with_load(trial, threads, offered_ops_s) for trial in trials)
    points = curve_of(document, trials)
    repetitions = at_peak(trials, points)
    rates = [rate for trial in repetitions if (rate := trial.throughput_ops_s) is not None]
    throughput = headline(rates) if rates else None
    check_storable(priced.cost, throughput.mean if throughput else None)
    flags = flags_of(document, trials, repetitions, has_unknown_limit=has_unknown_limit, is_masked=is_masked)
    if is_stated_price_off(document, book, date.at.date()):
        flags = (*flags, Flag.STATED_PRICE_OFF)
    if is_without_storage(document):
        flags = (*flags, Flag.WITHOUT_STORAGE)
    if priced.cost.confirmed:
        flags = (*flags, Flag.STALE_PRICE)
    return Prepared(
        document=document,
        content=content,
        trials=trials,
        repetitions=repetitions,
        points=points,
        throughput=throughput,
        latency=latency_headline(repetitions),
        measured=date,
        priced=priced,
        flags=flags,
        trust=trust,
        workload=fingerprint.canonical(document),
        from_log=from_log,
        files=files,
        warnings=(*warnings, *_about_masked_facts(masked, from_log)),
    )


def _with_load(trial: TrialResult, threads: int | None, offered_ops_s: float | None) -> TrialResult:
    """With the threads and the rate of the workload where the trial has none of its own."""
    return replace(trial, threads=trial.threads or threads, offered_ops_s=trial.offered_ops_s or offered_ops_s)


def _about_masked_facts(masked: Sequence[str], from_log: frozenset[str] | None) -> tuple[str, ...]:
    """Of those that no log gave: about a log there is a sentence that names its lines."""
    stated = [place for place in masked if place not in (from_log or ())]
    return (masked_in_facts(stated),) if stated else ()

"""The facts that a submission lacks, what each of them costs the result, and until when they can be added."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone

from submissions import facts
from submissions.choices import DateSource, Role
from submissions.facts import Fact
from submissions.ingest.changes.change import facts_end
from submissions.ingest.document.faults import pointer
from submissions.models import Submission


@dataclass(frozen=True, slots=True)
class MissingFact:
    pointer: str  # its place in the document, and in the body of PATCH
    fact: str  # its noun
    effect: str  # the end of "without it: ..."


_OTHER_BOARDS = "compared only with results that do not state it either"
_WITH_LEVELS = frozenset({"cassandra", "dse", "scylladb", "yugabytedb"})  # databases with consistency levels
_ON_JVM = frozenset({"cassandra", "dse", "elasticsearch", "hbase", "neo4j", "opensearch"})

# A fact, what it costs, and the databases that have it (None: all); a price and a date are looked at separately.
_EFFECTS: tuple[tuple[Fact, str, frozenset[str] | None], ...] = (
    (facts.CONSISTENCY_LEVEL, _OTHER_BOARDS, _WITH_LEVELS),
    (facts.REPLICATION_FACTOR, _OTHER_BOARDS, None),
    (facts.SERVICE_VERSION, "in no comparison of versions", None),
    (facts.JDK_VERSION, "in no comparison of JDKs", _ON_JVM),
)
_EFFECTS_OF_DATABASE_NODES: tuple[tuple[Fact, str], ...] = (
    (facts.DISKS, "storage that is billed separately is not in the price, and it is in no comparison of disks"),
    (facts.CPU_MODEL, "runs on another processor of the same type cannot be distinguished"),
)


def missing_facts(submission: Submission) -> list[MissingFact]:
    """Of a stored row, or of one that would be stored; no query."""
    document = submission.document
    return [
        *_price(submission),
        *_date(submission),
        *_clients(document),
        *_stated_nowhere(document),
        *_data(submission),
    ]


def may_be_added_until(submission: Submission) -> datetime | None:
    """None when it is too late, and for a retracted one."""
    end = facts_end(submission)
    return end if timezone.now() < end and submission.retracted_at is None else None


def _price(submission: Submission) -> Iterator[MissingFact]:
    if submission.hourly_usd is not None or submission.throughput_ops_s is None:
        return
    effect = "no price, so no operations per dollar, and not on the value board"
    if submission.region is None:
        yield MissingFact("#/region", facts.REGION.noun, effect)
    for index, group in enumerate(submission.document["nodes"]):
        if group["role"] in Role.SYSTEM_UNDER_TEST and group.get("hourly_usd") is None:
            place = pointer(("nodes", index, "hourly_usd"))
            yield MissingFact(place, facts.NODE_HOURLY_USD.noun, f"{effect}: {submission.price_missing.rstrip('.')}")


def _date(submission: Submission) -> Iterator[MissingFact]:
    if submission.measured_at is None or submission.measured_at_source not in (DateSource.FILE, DateSource.RECEIVED):
        return
    source = DateSource(submission.measured_at_source)
    effect = f"priced at {submission.measured_at:%Y-%m-%d}, the {source.label.removeprefix('the ')}"
    yield MissingFact("#/measured_at", facts.MEASURED_AT.noun, effect)


def _clients(document: Mapping[str, Any]) -> Iterator[MissingFact]:
    if not any(group["role"] == Role.CLIENT for group in document["nodes"]):
        effect = "whether the load clients were the limit cannot be judged"
        yield MissingFact(pointer(("nodes", len(document["nodes"]))), facts.CLIENT_COUNT.noun, effect)


def _data(submission: Submission) -> Iterator[MissingFact]:
    """Stated, or derived."""
    if submission.data_bytes is None:
        effect = "whether the data fits in memory is unknown, so recommendations for an amount of data rank it last"
        yield MissingFact(pointer(facts.DATA_BYTES.path), facts.DATA_BYTES.noun, effect)


def _stated_nowhere(document: Mapping[str, Any]) -> Iterator[MissingFact]:
    service = document["service"]["name"]
    for fact, effect, services in _EFFECTS:
        if not _value(document, fact.path) and (services is None or service in services):
            yield MissingFact(pointer(fact.path), fact.noun, effect)
    for index, group in enumerate(document["nodes"]):
        if group["role"] == Role.DATABASE:
            for fact, effect in _EFFECTS_OF_DATABASE_NODES:
                if not group.get(fact.path[1]):
                    yield MissingFact(pointer(("nodes", index, fact.path[1])), fact.noun, effect)


def _value(content: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        content = content.get(name) if isinstance(content, Mapping) else None
    return content

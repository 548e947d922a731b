"""What the database knows before a batch is written, read at once under the lock of its contents."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields

from django.contrib.auth.models import User
from django.db import connection

from submissions.ingest.newcomers import Account
from submissions.ingest.pipeline import Prepared
from submissions.ingest.quota import Usage
from submissions.models import Workload
from submissions.models.data_version import Subject

# submissions/migrations/sql/before.sql, usage.sql: the lock of the account comes before those of the contents
_BEFORE = (
    "SELECT before.*, used.* FROM submissions_locked_usage(%s::integer) used,"
    " LATERAL submissions_before(%s::bigint[], %s::text[], %s::text[], used.account) before"
)
_FACTS = len(fields(Account))


@dataclass(frozen=True, slots=True)
class Before:
    is_any_stored: bool  # by whomever
    workloads: dict[str, Workload]  # by fingerprint; without their canonical form
    account: Account | None  # of the submitter
    usage: Usage | None  # of the submitter
    data_version: object
    pages_version: object


def look_up(batch: Collection[Prepared], submitted_by: User | None) -> Before:
    """Locks the account and the contents of the batch, in the transaction of the caller. One round trip."""
    hashes = [prepared.content_hash for prepared in batch]
    keys = sorted(map(key_of, hashes))
    fingerprints = list({prepared.fingerprint for prepared in batch})
    account = submitted_by.pk if submitted_by else None
    with connection.cursor() as cursor:
        cursor.execute(_BEFORE, [account, keys, hashes, fingerprints])
        is_any_stored, versions, workloads, *facts = cursor.fetchone()
    facts, used = facts[:_FACTS], facts[_FACTS:]
    names = ("id", "fingerprint", "title", "service")  # in the order of the model
    return Before(
        is_any_stored,
        {row[1]: Workload.from_db(connection.alias, names, row) for row in workloads or ()},
        Account(*facts) if facts[0] is not None else None,
        Usage(*used) if account is not None else None,
        data_version=_version(versions, Subject.DATA),
        pages_version=_version(versions, Subject.PAGES),
    )


def key_of(content_hash: str) -> int:
    """Of the lock of a content: 60 bits, which fit a bigint."""
    return int(content_hash[:15], 16)


def _version(rows: Sequence[Sequence[str]] | None, subject: Subject) -> object:
    return tuple(token for name, token in rows or () if name == subject)

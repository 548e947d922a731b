"""What must be known before submissions are written, under the locks of their account and contents."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import connection

from submissions.analysis.data_size import Memory
from submissions.ingest.checks.comparable_results import StoredWorkload, stored_workloads
from submissions.ingest.checks.duplicates import logs_of
from submissions.ingest.checks.quota import Usage
from submissions.ingest.pipeline import Prepared
from submissions.ingest.store.data_columns import MEMORY_OF_TYPES, memory_in, types_in

# The account comes before the contents and the logs, and these are in one order, so that of two transactions none waits
# for the other for ever. An account of NULL is nobody's.
_LOCK = "SELECT submissions_lock_usage(%s::integer), pg_advisory_xact_lock(content) FROM unnest(%s::bigint[]) content"
# It begins when the locks are held: it sees what was committed while they were waited for.
# A stranger's private result is not looked at: whoever sends the same must not wait longer for it.
_LOOK = (  # no value of anyone is part of the text
    "SELECT EXISTS (SELECT FROM submissions_submission s WHERE s.content_hash = ANY (%s::text[])"  # noqa: S608
    " AND (s.submitted_by_id = %s::integer OR s.hidden_at IS NULL"
    " AND (s.visibility = 'public' AND s.embargo_until IS NULL OR s.embargo_until <= statement_timestamp()))),"
    f" {MEMORY_OF_TYPES}, used.* FROM submissions_usage(%s::integer) used"
)


@dataclass(frozen=True, slots=True)
class Lookups:
    is_any_stored: bool  # open to all, or the submitter's own
    usage: Usage | None  # of the submitter
    workloads: dict[str, StoredWorkload]  # by fingerprint
    memory: Memory  # of the machine types of which the documents do not state it


def look_up(batch: Collection[Prepared], submitted_by: User | None) -> Lookups:
    """Locks the account, the contents and the logs of the batch, in the transaction of the caller."""
    hashes = [prepared.content_hash for prepared in batch]
    account = submitted_by.pk if submitted_by else None
    primary: Any = connection  # benchsite/postgresql
    # sent together: one round trip
    with primary.connection.pipeline(), primary.prepared_cursor() as locks, primary.prepared_cursor() as look:
        locks.execute(_LOCK, [account, sorted({_key_of(each) for each in (*hashes, *logs_of(batch))})])
        look.execute(_LOOK, [hashes, account, *types_in(prepared.content for prepared in batch), account])
        workloads = stored_workloads({prepared.fingerprint for prepared in batch}, account)
        is_any_stored, types, *used = look.fetchone()
    return Lookups(is_any_stored, Usage(*used) if account is not None else None, workloads, memory_in(types))


def _key_of(sha256: str) -> int:
    """Of the lock of a content or a log: 60 bits, which fit a bigint."""
    return int(sha256[:15], 16)

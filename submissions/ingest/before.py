"""What the database knows before a batch is written, read at once under the lock of its contents."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django.db.backends.utils import CursorWrapper

from submissions.ingest.newcomers import ACCOUNT_SQL, Account, account_params
from submissions.ingest.pipeline import Prepared
from submissions.models import Workload
from submissions.models.data_version import Subject

# Until the transaction ends, no other writes these contents; in one order, so that none waits for ever.
_LOCK = """SELECT pg_advisory_xact_lock(key) FROM unnest(%s::bigint[]) AS key"""
_HOLD_IDS = """SELECT submissions_hold_ids()"""  # they are taken before the INSERT: see models/data_version.py
# A statement of its own: it sees what another transaction stored while this one waited for the lock.
_STORED = """SELECT EXISTS (SELECT FROM submissions_submission WHERE content_hash = ANY(%s))"""
_VERSIONS = """SELECT subject, token FROM submissions_dataversion ORDER BY id"""
_WORKLOADS = """SELECT id, fingerprint, title, service FROM submissions_workload WHERE fingerprint = ANY(%s)"""


@dataclass(frozen=True, slots=True)
class Before:
    is_any_stored: bool  # by whomever
    workloads: dict[str, Workload]  # by fingerprint; without their canonical form
    account: Account | None  # of the submitter
    data_version: object
    pages_version: object


def look_up(batch: Collection[Prepared], submitted_by: User | None) -> Before:
    """Locks the contents of the batch, in the transaction of the caller. One round trip."""
    hashes = [prepared.content_hash for prepared in batch]
    keys = sorted(int(key[:15], 16) for key in hashes)  # 60 bits fit a bigint
    fingerprints = list({prepared.fingerprint for prepared in batch})
    statements = [_LOCK, _HOLD_IDS, _VERSIONS, _STORED, _WORKLOADS]
    params: list[Any] = [keys, hashes, fingerprints]
    if submitted_by is not None:
        statements.append(ACCOUNT_SQL)
        params += account_params(submitted_by.pk)
    with connection.cursor() as cursor:
        cursor.execute(";".join(statements), params)
        _, _, versions, ((is_any_stored,),), known, *accounts = _answers(cursor)
    names = ("id", "fingerprint", "title", "service")  # in the order of the model
    workloads = {row[1]: Workload.from_db(connection.alias, names, row) for row in known}
    account = Account(*accounts[0][0]) if accounts and accounts[0] else None
    return Before(
        is_any_stored, workloads, account, _version(versions, Subject.DATA), _version(versions, Subject.PAGES)
    )


def _answers(cursor: CursorWrapper) -> Iterator[Sequence[tuple[Any, ...]]]:
    """Of each statement."""
    yield cursor.fetchall()
    while cursor.nextset():
        yield cursor.fetchall()


def _version(rows: Sequence[tuple[Any, ...]], subject: Subject) -> object:
    return tuple(token for name, token in rows if name == subject)

"""What most uploads are, written in one statement: it does nothing unless all that the web process believes is true."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from pydantic_core import to_json

from submissions import licenses
from submissions.choices import Trust
from submissions.ingest import newcomers, outliers, quota, rivals, rows
from submissions.ingest.before import key_of
from submissions.ingest.insert import NewRows, Row, insert_if, new_row
from submissions.ingest.pipeline import Prepared
from submissions.models import Submission, VersionMemory, Workload

# Workloads and accounts of which no result of others with a log was a measure; one that comes later changes nothing.
_UNTRACED: VersionMemory[tuple[str, int], bool] = VersionMemory(10_000)


@dataclass(frozen=True, slots=True)
class Believed:
    """What was true when this process read it; None: nothing is believed."""

    token_digest: str | None = None  # that it is a token of the submitter, and may submit
    prices_version: tuple[object, ...] | None = None  # by which the document was priced


def store_at_once(prepared: Prepared, *, submitted_by: User, believed: Believed) -> NewRows | None:
    """Write a submission without files; None: nothing was written, and `store` finds out why.

    With a rate and a price that others come near, and of a content that nobody has sent before; a new workload is
    written with it. All of it is looked up by the statement that writes the rows, with the lock of the content and
    after it, as `store` does by several.
    """
    if prepared.trust != Trust.UPLOADED or prepared.files or any(trial.intervals for trial in prepared.trials):
        return None
    flagged = outliers.without_best(prepared)
    new = NewRows(
        _submission(rows.submission_columns(flagged), submitted_by),
        rows.trial_columns(flagged),
        rows.node_group_columns(flagged),
        load_points=rows.load_point_columns(flagged),
    )
    rights, moderates = newcomers.rights_seen(submitted_by.pk)
    given = [
        key_of(prepared.content_hash),
        prepared.content_hash,
        prepared.fingerprint,
        submitted_by.pk,
        believed.token_digest,
        _tokens(believed.prices_version),
        None if moderates is None else _tokens(rights),
        moderates,
        newcomers.WAIT,
        prepared.document_bytes,
        quota.limits(),
        *_new_workload(prepared),
        *outliers.least_of_rivals(prepared),
    ]
    row = _written(new, given, (prepared.fingerprint, submitted_by.pk))
    if row is None:
        return None
    submitted_by.username = row["username"]
    names = ("id", "fingerprint", "title", "service")  # in the order of the model
    values = (row["workload_id"], prepared.fingerprint, row["title"], row["service"])
    new.submission.workload = Workload.from_db(connection.alias, names, values)
    return new


def _written(new: NewRows, given: Sequence[Any], of: tuple[str, int]) -> Row | None:
    """The row of the submission, or None. Most have a rival with a log; else the others are looked at, too."""
    is_traced = _UNTRACED.get(None, of) is None
    row = insert_if(_condition(is_traced), given, new)
    if row is not None and not row["is_met"] and is_traced:
        row = insert_if(_condition(False), given, new)
        if row is not None and row["is_met"]:
            _UNTRACED.set(None, of, True)
    return row if row is not None and row["is_met"] else None


def _new_workload(prepared: Prepared) -> tuple[str, str, str]:
    """What is written of a workload that nobody has sent a result of."""
    columns = rows.workload_columns(prepared)
    return to_json(columns["canonical"]).decode(), columns["title"], columns["service"]


def _submission(columns: Mapping[str, Any], submitted_by: User) -> Submission:
    row = new_row(Submission, {"submitted_by_id": submitted_by.pk, "license": licenses.UPLOADS.spdx, **columns})
    row.submitted_by = submitted_by
    return row


def _tokens(version: Any) -> list[object] | None:
    return None if version is None else list(version)


@cache
def _condition(is_traced: bool) -> str:
    """Of the parameters in `store_at_once`."""
    places = {"workload": "ready.workload_id", "account": "asked.account", "rate": "ops_s", "value": "value"}
    is_met = rivals.has_traced_rival(**places) if is_traced else rivals.is_plausible(**places)
    return (
        f"SELECT ready.*, {is_met} AS is_met FROM (SELECT"  # noqa: S608 - of our own queries
        " %s::bigint AS key, %s::text AS hash, %s::text AS workload, %s::integer AS account, %s::text AS digest,"
        " %s::uuid[] AS prices, %s::uuid[] AS rights, %s::boolean AS moderates, %s::interval AS wait,"
        " %s::bigint AS new_bytes, %s::bigint[] AS limits,"
        " %s::jsonb AS new_canonical, %s::text AS new_title, %s::text AS new_service,"
        " %s::float8 AS ops_s, %s::numeric AS value OFFSET 0) asked,"
        # migrations/sql/usage.sql; the lock of the account comes before that of the content, and a refused submission
        # leaves no new workload
        f" LATERAL (SELECT used.account FROM submissions_locked_usage(asked.account) used WHERE {quota.ALLOWED}"
        " OFFSET 0) allowed,"
        # migrations/sql/ready_new_workload.sql
        " submissions_ready(key, hash, workload, allowed.account, digest, prices, rights, moderates, wait,"
        " new_canonical, new_title, new_service) ready"
    )

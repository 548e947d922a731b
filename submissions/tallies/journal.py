"""Which submissions were stored or changed since a snapshot: read from the journal that a trigger writes.

Ids are given before their transactions end, in any order; so a snapshot, not an id, says how far a tally has grown.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import connections

# Columns of a submission that tallies read or that decide whether they count it: a change of any other is not noted.
# The trigger of migration 0053 has the same list.
NOTED_COLUMNS = (
    "workload_id", "supersedes_id", "submitted_by_id",
    "visibility", "embargo_until", "retracted_at", "hidden_at", "unranked_at", "unranked_until",
    "trust", "flags", "source_url", "measured_at",
    "throughput_ops_s", "relative_throughput", "relative_base", "latency_kind", "latency_p99_ms",
    "latency_p99_at_most_ms", "latency_p99_is_bound", "latency_p99_bound_of",
    "provider", "region", "instance_type", "machine_family", "architecture", "cpu_model", "vcpus", "disk_kind",
    "service_version", "tool_version",
    "node_count", "cache_node_count", "client_count", "client_placement", "jdk_vendor", "jdk_version",
    "network_kind", "network_encryption", "replication_factor", "threads",
)  # fmt: skip

_CLUSTER = "(SELECT system_identifier::text FROM pg_control_system())"
# PostgreSQL does not count the own transaction as one that runs: what it writes later would seem to be counted.
_SNAPSHOT = """(
    SELECT CASE
        WHEN own IS NULL OR own >= pg_snapshot_xmax(s) THEN s::text
        ELSE pg_snapshot_xmin(s)::text || ':' || pg_snapshot_xmax(s)::text || ':' || (
            SELECT string_agg(x::text, ',' ORDER BY x) FROM (SELECT pg_snapshot_xip(s) AS x UNION SELECT own) AS running
        )
    END AS snapshot
    FROM (SELECT pg_current_snapshot() AS s, pg_current_xact_id_if_assigned() AS own) AS mine
)"""
# Of the journal `c`: not shown by the snapshot of the tally `t`.
_IS_LATER = """c.transaction >= pg_snapshot_xmin(t.snapshot::pg_snapshot)::text::bigint
    AND NOT pg_visible_in_snapshot(c.transaction::text::xid8, t.snapshot::pg_snapshot)"""

_STATES = f"""
SELECT t.name,
       t.snapshot IS NOT NULL AND t.code = wanted.code AND t.cluster = {_CLUSTER},
       EXISTS (SELECT 1 FROM submissions_rowchange c WHERE {_IS_LATER} AND NOT c.id = ANY(t.applied)),
       EXISTS (SELECT 1 FROM submissions_tallypart p WHERE p.tally_id = t.id AND p.valid_until <= statement_timestamp())
FROM submissions_tally t JOIN unnest(%s::text[], %s::text[]) AS wanted(name, code) USING (name)
"""  # noqa: S608 - only constants of this module

_LATER = f"""
SELECT now.snapshot, {_CLUSTER}, t.id, t.name, t.code, c.id, c.submission_id, c.workload_id, c.is_new,
       c.id = ANY(t.applied), pg_visible_in_snapshot(c.transaction::text::xid8, now.snapshot::pg_snapshot),
       ARRAY(SELECT p.scope FROM submissions_tallypart p
             WHERE p.tally_id = t.id AND p.valid_until <= statement_timestamp())
FROM submissions_tally t
CROSS JOIN {_SNAPSHOT} AS now
LEFT JOIN submissions_rowchange c ON {_IS_LATER}
WHERE t.name = ANY(%s::text[]) AND t.snapshot IS NOT NULL
"""  # noqa: S608 - only constants of this module

# What is in no snapshot yet belongs to transactions that run, or to our own.
_NOW = f"""
SELECT now.snapshot, {_CLUSTER}, c.id
FROM {_SNAPSHOT} AS now
LEFT JOIN submissions_rowchange c ON c.transaction >= pg_snapshot_xmin(now.snapshot::pg_snapshot)::text::bigint
    AND NOT pg_visible_in_snapshot(c.transaction::text::xid8, now.snapshot::pg_snapshot)
"""  # noqa: S608 - only constants of this module

_LOCK = """
SELECT pg_advisory_xact_lock(hashtextextended('tally ' || name, 0))
FROM (SELECT name FROM unnest(%s::text[]) AS name ORDER BY name) AS ordered
"""

# A snapshot shows all that is before its xmin.
_FORGET = """
DELETE FROM submissions_rowchange WHERE transaction < coalesce(
    (SELECT min(pg_snapshot_xmin(snapshot::pg_snapshot)::text::bigint) FROM submissions_tally
     WHERE snapshot IS NOT NULL),
    pg_snapshot_xmin(pg_current_snapshot())::text::bigint)
"""


@dataclass(frozen=True, slots=True)
class State:
    """Of a tally: whether it was ever counted by this code, and whether something has happened since."""

    is_counted: bool
    is_current: bool


@dataclass(frozen=True, slots=True)
class Entry:
    submission: int
    workload: int
    is_new: bool


@dataclass(frozen=True, slots=True)
class Late:
    """What has happened since a tally was counted, and its scopes that time alone has changed."""

    tally: int
    name: str
    code: str
    expired: list[str]
    entries: list[Entry] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Moment:
    """How far a tally has grown: see `Tally`."""

    snapshot: str
    cluster: str
    applied: list[int]


def states_of(codes: dict[str, str], using: str) -> dict[str, State]:
    """By the name of the tally; `codes` are the versions wanted. One query."""
    rows = _prepared(using, _STATES, [list(codes), list(codes.values())])
    return {
        name: State(is_counted, is_counted and not has_entries and not has_expired)
        for name, is_counted, has_entries, has_expired in rows
    }


def since(names: list[str], using: str) -> tuple[Moment | None, list[Late]]:
    """Of those among these tallies that were ever counted, and the moment up to which that is everything.

    None, where none was. One query.
    """
    rows = _prepared(using, _LATER, [names])
    late: dict[int, Late] = {}
    applied: set[int] = set()
    for _, _, tally, name, code, pk, submission, workload, is_new, is_applied, is_shown, expired in rows:
        own = late.setdefault(tally, Late(tally, name, code, expired))
        if pk is None:
            continue
        if not is_shown:  # nor by any earlier snapshot: the same of each tally
            applied.add(pk)
        if not is_applied:
            own.entries.append(Entry(submission, workload, is_new))
    moment = Moment(rows[0][0], rows[0][1], sorted(applied)) if rows else None
    return moment, list(late.values())


def now(using: str) -> Moment:
    """One query."""
    rows = _prepared(using, _NOW)
    return Moment(rows[0][0], rows[0][1], [pk for _, _, pk in rows if pk is not None])


def forget(using: str) -> None:
    """Delete what every tally has counted."""
    with connections[using].cursor() as cursor:
        cursor.execute(_FORGET)


def add_name(name: str, most: int, using: str) -> None:
    """A tally to be counted, unless there are as many as there may be."""
    with connections[using].cursor() as cursor:
        cursor.execute(
            "INSERT INTO submissions_tally (name, code, cluster, applied, read_at) SELECT %s, '', '', '{}', now()"
            " WHERE (SELECT count(*) FROM submissions_tally) < %s ON CONFLICT DO NOTHING",
            [name, most],
        )


def lock(names: list[str], using: str) -> None:
    """Until the transaction ends nobody else counts these tallies; everybody takes them in this order."""
    _prepared(using, _LOCK, [names])


def _prepared(using: str, statement: str, params: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    connection: Any = connections[using]  # benchsite/postgresql
    with connection.prepared_cursor() as cursor:
        cursor.execute(statement, params)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows

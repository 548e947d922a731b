"""Writes invented submissions by COPY, and takes them away again."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection, models, transaction
from django.utils import timezone

from submissions.models import NodeGroup, Submission, Trial, Workload
from tools.synthetic.documents import SOURCE
from tools.synthetic.rows import TRUST, Rows, as_json, make

_TABLES: tuple[type[models.Model], ...] = (Workload, Submission, Trial, NodeGroup)


@dataclass(frozen=True, slots=True)
class Made:
    created: int
    there_before: int


def synthetic() -> models.QuerySet[Submission]:
    """The invented submissions: the source says so, and nobody submitted them."""
    return Submission.objects.filter(source=SOURCE, trust=TRUST, submitted_by=None)


def make_dataset(count: int, *, seed: int, processes: int | None = None) -> Made:
    """Add the first `count` submissions of a seed that are not there yet; all of them or none.

    The rows depend on seed and count only, but for `id` and `created_at`.
    """
    created = 0
    now = timezone.now()
    with transaction.atomic():
        workloads = dict(Workload.objects.values_list("fingerprint", "id"))
        for chunk in make(count, seed=seed, processes=processes or os.cpu_count() or 1):
            new = _not_there(chunk)
            _copy_workloads(new, workloads, now)
            _copy_submissions(new, workloads, now)
            created += len(new)
    with connection.cursor() as cursor:
        for table in _TABLES:  # the planner shall know what has come
            cursor.execute(f"ANALYZE {_quoted(table._meta.db_table)}")
    return Made(created, count - created)


@transaction.atomic
def clear() -> int:
    """Delete the invented submissions, and the workloads that only they had; how many there were."""
    chosen = synthetic().order_by()
    workloads = set(chosen.values_list("workload", flat=True).distinct())
    for table in (Trial, NodeGroup):
        _delete(table.objects.filter(submission__in=chosen.values("pk")))
    deleted = _delete(chosen)
    Workload.objects.filter(pk__in=workloads, submissions=None).delete()
    return deleted


def _delete(rows: models.QuerySet) -> int:
    """One DELETE; `QuerySet.delete` would read all rows first, to find what belongs to them."""
    return rows._raw_delete(rows.db)


def _not_there(chunk: Sequence[Rows]) -> list[Rows]:
    hashes = [rows.submission["content_hash"] for rows in chunk]
    there = set(Submission.objects.filter(content_hash__in=hashes).values_list("content_hash", flat=True))
    return [rows for rows in chunk if rows.submission["content_hash"] not in there]


def _copy_workloads(chunk: Sequence[Rows], known: dict[str, int], now: datetime) -> None:
    """Add the workloads of a chunk that are new, and note their ids in `known`."""
    new = {rows.workload["fingerprint"]: rows.workload for rows in chunk if rows.workload["fingerprint"] not in known}
    ids = _reserve(Workload, len(new))
    for pk, fingerprint in zip(ids, new, strict=True):
        known[fingerprint] = pk
    _copy(Workload, ({**columns, "id": known[key], "created_at": now} for key, columns in new.items()))


def _copy_submissions(chunk: Sequence[Rows], workloads: dict[str, int], now: datetime) -> None:
    ids = _reserve(Submission, len(chunk))
    numbered = list(zip(ids, chunk, strict=True))
    _copy(
        Submission,
        (
            {
                **rows.submission,
                "id": pk,
                "workload": workloads[rows.workload["fingerprint"]],
                "created_at": now,
                "published_at": now,
            }
            for pk, rows in numbered
        ),
    )
    _copy(Trial, ({**columns, "submission": pk} for pk, rows in numbered for columns in rows.trials))
    _copy(NodeGroup, ({**columns, "submission": pk} for pk, rows in numbered for columns in rows.node_groups))


def _copy(table: type[models.Model], rows: Iterable[dict[str, Any]]) -> None:
    """COPY rows given by field name; a field that none of them has gets the model's default."""
    waiting = iter(rows)
    first = next(waiting, None)
    if first is None:
        return
    # an id that is not given is the database's to choose
    fields = [field for field in written_fields(table) if not field.primary_key or field.name in first]
    columns = ", ".join(_quoted(field.column or field.name) for field in fields)
    statement = f"COPY {_quoted(table._meta.db_table)} ({columns}) FROM STDIN"
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        for row in (first, *waiting):
            copy.write_row([column_value(field, row) for field in fields])


def written_fields(table: type[models.Model]) -> list[models.Field]:
    """The columns that the database does not compute."""
    return [field for field in table._meta.concrete_fields if not field.generated]


def column_value(field: models.Field, row: dict[str, Any]) -> Any:
    """What a COPY or an INSERT takes for a field of a row given by field name."""
    value = row[field.name] if field.name in row else field.get_default()
    return as_json(value) if isinstance(field, models.JSONField) and value is not None else value


def _reserve(table: type[models.Model], number: int) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)",
            [table._meta.db_table, number],
        )
        return [pk for (pk,) in cursor.fetchall()]


def _quoted(name: str) -> str:
    return connection.ops.quote_name(name)

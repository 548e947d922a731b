"""The same rows written by psycopg alone: what the database itself needs for a submission."""

from collections.abc import Iterator, Sequence

import psycopg
from django.conf import settings
from django.db import models
from django.utils import timezone
from psycopg import sql

from submissions.models import NodeGroup, Submission, Trial, Workload
from submissions.synthetic.copying import column_value, written_fields
from submissions.synthetic.documents import document
from submissions.synthetic.rows import Rows, rows_of

SOURCE = "bench"  # these rows are no part of the dataset

_INSERTED = {
    table: [field for field in written_fields(table) if not field.primary_key]
    for table in (Workload, Submission, Trial, NodeGroup)
}


class Inserter:
    """Inserts prepared rows through one connection; a transaction for each call."""

    def __init__(self) -> None:
        self._connection = psycopg.connect(settings.DATABASE_URL, autocommit=True)
        self._statements = {table: self._statement(table) for table in _INSERTED}

    def insert(self, batch: Sequence[Rows]) -> None:
        now = timezone.now()
        with self._connection.transaction(), self._connection.cursor() as cursor:
            for rows in batch:
                cursor.execute(self._statements[Workload], _values(Workload, {**rows.workload, "created_at": now}))
                workload = cursor.fetchone()[0]
                columns = {**rows.submission, "source": SOURCE, "workload": workload, "created_at": now}
                cursor.execute(self._statements[Submission], _values(Submission, columns))
                key = cursor.fetchone()[0]
                for table, parts in ((Trial, rows.trials), (NodeGroup, rows.node_groups)):
                    cursor.executemany(
                        self._statements[table], [_values(table, {**part, "submission": key}) for part in parts]
                    )

    def close(self) -> None:
        self._connection.close()

    @staticmethod
    def _statement(table: type[models.Model]) -> sql.Composed:
        columns = [field.column for field in _INSERTED[table]]
        ending = ""
        if table is Workload:
            ending = "ON CONFLICT (fingerprint) DO UPDATE SET service = excluded.service"
        if table in (Workload, Submission):
            ending += " RETURNING id"
        return sql.SQL("INSERT INTO {} ({}) VALUES ({}) {}").format(
            sql.Identifier(table._meta.db_table),
            sql.SQL(", ").join(map(sql.Identifier, columns)),
            sql.SQL(", ").join(sql.Placeholder() * len(columns)),
            sql.SQL(ending),
        )


def batches(count: int, lines: int, *, seed: int, first: int) -> Iterator[list[Rows]]:
    """`count` batches of `lines` submissions of a seed, from number `first` on."""
    for start in range(first, first + count * lines, lines):
        yield [rows_of(document(index, seed=seed)) for index in range(start, start + lines)]


def _values(table: type[models.Model], row: dict[str, object]) -> list[object]:
    return [column_value(field, row) for field in _INSERTED[table]]

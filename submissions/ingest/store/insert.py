"""Writes the rows of new submissions: all tables in one statement, or by COPY where there are many."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeVar

from django.db import connection, models
from django.db.backends.utils import CursorWrapper
from django.utils import timezone
from pydantic_core import to_json

from submissions.ingest.store.as_stored import as_stored
from submissions.models import Artifact, LoadPoint, NodeGroup, Submission, Trial

FEWEST_COPIED = 10  # with fewer one statement is faster than a COPY for each table


Row = Mapping[str, Any]  # by field name, without the key of its submission
_M = TypeVar("_M", bound=models.Model)


@dataclass(slots=True)
class NewRows:
    """The rows of a submission; it and its files get their keys when they are written."""

    submission: Submission
    trials: Sequence[Row]
    node_groups: Sequence[Row]
    artifacts: list[Artifact] = field(default_factory=list)
    load_points: Sequence[Row] = ()  # of load curves

    def as_read(self) -> tuple[Submission, list[Trial], list[NodeGroup], list[LoadPoint]]:
        """As if they had been read, written or not."""
        as_stored(self.submission)
        return (
            self.submission,
            self._parts(Trial, self.trials),
            self._parts(NodeGroup, self.node_groups),
            self._parts(LoadPoint, self.load_points),
        )

    def _parts(self, model: type[_M], rows: Sequence[Row]) -> list[_M]:
        parts = [model(**row, submission=self.submission) for row in rows]
        as_stored(*parts)
        return parts


def insert(batch: Sequence[NewRows]) -> None:
    """In the transaction of the caller; the ids grow in the order of the batch."""
    if not batch:
        return
    now = timezone.now()
    for rows in batch:
        rows.submission.created_at = now
        for file in rows.artifacts:
            file.created_at = now
    primary: Any = connection  # benchsite/postgresql
    if len(batch) < FEWEST_COPIED:
        with primary.prepared_cursor() as cursor:
            _insert_few(cursor, batch)
    else:
        with connection.cursor() as cursor:
            _copy_many(cursor, batch)
    for rows in batch:
        for row in (rows.submission, *rows.artifacts):
            row._state.adding = False
            row._state.db = connection.alias
        for artifact in rows.artifacts:
            artifact.submission = rows.submission


def _given(rows: NewRows) -> dict[str, Any]:
    return {
        "submission": _values(Submission, vars(rows.submission)),
        "Trial": [_values(Trial, row) for row in rows.trials],
        "NodeGroup": [_values(NodeGroup, row) for row in rows.node_groups],
        "Artifact": [_values(Artifact, vars(file)) for file in rows.artifacts],
        "LoadPoint": [_values(LoadPoint, row) for row in rows.load_points],
    }


def _insert_few(cursor: CursorWrapper, batch: Sequence[NewRows]) -> None:
    given = [_given(rows) for rows in batch]
    has_files = any(rows.artifacts for rows in batch)
    has_points = any(rows.load_points for rows in batch)
    cursor.execute(_statement(has_files, has_points), [to_json(given).decode()])
    for rows, (pk, files) in zip(batch, cursor.fetchall(), strict=True):
        rows.submission.pk = pk
        for artifact, key in zip(rows.artifacts, files or (), strict=True):
            artifact.pk = key


@cache
def _statement(has_files: bool, has_points: bool) -> str:
    """One INSERT for each table, of a JSON array with an object a submission."""
    record = f"json_populate_record(NULL::{_table(Submission)}, given.value->'submission') r"
    tables = [
        f"given AS MATERIALIZED (SELECT {_next_id(Submission)} AS id, value, ordinality"
        " FROM json_array_elements(%s) WITH ORDINALITY)",
        f"new AS ({_insert(Submission, 'id')} SELECT given.id, {_columns(Submission, 'r.')} FROM given, {record})",
        *(_insert_parts(model) for model in (Trial, NodeGroup, *((LoadPoint,) if has_points else ()))),
    ]
    files = "NULL"
    if has_files:
        tables += _insert_files()
        files = "(SELECT array_agg(file.id ORDER BY file.position) FROM file WHERE file.submission_id = given.id)"
    return f"WITH {', '.join(tables)} SELECT given.id, {files} FROM given ORDER BY given.ordinality"


def _insert_parts(model: type[models.Model]) -> str:
    records = f"json_populate_recordset(NULL::{_table(model)}, given.value->'{model.__name__}') r"
    rows = f"SELECT given.id, {_columns(model, 'r.')} FROM given, {records}"
    return f"new_{model.__name__} AS ({_insert(model, 'submission_id')} {rows})"


def _insert_files() -> tuple[str, str]:
    """Answers show their ids."""
    files = (
        f"SELECT {_next_id(Artifact)} AS id, given.id AS submission_id, part.value, part.ordinality AS position"
        " FROM given, json_array_elements(given.value->'Artifact') WITH ORDINALITY part"
    )
    record = f"json_populate_record(NULL::{_table(Artifact)}, file.value) r"
    rows = f"SELECT file.id, file.submission_id, {_columns(Artifact, 'r.')} FROM file, {record}"
    return f"file AS MATERIALIZED ({files})", f"new_file AS ({_insert(Artifact, 'id', 'submission_id')} {rows})"


def _insert(model: type[models.Model], *keys: str) -> str:
    return f"INSERT INTO {_table(model)} ({', '.join(keys)}, {_columns(model)})"


def _next_id(model: type[models.Model]) -> str:
    return f"nextval(pg_get_serial_sequence('{model._meta.db_table}', 'id'))"


def _copy_many(cursor: CursorWrapper, batch: Sequence[NewRows]) -> None:
    """One COPY for each table that gets rows."""
    files = [artifact for rows in batch for artifact in rows.artifacts]
    for row, pk in zip((rows.submission for rows in batch), _reserved(cursor, Submission, len(batch)), strict=True):
        row.pk = pk
    for artifact, pk in zip(files, _reserved(cursor, Artifact, len(files)), strict=True):
        artifact.pk = pk
    _copy(cursor, Submission, ("id",), [((rows.submission.pk,), vars(rows.submission)) for rows in batch])
    of_trials = [((rows.submission.pk,), trial) for rows in batch for trial in rows.trials]
    _copy(cursor, Trial, ("submission_id",), of_trials)
    of_groups = [((rows.submission.pk,), group) for rows in batch for group in rows.node_groups]
    _copy(cursor, NodeGroup, ("submission_id",), of_groups)
    of_points = [((rows.submission.pk,), point) for rows in batch for point in rows.load_points]
    _copy(cursor, LoadPoint, ("submission_id",), of_points)
    of_files = [((file.pk, rows.submission.pk), vars(file)) for rows in batch for file in rows.artifacts]
    _copy(cursor, Artifact, ("id", "submission_id"), of_files)


def _copy(
    cursor: CursorWrapper,
    model: type[models.Model],
    keys: tuple[str, ...],
    rows: Sequence[tuple[tuple[int, ...], Row]],
) -> None:
    if not rows:
        return
    names = _written(model)
    of_json = [place for place, name in enumerate(names) if isinstance(model._meta.get_field(name), models.JSONField)]
    with cursor.copy(f"COPY {_table(model)} ({', '.join(keys)}, {_columns(model)}) FROM STDIN") as copy:
        for key, row in rows:
            values = [*_values(model, row).values()]
            for place in of_json:
                if values[place] is not None:
                    values[place] = to_json(values[place]).decode()
            copy.write_row((*key, *values))


def _reserved(cursor: CursorWrapper, model: type[models.Model], number: int) -> list[int]:
    if not number:
        return []
    cursor.execute(f"SELECT {_next_id(model)} FROM generate_series(1, %s)", [number])
    return [pk for (pk,) in cursor.fetchall()]


def _values(model: type[models.Model], row: Row) -> dict[str, Any]:
    """The columns that are written, in their order."""
    return {name: row[name] if name in row else default() for name, default in _written(model).items()}


@cache
def _written(model: type[models.Model]) -> dict[str, Callable[[], Any]]:
    """The columns that a row of the model brings (not its id, its submission's or what is computed), and defaults."""
    return {
        field.attname: field.get_default
        for field in model._meta.concrete_fields
        if not (field.primary_key or field.generated or field.attname == "submission_id")
    }


def _columns(model: type[models.Model], prefix: str = "") -> str:
    return ", ".join(f"{prefix}{connection.ops.quote_name(name)}" for name in _written(model))


def _table(model: type[models.Model]) -> str:
    return connection.ops.quote_name(model._meta.db_table)

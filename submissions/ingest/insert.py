"""Writes the rows of new submissions: all tables in one statement, or by COPY where there are many."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeVar

from django.db import connection, models
from django.db.backends.utils import CursorWrapper
from django.db.models.base import ModelState
from django.utils import timezone
from pydantic_core import to_json

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

    def as_models(self) -> tuple[list[Trial], list[NodeGroup]]:
        """Trials and node groups, as if they had been read."""
        return self._parts(Trial, self.trials), self._parts(NodeGroup, self.node_groups)

    def points(self) -> list[LoadPoint]:
        """The load points, as if they had been read."""
        return self._parts(LoadPoint, self.load_points)

    def _parts(self, model: type[_M], rows: Sequence[Row]) -> list[_M]:
        key = {"submission_id": self.submission.pk}
        parts = [new_row(model, {**row, **key}) for row in rows]
        for part in parts:
            part._state.fields_cache["submission"] = self.submission
        return parts


def new_row(model: type[_M], values: Row) -> _M:
    """What `model(**values)` makes, by names of columns: as unpickling does, in a fifth of the time.

    No signal says so: nothing of ours waits for those of instances.
    """
    row = model.__new__(model)
    vars(row).update(_state=ModelState(), **{model._meta.pk.attname: None}, **_values(model, values))
    if "submission_id" in values:
        vars(row)["submission_id"] = values["submission_id"]
    return row


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
            _insert_at_once(cursor, batch)
    else:
        with connection.cursor() as cursor:
            _copy_all(cursor, batch)
    for rows in batch:
        for row in (rows.submission, *rows.artifacts):
            row._state.adding = False
            row._state.db = connection.alias
        for artifact in rows.artifacts:
            artifact.submission = rows.submission


def insert_if(condition: str, params: Sequence[Any], rows: NewRows) -> Row | None:
    """Insert a submission without files under a condition: its row, or None where nothing was written. One round trip.

    `condition` selects a row, or none, with the `workload_id` and `unranked_until` that the submission gets. Where it
    `is_met` it is written, else the answer is the row without an id.
    """
    rows.submission.created_at = timezone.now()
    primary: Any = connection  # benchsite/postgresql
    with primary.prepared_cursor() as cursor:
        statement = _statement_if(condition, bool(rows.load_points))
        given = _given(rows)
        names_of_json = ("submission", *(model.__name__ for model in _parts_of(bool(rows.load_points))))
        cursor.execute(statement, [*params, *(to_json(given[name]).decode() for name in names_of_json)])
        written = cursor.fetchone()
        if written is None:
            return None
        names = _names.get(statement)
        if names is None:
            names = _names[statement] = tuple(column.name for column in cursor.description)
    row = dict(zip(names, written, strict=True))
    if not row["is_met"]:
        return row
    rows.submission.pk = row["id"]
    for name in _CONDITIONAL:
        setattr(rows.submission, name, row[name])
    rows.submission._state.adding, rows.submission._state.db = False, connection.alias
    return row


def _given(rows: NewRows) -> dict[str, Any]:
    return {
        "submission": _values(Submission, vars(rows.submission)),
        "Trial": [_values(Trial, row) for row in rows.trials],
        "NodeGroup": [_values(NodeGroup, row) for row in rows.node_groups],
        "Artifact": [_values(Artifact, vars(file)) for file in rows.artifacts],
        "LoadPoint": [_values(LoadPoint, row) for row in rows.load_points],
    }


def _insert_at_once(cursor: CursorWrapper, batch: Sequence[NewRows]) -> None:
    given = [_given(rows) for rows in batch]
    has_files = any(rows.artifacts for rows in batch)
    has_points = any(rows.load_points for rows in batch)
    cursor.execute(_statement(has_files, has_points), [to_json(given).decode()])
    for rows, (pk, files) in zip(batch, cursor.fetchall(), strict=True):
        rows.submission.pk = pk
        for artifact, key in zip(rows.artifacts, files or (), strict=True):
            artifact.pk = key


# migrations/sql/parts.sql: trials and machines that come with their submission are counted with it
_WITH_PARTS = "set_config('submissions.parts_of_new', 'yes', true)"


@cache
def _statement(has_files: bool, has_points: bool) -> str:
    """One INSERT for each table, of a JSON array with an object a submission."""
    tables = [
        f"given AS MATERIALIZED (SELECT {_next_id(Submission)} AS id, value, ordinality, {_WITH_PARTS}"
        " FROM json_array_elements(%s) WITH ORDINALITY)",
        *_inserts(has_points, _columns(Submission, "r."), "given.value->'{name}'"),
    ]
    files = "NULL"
    if has_files:
        tables += _insert_files()
        files = "(SELECT array_agg(file.id ORDER BY file.position) FROM file WHERE file.submission_id = given.id)"
    return f"WITH {', '.join(tables)} SELECT given.id, {files} FROM given ORDER BY given.ordinality"


_CONDITIONAL = ("workload_id", "unranked_until")
_names: dict[str, tuple[str, ...]] = {}  # of the columns of a statement's answer: the same each time


@cache
def _statement_if(condition: str, has_points: bool) -> str:
    """The same of one object, if the condition has a row."""
    columns = ", ".join(
        f"{'given' if name in _CONDITIONAL else 'r'}.{connection.ops.quote_name(name)}" for name in _written(Submission)
    )
    tables = [
        f"ready AS MATERIALIZED ({condition})",
        f"given AS MATERIALIZED (SELECT {_next_id(Submission)} AS id, ready.*, {_WITH_PARTS} FROM ready WHERE is_met)",
        *_inserts(has_points, columns, "%s::json"),  # of each table: taken out of a whole it would be parsed twice
    ]
    return f"WITH {', '.join(tables)} SELECT given.id, ready.* FROM ready LEFT JOIN given ON true"


def _parts_of(has_points: bool) -> tuple[type[models.Model], ...]:
    return (Trial, NodeGroup, LoadPoint) if has_points else (Trial, NodeGroup)


def _inserts(has_points: bool, columns: str, source: str) -> list[str]:
    """`source`: SQL of the JSON of a table, which has a `name`."""
    record = f"json_populate_record(NULL::{_table(Submission)}, {source.format(name='submission')}) r"
    return [
        f"new AS ({_insert(Submission, 'id')} SELECT given.id, {columns} FROM given, {record})",
        *(_insert_parts(model, source) for model in _parts_of(has_points)),
    ]


def _insert_parts(model: type[models.Model], source: str) -> str:
    records = f"json_populate_recordset(NULL::{_table(model)}, {source.format(name=model.__name__)}) r"
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


def _copy_all(cursor: CursorWrapper, batch: Sequence[NewRows]) -> None:
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

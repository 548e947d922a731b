"""A query whose SQL is built once: for most small queries building it costs more than running it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from functools import cached_property
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections, router
from django.db.models import Model
from django.db.models.expressions import RawSQL
from django.db.models.query import get_related_populators
from psycopg.sql import Literal


def given_ids(name: str) -> RawSQL:
    """For `pk__in` of such a query: the list that is given under this name, which is its example too."""
    return RawSQL("SELECT unnest(%s::bigint[])", [name])


def ids_in(ids: Iterable[int]) -> RawSQL:
    """For `pk__in` of any other query: these, as one parameter."""
    return RawSQL("SELECT unnest(%s::bigint[])", [list(ids)])


class CompiledQuery:
    """The query that `build` makes of the given values, which it passes on as they are.

    `examples` has a value for each of its names that nothing else in the query equals: by them the places of the given
    values are known. A query that also depends on the clock takes the database's (`Now()`).
    """

    def __init__(self, build: Callable[..., Any], **examples: Any):
        self._build = build
        self._examples = examples

    @cached_property
    def sql(self) -> str:
        return self._compiled[0]

    def params(self, **values: Any) -> list[Any]:
        """Of `sql`, in its order."""
        return [values[name] if name else constant for name, constant in self._compiled[1]]

    def sql_of(self, **expressions: str) -> tuple[str, list[Any]]:
        """To be a part of another statement: with SQL in the places of the given values, and the other parameters."""
        places = self._compiled[1]
        pieces = self.sql.split("%s")
        filled = [expressions[name] if name else "%s" for name, _ in places]
        text = "".join(piece + place for piece, place in zip(pieces, [*filled, ""], strict=True))
        return text, [constant for name, constant in places if not name]

    def literal_sql_of(self, **expressions: str) -> str:
        """The same with the other parameters written into it, as `%s` is not a parameter of it any more."""
        text, constants = self.sql_of(**expressions)
        return (text % tuple(Literal(constant).as_string() for constant in constants)).replace("%", "%%")

    def rows(self, **values: Any) -> Sequence[tuple[Any, ...]]:
        """From the database that the request reads; prepared there."""
        return self.rows_from(router.db_for_read(self._model), **values)

    def rows_as_planned(self, **values: Any) -> Sequence[tuple[Any, ...]]:
        """The same, planned for these values: which index is best may depend on them."""
        using = router.db_for_read(self._model)
        with connections[using].cursor() as cursor:
            cursor.execute(self.sql, self.params(**values))
            rows: Sequence[tuple[Any, ...]] = cursor.fetchall()
        return [self._as_read(row, connections[using]) for row in rows] if self._compiled[2] else rows

    def rows_from(self, using: str, **values: Any) -> Sequence[tuple[Any, ...]]:
        """From this database."""
        connection: Any = connections[using]  # benchsite/postgresql
        with connection.prepared_cursor() as cursor:
            cursor.execute(self.sql, self.params(**values))
            rows: Sequence[tuple[Any, ...]] = cursor.fetchall()
        return [self._as_read(row, connection) for row in rows] if self._compiled[2] else rows

    def instances(self, *, is_prepared: bool = False, **values: Any) -> list[Any]:
        """The objects of a QuerySet without annotations, with those of its `select_related`.

        Prepared where an index of one column finds them; else planned for these values, as a QuerySet is.
        """
        using = router.db_for_read(self._model)
        connection: Any = connections[using]
        with connection.prepared_cursor() if is_prepared else connection.cursor() as cursor:
            cursor.execute(self.sql, self.params(**values))
            rows = cursor.fetchall()
        first, end, names = self._columns
        compiler = self._compiled[3]
        related = get_related_populators(compiler.klass_info, compiler.select, using)  # type: ignore[call-arg] # of 6.0
        found = []
        for row in rows:
            read = self._as_read(row, connection)
            found.append(self._model.from_db(using, names, read[first:end]))
            for populator in related:
                populator.populate(read, found[-1])
        return found

    def _as_read(self, row: Sequence[Any], connection: Any) -> tuple[Any, ...]:
        """As a QuerySet has it: JSON as objects."""
        values = list(row)
        for place, (convert, expression) in self._compiled[2].items():
            for each in convert:
                values[place] = each(values[place], expression, connection)
        return tuple(values)

    @cached_property
    def _model(self) -> type[Model]:
        model: type[Model] = self._build(**self._examples).model
        return model

    @cached_property
    def _columns(self) -> tuple[int, int, list[str]]:
        """Those of the model: where they begin and end, and their attributes."""
        compiler = self._compiled[3]
        selected = compiler.klass_info["select_fields"]
        first, end = selected[0], selected[-1] + 1
        return first, end, [column.target.attname for column, *_ in compiler.select[first:end]]

    @cached_property
    def _compiled(self) -> tuple[str, list[tuple[str, Any]], Mapping[int, tuple[Any, Any]], Any]:
        compiler: Any = self._build(**self._examples).query.get_compiler(DEFAULT_DB_ALIAS)
        sql, constants = compiler.as_sql()
        converters = compiler.get_converters([column for column, *_ in compiler.select[: compiler.col_count]])
        names = {_scalar(example): name for name, example in self._examples.items()}
        places = [(names.get(_scalar(value), "") if _is_scalar(value) else "", value) for value in constants]
        if {name for name, _ in places if name} != set(self._examples):
            raise ValueError("a given value has no place of its own in the query")
        return sql, places, converters, compiler


def _is_scalar(value: Any) -> bool:
    return isinstance(value, str | int | float | Decimal | datetime)


def _scalar(value: Any) -> tuple[type, Any]:
    """As it was given: positive integers come from the compiler in types of psycopg."""
    is_number = isinstance(value, int) and type(value).__module__.startswith("psycopg.")
    return (int, int(value)) if is_number else (type(value), value)

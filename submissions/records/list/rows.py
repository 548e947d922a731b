"""The rows of a page of the list: which they are is read each time, what they show only where nobody knows it."""

from collections import namedtuple
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import connections, router
from django.db.models import QuerySet

from benchsite.pagination import Ordering, Page, paginate
from submissions.models import CompiledQuery, Submission, given_ids
from submissions.records.ages import Ages, ages_of_stored
from submissions.records.cache import rows_version
from submissions.records.list.filters import SubmissionFilter
from submissions.records.table import ROW_COLUMNS

_ROWS = CompiledQuery(
    lambda ids: Submission.objects.filter(pk__in=given_ids(ids)).order_by().values_list(*ROW_COLUMNS), ids="ids"
)


@dataclass(frozen=True, slots=True)
class ListedRows:
    """`keys`: id and creation of each row, in their order.

    What a row shows is the same for all keys that are equal, as long as `version` is; None: it is unknown how long.
    """

    keys: Sequence[tuple[int, datetime]]
    version: tuple[object, ...] | None
    today: date

    def read(self, pks: Collection[int]) -> tuple[Mapping[int, Submission], Ages]:
        """The rows with these ids that are still published, and the ages of these. Three queries, none without ids."""
        using = router.db_for_read(Submission)
        values = _ROWS.rows_from(using, ids=list(pks)) if pks else ()
        rows = (Submission.from_db(using, ROW_COLUMNS, row) for row in values)
        known = {row.pk: row for row in rows if row.is_open and row.retracted_at is None}
        return known, ages_of_stored(list(known.values()), self.today)


def listed_rows(page: Page[Any], today: date) -> ListedRows:
    return ListedRows([(row.pk, row.created_at) for row in page.rows], (*rows_version(), today), today)


def page_of(filterset: SubmissionFilter, ordering: Ordering, cursor: str | None) -> Page[Any]:
    """Of each row `pk`, `created_at`, its flags and the column of the order. Raises BadCursor."""
    columns = dict.fromkeys(("pk", "created_at", "flags", ordering.column))
    rows: QuerySet[Any, Any] = filterset.qs.values_list(*columns, named=True)
    fetch = None if cursor else _fetch_of(filterset, ordering, tuple(columns))
    return paginate(rows, ordering=ordering, last=filterset.last, cursor=cursor, fetch=fetch)


def _statements(ranges: Iterable[QuerySet[Any, Any]], wanted: int) -> Iterator[tuple[str, Sequence[Any]]]:
    for part in ranges:
        with suppress(EmptyResultSet):  # the choices can have no row
            yield part[:wanted].query.sql_with_params()


@cache
def _row_type(columns: tuple[str, ...]) -> Any:
    return namedtuple("Row", columns)


def _fetch_of(
    filterset: SubmissionFilter, ordering: Ordering, columns: tuple[str, ...]
) -> Callable[[Iterable[QuerySet[Any, Any]], int], list[Any]]:
    """Reads the first page by statements that are built once for its filter."""
    row_type = _row_type(columns)

    def fetch(ranges: Iterable[QuerySet[Any, Any]], wanted: int) -> list[Any]:
        key = (ordering, wanted)
        statements = filterset.statements.get(key)
        if statements is None:
            statements = filterset.statements[key] = list(_statements(ranges, wanted))
        rows: list[Any] = []
        connection: Any = connections[router.db_for_read(Submission)]  # benchsite/postgresql
        with connection.cursor() if filterset.has_choices else connection.prepared_cursor() as cursor:
            for sql, params in statements:
                cursor.execute(sql, params)
                rows += map(row_type._make, cursor.fetchall())
                if len(rows) >= wanted:
                    break
        return rows[:wanted]

    return fetch

"""Rows of a large answer, read while it is written: the database stores no result, and memory holds one batch."""

from collections.abc import Iterator
from contextlib import nullcontext
from contextvars import Context, copy_context
from typing import Any, TypeVar

from django.db import connections, transaction
from django.db.models import Model, QuerySet
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase

T = TypeVar("T")
Row = TypeVar("Row", bound=Model)


def streamed(rows: "QuerySet[Any, T]", batch: int) -> Iterator[T]:
    """The rows by a cursor of the server, in one transaction.

    Outside of a transaction such a cursor is WITH HOLD: PostgreSQL would compute and store the whole result before
    its first row, and a pooler in transaction mode would lose the cursor.
    """
    query: Any = rows
    is_inside = connections[rows.db].in_atomic_block
    with nullcontext() if is_inside else transaction.atomic(using=rows.db):
        yield from query._iterator(use_chunked_fetch=True, chunk_size=batch)


def by_key(rows: "QuerySet[Row]", batch: int) -> Iterator[Row]:
    """The rows in the order of their keys, a query for each batch: what is written meanwhile is committed by itself."""
    ordered = rows.order_by("pk")
    part = list(ordered[:batch])
    while part:
        last = part[-1].pk  # a row that the caller deletes has none any more
        yield from part
        part = list(ordered.filter(pk__gt=last)[:batch])


def keep_context(response: HttpResponseBase) -> None:
    """What is streamed is made after its view has returned, and still with the context variables of now."""
    if isinstance(response, StreamingHttpResponse) and not response.is_async:
        parts: Any = response.streaming_content
        response.streaming_content = _in_context(iter(parts), copy_context())


def _in_context(parts: Iterator[Any], context: Context) -> Iterator[Any]:
    end = object()
    while (part := context.run(next, parts, end)) is not end:
        yield part

"""Keyset paging for the API and the pages: no offset, stable while rows are added, nulls last.

A page is read in one query, in more where it crosses the border to the rows whose value is null, or to those that
come last whatever their value: each of them is a plain range of the index (column, id).
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar
from urllib.parse import urlencode

from django.core import signing
from django.core.exceptions import ValidationError as DjangoValidationError
from django.db.models import F, Field, Model, Q, QuerySet
from django.http import HttpRequest
from rest_framework.exceptions import ValidationError
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

PAGE_SIZE = 50
MAX_PAGE_SIZE = 200
CURSOR_PARAMETER = "cursor"
MAX_CURSOR_CHARACTERS = 500
_SALT = "benchsite.pagination"

Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True, slots=True)
class SortLink:
    """Of the heading of a column."""

    address: str
    state: str  # for aria-sort: ascending, descending, or "" when the list has another order


class Ordering(NamedTuple):
    """A column of the model and its direction, nulls last; ties and nulls are ordered by id, newest first.

    Oldest first in an order that is the reverse of another: both read one index, each in its direction.
    Ordered by `id` itself the direction holds for the id.
    """

    column: str
    descending: bool = True
    newest_first: bool = True
    parameter: str = ""  # what an address calls it; empty: as the column

    @property
    def name(self) -> str:
        name = self.parameter or self.column
        return f"-{name}" if self.descending else name


class Last(NamedTuple):
    """Rows that come after all others, in the same order among themselves."""

    condition: Q
    has: Callable[[Any], bool]  # whether a row is one of them


class BadCursor(ValueError):
    """The cursor is not one of ours, or belongs to another order."""


class _Place(NamedTuple):
    """Where a page begins: beside the row with this value and id."""

    value: Any
    id: int
    is_backward: bool
    is_last: bool  # among those that come last


@dataclass(frozen=True, slots=True)
class Page(Generic[Row]):
    """The rows of one page; a cursor is None where there is nothing more that way."""

    rows: list[Row]
    next_cursor: str | None
    previous_cursor: str | None


def paginate(
    queryset: "QuerySet[Row]",
    *,
    ordering: Ordering,
    last: Last | None = None,
    cursor: str | None = None,
    size: int = PAGE_SIZE,
) -> Page[Row]:
    """The page after (or before) `cursor`, or the first one. Raises BadCursor."""
    place = _read(cursor, queryset.model, ordering) if cursor else None
    is_backward = place is not None and place.is_backward
    rows = _fetch(_ranges(queryset, ordering, last, place), size + 1)
    is_more, rows = len(rows) > size, rows[:size]
    if is_backward:
        rows.reverse()
    has_next = is_backward or is_more
    has_previous = is_more if is_backward else place is not None
    return Page(
        rows=rows,
        next_cursor=_write(rows[-1], queryset.model, ordering, last, backward=False) if rows and has_next else None,
        previous_cursor=_write(rows[0], queryset.model, ordering, last, backward=True)
        if rows and has_previous
        else None,
    )


def in_order(queryset: "QuerySet[Row]", ordering: Ordering, last: Last | None = None) -> "list[QuerySet[Row]]":
    """All the rows in the order that the pages have: those of the first queryset, then those of the next."""
    return [_in_order(part, ordering) for part in _parts(queryset, last)]


def _parts(queryset: "QuerySet[Row]", last: Last | None) -> "list[QuerySet[Row]]":
    return [queryset.filter(~last.condition), queryset.filter(last.condition)] if last else [queryset]


def _in_order(queryset: "QuerySet[Row]", ordering: Ordering) -> "QuerySet[Row]":
    if ordering.column == "id":
        return queryset.order_by(ordering.name)
    value, by_id = F(ordering.column), "-id" if ordering.newest_first else "id"
    return queryset.order_by(value.desc(nulls_last=True) if ordering.descending else value.asc(nulls_last=True), by_id)


def page_size_of(text: str | None) -> int:
    """The size that a request asks for, at most MAX_PAGE_SIZE. Raises ValueError."""
    if not text:
        return PAGE_SIZE
    if not (text.isascii() and text.isdigit()) or int(text[:9]) < 1:
        raise ValueError(f"must be a whole number from 1 to {MAX_PAGE_SIZE}")
    return min(int(text[:9]), MAX_PAGE_SIZE)


def link_to(request: HttpRequest | Request, cursor: str | None) -> str | None:
    """The address of the request with this cursor, everything else as it was."""
    if cursor is None:
        return None
    query = [(name, value) for name, values in request.GET.lists() if name != CURSOR_PARAMETER for value in values]
    query.append((CURSOR_PARAMETER, cursor))
    return request.build_absolute_uri(f"{request.path}?{urlencode(query)}")


class KeysetPagination(BasePagination):
    """REST framework's face of `paginate`: {"next": url | null, "results": [...]}.

    The view names its orders: `orderings` (parameter value -> Ordering) and `default_ordering`; `last_of(request)` are
    the rows that come last in each of them.
    """

    def paginate_queryset(self, queryset: Any, request: Request, view: APIView | None = None) -> list[Any]:
        try:
            size = page_size_of(request.query_params.get("page_size"))
        except ValueError as error:
            raise ValidationError({"page_size": [str(error)]}) from error
        try:
            page = paginate(
                queryset,
                ordering=ordering_of(request, view),
                last=last_of(request, view),
                cursor=request.query_params.get(CURSOR_PARAMETER),
                size=size,
            )
        except BadCursor as error:
            raise ValidationError({CURSOR_PARAMETER: [str(error)]}) from error
        self._next = link_to(request, page.next_cursor)
        return page.rows

    def get_paginated_response(self, data: Any) -> Response:
        return Response({"next": self._next, "results": data})

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        return {
            "type": "object",
            "required": ["next", "results"],
            "properties": {
                "next": {"type": "string", "format": "uri", "nullable": True},
                "results": schema,
            },
        }

    def get_schema_operation_parameters(self, view: APIView) -> list[dict[str, Any]]:
        orders = sorted(getattr(view, "orderings", {}))
        parameters = [
            _parameter(CURSOR_PARAMETER, {"type": "string"}, "From the `next` of the previous page"),
            _parameter(
                "page_size",
                {"type": "integer", "minimum": 1, "default": PAGE_SIZE},
                f"At most {MAX_PAGE_SIZE} rows are returned",
            ),
        ]
        if orders:
            schema = {"type": "string", "enum": orders, "default": getattr(view, "default_ordering", "-id")}
            parameters.append(_parameter("ordering", schema, "`-` is descending; null comes last"))
        return parameters


def ordering_of(request: Request, view: Any) -> Ordering:
    """The order that the request asks for among the view's. Raises ValidationError."""
    orderings = getattr(view, "orderings", None) or {"-id": Ordering("id")}
    name = request.query_params.get("ordering") or getattr(view, "default_ordering", "-id")
    if name not in orderings:
        raise ValidationError({"ordering": [f"must be one of {', '.join(orderings)}"]})
    ordering: Ordering = orderings[name]
    return ordering


def last_of(request: Request, view: Any) -> Last | None:
    """The rows that come last in every order of the view."""
    of_view = getattr(view, "last_of", None)
    last: Last | None = of_view(request) if of_view else None
    return last


def _parameter(name: str, schema: dict[str, Any], description: str) -> dict[str, Any]:
    return {"name": name, "in": "query", "schema": schema, "description": description}


def _fetch(ranges: Iterable["QuerySet[Row]"], wanted: int) -> list[Row]:
    rows: list[Row] = []
    for part in ranges:
        rows += part[: wanted - len(rows)]
        if len(rows) == wanted:
            break
    return rows


def _ranges(
    queryset: "QuerySet[Row]", ordering: Ordering, last: Last | None, place: _Place | None
) -> Iterator["QuerySet[Row]"]:
    """The index ranges that hold the rows beyond `place`, nearest first, in the way of reading."""
    is_backward = place is not None and place.is_backward
    parts = _parts(queryset, last)
    begin = len(parts) - 1 if place is not None and place.is_last else 0
    nearest, *others = parts[begin::-1] if is_backward else parts[begin:]
    yield from _ranges_of(nearest, ordering, place, is_backward)
    for part in others:
        yield from _ranges_of(part, ordering, None, is_backward)


def _ranges_of(
    part: "QuerySet[Row]", ordering: Ordering, place: _Place | None, backward: bool
) -> Iterator["QuerySet[Row]"]:
    """Those beyond a place of this part, or all of it."""
    if ordering.column == "id":
        descending = ordering.descending != backward
        rows = part.order_by("-id" if descending else "id")
        yield rows if place is None else rows.filter(_beyond_id(place, descending))
        return
    rows = _along_index(part, ordering, backward)
    if place is not None:
        yield from _ranges_beyond(rows, ordering, place)
    elif ordering.newest_first:
        yield rows
    else:
        ranges = _values_and_nulls(rows, ordering.column)
        yield from ranges[::-1] if backward else ranges


def _along_index(queryset: "QuerySet[Row]", ordering: Ordering, backward: bool) -> "QuerySet[Row]":
    """As the index is read. A reverse order begins at its end, where the nulls are: they are a range of their own."""
    value = F(ordering.column)
    is_forward = ordering.newest_first != backward
    nulls_at = {"nulls_last": True} if is_forward else {"nulls_first": True}
    by_value = value.desc(**nulls_at) if ordering.descending != backward else value.asc(**nulls_at)
    return queryset.order_by(by_value, "-id" if is_forward else "id")


def _values_and_nulls(rows: "QuerySet[Row]", column: str) -> "tuple[QuerySet[Row], ...]":
    values = rows.filter(**{f"{column}__isnull": False})
    field: Field[Any, Any] = rows.model._meta.get_field(column)  # type: ignore[assignment]
    return (values, rows.filter(**{f"{column}__isnull": True})) if field.null else (values,)


def _ranges_beyond(rows: "QuerySet[Row]", ordering: Ordering, place: _Place) -> Iterator["QuerySet[Row]"]:
    column = ordering.column
    values, *nulls = _values_and_nulls(rows, column)
    beyond_id = _beyond_id(place, descending=ordering.newest_first != place.is_backward)
    if place.value is None:
        yield from (part.filter(beyond_id) for part in nulls)
        if place.is_backward:
            yield values
        return
    lookup = "lt" if ordering.descending != place.is_backward else "gt"
    # the first condition is what the index is entered with, the second cuts the ties
    yield values.filter(
        Q(**{f"{column}__{lookup}e": place.value}),
        Q(**{f"{column}__{lookup}": place.value}) | beyond_id,
    )
    if not place.is_backward:
        yield from nulls


def _beyond_id(place: _Place, descending: bool) -> Q:
    return Q(id__lt=place.id) if descending else Q(id__gt=place.id)


def _write(row: Model, model: type[Model], ordering: Ordering, last: Last | None, *, backward: bool) -> str:
    value = getattr(row, ordering.column)
    field: Field[Any, Any] = model._meta.get_field(ordering.column)  # type: ignore[assignment]
    text = None if value is None else field.value_to_string(row)
    is_last = last is not None and last.has(row)
    return signing.dumps([ordering.name, text, row.pk, int(backward), int(is_last)], salt=_SALT)


def _read(cursor: str, model: type[Model], ordering: Ordering) -> _Place:
    """Signed, so that a value read here is always one that was written here."""
    if len(cursor) > MAX_CURSOR_CHARACTERS:
        raise BadCursor("is not a cursor of this list")
    try:
        name, text, pk, backward, *is_last = signing.loads(cursor, salt=_SALT)
    except signing.BadSignature as error:
        raise BadCursor("is not a cursor of this list") from error
    if name != ordering.name:
        raise BadCursor(f"belongs to the order {name}: begin again without it")
    try:
        field: Field[Any, Any] = model._meta.get_field(ordering.column)  # type: ignore[assignment]
        value = None if text is None else field.to_python(text)
    except (DjangoValidationError, LookupError) as error:
        raise BadCursor("is not a cursor of this list") from error
    return _Place(value, pk, bool(backward), any(is_last))  # missing in a cursor of an earlier version

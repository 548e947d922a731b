"""Lists of rows: paged as JSON, streamed whole as CSV by the columns that the serializer has."""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any, ClassVar, TypeVar

from django.db.models import Model, QuerySet
from django.http import HttpResponseBase
from rest_framework import generics, serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from benchsite.http.pagination import KeysetPagination, in_order, last_of, ordering_of
from benchsite.http.streams import streamed
from submissions.api.bodies import CSVRenderer, StreamedFormats
from submissions.formatting.csv import csv_response

EXPORT_BATCH = 250  # rows in memory
PAGING = ("cursor", "page_size")

Row = TypeVar("Row", bound=Model)

# Fields whose column already is what they represent: text, numbers, lists of text.
_AS_STORED = (
    serializers.CharField,
    serializers.ChoiceField,
    serializers.BooleanField,
    serializers.IntegerField,
    serializers.FloatField,
    serializers.ListField,
)


class CSVListView(StreamedFormats, generics.ListAPIView[Row]):
    """GET: a page of rows as JSON; as CSV every row that the filters leave, in the order asked for.

    Each field of the serializer has a column as its `source`: a CSV reads columns, not models.
    """

    summary: ClassVar[str]
    description = "CSV has every row that the filters leave; JSON is paged."
    csv_name: ClassVar[str]  # of the file, without the site, the day and .csv
    streamed = {"GET": (CSVRenderer,)}
    pagination_class = KeysetPagination

    def get(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponseBase:  # type: ignore[override]
        if request.accepted_renderer.format == CSVRenderer.format:
            return self._export(request)
        return super().get(request, *args, **kwargs)

    def _export(self, request: Request) -> HttpResponseBase:
        paging = [name for name in PAGING if name in request.query_params]
        if paging:
            raise ValidationError({name: ["is for JSON: CSV has every row"] for name in paging})
        found = self.filter_queryset(self.get_queryset())
        rows = in_order(found, ordering_of(request, self), last_of(request, self))
        serializer: Any = self.get_serializer()
        return csv_response(list(_columns(serializer)), column_rows(serializer, rows), self.csv_name)


def column_rows(serializer: serializers.Serializer[Any], parts: Iterable[QuerySet[Any]]) -> Iterator[list[Any]]:
    """The cells of each row in the order of the serializer's fields; a query for each part, and one batch in memory."""
    fields = _columns(serializer).values()
    columns = ["__".join(field.source_attrs) for field in fields]
    shapes = [_shape(field) for field in fields]
    for row in chain.from_iterable(streamed(rows.values_list(*columns), EXPORT_BATCH) for rows in parts):
        yield [
            value if shape is None or value is None else shape(value) for shape, value in zip(shapes, row, strict=True)
        ]


def _columns(serializer: serializers.Serializer[Any]) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
    return {name: field for name, field in serializer.fields.items() if not getattr(field, "is_only_json", False)}


def _shape(field: serializers.Field[Any, Any, Any, Any]) -> Callable[[Any], Any] | None:
    """From the value of a column to what the field represents; None where the two are the same."""
    if type(field) in _AS_STORED:
        return None
    shape: Callable[[Any], Any] = getattr(field, "as_cell", field.to_representation)
    return shape

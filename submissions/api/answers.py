"""A question's answer: one serializer gives its JSON, the columns of its CSV and its OpenAPI schema."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from django import forms
from django.http import HttpResponseBase
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from submissions.api.bodies import CSVRenderer, StreamedFormats, json_text_response
from submissions.api.fields import Interval
from submissions.api.forms import BadParameter, validated
from submissions.formatting.csv import csv_response

Table = tuple[list[str], Iterable[Iterable[Any]]]  # header, rows of a CSV


class AnswerSerializer(serializers.Serializer[Any]):
    """Reads a Result. `csv_rows` names the field (a list of objects) whose rows a CSV has; its header is their fields.

    How a field becomes columns:
    - an `Interval` is two, as it names them;
    - an object is one for each of its fields, `<object>_<field>`;
    - a list of objects is one cell, each object written by the `csv_cell` of its serializer, joined by ";":
      `csv_cell = "{node_count} x {instance_type}"`;
    - a list of values is one cell, joined by ";"; a dict is one cell of JSON; every other field is one cell.
    Rows whose columns depend on the parameters drop fields in `get_fields`, by `self.root.instance`.
    The field `credits`, of an answer whose rows are no single results, is the last column, `attribution`, of each row.
    """

    csv_rows: ClassVar[str]
    csv_name: ClassVar[str]  # of the file, without the site, the day and .csv

    @property
    def csv_filename(self) -> str:
        """As `csv_name`, where it depends on the answer."""
        return self.csv_name

    def csv_table(self) -> Table:
        """The header and the rows of the CSV."""
        field: Any = self.fields[self.csv_rows]
        serializer = field.child
        entries = field.get_attribute(self.instance)
        rows = (csv_cells(serializer, serializer.to_representation(entry)) for entry in entries)
        table = csv_columns(serializer), rows
        credits: Any = self.fields.get("credits")
        return with_credits(table, credits.get_attribute(self.instance)) if credits else table


def with_credits(table: Table, credits: Sequence[str]) -> Table:
    """With whom to name in a last column: the file goes round without its page."""
    columns, rows = table
    return [*columns, "attribution"], ([*row, "; ".join(credits)] for row in rows)


class AnswerView(StreamedFormats, APIView):
    """GET: parameters -> form -> `result` -> answer, as JSON, and as CSV where the answer has rows.

    `summary` and the docstring of the view are those of the schema.
    """

    summary: ClassVar[str]
    form_class: ClassVar[type[forms.Form]]
    answer_class: ClassVar[type[serializers.Serializer[Any]]]

    def result(self, form: Any) -> Any:
        """What `answer_class` reads. `form` is valid; may raise BadParameter."""
        raise NotImplementedError

    def form_options(self, request: Request) -> dict[str, Any]:
        """Arguments of the form beside the parameters: the caller, where the answer depends on who asks."""
        return {}

    def get(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponseBase:
        form = validated(self.form_class, request, **self.form_options(request))
        try:
            if request.accepted_renderer.format != CSVRenderer.format:
                return json_text_response(request, self.json(request, form))
            answer = self.answer(request, form, self.result(form))
        except BadParameter as error:
            raise ValidationError(error.problems) from error
        if isinstance(answer, AnswerSerializer):
            return csv_response(*answer.csv_table(), answer.csv_filename)
        return Response(answer.data)

    def json(self, request: Request, form: Any) -> bytes:
        """The JSON as it is sent; may be cached. May raise BadParameter."""
        return self.json_of(request, form, self.result(form))

    def json_of(self, request: Request, form: Any, result: Any) -> bytes:
        return JSONRenderer().render(self.answer(request, form, result).data)

    def answer(self, request: Request, form: Any, result: Any) -> serializers.Serializer[Any]:
        return self.answer_class(result, context={"request": request, "form": form})

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        has_rows = hasattr(getattr(cls, "answer_class", None), "csv_rows")
        cls.streamed = {"GET": (CSVRenderer,)} if has_rows else {}


def csv_columns(serializer: serializers.Serializer[Any], prefix: str = "") -> list[str]:
    """The header of a CSV of such rows."""
    columns: list[str] = []
    for name, field in serializer.fields.items():
        if isinstance(field, Interval):
            columns += field.columns
        elif isinstance(field, serializers.Serializer):
            columns += csv_columns(field, f"{prefix}{name}_")
        else:
            columns.append(f"{prefix}{name}")
    return columns


def csv_cells(serializer: serializers.Serializer[Any], row: Mapping[str, Any] | None) -> list[Any]:
    """The cells of a row (as `serializer` represents it), in the order of `csv_columns`; of None all are empty."""
    cells: list[Any] = []
    for name, field in serializer.fields.items():
        value = None if row is None else row.get(name)
        if isinstance(field, Interval):
            cells += value or (None, None)
        elif isinstance(field, serializers.Serializer):
            cells += csv_cells(field, value)
        elif isinstance(field, serializers.ListSerializer):
            entry_serializer: Any = field.child
            cells.append([entry_serializer.csv_cell.format(**entry) for entry in value or ()])
        else:
            cells.append(json.dumps(value) if isinstance(value, dict) else value)
    return cells

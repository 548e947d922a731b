"""GET /api/v1/chart/: the numbers that a chart of a page draws."""

import re
from collections.abc import Iterator, Sequence
from html import unescape
from typing import Any

from django import forms
from django.http import Http404
from rest_framework import serializers
from rest_framework.request import Request

from submissions.api.answers import AnswerSerializer, AnswerView, Table, with_credits
from submissions.api.fields import credits_field
from submissions.api.forms import BadParameter, QuestionForm
from submissions.api.parameters import api_from_data
from submissions.charts.names import chart_name
from submissions.formatting.charts import Chart
from submissions.models.short_link import LONGEST_PATH
from submissions.models.versions.data_version import Subject
from submissions.pricing.discounts import DiscountField, discount_text
from submissions.records.unpublished import for_readers_of
from submissions.sharing.embed import CACHE_SECONDS
from submissions.sharing.links import NotShareableError, View, known_view

COLUMNS = ("series", "x_axis", "x", "y_axis", "y", "low", "high", "note")
_BREAK = re.compile(r"<br ?/?>")


class ChartForm(QuestionForm):
    page = forms.CharField(max_length=LONGEST_PATH, help_text="A page of this site with its query: /value/?by=jdk")
    key = forms.SlugField(max_length=100, help_text="The key of the chart on its page, such as groups")
    figure = forms.BooleanField(required=False, help_text="Adds `figure`: the chart for Plotly")
    discount = DiscountField()  # not in `page`, which others may see

    def clean_page(self) -> View:
        try:
            return known_view(self.cleaned_data["page"])
        except NotShareableError as error:
            raise forms.ValidationError(str(error)) from error


class ChartSerializer(AnswerSerializer):
    """A chart in numbers, with its finding and caveats."""

    csv_rows = "rows"

    title = serializers.SerializerMethodField(help_text="Of the page")
    finding = serializers.CharField(source="label")
    address = serializers.SerializerMethodField(help_text="Of the page")
    caveats = serializers.ListField(child=serializers.CharField(), source="shown_caveats")
    credits = credits_field()
    columns = serializers.SerializerMethodField()
    rows = serializers.SerializerMethodField(help_text="A row for each mark, in the order of `columns`")
    figure = serializers.DictField(source="drawing", required=False, help_text="For Plotly; only with `figure=true`")

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        fields = super().get_fields()
        form = self.context.get("form")
        if form is not None and not form.cleaned_data["figure"]:  # without a form the schema is described
            del fields["figure"]
        return fields

    def get_title(self, chart: Chart) -> str:
        return self._view.title

    def get_address(self, chart: Chart) -> str:
        return str(self.context["request"].build_absolute_uri(self._view.path))

    def get_columns(self, chart: Chart) -> list[str]:
        return list(COLUMNS)

    def get_rows(self, chart: Chart) -> list[list[Any]]:
        return [list(row) for row in rows_of(chart.figure)]

    @property
    def csv_filename(self) -> str:
        return chart_name(self._view.path, self._chart.key)

    def csv_table(self) -> Table:
        return with_credits((list(COLUMNS), rows_of(self._chart.figure)), self._chart.credits)

    @property
    def _chart(self) -> Chart:
        assert isinstance(self.instance, Chart)  # noqa: S101 - a CSV is of an answer
        return self.instance

    @property
    def _view(self) -> View:
        view: View = self.context["form"].cleaned_data["page"]
        return view


@api_from_data(*Subject, parameters=ChartForm.base_fields)
class ChartView(AnswerView):
    """What a chart of a public page draws, as a visitor without an account sees it."""

    summary = "The numbers of a chart"
    authentication_classes = ()
    form_class = ChartForm
    answer_class = ChartSerializer

    def result(self, form: ChartForm) -> Chart:
        try:
            page: View = form.cleaned_data["page"]
            return page.chart(form.cleaned_data["key"], discount=discount_text(form.cleaned_data["discount"]))
        except Http404 as error:
            raise BadParameter("key", str(error), is_missing=True) from error

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        finished = super().finalize_response(request, response, *args, **kwargs)
        return for_readers_of(request.query_params.get("page", ""), finished, cache_seconds=CACHE_SECONDS)


def rows_of(figure: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    """A row for each mark, in the order of COLUMNS; unknown is None.

    `low` and `high` are the ends of the mark's error bar, on the axis along which it lies.
    """
    for trace in figure["data"]:
        xs, ys = list(trace.get("x", ())), list(trace.get("y", ()))
        notes = trace.get("text")
        series = _plain(trace.get("name"))
        axes = [_axis_title(figure["layout"], trace.get(f"{axis}axis", axis)) for axis in "xy"]
        for place, (x, y) in enumerate(zip(xs, ys, strict=False)):
            low, high = _bar(trace, place, x, y)
            note = notes[place] if isinstance(notes, list | tuple) and place < len(notes) else None
            yield series, axes[0], _plain(x), axes[1], _plain(y), low, high, _plain(note)


def _plain(value: Any) -> Any:
    """A text without the markup that Plotly reads; other values unchanged."""
    return unescape(_BREAK.sub(" ", value)) if isinstance(value, str) else value


def _axis_title(layout: dict[str, Any], axis: str) -> str | None:
    """`axis` is "x", "y2", ...; a figure names it xaxis, yaxis2."""
    title = layout.get(f"{axis[0]}axis{axis[1:]}", {}).get("title")
    text: str | None = _plain(title.get("text") if isinstance(title, dict) else title)
    return text


def _bar(trace: dict[str, Any], place: int, x: Any, y: Any) -> tuple[Any, Any]:
    for name, value in (("error_x", x), ("error_y", y)):
        bar = trace.get(name) or {}
        above = _at(bar.get("array"), place)
        below = _at(bar.get("arrayminus"), place) if not bar.get("symmetric", "arrayminus" not in bar) else above
        if value is not None and above is not None and below is not None:
            return value - below, value + above
    return None, None


def _at(values: Sequence[Any] | None, place: int) -> Any:
    return values[place] if values is not None and place < len(values) else None

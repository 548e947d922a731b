"""GET /api/v1/chart/: the numbers that a chart of a page draws."""

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
from submissions.records.unpublished import for_readers_of
from submissions.sharing.chart_numbers import COLUMNS, rows
from submissions.sharing.embed import CACHE_SECONDS
from submissions.sharing.links import NotShareableError, View, known_view


class ChartForm(QuestionForm):
    page = forms.CharField(max_length=LONGEST_PATH, help_text="A page of this site with its query: /value/?by=jdk")
    key = forms.SlugField(max_length=100, help_text="The key of the chart on its page, such as groups")
    figure = forms.BooleanField(required=False, help_text="Adds `figure`: the chart for Plotly")

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
        return [list(row) for row in rows(chart.figure)]

    @property
    def csv_filename(self) -> str:
        return chart_name(self._view.path, self._chart.key)

    def csv_table(self) -> Table:
        return with_credits((list(COLUMNS), rows(self._chart.figure)), self._chart.credits)

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
            return page.chart(form.cleaned_data["key"])
        except Http404 as error:
            raise BadParameter("key", str(error), is_missing=True) from error

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        finished = super().finalize_response(request, response, *args, **kwargs)
        return for_readers_of(request.query_params.get("page", ""), finished, cache_seconds=CACHE_SECONDS)

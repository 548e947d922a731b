"""A question's form and answer: parameters, problems, JSON, CSV and schema from one place."""

import csv
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from io import StringIO

import pytest
from django import forms
from django.urls import include, path
from drf_spectacular.generators import SchemaGenerator
from rest_framework import serializers

from submissions.api.answers import AnswerSerializer, AnswerView
from submissions.api.fields import Interval, Money
from submissions.api.forms import BadParameter, DayField, QuestionForm, redirect_to_api
from submissions.choices import Trust

pytestmark = [pytest.mark.urls(__name__), pytest.mark.django_db]


@dataclass(frozen=True)
class Machine:
    instance_type: str
    count: int


@dataclass(frozen=True)
class Row:
    name: str
    interval: tuple[float, float] | None = None
    caches: tuple[Machine, ...] = ()
    best: Machine | None = None
    usd: Decimal | None = None
    zones: tuple[str, ...] = ()


@dataclass(frozen=True)
class Result:
    by: str
    rows: tuple[Row, ...] = field(default=())


ROWS = (
    Row("=aws", (1.5, 2), (Machine("m3.large", 2), Machine("r3.large", 1)), Machine("m3.xlarge", 3), Decimal("0.5320")),
    Row("gce", zones=("a", "b")),
)


class Question(QuestionForm):
    by = forms.ChoiceField(required=False, choices=[("cloud", "Cloud"), ("jdk", "JDK")], initial="cloud")
    limit = forms.FloatField(required=False, min_value=0.5, max_value=10, help_text="Only rows within it")
    nodes = forms.IntegerField(required=True, min_value=1)
    at = DayField(required=False)
    trust = forms.ChoiceField(required=False, choices=Trust.pairs)
    workload = forms.RegexField(r"^[0-9a-f]{4}$", required=False)
    after = forms.CharField(required=False, max_length=5)
    page_only = ("after",)


class MachineSerializer(serializers.Serializer):
    csv_cell = "{count} x {instance_type}"

    instance_type = serializers.CharField()
    count = serializers.IntegerField()


class RowSerializer(serializers.Serializer):
    name = serializers.CharField()
    interval = Interval(columns=("low", "high"))
    caches = MachineSerializer(many=True)
    best = MachineSerializer(allow_null=True)
    usd = Money(allow_null=True)
    zones = serializers.ListField(child=serializers.CharField())


class QuestionSerializer(AnswerSerializer):
    csv_rows = "groups"
    csv_name = "question"

    by = serializers.CharField(help_text="What the rows are grouped by")
    groups = RowSerializer(many=True, source="rows")


class QuestionApi(AnswerView):
    """Groups with their figures."""

    summary = "Rank the groups"
    form_class = Question
    answer_class = QuestionSerializer

    def result(self, form):
        if form.cleaned_data["workload"] == "dead":
            raise BadParameter("workload", "there is no such workload", is_missing=True)
        return Result(form.cleaned_data["by"], ROWS)


class PlainSerializer(serializers.Serializer):
    by = serializers.CharField()


class PlainApi(QuestionApi):
    answer_class = PlainSerializer


def question_page(request):
    return redirect_to_api(request, "api:question", nodes="9")


api = [path("question/", QuestionApi.as_view(), name="question"), path("plain/", PlainApi.as_view())]
urlpatterns = [path("api/v1/", include((api, "api"))), path("page/", question_page)]
BASE = "/api/v1/question/"


def test_the_answer_is_the_result_as_the_serializer_says(client):
    body = client.get(BASE, {"nodes": 3}).json()

    assert body["by"] == "cloud"
    assert body["groups"][0] == {
        "name": "=aws",
        "interval": [1.5, 2.0],
        "caches": [{"instance_type": "m3.large", "count": 2}, {"instance_type": "r3.large", "count": 1}],
        "best": {"instance_type": "m3.xlarge", "count": 3},
        "usd": "0.532",
        "zones": [],
    }
    assert (body["groups"][1]["interval"], body["groups"][1]["best"]) == (None, None)


def test_csv_has_the_rows_with_the_serializers_fields_as_columns(client):
    response = client.get(BASE, {"nodes": 3, "format": "csv"})
    lines = list(csv.reader(StringIO(response.getvalue().decode())))

    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert (
        response["Content-Disposition"] == f'attachment; filename="benchsite-question-{datetime.now(UTC):%Y-%m-%d}.csv"'
    )
    assert lines == [
        ["name", "low", "high", "caches", "best_instance_type", "best_count", "usd", "zones"],
        ["'=aws", "1.5", "2.0", "2 x m3.large;1 x r3.large", "m3.xlarge", "3", "0.532", ""],
        ["gce", "", "", "", "", "", "", "a;b"],
    ]


def test_csv_by_the_accept_header(client):
    assert client.get(BASE, {"nodes": 3}, HTTP_ACCEPT="text/csv")["Content-Type"].startswith("text/csv")


def test_an_answer_without_rows_has_no_csv(client, faults):
    assert client.get("/api/v1/plain/", {"nodes": 3}).json() == {"by": "cloud"}
    assert faults(client.get("/api/v1/plain/", {"nodes": 3, "format": "csv"}), 406)


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ({}, "#/nodes"),
        ({"nodes": "0"}, "#/nodes"),
        ({"nodes": "1.5"}, "#/nodes"),
        ({"nodes": 3, "limit": "nan"}, "#/limit"),
        ({"nodes": 3, "limit": "inf"}, "#/limit"),
        ({"nodes": 3, "limit": "-1e400"}, "#/limit"),
        ({"nodes": 3, "limit": "0.1"}, "#/limit"),
        ({"nodes": 3, "by": "disk"}, "#/by"),
        ({"nodes": 3, "at": "1/2/2026"}, "#/at"),
        ({"nodes": 3, "at": "2026-02-30"}, "#/at"),
        ({"nodes": 3, "workload": "a\x00bc"}, "#/workload"),
        ({"nodes": 3, "workload": "dead"}, "#/workload"),
        ({"nodes": 3, "wrokload": "beef"}, "#/wrokload"),
        ({"nodes": 3, "after": "x"}, "#/after"),
        ({"nodes": 3, "a/b~c": "x"}, "#/a~1b~0c"),
    ],
)
def test_a_wrong_parameter_is_a_problem_with_a_pointer_to_it(client, faults, query, pointer):
    assert set(faults(client.get(BASE, query))) == {pointer}


def test_an_empty_parameter_is_one_that_is_not_given(client):
    assert client.get(BASE, {"nodes": 3, "by": "", "limit": "", "at": "", "trust": ""}).json()["by"] == "cloud"


def test_an_unknown_parameter_is_answered_with_the_known_ones(client, faults):
    detail = faults(client.get(BASE, {"nodes": 3, "zone": "a"}))["#/zone"]

    assert detail == "unknown parameter; known are at, by, limit, nodes, trust, workload"


def test_a_page_leads_to_its_api_address_with_the_same_parameters(client):
    response = client.get("/page/", {"by": "jdk", "limit": "", "format": "csv"})

    assert (response.status_code, response["Location"]) == (302, f"{BASE}?by=jdk&limit=&format=csv&nodes=9")
    assert client.get(response["Location"])["Content-Type"].startswith("text/csv")


def test_the_address_of_a_state_omits_defaults():
    form = Question({"nodes": "3", "by": "cloud", "limit": "2.50"})

    assert form.is_valid()
    assert form.address() == "?limit=2.5&nodes=3"
    assert form.address(by="jdk", nodes="") == "?by=jdk&limit=2.5"


def test_the_schema_has_the_parameters_of_the_form_and_the_fields_of_the_answer():
    schema = SchemaGenerator(patterns=urlpatterns).get_schema(request=None, public=True)
    operation = schema["paths"]["/api/v1/question/"]["get"]
    parameters = {one["name"]: one for one in operation["parameters"]}

    assert (operation["summary"], operation["description"]) == ("Rank the groups", "Groups with their figures.")
    assert list(parameters) == ["at", "by", "format", "limit", "nodes", "trust", "workload"]
    assert parameters["by"]["schema"] == {"type": "string", "enum": ["cloud", "jdk"], "default": "cloud"}
    assert parameters["limit"] == {
        "in": "query",
        "name": "limit",
        "schema": {"type": "number", "format": "double", "minimum": 0.5, "maximum": 10},
        "description": "Only rows within it",
        "allowEmptyValue": True,
    }
    assert parameters["nodes"]["required"] is True
    assert parameters["nodes"]["schema"] == {"type": "integer", "minimum": 1}
    assert parameters["at"]["schema"] == {"type": "string", "format": "date"}
    assert parameters["trust"]["schema"]["enum"] == [trust.value for trust in Trust]
    assert parameters["workload"]["schema"]["pattern"] == "^[0-9a-f]{4}$"
    assert parameters["format"]["schema"]["enum"] == ["csv", "json"]
    assert set(operation["responses"]["200"]["content"]) == {"application/json", "text/csv"}
    assert set(operation["responses"]) >= {"400", "406", "429"}
    row = schema["components"]["schemas"]["Row"]["properties"]
    assert list(row) == ["name", "interval", "caches", "best", "usd", "zones"]
    assert row["interval"]["readOnly"] is True

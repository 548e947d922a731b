"""How drf-spectacular describes every operation: a question's form and answer, its problems, its bearer token."""

from typing import Any, Literal

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import build_bearer_security_scheme_object
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers

from benchsite.http import problems
from submissions.api.forms import openapi_parameters

JSON = (200, "application/json")
CSV_TEXT = {(200, "text/csv"): OpenApiTypes.STR}
FORMAT = OpenApiParameter(
    "format", str, enum=["json", "csv"], default="json", description="The Accept header works, too"
)


class FaultSerializer(serializers.Serializer[Any]):
    pointer = serializers.CharField(help_text='RFC 6901: "#/trials/0/latency_ms/p99"')
    detail = serializers.CharField()


class ProblemSerializer(serializers.Serializer[Any]):
    """RFC 9457: every error of the API has this form."""

    type = serializers.CharField(help_text="/problems/invalid, ...")
    title = serializers.CharField()
    status = serializers.IntegerField()
    errors = FaultSerializer(many=True)  # type: ignore[assignment]
    request_id = serializers.CharField(required=False, help_text="As in the header X-Request-ID")


class ProblemSchema(AutoSchema):
    """Adds the problems that an operation can answer with, and describes an `AnswerView` by its form and answer."""

    def get_summary(self) -> str | None:
        summary: str | None = getattr(self.view, "summary", None)
        return summary

    def get_description(self) -> str:  # type: ignore[override]
        description: str = getattr(self.view, "description", "") or super().get_description()
        return description

    def get_override_parameters(self) -> list[Any]:
        form_class = getattr(self.view, "form_class", None)
        parameters = openapi_parameters(form_class) if form_class else []
        return [*parameters, FORMAT] if self._has_csv() else parameters

    def get_response_serializers(self) -> Any:
        view = self.view
        # a view with answers of several forms describes them in `answer_schema`
        answer = getattr(view, "answer_schema", None) or getattr(view, "answer_class", None)
        answer = answer or super().get_response_serializers()
        return {JSON: answer, **CSV_TEXT} if self._has_csv() else answer

    def _get_parameters(self) -> list[dict[str, Any]]:
        """An optional parameter of reading may be empty: that is as if it were missing."""
        parameters: list[dict[str, Any]] = super()._get_parameters()
        for parameter in parameters:
            if self.method == "GET" and parameter["in"] == "query" and not parameter.get("required"):
                parameter["allowEmptyValue"] = True
        return parameters

    def _has_csv(self) -> bool:
        """Whether the view streams CSV for this method."""
        streamed = getattr(self.view, "streamed", {}).get(self.method, ())
        return any(renderer.format == "csv" for renderer in streamed)

    def _get_response_bodies(self, direction: Literal["request", "response"] = "response") -> dict[str, Any]:
        bodies: dict[str, Any] = super()._get_response_bodies(direction)
        for status in self._problem_statuses():
            bodies.setdefault(
                str(status),
                self._get_response_for_code(  # type: ignore[no-untyped-call]
                    ProblemSerializer, str(status), [problems.CONTENT_TYPE]
                ),
            )
        return bodies

    def _problem_statuses(self) -> list[int]:
        statuses = [400, 401, 405, 406, 429]
        if self.method != "GET" or getattr(self.view, "is_private", False):
            statuses.append(403)
        if "{" in self.path:
            statuses.append(404)
        if self.method == "POST":
            statuses += [413, 415]
        return sorted(statuses)


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "submissions.api.permissions.BearerAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        scheme: dict[str, Any] = build_bearer_security_scheme_object("Authorization", "Bearer")
        return scheme

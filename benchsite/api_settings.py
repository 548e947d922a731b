"""What the API is made of: nothing that an operator sets; settings.py adds that."""

from typing import Any

REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "submissions.api.permissions.BearerAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticatedOrReadOnly"],
    "DEFAULT_PARSER_CLASSES": ["submissions.api.bodies.StrictJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "submissions.api.bodies.FormatOrAccept",
    "DEFAULT_SCHEMA_CLASS": "submissions.api.schema.ProblemSchema",
    "DEFAULT_FILTER_BACKENDS": ["submissions.api.parameters.StrictFilterBackend"],
    "EXCEPTION_HANDLER": "benchsite.http.problems.exception_handler",
    "DEFAULT_THROTTLE_CLASSES": ["submissions.api.throttles.CallerThrottle"],
    "STRICT_JSON": True,
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
KNOX_TOKEN_MODEL = "submissions.ApiToken"  # noqa: S105
# knox's own migrations make its table although ours takes its place
MIGRATION_MODULES = {"knox": None}
REST_KNOX = {"AUTH_HEADER_PREFIX": "Bearer", "TOKEN_TTL": None}  # until it is revoked, unless its owner chose a date
SPECTACULAR_SETTINGS = {
    "TITLE": "Benchsite API",
    "DESCRIPTION": "The public record of what a database costs to run fast.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",  # as pydantic's own schemas are
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_SETTINGS": {"deepLinking": False},  # its links are inside of buttons, which no screen reader reaches
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
}

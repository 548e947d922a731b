"""The reference of the API as a page: what docs/openapi.json says, without a script."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from benchsite.http.from_data import not_shared
from submissions.api.reference.calls import CALLS
from submissions.api.reference.curl import curl_line

SCHEMA = settings.BASE_DIR / "docs" / "openapi.json"
_OTHER = "index"  # what has no tag


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    place: str  # "query", "path", "body"
    type: str
    is_required: bool
    description: str


@dataclass(frozen=True, slots=True)
class Operation:
    method: str
    path: str
    summary: str
    description: str
    parameters: tuple[Parameter, ...]
    content_types: str  # of the answer
    curl: str

    @property
    def anchor(self) -> str:
        """ "get-submissions-id"."""
        words = self.path.removeprefix("/api/v1/").replace("{", "").replace("}", "").strip("/")
        return "-".join([self.method.lower(), *words.split("/")]).strip("-")


@dataclass(frozen=True, slots=True)
class Group:
    name: str
    operations: tuple[Operation, ...]


@not_shared("has no data")
@require_safe
def reference(request: HttpRequest) -> HttpResponse:
    context = {"groups": groups(), "calls": CALLS, "site": request.build_absolute_uri("/").rstrip("/")}
    return render(request, "api/reference.html", context)


@cache
def groups() -> tuple[Group, ...]:
    """The operations by their tag, in the order of their addresses."""
    schema = json.loads(SCHEMA.read_text())
    by_tag: dict[str, list[Operation]] = {}
    for path, operations in schema["paths"].items():
        for method, operation in operations.items():
            tag = operation.get("tags", [_OTHER])[0]
            by_tag.setdefault(tag, []).append(_operation(schema, method, path, operation))
    return tuple(Group(tag, tuple(operations)) for tag, operations in by_tag.items())


def _operation(schema: Mapping[str, Any], method: str, path: str, operation: Mapping[str, Any]) -> Operation:
    parameters = [
        Parameter(one["name"], one["in"], _type(one["schema"]), one.get("required", False), one.get("description", ""))
        for one in operation.get("parameters", ())
    ]
    success = [answer for status, answer in operation["responses"].items() if status < "400"]
    return Operation(
        method=method.upper(),
        path=path,
        summary=operation["summary"],
        description=operation["description"],
        parameters=(*parameters, *_fields(schema, operation)),
        curl=curl_line(method.upper(), path, operation),
        content_types=", ".join(dict.fromkeys(kind for answer in success for kind in answer.get("content", ()))),
    )


def _fields(schema: Mapping[str, Any], operation: Mapping[str, Any]) -> Iterator[Parameter]:
    """Of the body, where it is an object with fields of its own."""
    contents = operation.get("requestBody", {}).get("content", {})
    for content in list(contents.values())[:1]:
        body = _resolved(schema, content.get("schema", {}))
        for name, field in body.get("properties", {}).items():
            if not field.get("readOnly"):
                is_required = name in body.get("required", ())
                yield Parameter(name, "body", _type(field), is_required, field.get("description", ""))


def _resolved(schema: Mapping[str, Any], part: Mapping[str, Any]) -> Mapping[str, Any]:
    name = part.get("$ref", "").rpartition("/")[2]
    resolved: Mapping[str, Any] = schema["components"]["schemas"][name] if name else part
    return resolved


def _type(part: Mapping[str, Any]) -> str:
    """ "integer", "list of string", "Plan", "number or null"."""
    if "$ref" in part:
        return str(part["$ref"].rpartition("/")[2])
    for several in ("oneOf", "anyOf", "allOf"):
        if several in part:
            return " or ".join(dict.fromkeys(filter(None, map(_type, part[several]))))
    kinds = part.get("type", "")
    names = [kinds] if isinstance(kinds, str) else list(kinds)
    if part.get("enum") and len(part["enum"]) <= 12:
        return " or ".join("empty" if value == "" else str(value) for value in part["enum"])
    if "array" in names:
        return f"list of {_type(part.get('items', {})) or 'values'}"
    return " or ".join(names)

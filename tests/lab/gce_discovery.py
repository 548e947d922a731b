"""Compute Engine's own description of its API: which methods exist, and what their bodies may hold."""

import functools
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import googleapiclient
from google.cloud import compute_v1
from google.protobuf.json_format import ParseError

DOCUMENT = Path(googleapiclient.__file__).parent / "discovery_cache/documents/compute.v1.json"
_TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "object": dict,
    "array": list,
}


@dataclass(frozen=True)
class Method:
    id: str  # instances.insert
    http: str
    pattern: re.Pattern[str]
    definition: Mapping[str, Any]


@functools.cache
def document() -> dict[str, Any]:
    return json.loads(DOCUMENT.read_text())


@functools.cache
def methods() -> list[Method]:
    found = []
    for resource, group in document()["resources"].items():
        for name, definition in group.get("methods", {}).items():
            path = re.sub(r"\{\+?(\w+)\}", r"(?P<\1>[^/]+)", definition["path"])
            found.append(Method(f"{resource}.{name}", definition["httpMethod"], re.compile(path), definition))
    return found


def find(http: str, path: str) -> tuple[Method, dict[str, str]] | None:
    """The method of a request; `path` without /compute/v1/. A fixed word wins over a parameter."""
    hits = [(one, match) for one in methods() if one.http == http and (match := one.pattern.fullmatch(path))]
    if not hits:
        return None
    method, match = min(hits, key=lambda hit: len(hit[1].groupdict()))
    return method, match.groupdict()


def request_problems(method: Method, query: Mapping[str, str], body: Any) -> list[str]:
    """What the API's description, or the client library's own type, does not allow in a request."""
    known = {*method.definition.get("parameters", {}), *document()["parameters"], "$alt"}
    found = [f"{method.id}: unknown parameter {name}" for name in query if name not in known]
    reference = method.definition.get("request", {}).get("$ref")
    if reference is None:
        return found + ([f"{method.id}: a body is not expected"] if body else [])
    found += [f"{method.id}: {problem}" for problem in _problems({"$ref": reference}, body, reference, method.id)]
    try:
        getattr(compute_v1, reference).from_json(json.dumps(body), ignore_unknown_fields=False)
    except ParseError as error:
        found.append(f"{method.id}: {error}")
    return found


def answer_problems(method: Method, body: Any) -> list[str]:
    """What the lab itself answers and the API never would."""
    reference = method.definition["response"]["$ref"]
    return [f"{method.id}: {problem}" for problem in _problems({"$ref": reference}, body, reference, "")]


def _problems(schema: Mapping[str, Any], value: Any, path: str, method_id: str) -> Iterator[str]:
    if "$ref" in schema:
        schema = document()["schemas"][schema["$ref"]]
    kind = schema.get("type", "any")
    if not _fits(kind, schema.get("format", ""), value):
        yield f"{path}: {value!r} is no {kind}"
    elif kind == "array":
        for number, item in enumerate(value):
            yield from _problems(schema["items"], item, f"{path}[{number}]", method_id)
    elif kind == "object":
        yield from _object_problems(schema, value, path, method_id)
    elif "enum" in schema and value not in schema["enum"]:
        yield f"{path}: {value!r} is not one of {', '.join(schema['enum'])}"


def _object_problems(schema: Mapping[str, Any], value: Any, path: str, method_id: str) -> Iterator[str]:
    properties = schema.get("properties", {})
    for name, part in value.items():
        inner = properties.get(name, schema.get("additionalProperties"))
        if inner is None:
            yield f"{path}: unknown field {name}"
        else:
            yield from _problems(inner, part, f"{path}.{name}", method_id)
    for name, definition in properties.items():
        required = definition.get("annotations", {}).get("required", [])
        if f"compute.{method_id}" in required and name not in value:
            yield f"{path}: {name} is missing"


def _fits(kind: str, form: str, value: Any) -> bool:
    if kind == "any":
        return True
    if kind == "string" and form in ("int64", "uint64"):
        return isinstance(value, int) or (isinstance(value, str) and value.lstrip("-").isdigit())
    if isinstance(value, bool) and kind != "boolean":
        return False
    return isinstance(value, _TYPES[kind])

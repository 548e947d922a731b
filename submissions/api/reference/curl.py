"""The line of curl that sends a request, of what docs/openapi.json says of it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

_BODIES = {
    "application/json": ("-H 'Content-Type: application/json'", "-d @body.json"),
    "application/x-ndjson": ("-H 'Content-Type: application/x-ndjson'", "--data-binary @lines.ndjson"),
    "multipart/form-data": ("-F metadata=@metadata.json", "-F log=@stress.log"),
}


def curl_line(method: str, path: str, operation: Mapping[str, Any]) -> str:
    """With $SITE and $TOKEN, and a variable for each parameter that is required: `$SITE/api/v1/compare/?a=$A&b=$B`."""
    parts = ["curl -s", *_method(method, operation)]
    if {} not in operation.get("security", ({},)):
        parts.append('-H "Authorization: Bearer $TOKEN"')
    parts.append(f'"$SITE{_address(path, operation.get("parameters", ()))}"')
    contents = operation.get("requestBody", {}).get("content", {})
    return " ".join((*parts, *(part for kind in list(contents)[:1] for part in _BODIES.get(kind, ()))))


def _method(method: str, operation: Mapping[str, Any]) -> Iterator[str]:
    is_plain = method == "GET" or (method == "POST" and "requestBody" in operation)
    if not is_plain:
        yield f"-X {method}"


def _address(path: str, parameters: Sequence[Mapping[str, Any]]) -> str:
    required = [one["name"] for one in parameters if one["in"] == "query" and one.get("required")]
    for name in (one["name"] for one in parameters if one["in"] == "path"):
        path = path.replace(f"{{{name}}}", f"${name.upper()}")
    query = "&".join(f"{quote(name)}=${name.upper()}" for name in required)
    return f"{path}?{query}" if query else path

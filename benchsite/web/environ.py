"""An ASGI scope as the environment of a WSGI request."""

import codecs
import sys
from typing import Any
from urllib.parse import unquote_to_bytes

Scope = dict[str, Any]
Environ = dict[str, Any]

_UNPREFIXED = {"CONTENT_TYPE", "CONTENT_LENGTH"}

# zlib, base64, idna and others are codecs as well: Django fails on them before any middleware
_PLAIN_TEXT = {"utf-8", "ascii", "iso8859-1", "iso8859-15", "cp1252"}


def environ_of(scope: Scope) -> Environ:
    """Everything but the body: the caller adds wsgi.input and the length of what was read."""
    server, client = scope.get("server") or ("", 0), scope.get("client") or ("", 0)
    environ: Environ = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(scope["raw_path"]).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_NAME": server[0],
        "SERVER_PORT": str(server[1]),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": client[0],
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope.get("scheme", "http"),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    for name, value in scope["headers"]:
        _add_header(environ, name.decode("latin-1"), value.decode("latin-1"))
    if "CONTENT_TYPE" in environ:
        environ["CONTENT_TYPE"] = _with_plain_charset(environ["CONTENT_TYPE"])
    return environ


def _with_plain_charset(content_type: str) -> str:
    """Without a charset that is none of plain text: what it came with is read as UTF-8."""
    parts = content_type.split(";")
    return ";".join(part for part in parts if not _names_odd_charset(part))


def _names_odd_charset(parameter: str) -> bool:
    name, _, value = parameter.partition("=")
    if name.strip().lower() != "charset":
        return False
    try:
        return codecs.lookup(value.strip().strip("'\"")).name not in _PLAIN_TEXT
    except (LookupError, ValueError):
        return True


def _add_header(environ: Environ, name: str, value: str) -> None:
    if "_" in name:
        return  # X_Forwarded_For would pass for X-Forwarded-For, which only a proxy may set
    key = name.upper().replace("-", "_")
    if key not in _UNPREFIXED:
        key = f"HTTP_{key}"
    if key in environ:
        separator = "; " if key == "HTTP_COOKIE" else ","
        value = f"{environ[key]}{separator}{value}"
    environ[key] = value

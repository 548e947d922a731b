"""How large a request says that its body is."""

from collections.abc import Mapping
from typing import Any

_MOST_DIGITS = 19  # more are too many for any limit, and thousands of them a number that takes long to read


def announced_bytes(environ: Mapping[str, Any]) -> int:
    """The Content-Length of a WSGI request; 0 where there is none, or it is no number."""
    length: str = environ.get("CONTENT_LENGTH") or ""
    return int(length[:_MOST_DIGITS]) if length.isascii() and length.isdigit() else 0

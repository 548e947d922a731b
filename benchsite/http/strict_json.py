"""JSON as every door of the site reads it: bounded, UTF-8 only, no NaN and no Infinity."""

from typing import Any

from pydantic_core import from_json

from benchsite.http.refusals import Refusal

MAX_DOCUMENT_BYTES = 5 * 1024 * 1024
MAX_LINE_BYTES = 1024 * 1024  # of lines of JSON, one document each


def read_json(raw: bytes) -> Any:
    """The value of a JSON text of at most MAX_DOCUMENT_BYTES. Refusal says what is wrong; nesting is bounded too."""
    if len(raw) > MAX_DOCUMENT_BYTES:
        raise Refusal.at("#", f"the document is over {MAX_DOCUMENT_BYTES:,} bytes")
    try:
        return from_json(raw, allow_inf_nan=False)
    except ValueError as error:
        raise Refusal.at("#", f"invalid JSON: {error}") from error

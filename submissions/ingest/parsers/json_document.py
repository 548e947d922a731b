"""Reads the JSON document that a tool printed, in bounded memory; what it printed before is skipped."""

import json
from collections.abc import Iterable
from typing import Any

from submissions.ingest.parsers.errors import ParseError

MAX_CHARACTERS = 16 * 1024 * 1024  # of a document, and of one line where it was printed without line ends


def read_object(lines: Iterable[str], tool: str) -> dict[str, Any]:
    """The first JSON object of the stream. Raises ParseError when it is cut short, too long or no JSON."""
    kept: list[str] = []
    characters = 0
    for line in lines:
        if not kept and not line.lstrip().startswith("{"):
            continue
        characters += len(line) + 1
        if characters > MAX_CHARACTERS:
            raise ParseError(f"the JSON of {tool} is too long")
        kept.append(line)
    try:
        value, _ = _DECODER.raw_decode("\n".join(kept).lstrip())  # text may follow, as fio prints it
    except (ValueError, RecursionError) as error:
        raise ParseError(f"the JSON of {tool} is cut short or damaged") from error
    if not isinstance(value, dict):
        raise ParseError(f"the JSON of {tool} is no object")
    return value


def at(value: Any, *path: str) -> Any:
    """The value at this path, None if there is none."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def starts_json(head: Iterable[str]) -> bool:
    """Whether the first line that is not blank begins a JSON object."""
    return next((line.lstrip() for line in head if line.strip()), "").startswith("{")


_DECODER = json.JSONDecoder(parse_constant=lambda _: None)

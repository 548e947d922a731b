"""The `filter` of Compute Engine's lists, as far as labels, names and states need it."""

import fnmatch
import re
from collections.abc import Mapping, Sequence
from typing import Any

_TERM = re.compile(
    r'\(?\s*(?P<field>[\w.\-]+)\s*(?P<sign>!=|=|:|eq\b|ne\b)\s*(?P<quote>"?)(?P<value>[^"()]*)(?P=quote)\s*\)?'
)


class BadFilter(Exception):
    """The lab does not understand the filter; the real API may."""


def select(things: Sequence[dict[str, Any]], text: str) -> list[dict[str, Any]]:
    """Those that pass: terms `field = value`, `!=`, `:` (contains; `:*` is set) and `eq`/`ne` (regular expression),
    joined by AND or just put one after another in parentheses."""
    terms = [_TERM.fullmatch(part.strip()) for part in re.split(r"\s+AND\s+|(?<=\))\s*(?=\()", text) if part.strip()]
    if not all(terms):
        raise BadFilter(f"Invalid value for field 'filter': '{text}'. Invalid list filter expression.")
    return [thing for thing in things if all(_passes(thing, term.groupdict()) for term in terms if term)]


def _passes(thing: Mapping[str, Any], term: Mapping[str, str]) -> bool:
    found: Any = thing
    for name in term["field"].split("."):
        found = found.get(name) if isinstance(found, Mapping) else None
    sign, wanted = term["sign"], term["value"].strip()
    if sign == ":":
        if wanted == "*":
            return found is not None
        items = found if isinstance(found, list | Mapping) else [found]
        return any(fnmatch.fnmatchcase(str(item), f"*{wanted}*" if "*" not in wanted else wanted) for item in items)
    text = "" if found is None else str(found).lower() if isinstance(found, bool) else str(found)
    is_same = bool(re.fullmatch(wanted, text)) if sign in ("eq", "ne") else text == wanted
    return is_same is (sign in ("=", "eq"))

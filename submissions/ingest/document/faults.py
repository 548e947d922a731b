"""Pydantic's errors in the API's form: an RFC 6901 pointer and a sentence."""

from typing import Any

from pydantic import ValidationError

from benchsite.http.refusals import Fault, Refusal

_DETAILS = {
    "missing": "is required",
    "extra_forbidden": "unknown key",
    "too_short": "needs at least {min_length} entries",
    "too_long": "has more than {max_length} entries",
    "string_type": "must be a string",
    "string_too_long": "must not have more than {max_length} characters",
    "string_too_short": "must not be empty",
    "int_type": "must be a whole number",
    "model_type": "must be an object",
    "dict_type": "must be an object",
    "tuple_type": "must be a list",
    "greater_than": "must be greater than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
    "finite_number": "must be a finite number",
    "string_pattern_mismatch": "must be an http:// or https:// address",
    "timezone_aware": "needs a time zone, such as a closing Z",
    "enum": "must be one of {expected}",
}
_PRACTICALLY_ZERO = 1e-3  # a lower bound below it means "above 0"


def faults_of(error: ValidationError, prefix: str = "#") -> list[Fault]:
    """Every error of the document, deepest first where one only follows from another."""
    errors = error.errors(include_url=False, include_input=False)
    places = [entry["loc"] for entry in errors]
    return [
        Fault(pointer(entry["loc"], prefix), _detail(entry))
        for entry in errors
        if not (entry["type"] == "too_short" and _follows_from_an_entry(entry["loc"], places))
    ]


def refusal(error: ValidationError, prefix: str = "#") -> Refusal:
    return Refusal(faults_of(error, prefix))


def pointer(place: tuple[int | str, ...], prefix: str = "#") -> str:
    parts = (str(part).replace("~", "~0").replace("/", "~1")[:100] for part in place)
    return "/".join((prefix, *parts))


def _follows_from_an_entry(place: tuple[int | str, ...], places: list[Any]) -> bool:
    # an invalid entry is left out before the list's length is checked
    return any(len(other) > len(place) and other[: len(place)] == place for other in places)


def _detail(entry: Any) -> str:
    template, limits = _DETAILS.get(entry["type"]), entry.get("ctx", {})
    if 0 < limits.get("ge", 1) < _PRACTICALLY_ZERO:
        return "must be greater than 0"
    if template:
        return template.format(**{name: _plain(value) for name, value in limits.items()})
    return str(entry["msg"]).removeprefix("Value error, ")


def _plain(value: object) -> object:
    """10,000,000,000, not 10000000000.0."""
    return f"{value:,.12g}" if isinstance(value, float) else value

"""A parameter that may be repeated: several values of one column."""

from collections.abc import Callable, Iterable
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

MAX_VALUES = 50  # of one facet in one request
MAX_VALUE_CHARACTERS = 200
UNKNOWN = "unknown"  # the value of a facet whose column is null
NONE = "none"  # the value of a facet whose column is an empty text


class _AllValues(forms.SelectMultiple):
    """Reads every value of a repeated parameter: ?provider=aws&provider=gce."""

    def value_from_datadict(self, data: Any, files: Any, name: str) -> list[str]:
        values = data.getlist(name) if hasattr(data, "getlist") else data.get(name, [])
        if isinstance(values, str):
            values = [values]
        return [value for value in values if value != ""]


class FacetField(forms.Field):
    """Several values of one column, None for `unknown`.

    `convert` says by a ValueError what is wrong with a value.
    """

    widget = _AllValues

    def __init__(self, *, convert: Callable[[str], Any] = str, is_nullable: bool, **kwargs: Any):
        self.convert = convert
        self.is_nullable = is_nullable
        super().__init__(**kwargs)

    def clean(self, value: list[str]) -> list[Any]:
        if len(value) > MAX_VALUES:
            raise ValidationError(f"takes at most {MAX_VALUES} values")
        return [self._one(item) for item in value]

    def _one(self, item: str) -> Any:
        if self.is_nullable and item == UNKNOWN:
            return None
        if len(item) > MAX_VALUE_CHARACTERS or "\x00" in item:
            raise ValidationError("is no value of this column")
        try:
            return self.convert(item)
        except ValueError as error:
            raise ValidationError(str(error)) from error


def member_of(closed_list: Iterable[str]) -> Callable[[str], str]:
    values = [str(member) for member in closed_list]

    def convert(text: str) -> str:
        if text not in values:
            raise ValueError(f"must be one of {', '.join(values)}")
        return text

    return convert

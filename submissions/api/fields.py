"""Fields of answers: money as exact text, intervals that are two columns of a CSV, addresses of pages."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from django.urls import get_script_prefix, reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request

from submissions.choices import Flag

DISTORTED = "More than 0.1 % of the operations failed, which distorts the percentiles of the others"
# of an integer beside the number of trials
AVERAGED_OVER = "Repetitions behind the trials, where the source gives their means; null: each trial is one"

# of a result: SPDX identifier, or what an imported source says
LICENSE = "SPDX identifier, or what an imported source says; empty: unknown"


def license_field(source: str | None = None) -> serializers.CharField:
    return serializers.CharField(source=source, help_text=LICENSE)


def attribution_field(source: str | None = None) -> serializers.CharField:
    return serializers.CharField(source=source, help_text="Text that every copy must include; empty: none")


def pack_field(source: str | None = None) -> serializers.CharField:
    return serializers.CharField(source=source, help_text="The pack that it came with; empty: uploaded or run here")


def credits_field() -> serializers.ListField:
    """Of an answer with figures of several results."""
    words = "Attributions of the results behind it, which every copy must include"
    return serializers.ListField(child=serializers.CharField(), help_text=words)


class Money(serializers.DecimalField):
    """USD as a string without needless zeros: "0.532"."""

    def __init__(self, **kwargs: Any):
        super().__init__(max_digits=None, decimal_places=None, normalize_output=True, read_only=True, **kwargs)


@extend_schema_field(OpenApiTypes.BOOL)
class DistortedByErrors(serializers.Field[Any, Any, Any, Any]):
    """Whether failed operations distort the percentiles; from the flags, which a CSV reads too."""

    def __init__(self, **kwargs: Any):
        super().__init__(source="flags", read_only=True, help_text=DISTORTED, **kwargs)

    def to_representation(self, value: Sequence[str]) -> bool:
        return Flag.ERRORS in value or Flag.NOT_FOUND in value


_NUMBER = {"type": "number", "format": "double"}


@extend_schema_field({"type": ["array", "null"], "items": _NUMBER, "minItems": 2, "maxItems": 2})
class Interval(serializers.Field[Any, Any, Any, Any]):
    """[low, high] or null; a CSV has the two `columns` instead, empty for null."""

    def __init__(self, *, columns: tuple[str, str], **kwargs: Any):
        self.columns = columns
        super().__init__(read_only=True, allow_null=True, **kwargs)

    def to_representation(self, value: Sequence[float]) -> list[float]:
        low, high = value
        return [float(low), float(high)]


@extend_schema_field(OpenApiTypes.URI)
class PageUrl(serializers.Field[Any, Any, Any, Any]):
    """The whole address of a page of the site, from the id in its path."""

    def __init__(self, view_name: str, **kwargs: Any):
        self.view_name = view_name
        super().__init__(read_only=True, **kwargs)

    def to_representation(self, value: int) -> str:
        context: Any = self.context
        if self.view_name not in context:  # once: an export has a hundred thousand addresses
            context[self.view_name] = absolute_url(context["request"], self.view_name, 0).rpartition("0")
        before, _, after = context[self.view_name]
        return f"{before}{value}{after}"


def absolute_url(request: Request, view_name: str, *args: Any) -> str:
    return str(request.build_absolute_uri(_path(view_name, args, get_script_prefix())))


@lru_cache(maxsize=1_000)
def _path_around(view_name: str, prefix: str) -> tuple[str, str]:
    """Of an id: what is before and after it."""
    before, _, after = reverse(view_name, args=(0,)).rpartition("0")
    return before, after


def _path(view_name: str, args: tuple[Any, ...], prefix: str) -> str:
    if len(args) == 1 and type(args[0]) is int:
        before, after = _path_around(view_name, prefix)
        return f"{before}{args[0]}{after}"
    return reverse(view_name, args=args)

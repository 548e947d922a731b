"""Fields of answers: money as exact text, and intervals that are two columns of a CSV."""

from collections.abc import Sequence
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers


class Money(serializers.DecimalField):
    """USD as a string without needless zeros: "0.532"."""

    def __init__(self, **kwargs: Any):
        super().__init__(max_digits=None, decimal_places=None, normalize_output=True, read_only=True, **kwargs)


@extend_schema_field(
    {
        "oneOf": [
            {"type": "array", "items": {"type": "number", "format": "double"}, "minItems": 2, "maxItems": 2},
            {"type": "null"},
        ]
    }
)
class Interval(serializers.Field[Any, Any, Any, Any]):
    """[low, high] or null; a CSV has the two `columns` instead, empty for null."""

    def __init__(self, *, columns: tuple[str, str], **kwargs: Any):
        self.columns = columns
        super().__init__(read_only=True, allow_null=True, **kwargs)

    def to_representation(self, value: Sequence[float]) -> list[float]:
        low, high = value
        return [float(low), float(high)]

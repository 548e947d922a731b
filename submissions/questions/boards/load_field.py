"""The load of a curve at which an answer of the API has its figures."""

from typing import Any

from rest_framework import serializers


class LoadSerializer(serializers.Serializer[Any]):
    """A LoadPoint."""

    threads = serializers.IntegerField(allow_null=True, help_text="Of one client")
    offered_ops_s = serializers.FloatField(allow_null=True, help_text="null: as many as the threads could")
    is_of_slowest = serializers.BooleanField(
        help_text="True if its percentiles are of its slowest type of operation, because none over all types are known"
    )


def load_field(source: str) -> LoadSerializer:
    """`source` gives the `shown_load` of a submission."""
    return LoadSerializer(
        source=source,
        allow_null=True,
        help_text="The load of its curve that keeps `max_p99_ms`; null: without a curve, or without a limit",
    )

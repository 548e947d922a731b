"""Both ends of a range as JSON, and their schema."""

from decimal import Decimal
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from submissions.questions.recommend.input_range import sentences
from submissions.questions.recommend.input_range.query import End, InputRange
from submissions.questions.recommend.ranking.sentences import cluster_words

CENT = Decimal("0.01")


@extend_schema_field({"type": "string", "format": "decimal"})
class _Cents(serializers.Field[Any, Any, Any, Any]):
    def to_representation(self, value: Decimal) -> str:
        return str(value.quantize(CENT))


class RangeEndSerializer(serializers.Serializer[End]):
    target_ops_s = serializers.FloatField(source="params.target_ops_s", allow_null=True)
    data_gib = serializers.FloatField(source="params.data_gib", allow_null=True)
    value_bytes = serializers.IntegerField(source="params.value_bytes", allow_null=True)
    submission = serializers.IntegerField(
        source="answer.row.pk", allow_null=True, default=None, help_text="null: nothing measured answers at this end"
    )
    cluster = serializers.SerializerMethodField(help_text="The cheapest measured one that answers")
    usd_per_month = _Cents(allow_null=True)

    @extend_schema_field({"type": ["string", "null"]})
    def get_cluster(self, end: End) -> str | None:
        return cluster_words(end.answer.row) if end.answer else None


class InputRangeSerializer(serializers.Serializer[InputRange]):
    lower = RangeEndSerializer()
    upper = RangeEndSerializer(help_text="What `answers` is about")
    saves_usd_per_month = _Cents(
        allow_null=True, help_text="What the lower end would save; null: one of the costs is unknown"
    )
    sentence = serializers.SerializerMethodField()

    def get_sentence(self, found: InputRange) -> str:
        return sentences.range_words(found)

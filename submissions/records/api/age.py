"""The age of a submission in the API."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from submissions.age.marks import Age
from submissions.age.sentences import not_known, words_of
from submissions.api.fields import Money
from submissions.choices import AgeMark


class AgeMarkSerializer(serializers.Serializer[Any]):
    """A mark, and why it is one."""

    mark = serializers.ChoiceField(choices=[(str(mark), mark) for mark in AgeMark.MARKS])
    words = serializers.CharField()


class AgeSerializer(serializers.Serializer[Age]):
    """What time has done to a submission, on one day."""

    today = serializers.DateField(help_text="The UTC day that the marks are of")
    marks = serializers.SerializerMethodField(help_text="Empty: none is known to apply")
    not_known = serializers.SerializerMethodField(help_text="What cannot be told, in words: unknown is not fine")
    hourly_usd_then = Money(source="drift.then_usd", default=None, allow_null=True, help_text="As `hourly_usd`")
    hourly_usd_today = Money(
        source="drift.today_usd",
        default=None,
        allow_null=True,
        help_text="The same cluster at today's prices; null: not known today",
    )

    @extend_schema_field(AgeMarkSerializer(many=True))
    def get_marks(self, age: Age) -> list[dict[str, str]]:
        return [{"mark": str(mark), "words": words_of(age, mark)} for mark in age.marks]

    def get_not_known(self, age: Age) -> list[str]:
        return not_known(age)

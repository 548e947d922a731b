"""The age marks of a board's rows in its answer."""

from rest_framework import serializers

from submissions.choices import AgeMark


def age_marks_field() -> serializers.CharField:
    """Of a row with an `age`."""
    marks = ", ".join(AgeMark.MARKS)
    return serializers.CharField(
        source="age.marks_text", default=None, help_text=f"Of the best submission, on the day of the answer: {marks}"
    )

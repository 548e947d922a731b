"""Moderation in the API: a report as it is sent, a line of the log as it is answered."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from submissions.choices import ReportReason
from submissions.models import ModerationDecision, Report


class ReportSerializer(serializers.ModelSerializer[Report]):
    """What is wrong with a submission; only moderators read the text."""

    reason = serializers.ChoiceField(choices=ReportReason.pairs())
    text = serializers.CharField(max_length=Report.MAX_TEXT, allow_blank=True, default="")

    class Meta:
        model = Report
        fields = ("reason", "text", "created_at")
        read_only_fields = ("created_at",)

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict) and (unknown := sorted(data.keys() - {"reason", "text"})):
            raise serializers.ValidationError({name: ["unknown field"] for name in unknown})
        return super().to_internal_value(data)


class DecisionSerializer(serializers.ModelSerializer[ModerationDecision]):
    """A decision without names."""

    submission = serializers.SerializerMethodField(help_text="null: its page is not public, or it is about an account")

    class Meta:
        model = ModerationDecision
        fields = ("id", "created_at", "outcome", "submission", "reason")
        read_only_fields = fields

    @extend_schema_field({"type": ["integer", "null"]})
    def get_submission(self, decision: ModerationDecision) -> int | None:
        number: int | None = decision.public_submission  # type: ignore[attr-defined] # by public()
        return number

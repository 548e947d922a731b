"""A run in the API: its owner sees everything, everybody else its plan, status and result."""

from typing import Any

from django.urls import reverse
from rest_framework import serializers
from rest_framework.request import Request

from runners.creation import may_see_details
from runners.models import Run, RunEvent, RunNode


class RunEventSerializer(serializers.ModelSerializer[RunEvent]):
    class Meta:
        model = RunEvent
        fields = ("at", "kind", "old_status", "new_status", "message")


class RunNodeSerializer(serializers.ModelSerializer[RunNode]):
    class Meta:
        model = RunNode
        fields = (
            "name",
            "role",
            "zone",
            "instance_type",
            "state",
            "provider_id",
            "facts",
            "hourly_usd",
            "launched_at",
            "terminated_at",
        )


class RunRowSerializer(serializers.ModelSerializer[Run]):
    """A row of the list, for anyone."""

    url = serializers.SerializerMethodField()
    owner = serializers.CharField(source="owner.username")
    title = serializers.SerializerMethodField()

    class Meta:
        model = Run
        fields: tuple[str, ...] = (
            "id",
            "url",
            "title",
            "owner",
            "status",
            "end_reason",
            "provider",
            "worst_case_usd",
            "created_at",
            "launched_at",
            "ended_at",
            "submission",
            "visibility",
            "embargo_until",
        )

    def get_url(self, run: Run) -> str:
        request: Request = self.context["request"]
        return request.build_absolute_uri(f"{reverse('runs_api:detail', args=[run.pk])}{run.link_query}")

    def get_title(self, run: Run) -> str:
        return run.title


class RunSerializer(RunRowSerializer):
    """One run. Events, nodes, diagnosis and end_detail are null for users who may not see them."""

    estimate = serializers.DictField(allow_null=True, read_only=True)
    receipt = serializers.DictField(allow_null=True, read_only=True)
    events = serializers.SerializerMethodField()
    nodes = serializers.SerializerMethodField()
    end_detail = serializers.SerializerMethodField()
    diagnosis = serializers.SerializerMethodField()

    class Meta(RunRowSerializer.Meta):
        fields = (
            *RunRowSerializer.Meta.fields,
            "end_detail",
            "plan",
            "estimate",
            "progress",
            "deadline_at",
            "receipt",
            "diagnosis",
            "events",
            "nodes",
        )

    def get_events(self, run: Run) -> list[dict[str, Any]] | None:
        return list(RunEventSerializer(run.events.all(), many=True).data) if self._with_details(run) else None

    def get_nodes(self, run: Run) -> list[dict[str, Any]] | None:
        return list(RunNodeSerializer(run.nodes.all(), many=True).data) if self._with_details(run) else None

    def get_end_detail(self, run: Run) -> str | None:
        return run.end_detail if self._with_details(run) else None

    def get_diagnosis(self, run: Run) -> dict[str, Any] | None:
        """Which hosts were asked for their logs, which were silent, and the causes of the failure."""
        return run.diagnosis if self._with_details(run) else None

    def _with_details(self, run: Run) -> bool:
        request: Request = self.context["request"]
        return may_see_details(run, request.user)

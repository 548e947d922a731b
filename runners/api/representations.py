"""Runs and series in the API: the owner of a run sees everything, everybody else its plan, status and result."""

from typing import Any

from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request

from runners.choices import CellOrder, Clusters, SeriesStatus
from runners.creation import may_see_details
from runners.endings.signed import for_everyone
from runners.models import Run, RunEvent, RunNode, Series
from runners.series.readers import VisibleCell, visible_cells
from runners.series.receipt import receipt_of_runs


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
    receipt = serializers.SerializerMethodField(
        help_text="Names of machines at the provider are shown to the owner only"
    )
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
            "took_over_from",
            "diagnosis",
            "events",
            "nodes",
        )

    def get_receipt(self, run: Run) -> dict[str, Any] | None:
        if run.receipt is None or self._with_details(run):
            return run.receipt
        return for_everyone(run.receipt)

    def get_events(self, run: Run) -> list[dict[str, Any]] | None:
        return list(RunEventSerializer(run.events.all(), many=True).data) if self._with_details(run) else None

    def get_nodes(self, run: Run) -> list[dict[str, Any]] | None:
        return list(RunNodeSerializer(run.nodes.all(), many=True).data) if self._with_details(run) else None

    def get_end_detail(self, run: Run) -> str | None:
        return run.end_detail if self._with_details(run) else None

    def get_diagnosis(self, run: Run) -> dict[str, Any] | None:
        """Which hosts were asked for their logs, which did not answer, and the causes of the failure."""
        return run.diagnosis if self._with_details(run) else None

    def _with_details(self, run: Run) -> bool:
        request: Request = self.context["request"]
        return may_see_details(run, request.user)


class SeriesRowSerializer(serializers.ModelSerializer[Series]):
    """A row of the list."""

    url = serializers.SerializerMethodField()
    status = serializers.CharField(help_text=f"One of: {', '.join(SeriesStatus)}")
    order = serializers.CharField(help_text=f"One of: {', '.join(CellOrder)}")
    clusters = serializers.CharField(help_text=f"One of: {', '.join(Clusters)}")
    visibility = serializers.CharField(help_text="Of the series and its results")
    owner = serializers.CharField(source="owner.username")

    class Meta:
        model = Series
        fields: tuple[str, ...] = (
            "id",
            "url",
            "title",
            "owner",
            "status",
            "repetitions",
            "order",
            "clusters",
            "max_usd",
            "max_minutes",
            "created_at",
            "started_at",
            "ended_at",
            "visibility",
            "embargo_until",
        )

    def get_url(self, series: Series) -> str:
        request: Request = self.context["request"]
        return request.build_absolute_uri(reverse("runs_api:series_detail", args=[series.pk]))


class SeriesCellSerializer(serializers.Serializer[VisibleCell]):
    """One attempt at one repetition. `run` and `submission` are null where there is none, or none for you."""

    number = serializers.IntegerField(source="cell.number", help_text="Of the combination of values, from 0")
    values = serializers.DictField(source="cell.values", help_text="By dotted path")
    repetition = serializers.IntegerField(source="cell.repetition", help_text="From 1")
    round = serializers.IntegerField(
        source="cell.round", allow_null=True, help_text="Cells of one round were measured in turns; null: none"
    )
    status = serializers.CharField(source="cell.status", help_text="queued, skipped, or that of the run")
    refusal = serializers.CharField(source="cell.refusal", help_text="Why it was skipped")
    is_current = serializers.BooleanField(source="cell.is_current", help_text="False: another attempt replaces it")
    run = serializers.IntegerField(source="run.pk", allow_null=True, default=None)
    took_over_from = serializers.IntegerField(
        source="run.took_over_from_id",
        allow_null=True,
        default=None,
        help_text="The run from which it took over its machines",
    )
    submission = serializers.IntegerField(source="submission.pk", allow_null=True, default=None)


class SeriesSerializer(SeriesRowSerializer):
    """One series with its cells in the order of their starts, earlier attempts included."""

    cells = serializers.SerializerMethodField()
    receipt = serializers.SerializerMethodField(help_text="The sum of the receipts of all runs; money is a string")
    plan = serializers.DictField(read_only=True)
    vary = serializers.ListField(child=serializers.DictField(), read_only=True)
    estimate = serializers.DictField(read_only=True)

    class Meta(SeriesRowSerializer.Meta):
        fields = (*SeriesRowSerializer.Meta.fields, "plan", "vary", "estimate", "cells", "receipt")

    @extend_schema_field(SeriesCellSerializer(many=True))
    def get_cells(self, series: Series) -> list[dict[str, Any]]:
        request: Request = self.context["request"]
        cells = visible_cells(series, request.user)
        return [dict(SeriesCellSerializer(cell).data) for cell in cells]

    @extend_schema_field(OpenApiTypes.OBJECT)
    def get_receipt(self, series: Series) -> dict[str, Any]:
        return receipt_of_runs(Run.objects.filter(series_cell__series=series)).as_json()

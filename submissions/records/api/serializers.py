"""Submissions as the API shows them: the row of a list, and the whole; stored or only prepared."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from django.db.models import DecimalField, Model
from django.urls import reverse
from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers
from rest_framework.request import Request

from submissions.choices import Trust
from submissions.ingest import rows
from submissions.ingest.pipeline import Prepared
from submissions.ingest.reproduction import reproduced_by
from submissions.ingest.understood import Understood
from submissions.models import Artifact, NodeGroup, Submission, Trial, Workload
from submissions.pricing.clusters import frozen_cost
from submissions.pricing.cost import SystemCost
from submissions.records.api.parts import ArtifactSerializer, CostSerializer, GroupSerializer, Money, TrialSerializer


@extend_schema_serializer(component_name="SubmissionRow")
class RowSerializer(serializers.ModelSerializer[Submission]):
    """A row of a list; money is a string, measurements are numbers, unknown is null."""

    url = serializers.SerializerMethodField(help_text="The page of the submission")
    workload = serializers.CharField(source="workload.fingerprint", help_text="Its fingerprint")
    hourly_usd = Money(allow_null=True)
    ops_per_usd = Money(allow_null=True)
    usd_per_million_ops = Money(allow_null=True)

    class Meta:
        model = Submission
        fields = (
            "id",
            "url",
            "title",
            "service",
            "service_version",
            "provider",
            "region",
            "zones",
            "instance_type",
            "node_count",
            "client_count",
            "jdk_vendor",
            "jdk_version",
            "disk_kind",
            "operation",
            "replication_factor",
            "consistency_level",
            "workload",
            "trials_count",
            "throughput_ops_s",
            "latency_mean_ms",
            "latency_p50_ms",
            "latency_p95_ms",
            "latency_p99_ms",
            "latency_p999_ms",
            "latency_max_ms",
            "latency_kind",
            "errors",
            "hourly_usd",
            "ops_per_usd",
            "usd_per_million_ops",
            "price_date",
            "trust",
            "flags",
            "measured_at",
            "created_at",
        )
        read_only_fields = fields

    def get_url(self, submission: Submission) -> str:
        return page_of(submission.pk, self.context["request"])


@extend_schema_serializer(component_name="Submission")
class WholeSerializer(RowSerializer):
    """Everything about one submission."""

    workload_title = serializers.CharField(source="workload.title")
    submitted_by = serializers.CharField(
        source="submitted_by.username", allow_null=True, default=None, help_text="The account"
    )
    trials = TrialSerializer(many=True)
    node_groups = GroupSerializer(many=True)
    artifacts = ArtifactSerializer(many=True)
    cost = CostSerializer()
    own_trust = serializers.CharField(allow_null=True, help_text="What `trust` was before it was reproduced")
    reproduced_by = serializers.SerializerMethodField(help_text="Submissions of other accounts that agree with it")

    class Meta(RowSerializer.Meta):
        fields = (  # type: ignore[assignment]
            *RowSerializer.Meta.fields,
            "notes",
            "source",
            "source_url",
            "submitted_by",
            "workload_title",
            "tool",
            "tool_version",
            "load_mode",
            "threads",
            "cpu_model",
            "vcpus",
            "memory_gib",
            "cache_node_count",
            "network_kind",
            "network_encryption",
            "throughput_low_ops_s",
            "throughput_high_ops_s",
            "throughput_cv",
            "relative_throughput",
            "relative_base",
            "operations",
            "pricing_model",
            "is_price_stated",
            "price_missing",
            "retracted_at",
            "retraction_reason",
            "own_trust",
            "reproduced_by",
            "trials",
            "node_groups",
            "artifacts",
            "cost",
            "document",
        )
        read_only_fields = fields

    def get_reproduced_by(self, whole: "Whole") -> list[int]:
        return reproduced_by(whole.submission) if whole.trust == Trust.REPRODUCED else []


class UnderstoodSerializer(serializers.Serializer[Any]):
    """A fact and where it came from: log, uploader or price book."""

    pointer = serializers.CharField()
    value = serializers.JSONField()
    source = serializers.CharField()


@extend_schema_serializer(component_name="DryRun")
class DryRunSerializer(WholeSerializer):
    """What would be stored, each fact with its source, and what the logs left unclear."""

    understood = UnderstoodSerializer(many=True)
    warnings = serializers.ListField(child=serializers.CharField())

    class Meta(WholeSerializer.Meta):
        fields = (  # type: ignore[assignment]
            *(name for name in WholeSerializer.Meta.fields if name not in ("id", "url", "created_at")),
            "understood",
            "warnings",
        )
        read_only_fields = fields


@dataclass(frozen=True)
class Whole:
    """A submission with all its parts; every other attribute is the submission's own."""

    submission: Submission
    trials: Sequence[Trial]
    node_groups: Sequence[NodeGroup]
    artifacts: Sequence[Artifact]
    understood: Sequence[Understood] = ()
    warnings: Sequence[str] = ()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.submission, name)

    @property
    def cost(self) -> SystemCost:
        return frozen_cost(self.node_groups)

    @classmethod
    def stored(cls, submission: Submission) -> "Whole":
        """In three queries, beside the one that found the submission."""
        return cls(
            submission,
            list(submission.trials.all()),
            list(submission.node_groups.all()),
            list(submission.artifacts.all()),
        )

    @classmethod
    def prepared(cls, prepared: Prepared) -> "Whole":
        """As it would be stored; nothing is written."""
        submission = Submission(
            workload=Workload(**rows.workload_columns(prepared)),
            **rows.submission_columns(prepared),
        )
        groups = [NodeGroup(**columns) for columns in rows.node_group_columns(prepared)]
        for row in (submission, *groups):
            _round_as_stored(row)
        files = [
            Artifact(
                trial_index=owned.trial_index,
                kind=owned.file.kind.value,
                name=owned.file.member.name,
                sha256=owned.file.member.sha256,
                size_bytes=owned.file.member.size_bytes,
            )
            for owned in prepared.files
        ]
        trials = [Trial(index=n, **trial.columns()) for n, trial in enumerate(prepared.trials)]
        return cls(submission, trials, groups, files, prepared.understood, prepared.warnings)


def page_of(pk: int, request: Request) -> str:
    """The permalink."""
    return str(request.build_absolute_uri(reverse("submissions:detail", args=[pk])))


def _round_as_stored(row: Model) -> None:
    """Decimals as the database keeps them."""
    for field in row._meta.concrete_fields:
        value = getattr(row, field.attname)
        if isinstance(field, DecimalField) and value is not None:
            places = Decimal(1).scaleb(-field.decimal_places)
            setattr(row, field.attname, value.quantize(places, ROUND_HALF_UP))

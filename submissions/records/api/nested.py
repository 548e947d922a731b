"""The parts of a submission as the API shows them: trials, priced node groups, raw files, cost."""

from typing import Any

from rest_framework import serializers

from submissions.api.fields import DISTORTED, Money, PageUrl, absolute_url
from submissions.models import Artifact, NodeGroup, Trial
from submissions.pricing.bill import Bill
from submissions.pricing.cost import LineItem, SystemCost
from submissions.records.missing import MissingFact


class TrialSerializer(serializers.ModelSerializer[Trial]):
    """One repetition; `latencies` holds each latency kind that is known, in ms."""

    latency_distorted_by_errors = serializers.BooleanField(read_only=True, help_text=DISTORTED)
    is_at_peak = serializers.BooleanField(
        read_only=True, help_text="Whether the figures of the submission rest on it: of a load curve, at its peak"
    )

    class Meta:
        model = Trial
        fields: tuple[str, ...] = (
            "index",
            "throughput_ops_s",
            "relative_throughput",
            "operations",
            "errors",
            "duration_s",
            "started_at",
            "threads",
            "offered_ops_s",
            "client_count",
            "averaged_over",
            "is_truncated",
            "is_at_peak",
            "latency_kind",
            "latency_distorted_by_errors",
            "latency_mean_ms",
            "latency_p50_ms",
            "latency_p95_ms",
            "latency_p99_ms",
            "latency_p999_ms",
            "latency_max_ms",
            "latencies",
            "latency_ranges",
            "by_operation",
        )
        read_only_fields = fields


class TrialWithHistogramsSerializer(TrialSerializer):
    """With its HDR histograms, which are long."""

    class Meta(TrialSerializer.Meta):
        fields = (*TrialSerializer.Meta.fields, "histograms")
        read_only_fields = fields


class PricedNodeGroupSerializer(serializers.ModelSerializer[NodeGroup]):
    """Equal nodes of one role, and their price as it was frozen: USD per node and hour."""

    node_hourly_usd = Money(allow_null=True)
    storage_hourly_usd = Money(allow_null=True)

    class Meta:
        model = NodeGroup
        fields = (
            "role",
            "count",
            "kind",
            "instance_type",
            "cpu_model",
            "vcpus",
            "memory_gib",
            "disks",
            "pricing_model",
            "node_hourly_usd",
            "storage_hourly_usd",
            "is_price_stated",
            "price_source",
            "price_date",
            "price_last_seen",
        )
        read_only_fields = fields


class ArtifactSerializer(serializers.ModelSerializer[Artifact]):
    """A raw file; `sha256` is of the bytes behind `download_url`."""

    lines_not_read = serializers.IntegerField(
        read_only=True, help_text="Of a log: lines that begin like a result of its tool and could not be read"
    )
    first_lines_not_read = serializers.ListField(
        child=serializers.CharField(), read_only=True, help_text="The first of these lines"
    )
    download_url = serializers.SerializerMethodField()

    class Meta:
        model = Artifact
        fields = (
            "id",
            "name",
            "kind",
            "trial_index",
            "sha256",
            "size_bytes",
            "lines_not_read",
            "first_lines_not_read",
            "created_at",
            "removed_at",
            "download_url",
        )
        read_only_fields = fields

    def get_download_url(self, artifact: Artifact) -> str | None:
        if artifact._state.adding or artifact.removed_at:  # of a dry run; taken away
            return None
        address = absolute_url(self.context["request"], "api:artifact-download", artifact.submission_id, artifact.pk)
        return f"{address}{artifact.submission.link_query}"


class BillItemSerializer(serializers.Serializer[LineItem]):
    """quantity x unit_usd = usd, of the whole test."""

    label = serializers.CharField()  # type: ignore[assignment]
    quantity = Money()
    unit = serializers.CharField()
    unit_usd = Money(allow_null=True)
    usd = Money(allow_null=True)


class BillSerializer(serializers.Serializer[Bill]):
    """What the whole test cost: set-up and run of every machine, clients included, storage and traffic."""

    items = BillItemSerializer(many=True)
    total_usd = serializers.CharField(source="total_text", allow_null=True, help_text="To the cent")
    basis = serializers.CharField(allow_null=True, help_text="Pricing model of the machines")
    price_date = serializers.DateField(allow_null=True)
    missing = serializers.CharField(help_text="Why total_usd is null")


class MissingFactSerializer(serializers.Serializer[MissingFact]):
    """A fact that the submission lacks, and the effect on the result."""

    pointer = serializers.CharField(help_text="Its place in the document, and in the body of PATCH")
    fact = serializers.CharField()
    effect = serializers.CharField()


class MissingSerializer(serializers.Serializer[Any]):
    facts = MissingFactSerializer(many=True)
    add_until = serializers.DateTimeField(allow_null=True, help_text="Null: nothing can be added any more")
    add_url = PageUrl(
        "api:submission-detail", source="open", allow_null=True, help_text="PATCH it with the facts at their places"
    )
    page_url = PageUrl(
        "submissions:change", source="open", allow_null=True, help_text="The page on which its owner adds them"
    )


class CostItemSerializer(serializers.Serializer[LineItem]):
    """quantity x unit_usd = usd per hour, at the price of `price_date`."""

    label = serializers.CharField()  # type: ignore[assignment]
    quantity = Money()
    unit = serializers.CharField()
    unit_usd = Money(allow_null=True)
    usd = Money(allow_null=True)
    price_date = serializers.DateField(allow_null=True)
    last_seen = serializers.DateField(allow_null=True, help_text="The last day on which a price list had the price")
    source = serializers.CharField(allow_null=True)  # type: ignore[assignment]
    is_stated = serializers.BooleanField()
    missing = serializers.CharField(help_text="Why usd is null")


class CostSerializer(serializers.Serializer[SystemCost]):
    """What the system under test (database and cache nodes) costs."""

    items = CostItemSerializer(many=True)
    hourly_usd = Money(allow_null=True)
    monthly_usd = Money(allow_null=True)
    price_date = serializers.DateField(allow_null=True)
    price_last_seen = serializers.DateField(allow_null=True, help_text="The oldest among the prices used")
    is_stated = serializers.BooleanField()
    missing = serializers.CharField(help_text="Why hourly_usd is null")

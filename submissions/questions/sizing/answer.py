"""The answer of a sizing: its JSON, the columns of its CSV and its schema."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, ClassVar

from rest_framework import serializers

from submissions.api.currency import CENT, HOURLY_STEP, MoneySerializer, PricedAnswerSerializer
from submissions.api.fields import Money, attribution_field, license_field, pack_field
from submissions.facts import NODE_COUNT
from submissions.questions.boards.trust_filter import trust_filter_field, uploaded_field
from submissions.questions.sizing.query import Candidate, SizingResult


class SizeCacheSerializer(serializers.Serializer[tuple[int, str]]):
    csv_cell = "{node_count} x {instance_type}"

    instance_type = serializers.CharField()
    node_count = serializers.IntegerField()

    def to_representation(self, cache: tuple[int, str]) -> dict[str, Any]:
        node_count, instance_type = cache
        return {"instance_type": instance_type, "node_count": node_count}


class SizeCandidateSerializer(MoneySerializer):
    """A Candidate."""

    in_currency: ClassVar[Mapping[str, tuple[str, Decimal]]] = {
        "hourly_usd": ("hourly", HOURLY_STEP),
        "usd_per_month": ("per_month", CENT),
    }

    submission = serializers.IntegerField(source="submission.pk", help_text="The nearest measured size")
    provider = serializers.CharField(source="submission.provider")
    region = serializers.CharField(source="submission.region", allow_null=True)
    instance_type = serializers.CharField(source="submission.instance_type")
    node_count = serializers.IntegerField(help_text=NODE_COUNT.label)
    nodes_per_zone = serializers.IntegerField(allow_null=True)
    cache = SizeCacheSerializer(source="caches", many=True)
    throughput_ops_s = serializers.SerializerMethodField(help_text="Expected of this number of nodes")
    relative_throughput = serializers.SerializerMethodField()
    extrapolated = serializers.BooleanField(source="is_extrapolated", help_text="Outside the measured node counts")
    measured_node_counts = serializers.ListField(source="measured", child=serializers.IntegerField())
    n = serializers.IntegerField(help_text="Submissions that the estimate is based on")
    hourly_usd = Money(source="cost.hourly_usd", allow_null=True, help_text="null: unknown, see price_missing")
    usd_per_month = Money(source="cost.monthly_usd", allow_null=True, help_text="730 hours")
    share_of_base_cost = serializers.FloatField(allow_null=True, help_text="Fraction of the cost of equal_to")
    price_date = serializers.DateField(
        source="cost.price_date", allow_null=True, help_text="The oldest among the prices used"
    )
    price_last_seen = serializers.DateField(
        source="cost.price_last_seen", allow_null=True, help_text="When the oldest of them was last confirmed"
    )
    is_price_stated = serializers.BooleanField(source="cost.is_stated")
    price_missing = serializers.CharField(source="cost.missing", allow_blank=True)
    usable_tb = serializers.FloatField(
        allow_null=True, help_text="TB of disks / replication factor; of Cassandra before 1.0 half of that"
    )
    tb_per_zone = serializers.FloatField(allow_null=True, help_text="TB of the disks of one zone")
    is_base = serializers.BooleanField(help_text="equal_to itself, as it was measured")
    license = license_field("submission.license")
    attribution = attribution_field("submission.attribution")
    pack = pack_field("submission.pack")

    def get_throughput_ops_s(self, candidate: Candidate) -> float | None:
        return None if self._is_relative else candidate.throughput

    def get_relative_throughput(self, candidate: Candidate) -> float | None:
        return candidate.throughput if self._is_relative else None

    @property
    def _is_relative(self) -> bool:
        result = self.root.instance
        return isinstance(result, SizingResult) and result.target.is_relative


class SizingSerializer(PricedAnswerSerializer):
    """Candidates: those within the measured sizes first, then extrapolated ones; the cheapest of each first."""

    csv_rows = "candidates"
    csv_name = "size"

    workload = serializers.CharField(
        source="target.workload.fingerprint", allow_null=True, help_text="null: nothing has been measured"
    )
    workload_title = serializers.CharField(source="target.workload.title", allow_null=True)
    shelf = trust_filter_field()
    uploaded_left_out = uploaded_field()
    replication_factor = serializers.SerializerMethodField()
    target_ops_s = serializers.SerializerMethodField(help_text="null: relative, see equal_to")
    equal_to = serializers.IntegerField(source="params.equal_to", allow_null=True)
    max_p99_ms = serializers.FloatField(source="params.max_p99_ms", allow_null=True)
    latency_kind = serializers.CharField(allow_null=True, help_text="Of max_p99_ms")
    p99_unknown = serializers.IntegerField(
        help_text="Submissions that the limit leaves out because their p99 is unknown"
    )
    zones = serializers.IntegerField(source="params.zones")
    basis = serializers.CharField(source="params.terms.basis")
    at = serializers.DateField(
        source="params.terms.day", allow_null=True, help_text="null: the prices of each measurement date"
    )
    total = serializers.SerializerMethodField(help_text="Candidates; at most 50 are in the answer")
    unreachable = serializers.IntegerField(
        help_text="Configurations that would need more than twice their largest measured size: no answer"
    )
    candidates = SizeCandidateSerializer(source="shown", many=True)

    def get_replication_factor(self, result: SizingResult) -> int | None:
        if result.target.workload is None:
            return result.params.replication_factor
        return result.target.replication_factor

    def get_target_ops_s(self, result: SizingResult) -> float | None:
        if result.target.workload is None:
            return result.params.target_ops_s
        return None if result.target.is_relative else result.target.throughput

    def get_total(self, result: SizingResult) -> int:
        return len(result.candidates)

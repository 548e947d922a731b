"""The answer to the value question as JSON and as CSV."""

from collections.abc import Collection, Mapping
from decimal import Decimal
from typing import Any, ClassVar, cast

from rest_framework import serializers

from submissions.api.currency import HOURLY_STEP, VALUE_STEP, MoneySerializer, PricedAnswerSerializer
from submissions.api.fields import AVERAGED_OVER, attribution_field, license_field, pack_field
from submissions.charts.names import grouping_name
from submissions.choices import AgeMark
from submissions.questions.boards.grouping import OF_SYSTEMS
from submissions.questions.boards.load_field import load_field
from submissions.questions.boards.reasons import Reason
from submissions.questions.boards.trust_filter import trust_filter_field, uploaded_field
from submissions.questions.value.query import RankedValue, ValueResult
from submissions.questions.value.sentences import finding

_MARKS = ", ".join(AgeMark.MARKS)


class ExactUsd(serializers.DecimalField):
    """Every digit that is stored, as a string: "0.91200000"."""

    def __init__(self, **kwargs: Any):
        super().__init__(max_digits=None, decimal_places=None, read_only=True, **kwargs)


class RankedValueSerializer(MoneySerializer):
    """A RankedValue. It has only the columns that its grouping looks at."""

    in_currency: ClassVar[Mapping[str, tuple[str, Decimal]]] = {
        "best_ops_per_usd": ("best_ops_per_unit", VALUE_STEP),
        "worst_ops_per_usd": ("worst_ops_per_unit", VALUE_STEP),
        "hourly_usd": ("hourly", HOURLY_STEP),
        "hourly_usd_when_measured": ("hourly_when_measured", HOURLY_STEP),
    }
    per_usd: ClassVar[Collection[str]] = ("best_ops_per_usd", "worst_ops_per_usd")

    provider = serializers.CharField(source="group.best.provider", required=False)
    instance_type = serializers.CharField(source="group.best.instance_type", required=False)
    machine_family = serializers.CharField(source="group.best.machine_family", allow_null=True, required=False)
    cpu_model = serializers.CharField(source="group.best.cpu_model", allow_null=True, required=False)
    architecture = serializers.CharField(source="group.best.architecture", allow_null=True, required=False)
    deployment = serializers.CharField(source="group.best.deployment", allow_null=True, required=False)
    jdk_vendor = serializers.CharField(source="group.best.jdk_vendor", allow_null=True, required=False)
    jdk_version = serializers.CharField(source="group.best.jdk_version", allow_null=True, required=False)
    disk_kind = serializers.CharField(source="group.best.disk_kind", allow_null=True, required=False)
    rank = serializers.SerializerMethodField(
        help_text='"4", "1-3" where noise leaves several open, "7+" with those beyond the 50 best; null there'
    )
    n = serializers.IntegerField(source="group.n", help_text="Submissions in the group")
    best_ops_per_usd = ExactUsd(source="group.best_ops_per_usd")
    worst_ops_per_usd = ExactUsd(source="group.worst_ops_per_usd")
    best_submission = serializers.IntegerField(source="group.best.pk")
    trials = serializers.IntegerField(source="group.best.trials_count", help_text="Of the best one, as all below")
    averaged_over = serializers.IntegerField(
        source="group.best.averaged_over", allow_null=True, help_text=AVERAGED_OVER
    )
    throughput_ops_s = serializers.FloatField(source="group.best.throughput_ops_s")
    latency_p99_ms = serializers.FloatField(source="group.best.latency_p99_ms", allow_null=True)
    latency_p99_at_most_ms = serializers.FloatField(
        source="group.best.latency_p99_at_most_ms", allow_null=True, help_text="The value that limits and ranks use"
    )
    latency_p99_is_bound = serializers.BooleanField(
        source="group.best.latency_p99_is_bound", help_text="True if it is the p99 of the slowest type of operation"
    )
    latency_kind = serializers.CharField(source="group.best.latency_kind")
    latency_mean_ms = serializers.FloatField(source="group.best.latency_mean_ms", allow_null=True)
    client_placement = serializers.CharField(
        source="group.best.client_placement",
        allow_null=True,
        help_text="on_database: the load took CPU time from the database",
    )
    load = load_field("group.best.shown_load")
    hourly_usd = ExactUsd(source="group.best.hourly_usd")
    hourly_usd_when_measured = ExactUsd(
        source="group.best.hourly_usd_when_measured",
        allow_null=True,
        help_text="The cost when measured if it differs from `hourly_usd`; null if it is the same or unknown",
    )
    price_date = serializers.DateField(source="group.best.price_date", allow_null=True)
    price_last_seen = serializers.DateField(source="group.best.price_last_seen", allow_null=True)
    age_marks = serializers.CharField(
        source="age.marks_text", default=None, help_text=f"Of the best submission, on the day of the answer: {_MARKS}"
    )
    rank_today = serializers.CharField(
        allow_null=True,
        help_text="Of the group on this board at today's prices; null where the price of its best has no `price_drift`",
    )
    license = license_field("group.best.license")
    attribution = attribution_field("group.best.attribution")
    pack = pack_field("group.best.pack")

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        fields = super().get_fields()
        result = self.root.instance
        if isinstance(result, ValueResult):  # without one the schema is described
            unused = {column for by in OF_SYSTEMS for column in by.columns} - set(result.params.by.columns)
            for column in unused:
                del fields[column]
        return fields

    def get_rank(self, value: RankedValue) -> str | None:
        return value.entry.rank if value.entry else None


class MissingPriceSerializer(serializers.Serializer[Any]):
    """A pair of `ValueResult.missing_prices`."""

    submissions = serializers.IntegerField()
    why = serializers.CharField()

    def to_representation(self, instance: tuple[str, int]) -> dict[str, Any]:
        why, submissions = instance
        return {"submissions": submissions, "why": why}


class CloudWithoutListSerializer(serializers.Serializer[Any]):
    """A pair of `ValueResult.without_list`."""

    provider = serializers.CharField()
    submissions = serializers.IntegerField()

    def to_representation(self, instance: tuple[str, int]) -> dict[str, Any]:
        provider, submissions = instance
        return {"provider": provider, "submissions": submissions}


class ArchitectureValueSerializer(MoneySerializer):
    """An ArchitectureValue: each machine type by its best submission."""

    in_currency: ClassVar[Mapping[str, tuple[str, Decimal]]] = {
        "best_ops_per_usd": ("best_ops_per_unit", VALUE_STEP),
        "median_ops_per_usd": ("median_ops_per_unit", VALUE_STEP),
    }
    per_usd: ClassVar[Collection[str]] = tuple(in_currency)

    provider = serializers.CharField()
    architecture = serializers.CharField()
    machine_types = serializers.IntegerField()
    best_instance_type = serializers.CharField(source="best_type")
    best_ops_per_usd = ExactUsd(source="best")
    median_ops_per_usd = ExactUsd(source="median", help_text="The median over the machine types, each counted once")


class FrontSystemSerializer(MoneySerializer):
    in_currency: ClassVar[Mapping[str, tuple[str, Decimal]]] = {
        "hourly_usd": ("hourly", HOURLY_STEP),
        "ops_per_usd": ("ops_per_unit", VALUE_STEP),
    }
    per_usd: ClassVar[Collection[str]] = ("ops_per_usd",)

    submission = serializers.IntegerField(source="pk")
    hourly_usd = ExactUsd()
    throughput_ops_s = serializers.FloatField()
    ops_per_usd = ExactUsd()
    price_date = serializers.DateField(allow_null=True)
    price_last_seen = serializers.DateField(allow_null=True)


class ValueSerializer(PricedAnswerSerializer):
    """A ValueResult."""

    csv_rows = "groups"

    workload = serializers.CharField(source="workload.fingerprint")
    workload_title = serializers.CharField(source="workload.title")
    by = serializers.CharField(source="params.by")
    prices_on = serializers.DateField(
        source="params.terms.day",
        allow_null=True,
        help_text="The day of the prices; null with `prices=then`: each at those of its measurement date",
    )
    basis = serializers.CharField(
        source="params.terms.basis", allow_null=True, help_text="null: each node group as it was bought"
    )
    shelf = trust_filter_field()
    uploaded_left_out = uploaded_field()
    finding = serializers.SerializerMethodField()
    groups = RankedValueSerializer(source="ranked", many=True)
    unpriced = serializers.SerializerMethodField(help_text="Submissions without a price under these terms")
    p99_unknown = serializers.IntegerField(
        source="counts.p99_unknown", help_text="Submissions that the limit leaves out because their p99 is unknown"
    )
    missing_prices = MissingPriceSerializer(many=True)
    without_price_list = CloudWithoutListSerializer(
        source="without_list",
        many=True,
        help_text="Those of `unpriced` whose cloud has no price in the price book; only at the prices of a day",
    )
    architectures = ArchitectureValueSerializer(
        source="valuation.architectures",
        many=True,
        help_text="By cloud and architecture, best first; empty where all are of one, and at the stored prices",
    )
    doubtful = serializers.SerializerMethodField(help_text="Submissions with a data-quality flag")
    pareto_front = FrontSystemSerializer(source="systems.front", many=True)

    @property
    def csv_filename(self) -> str:
        result = cast(ValueResult, self.instance)
        return f"value-by-{grouping_name(result.params.by)}"

    def get_finding(self, result: ValueResult) -> str:
        return finding(result)

    def get_unpriced(self, result: ValueResult) -> int:
        return result.counts.excluded[Reason.UNPRICED]

    def get_doubtful(self, result: ValueResult) -> int:
        return result.counts.excluded[Reason.FLAGGED]

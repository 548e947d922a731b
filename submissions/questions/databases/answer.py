"""Databases side by side as JSON and as CSV."""

from collections.abc import Collection, Mapping
from decimal import Decimal
from typing import Any, ClassVar

from rest_framework import serializers

from submissions.analysis.comparison.compare import Ratio
from submissions.analysis.comparison.noise import NoiseFrom
from submissions.analysis.comparison.verdicts import Verdict
from submissions.api.currency import CENT, HOURLY_STEP, VALUE_STEP, Cents, MoneySerializer, PricedAnswerSerializer
from submissions.api.fields import Interval, Money, attribution_field, license_field, pack_field
from submissions.questions.boards.trust_filter import trust_filter_field
from submissions.questions.databases import sentences
from submissions.questions.databases.consistency import Waits
from submissions.questions.databases.query import DatabasesResult, Obstacle, Pair


class SharedLoadSerializer(serializers.Serializer[Any]):
    """A Load."""

    load = serializers.CharField(source="fingerprint")
    title = serializers.CharField()
    databases = serializers.ListField(child=serializers.CharField(), help_text="Slugs")


class DatabaseRowSerializer(MoneySerializer):
    """A DatabaseRow: the fastest result of a database on a cluster."""

    in_currency: ClassVar[Mapping[str, tuple[str, Decimal]]] = {
        "hourly_usd": ("hourly", HOURLY_STEP),
        "month_usd": ("month", CENT),
        "ops_per_usd": ("ops_per_unit", VALUE_STEP),
    }
    per_usd: ClassVar[Collection[str]] = ("ops_per_usd",)

    service = serializers.CharField(help_text="The database")
    service_version = serializers.CharField(source="submission.service_version", allow_null=True)
    provider = serializers.CharField(source="submission.provider")
    region = serializers.CharField(source="submission.region", allow_null=True)
    instance_type = serializers.CharField(source="submission.instance_type")
    node_count = serializers.IntegerField(source="submission.node_count")
    throughput_ops_s = serializers.FloatField(source="submission.throughput_ops_s")
    latency_p99_ms = serializers.FloatField(
        source="submission.latency_p99_ms", allow_null=True, help_text="Of all operations"
    )
    latency_p99_at_most_ms = serializers.FloatField(
        source="submission.latency_p99_at_most_ms",
        allow_null=True,
        help_text="The p99, else that of the slowest type of operation: an upper bound",
    )
    latency_p99_is_bound = serializers.BooleanField(source="submission.latency_p99_is_bound")
    latency_kind = serializers.CharField(source="submission.latency_kind")
    hourly_usd = Money(source="submission.hourly_usd", allow_null=True)
    month_usd = Cents(allow_null=True, help_text="730 hours; null: the price is unknown")
    ops_per_usd = Money(source="submission.ops_per_usd", allow_null=True)
    price_date = serializers.DateField(source="submission.price_date", allow_null=True)
    consistency = serializers.CharField(source="consistency.words", help_text='"ONE", "w:1"; "": not stated')
    waits_for = serializers.ChoiceField(
        source="consistency.waits",
        choices=Waits.pairs(),
        allow_null=True,
        help_text="Replicas; null: not stated, or neither one, a majority nor all",
    )
    durability = serializers.CharField(help_text='"j=true"; "": not stated')
    workload = serializers.CharField(source="submission.workload.fingerprint")
    submission = serializers.IntegerField(source="submission.pk")
    trust = serializers.CharField(source="submission.trust")
    license = license_field("submission.license")
    attribution = attribution_field("submission.attribution")
    pack = pack_field("submission.pack")


class DatabaseRatioSerializer(serializers.Serializer[Any]):
    """A Ratio."""

    ratio = serializers.FloatField(help_text="b / a")
    interval = Interval(source="judgement.interval", columns=("low", "high"), default=None, help_text="95 %")
    verdict = serializers.ChoiceField(
        source="judgement.verdict", choices=Verdict.pairs(), default=None, allow_null=True, help_text="Of b"
    )
    noise_from = serializers.ChoiceField(
        source="judgement.noise_from", choices=NoiseFrom.pairs(), default=None, allow_null=True
    )
    runs_needed = serializers.IntegerField(source="judgement.runs_needed", default=None, allow_null=True)


class DatabasePairSerializer(serializers.Serializer[Any]):
    """A Pair."""

    a = serializers.IntegerField(source="a.submission.pk", help_text="A submission, the slower one")
    b = serializers.IntegerField(source="b.submission.pk")
    is_one_cluster = serializers.BooleanField(help_text="Equal provider, instance type and number of nodes")
    no_verdict_because = serializers.ChoiceField(
        source="obstacle", choices=Obstacle.pairs(), allow_null=True, help_text="null: consistency is comparable"
    )
    sentence = serializers.SerializerMethodField()
    throughput = serializers.SerializerMethodField()
    ops_per_usd = serializers.SerializerMethodField()
    latency_p99 = serializers.SerializerMethodField()

    def get_sentence(self, pair: Pair) -> str:
        return sentences.pair_sentence(pair)

    def get_throughput(self, pair: Pair) -> dict[str, Any] | None:
        return _ratio(pair.comparison.throughput if pair.comparison else None)

    def get_ops_per_usd(self, pair: Pair) -> dict[str, Any] | None:
        return _ratio(pair.comparison.ops_per_usd if pair.comparison else None)

    def get_latency_p99(self, pair: Pair) -> dict[str, Any] | None:
        return _ratio(pair.comparison.latency_p99 if pair.comparison else None)


class DatabasesSerializer(PricedAnswerSerializer):
    """A DatabasesResult; the fastest first."""

    csv_rows = "rows"
    csv_name = "databases"

    load = serializers.CharField(source="load.fingerprint", default=None, allow_null=True)
    load_title = serializers.CharField(source="load.title", default=None, allow_null=True)
    sentence = serializers.SerializerMethodField()
    caveats = serializers.SerializerMethodField()
    shelf = trust_filter_field()
    clusters = serializers.IntegerField(help_text="`rows` has the 12 fastest of each workload")
    rows = DatabaseRowSerializer(many=True)
    pairs = DatabasePairSerializer(many=True, help_text="Of the six fastest databases")
    loads = SharedLoadSerializer(
        source="offered",
        many=True,
        help_text="Loads that two or more databases share: at most 50, most databases first",
    )

    def get_sentence(self, result: DatabasesResult) -> str:
        return sentences.finding(result)

    def get_caveats(self, result: DatabasesResult) -> list[str]:
        return sentences.caveats(result)


def _ratio(ratio: Ratio | None) -> dict[str, Any] | None:
    return None if ratio is None else dict(DatabaseRatioSerializer(ratio).data)

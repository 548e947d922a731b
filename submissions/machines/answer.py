"""Machine types as JSON and as CSV."""

from collections.abc import Collection, Mapping
from decimal import Decimal
from typing import Any, ClassVar

from rest_framework import serializers

from submissions.api.answers import Table
from submissions.api.currency import CENT, HOURLY_STEP, VALUE_STEP, MoneySerializer, PricedAnswerSerializer
from submissions.api.fields import Money, attribution_field, license_field, pack_field
from submissions.choices import Architecture, Deployment, PricingModel
from submissions.machines.machine import MachineResult
from submissions.machines.sentences import machine_finding

_RATES = {"hourly_usd": ("hourly", HOURLY_STEP), "monthly_usd": ("monthly", CENT)}


class MachineFactsSerializer(serializers.Serializer[Any]):
    """The `machine` of a row or a result."""

    provider = serializers.CharField(source="machine.provider")
    instance_type = serializers.CharField(source="machine.name")
    machine_family = serializers.CharField(source="machine.family", allow_null=True)
    vcpus = serializers.IntegerField(source="machine.vcpus", allow_null=True)
    memory_gib = serializers.FloatField(source="machine.memory_gib", allow_null=True)
    architecture = serializers.ChoiceField(source="machine.architecture", choices=Architecture.pairs(), allow_null=True)
    deployment = serializers.ChoiceField(source="machine.deployment", choices=Deployment.pairs(), allow_null=True)
    cpu_model = serializers.CharField(source="machine.cpu_model", allow_null=True)
    local_disk_count = serializers.IntegerField(
        source="machine.local_disk_count", allow_null=True, help_text="0: none; null: unknown"
    )
    local_disk_gib = serializers.FloatField(
        source="machine.local_disk_gib", allow_null=True, help_text="Of all of them together"
    )
    local_disk_kind = serializers.CharField(source="machine.local_disk_kind", allow_null=True)
    facts_source = serializers.CharField(source="machine.source", help_text="Empty: as most results state them")
    results = serializers.IntegerField(source="machine.results", help_text="Listed ones, with a rate")


class MachineRowSerializer(MoneySerializer, MachineFactsSerializer):
    """A MachineRow."""

    in_currency: ClassVar[Mapping[str, tuple[str, Decimal]]] = _RATES

    region = serializers.CharField(help_text="Of the price; empty: a provider without a price list")
    hourly_usd = Money(allow_null=True, help_text="null: the price book has none")
    monthly_usd = Money(allow_null=True, help_text="730 hours")
    price_date = serializers.DateField(source="rate.price_date", default=None, allow_null=True)
    price_last_seen = serializers.DateField(source="rate.last_seen", default=None, allow_null=True)
    price_source = serializers.CharField(source="rate.source", default=None, allow_null=True)


class MachinesSerializer(PricedAnswerSerializer):
    """A MachinesResult."""

    csv_rows = "machines"
    csv_name = "machines"

    prices_on = serializers.DateField(source="day")
    count = serializers.SerializerMethodField(help_text="Types that the parameters choose")
    page = serializers.IntegerField()
    pages = serializers.IntegerField()
    machines = MachineRowSerializer(source="shown", many=True)

    def get_count(self, result: Any) -> int:
        return len(result.rows)

    def csv_table(self) -> Table:
        """Of all pages."""
        self.instance: Any = self.instance.whole
        return super().csv_table()


class MachinePriceSerializer(MoneySerializer):
    """A RegionPrice."""

    in_currency: ClassVar[Mapping[str, tuple[str, Decimal]]] = _RATES

    region = serializers.CharField()
    pricing_model = serializers.ChoiceField(source="model", choices=PricingModel.pairs())
    hourly_usd = Money(source="rate.usd")
    monthly_usd = Money(help_text="730 hours")
    price_date = serializers.DateField(source="rate.price_date", help_text="Valid from")
    price_last_seen = serializers.DateField(source="rate.last_seen", allow_null=True)
    price_source = serializers.CharField(source="rate.source", allow_null=True)


class PastPriceSerializer(serializers.Serializer[Any]):
    """A pricing model, and a PricePoint of it: a list price, in USD alone."""

    pricing_model = serializers.ChoiceField(source="model", choices=PricingModel.pairs())
    valid_from = serializers.DateField(source="point.day")
    hourly_usd = Money(source="point.usd", allow_null=True, help_text="null: no price from then on")


class DatabaseValueSerializer(MoneySerializer):
    """A DatabaseValue."""

    in_currency: ClassVar[Mapping[str, tuple[str, Decimal]]] = {
        "hourly_usd": ("hourly", HOURLY_STEP),
        "ops_per_usd": ("ops_per_unit", VALUE_STEP),
    }
    per_usd: ClassVar[Collection[str]] = ("ops_per_usd",)

    service = serializers.CharField(help_text="The database")
    workload = serializers.CharField(source="fingerprint", help_text="That with most results on this type")
    workload_title = serializers.CharField(source="title")
    results = serializers.IntegerField(help_text="Of this workload on this type, on boards")
    rank = serializers.CharField(
        allow_blank=True, help_text='Among machine types, by value: "4", "1-3" where noise leaves several open'
    )
    machine_types = serializers.IntegerField(source="types", help_text="With a price; 0: this one has none")
    ops_per_usd = Money(allow_null=True)
    hourly_usd = Money(allow_null=True, help_text="Of the cluster")
    submission = serializers.IntegerField(
        source="best.pk", help_text="With the best value; without a price the fastest"
    )
    node_count = serializers.IntegerField(source="best.node_count")
    throughput_ops_s = serializers.FloatField(source="best.throughput_ops_s")
    latency_p99_at_most_ms = serializers.FloatField(source="best.latency_p99_at_most_ms", allow_null=True)
    license = license_field("best.license")
    attribution = attribution_field("best.attribution")
    pack = pack_field("best.pack")


class MachineSerializer(PricedAnswerSerializer, MachineFactsSerializer):
    """A MachineResult."""

    csv_rows = "prices"

    sentence = serializers.SerializerMethodField()
    prices_on = serializers.DateField(source="day")
    prices = MachinePriceSerializer(source="prices.rows", many=True)
    history_region = serializers.CharField(source="prices.region", allow_blank=True)
    history = PastPriceSerializer(source="prices.past", many=True)
    best_value = DatabaseValueSerializer(source="values", many=True)

    @property
    def csv_filename(self) -> str:
        result: Any = self.instance
        return f"machine-{result.machine.provider}-{result.machine.name}"

    def get_sentence(self, result: MachineResult) -> str:
        return machine_finding(result.machine, result.prices)

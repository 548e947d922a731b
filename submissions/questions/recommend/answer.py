"""A recommendation's answer: its JSON, the columns of its CSV and its schema."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, ClassVar

from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from submissions.analysis.comparison.noise import NoiseFrom
from submissions.api.currency import CENT, Cents, MoneySerializer, PricedAnswerSerializer
from submissions.api.fields import Interval, attribution_field, license_field, pack_field
from submissions.choices import LatencyKind, Trust
from submissions.models import Submission
from submissions.questions.boards.trust_filter import trust_filter_field, uploaded_field
from submissions.questions.recommend import sentences
from submissions.questions.recommend.input_range.answer import InputRangeSerializer
from submissions.questions.recommend.input_range.query import range_of
from submissions.questions.recommend.month.answer import MonthSerializer
from submissions.questions.recommend.query import Answer, Entry, OtherWorkload, RecommendResult
from submissions.questions.recommend.ranking import sentences as candidate_words
from submissions.questions.recommend.ranking.capacity import Capacity
from submissions.questions.recommend.ranking.estimates import Estimate
from submissions.questions.recommend.ranking.estimates import Kind as EstimateKind
from submissions.questions.recommend.ranking.finalists import Kind


class RecommendedSerializer(MoneySerializer):
    in_currency: ClassVar[Mapping[str, tuple[str, Decimal]]] = {
        "usd_per_month": ("per_month", CENT),
        "usd_per_month_when_measured": ("per_month_when_measured", CENT),
    }

    kind = serializers.ChoiceField(
        choices=Kind.pairs(), allow_null=True, help_text="null: one of the nearest, or of a size that was not measured"
    )
    submission = serializers.IntegerField(help_text="Of an estimate the nearest measured size")
    workload = serializers.CharField(help_text="Its fingerprint")
    workload_title = serializers.CharField()
    cluster = serializers.CharField()
    provider = serializers.CharField()
    region = serializers.CharField(allow_null=True)
    instance_type = serializers.CharField()
    node_count = serializers.IntegerField()
    usd_per_month = Cents(allow_null=True, help_text="730 hours of nodes and disks; null: unknown, see price_missing")
    month = MonthSerializer(allow_null=True, help_text="The whole month; null in `grid`")
    usd_per_month_when_measured = Cents(allow_null=True, help_text="As stored, under the pricing model at that time")
    priced_at = serializers.DateField(allow_null=True, help_text="The day whose prices these are")
    price_date = serializers.DateField(allow_null=True, help_text="Since when the price is in force")
    price_missing = serializers.CharField(allow_blank=True)
    throughput_ops_s = serializers.FloatField(help_text="Measured; expected of an estimate")
    throughput_interval = Interval(
        columns=("throughput_low_ops_s", "throughput_high_ops_s"), help_text="95 %, of the mean of its trials"
    )
    at_least = serializers.BooleanField(help_text="The load tool limited it to this rate: it can do this or more")
    latency_p99_ms = serializers.FloatField(allow_null=True)
    latency_p99_at_most_ms = serializers.FloatField(
        allow_null=True, help_text="The p99, or that of the slowest type of operation, which it does not exceed"
    )
    latency_p99_of = serializers.ChoiceField(
        choices=[("all", "all"), ("slowest_operation", "slowest operation")],
        allow_null=True,
        help_text="slowest_operation: that of its slowest type of operation, which the p99 of all does not exceed",
    )
    latency_kind = serializers.ChoiceField(choices=LatencyKind.pairs())
    loads = serializers.IntegerField(help_text="Measured ones of its load curve; 1: one load only")
    threads = serializers.IntegerField(allow_null=True, help_text="Of one client, at this load of the curve")
    offered_ops_s = serializers.FloatField(
        allow_null=True, help_text="At this load of the curve; null: as many as the threads could"
    )
    measured_at = serializers.DateTimeField(allow_null=True)
    clients_on_database = serializers.BooleanField(
        help_text="The load clients ran on the database's machine: a networked client may get less"
    )
    trust = serializers.ChoiceField(choices=Trust.pairs())
    trials = serializers.IntegerField()
    likelihood = serializers.FloatField(
        allow_null=True,
        help_text="The likelihood that another run meets the question; null: unknown, see likelihood_words",
    )
    likelihood_assumed = serializers.FloatField(
        allow_null=True, help_text="The same with the usual noise of clouds, where the variation is unknown"
    )
    likelihood_words = serializers.CharField(allow_blank=True)
    noise_from = serializers.ChoiceField(choices=NoiseFrom.pairs(), allow_null=True)
    at_limit_ops_s = serializers.FloatField(allow_null=True, help_text="The most this cluster did within the p99")
    at_limit_p99_ms = serializers.FloatField(allow_null=True, help_text="At that load")
    extrapolated = serializers.BooleanField(help_text="This size was not measured: an estimate of either kind")
    estimate = serializers.ChoiceField(
        choices=EstimateKind.pairs(),
        allow_null=True,
        help_text="null: measured; interpolated: between measured sizes; extrapolated: outside them, up to twice",
    )
    data_to_memory = serializers.FloatField(
        allow_null=True, help_text="Data of all replicas by the memory of the database nodes; null: unknown"
    )
    data_to_memory_requested = serializers.FloatField(
        allow_null=True, help_text="The same of data_gib in this cluster; null: unknown, or no data is asked for"
    )
    holds_gib = serializers.FloatField(
        allow_null=True,
        help_text="One copy that its disks (of Redis, Valkey and Memcached its memory) hold; null: as above",
    )
    data_words = serializers.CharField(allow_blank=True, help_text='Of both in words, such as "without head-room"')
    license = license_field()
    attribution = attribution_field()
    pack = pack_field()

    def to_representation(self, entry: Entry) -> dict[str, Any]:
        source = entry.source
        own = _of_estimate(source) if isinstance(source, Estimate) else _of_answer(source)
        return super().to_representation({"kind": entry.kind, **own})


def _of_answer(answer: Answer) -> dict[str, Any]:
    row, point, outlook = answer.row, answer.candidate.point, answer.likelihood
    low, high = row.throughput_low_ops_s, row.throughput_high_ops_s
    is_interval_known = point.is_peak and low is not None and high is not None
    return {
        **_of_row(row),
        **_of_data(row, answer.candidate.capacity),
        "cluster": candidate_words.cluster_words(row),
        "node_count": row.node_count,
        "usd_per_month": answer.candidate.price.usd_per_month,
        "month": answer.month,
        "usd_per_month_when_measured": answer.usd_per_month_when_measured,
        "priced_at": answer.priced_at,
        "price_date": row.price_date,
        "price_missing": row.price_missing,
        "throughput_ops_s": point.rate,
        "throughput_interval": (low, high) if is_interval_known else None,
        "at_least": point.is_throttled,
        "latency_p99_ms": point.p99_ms,
        "latency_p99_at_most_ms": point.p99_ms,
        "latency_p99_of": None if point.p99_ms is None else "slowest_operation" if point.is_of_slowest else "all",
        "latency_kind": point.kind,
        "trials": point.trials or row.averaged_over or row.trials_count,
        "loads": point.loads,
        "clients_on_database": answer.candidate.key.is_one_machine,
        "threads": point.threads,
        "offered_ops_s": point.offered_ops_s,
        "likelihood": outlook.share,
        "likelihood_assumed": outlook.assumed,
        "likelihood_words": sentences.likelihood_words(outlook, answer),
        "noise_from": outlook.noise_from,
        "at_limit_ops_s": answer.at_limit.rate if answer.at_limit else None,
        "at_limit_p99_ms": answer.at_limit.p99_ms if answer.at_limit else None,
        "extrapolated": False,
        "estimate": None,
    }


def _of_estimate(estimate: Estimate) -> dict[str, Any]:
    row, price = estimate.base, estimate.price
    return {
        **_of_row(row),
        **_of_data(row, estimate.capacity),
        "cluster": candidate_words.cluster_words(row, estimate.needed.node_count),
        "node_count": estimate.needed.node_count,
        "usd_per_month": price.usd_per_month,
        "month": estimate.month,
        "usd_per_month_when_measured": None,
        "priced_at": price.used_on,
        "price_date": price.price_date,
        "price_missing": price.missing,
        "throughput_ops_s": estimate.needed.throughput,
        "throughput_interval": None,
        "at_least": False,
        "latency_p99_ms": None,
        "latency_p99_at_most_ms": None,
        "latency_p99_of": None,
        "clients_on_database": estimate.candidate.key.is_one_machine,
        "loads": 1,
        "threads": None,
        "offered_ops_s": None,
        "likelihood": None,
        "likelihood_assumed": None,
        "likelihood_words": candidate_words.estimate_words(estimate),
        "noise_from": None,
        "at_limit_ops_s": None,
        "at_limit_p99_ms": None,
        "extrapolated": True,
        "estimate": estimate.kind,
    }


def _of_data(row: Submission, capacity: Capacity) -> dict[str, Any]:
    return {
        "data_to_memory": row.data_to_memory,
        "data_to_memory_requested": capacity.requested_to_memory,
        "holds_gib": capacity.holds_gib,
        "data_words": candidate_words.capacity_words(capacity),
    }


def _of_row(row: Submission) -> dict[str, Any]:
    return {
        "submission": row.pk,
        "workload": row.workload.fingerprint,
        "workload_title": row.workload.title,
        "provider": row.provider,
        "region": row.region,
        "instance_type": row.instance_type,
        "latency_kind": row.latency_kind,
        "measured_at": row.measured_at,
        "trust": row.trust,
        "trials": row.averaged_over or row.trials_count,
        "license": row.license,
        "attribution": row.attribution,
        "pack": row.pack,
    }


class MeasureNextSerializer(serializers.Serializer[RecommendResult]):
    text = serializers.SerializerMethodField()
    run_url = serializers.SerializerMethodField(help_text="The form of a run, filled in where something is near")
    upload_url = serializers.SerializerMethodField()

    def get_text(self, result: RecommendResult) -> str:
        return sentences.measure_next(result)

    def get_run_url(self, result: RecommendResult) -> str | None:
        address = run_address(result)
        return str(self.context["request"].build_absolute_uri(address)) if address else None

    def get_upload_url(self, result: RecommendResult) -> str:
        return str(self.context["request"].build_absolute_uri(reverse("submissions:new")))


class RejectedSerializer(serializers.Serializer[Any]):
    submission = serializers.IntegerField(help_text="The result of this cluster that is nearest to the question")
    cluster = serializers.CharField()
    workload = serializers.CharField(help_text="Its fingerprint")
    reason = serializers.CharField(help_text="The limit that it misses most, such as its data, or its higher cost")


class OtherWorkloadSerializer(serializers.Serializer[OtherWorkload]):
    workload = serializers.CharField(source="workload.fingerprint")
    workload_title = serializers.CharField(source="workload.title")
    results = serializers.IntegerField()
    able = serializers.BooleanField(help_text="True if one of its results meets the question")


class RecommendSerializer(PricedAnswerSerializer):
    """Measured answers, the cheapest first; then an estimate, if it costs less or nothing measured answers."""

    csv_rows = "answers"
    csv_name = "recommend"

    sentence = serializers.SerializerMethodField()
    workload = serializers.CharField(
        source="workload.fingerprint",
        allow_null=True,
        default=None,
        help_text="Of the first answer or the nearest result",
    )
    workload_title = serializers.CharField(source="workload.title", allow_null=True, default=None)
    shelf = trust_filter_field()
    uploaded_left_out = uploaded_field()
    answers = RecommendedSerializer(source="entries", many=True)
    nearest = RecommendedSerializer(
        source="nearest_entries", many=True, help_text="Only if nothing measured meets the question"
    )
    rejected = serializers.SerializerMethodField(help_text="The 20 nearest of the other clusters, by workload")
    rejected_count = serializers.IntegerField(help_text="All of them")
    p99_unknown = serializers.IntegerField(help_text="Clusters whose p99 is unknown, if there is a limit")
    unpriced = serializers.IntegerField(help_text="Clusters without a price on that day under that pricing model")
    stated_left_out = serializers.IntegerField(
        help_text="Those of them with a price stated by their vendor or uploader, under another pricing model"
    )
    range = serializers.SerializerMethodField(help_text="null: no input is a range")
    other_workloads = OtherWorkloadSerializer(source="others", many=True)
    measure_next = serializers.SerializerMethodField(help_text="null: something measured meets it")

    def get_sentence(self, result: RecommendResult) -> str:
        return sentences.finding(result)

    @extend_schema_field(RejectedSerializer(many=True))
    def get_rejected(self, result: RecommendResult) -> list[dict[str, Any]]:
        return [
            {
                "submission": one.point.pk,
                "cluster": candidate_words.cluster_of(one),
                "workload": result.workloads[one.workload_id].fingerprint,
                "reason": candidate_words.reason(one, result.params, result.least_usd),
            }
            for one in result.rejected
        ]

    @extend_schema_field(InputRangeSerializer(allow_null=True))
    def get_range(self, result: RecommendResult) -> dict[str, Any] | None:
        found = range_of(result)
        return None if found is None else dict(InputRangeSerializer(found).data)

    @extend_schema_field(MeasureNextSerializer(allow_null=True))
    def get_measure_next(self, result: RecommendResult) -> dict[str, Any] | None:
        return None if result.answers else dict(MeasureNextSerializer(result, context=self.context).data)


def run_address(result: RecommendResult) -> str:
    """The form of a run like the nearest result, else the empty one; "" for a database that nobody has named yet."""
    if not sentences.may_be_run(result):
        return ""
    near = result.estimates[0].base if result.estimates else result.nearest[0].row if result.nearest else None
    address = reverse("runners:new")
    return f"{address}?like={near.pk}" if near else address

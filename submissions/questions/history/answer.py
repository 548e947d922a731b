"""A history as JSON and CSV: a row for each measurement, with the change that begins at it."""

from dataclasses import dataclass
from typing import Any

from rest_framework import serializers

from submissions import facts
from submissions.api.answers import AnswerSerializer
from submissions.api.fields import AVERAGED_OVER, attribution_field, license_field, pack_field
from submissions.choices import LatencyKind
from submissions.models import Submission
from submissions.questions.boards.trust_filter import TrustFilter, trust_filter_field, uploaded_field
from submissions.questions.history import sentences
from submissions.questions.history.form import HistoryQuestion
from submissions.questions.history.query import Change, HistoryResult, MetricHistory, value_of


@dataclass(frozen=True, slots=True)
class HistoryAnswer:
    """`result` is None where there are no dated results."""

    question: HistoryQuestion
    result: HistoryResult | None

    @property
    def workload(self) -> str | None:
        return self.question.workload.fingerprint if self.question.workload else None

    @property
    def workload_title(self) -> str | None:
        return self.question.workload.title if self.question.workload else None

    @property
    def trust_filter(self) -> TrustFilter:
        return self.result.trust_filter if self.result else TrustFilter(self.question.trust, is_historical=False)

    @property
    def cluster(self) -> dict[str, Any] | None:
        return self.result.line.facts if self.result else None

    @property
    def finding(self) -> str:
        return sentences.finding(self.result) if self.result else ""

    @property
    def points(self) -> list[dict[str, Any]]:
        if self.result is None:
            return []
        with_p99 = self.result.latency.keys
        return [_point(self.result, point, has_p99=point.pk in with_p99) for point in self.result.points]

    @property
    def latency_kind(self) -> str | None:
        return self.result.latency_kind.value if self.result else None

    @property
    def throughput_changes(self) -> list[dict[str, Any]] | None:
        return _changes(self.result.throughput) if self.result else None

    @property
    def p99_changes(self) -> list[dict[str, Any]] | None:
        return _changes(self.result.latency) if self.result else None


class HistoryPoint(serializers.Serializer[Any]):
    submission = serializers.IntegerField()
    measured_at = serializers.CharField(help_text="UTC, ISO 8601")
    service_version = serializers.CharField(allow_null=True)
    jdk = serializers.CharField(allow_null=True)
    tool_version = serializers.CharField(allow_null=True)
    cpu_model = serializers.CharField(allow_null=True)
    trials_count = serializers.IntegerField()
    averaged_over = serializers.IntegerField(allow_null=True, help_text=AVERAGED_OVER)
    throughput_ops_s = serializers.FloatField()
    throughput_low_ops_s = serializers.FloatField(allow_null=True, help_text="95 % interval; null: one trial")
    throughput_high_ops_s = serializers.FloatField(allow_null=True)
    latency_p99_ms = serializers.FloatField(allow_null=True, help_text="null: unknown, or of another latency kind")
    latency_p99_at_most_ms = serializers.FloatField(
        allow_null=True, help_text="That of the slowest type of operation where latency_p99_ms is unknown"
    )
    latency_p99_is_bound = serializers.BooleanField()
    latency_kind = serializers.ChoiceField(choices=LatencyKind.pairs(), allow_null=True)
    throughput_change_percent = serializers.FloatField(
        allow_null=True, help_text="Of the mean, where a new level begins"
    )
    p99_change_percent = serializers.FloatField(allow_null=True)
    license = license_field()
    attribution = attribution_field()
    pack = pack_field()


class HistoryChange(serializers.Serializer[Any]):
    submission = serializers.IntegerField(help_text="The first of the new level")
    at = serializers.CharField(help_text="UTC, ISO 8601")
    percent = serializers.FloatField(help_text="Change of the mean")
    mean_before = serializers.FloatField()
    mean_after = serializers.FloatField()
    n_before = serializers.IntegerField()
    n_after = serializers.IntegerField()
    with_it = serializers.ListField(child=serializers.CharField(), help_text="Facts that changed at the same point")


class HistorySerializer(AnswerSerializer):
    """The results of a workload on equal clusters over time."""

    csv_rows = "points"
    csv_name = "history"

    workload = serializers.CharField(allow_null=True, help_text="Fingerprint; null: there are no dated results")
    workload_title = serializers.CharField(allow_null=True)
    shelf = trust_filter_field()
    uploaded_left_out = uploaded_field()
    cluster = serializers.DictField(allow_null=True, help_text="What is equal in all results")
    finding = serializers.CharField()
    points = HistoryPoint(many=True)
    latency_kind = serializers.ChoiceField(choices=LatencyKind.pairs(), allow_null=True)
    throughput_changes = HistoryChange(many=True, allow_null=True, help_text="null: too few results to judge")
    p99_changes = HistoryChange(many=True, allow_null=True)


def _point(result: HistoryResult, point: Submission, *, has_p99: bool) -> dict[str, Any]:
    return {
        "submission": point.pk,
        "measured_at": point.measured_at and point.measured_at.isoformat(),
        "service_version": point.service_version,
        "jdk": value_of(facts.JDK, point) or None,
        "tool_version": point.tool_version,
        "cpu_model": point.cpu_model,
        "trials_count": point.trials_count,
        "averaged_over": point.averaged_over,
        "throughput_ops_s": point.throughput_ops_s,
        "throughput_low_ops_s": point.throughput_low_ops_s,
        "throughput_high_ops_s": point.throughput_high_ops_s,
        "latency_p99_ms": point.latency_p99_ms if has_p99 else None,
        "latency_p99_at_most_ms": point.latency_p99_at_most_ms if has_p99 else None,
        "latency_p99_is_bound": point.latency_p99_is_bound and has_p99,
        "latency_kind": point.latency_kind if has_p99 else None,
        "throughput_change_percent": _percent_at(result.throughput, point),
        "p99_change_percent": _percent_at(result.latency, point),
        "license": point.license,
        "attribution": point.attribution,
        "pack": point.pack,
    }


def _percent_at(history: MetricHistory, point: Submission) -> float | None:
    change = history.change_at(point)
    return change.point.percent if change else None


def _changes(history: MetricHistory) -> list[dict[str, Any]] | None:
    return None if history.changes is None else [_change(change) for change in history.changes]


def _change(change: Change) -> dict[str, Any]:
    return {
        "submission": change.after.pk,
        "at": change.after.measured_at and change.after.measured_at.isoformat(),
        "percent": change.point.percent,
        "mean_before": change.point.mean_before,
        "mean_after": change.point.mean_after,
        "n_before": change.point.n_before,
        "n_after": change.point.n_after,
        "with_it": sentences.fact_changes(change),
    }

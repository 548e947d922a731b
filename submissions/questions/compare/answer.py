"""The comparison of two submissions as the API answers it."""

from typing import Any

from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from submissions.analysis.comparison.compare import Ratio
from submissions.analysis.comparison.noise import NoiseFrom
from submissions.analysis.comparison.verdicts import Verdict
from submissions.analysis.documents import differs
from submissions.api.currency import ReaderPricesSerializer
from submissions.choices import Choice
from submissions.questions.boards.load_field import load_field
from submissions.questions.compare.query import CompareResult
from submissions.questions.compare.sentences import finding

ANOTHER = "null: of another workload"


def _pair(source: str, help_text: str) -> serializers.ListField:
    return serializers.ListField(
        source=None if "." not in source else source,
        child=serializers.FloatField(),
        default=None,
        allow_null=True,
        help_text=help_text,
    )


def _number(source: str, help_text: str) -> serializers.FloatField:
    return serializers.FloatField(source=source, default=None, allow_null=True, help_text=help_text)


def _choice(source: str, choices: type[Choice], help_text: str) -> serializers.ChoiceField:
    return serializers.ChoiceField(
        source=source, choices=choices.pairs(), default=None, allow_null=True, help_text=f"{help_text}. {ANOTHER}"
    )


class RatioSerializer(serializers.Serializer[Ratio]):
    ratio = serializers.FloatField(help_text="b / a, of the two submissions")
    ratio_over_runs = _number(
        "judgement.ratio_over_runs", "The ratio that the interval is about: over all runs of both"
    )
    interval = _pair("judgement.interval", "95 %, with the noise between runs, for all pairs of the workload together")
    verdict = _choice(
        "judgement.verdict",
        Verdict,
        "Of b, the same on every page. within_noise: as good as equal; inconclusive: not enough runs to decide",
    )
    noise_from = _choice(
        "judgement.noise_from",
        NoiseFrom,
        "Where the noise between runs comes from: runs of these configurations, other configurations of the workload, "
        "the usual noise of clouds (6 %); series: measured in turns, compared round by round",
    )
    noise = _number("judgement.noise", "Coefficient of variation of one run, a fraction")
    runs = serializers.ListField(
        source="judgement.runs",
        child=serializers.IntegerField(),
        default=None,
        allow_null=True,
        help_text="Runs of the configurations of a and of b behind the interval and the verdict; or rounds of a series",
    )
    runs_needed = serializers.IntegerField(
        source="judgement.runs_needed",
        default=None,
        allow_null=True,
        help_text="More runs of each (separate launches, on another day) that detect a difference of this size with a "
        "power of 80 %; null: the verdict is better or worse, or over 100",
    )
    p_value = _number("judgement.p_value", "Two-sided, under equal systems; corrected for all pairs of the workload")
    in_these_runs = _pair("in_these_runs", "95 % interval from the trials alone: it says nothing about other runs")
    rank_test_p = serializers.FloatField(
        allow_null=True, help_text="Mann-Whitney test of the trials alone; null where there are too few for it"
    )


class DifferenceSerializer(serializers.Serializer[Any]):
    field = serializers.CharField()
    a = serializers.JSONField(help_text="Any JSON value; null: not stated")
    b = serializers.JSONField(help_text="As a")


@extend_schema_serializer(component_name="Comparison")
class CompareSerializer(ReaderPricesSerializer):
    """Of b compared with a."""

    a = serializers.IntegerField(source="first.submission.pk")
    b = serializers.IntegerField(source="second.submission.pk")
    max_p99_ms = serializers.FloatField(
        allow_null=True,
        help_text="The limit at which they are compared; a ratio is null if one of them does not keep it",
    )
    a_load = load_field("first.submission.shown_load")
    b_load = load_field("second.submission.shown_load")
    throughput = RatioSerializer(source="second.against_first.throughput", allow_null=True)
    ops_per_usd = RatioSerializer(source="second.against_first.ops_per_usd", allow_null=True)
    latency_p99 = RatioSerializer(source="second.against_first.latency_p99", allow_null=True)
    same_workload = serializers.BooleanField(source="second.against_first.same_workload")
    differs = serializers.SerializerMethodField()
    sentence = serializers.SerializerMethodField()

    @extend_schema_field(DifferenceSerializer(many=True))
    def get_differs(self, result: CompareResult) -> list[dict[str, Any]]:
        differences = differs(result.first.submission.document, result.second.submission.document)
        return [dict(row) for row in DifferenceSerializer(differences, many=True).data]

    def get_sentence(self, result: CompareResult) -> str:
        return finding(result.first, result.second, result.max_p99_ms)

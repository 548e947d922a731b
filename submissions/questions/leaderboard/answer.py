"""A leaderboard as JSON and as CSV."""

from collections.abc import Collection, Mapping
from decimal import Decimal
from typing import ClassVar, cast

from rest_framework import serializers

from submissions.analysis.comparison.noise import NoiseFrom
from submissions.analysis.comparison.verdicts import Verdict
from submissions.api.currency import HOURLY_STEP, VALUE_STEP, MoneySerializer, PricedAnswerSerializer
from submissions.api.fields import AVERAGED_OVER, Interval, Money, attribution_field, license_field, pack_field
from submissions.charts.names import grouping_name
from submissions.questions.boards.load_field import load_field
from submissions.questions.boards.reasons import Reason
from submissions.questions.boards.trust_filter import trust_filter_field
from submissions.questions.leaderboard.query import LeaderboardResult
from submissions.questions.leaderboard.sentences import finding

# Every answer has all of these, so that a reader need not know which of them the metric applies.
_REASONS = (
    Reason.RELATIVE,
    Reason.FLAGGED,
    Reason.THROTTLED,
    Reason.OTHER_RATE,
    Reason.UNRANKED,
    Reason.AGED,
    Reason.UPLOADED,
    Reason.HISTORICAL,
    Reason.RETRACTED,
    Reason.UNPRICED,
    Reason.PRICE_OFF,
    Reason.WITHOUT_STORAGE,
    Reason.UNKNOWN_P99,
    Reason.OTHER_LATENCY_KIND,
    Reason.ABOVE_LIMIT,
)


class RankedGroupSerializer(MoneySerializer):
    """A RankedGroup."""

    in_currency: ClassVar[Mapping[str, tuple[str, Decimal]]] = {
        "hourly_usd": ("hourly", HOURLY_STEP),
        "ops_per_usd": ("ops_per_unit", VALUE_STEP),
    }
    per_usd: ClassVar[Collection[str]] = ("ops_per_usd",)

    rank = serializers.CharField(
        source="entry.rank",
        help_text='"4", "1-3" where noise leaves several open, or "7+" with those after the 50 best',
    )
    rank_first = serializers.IntegerField(source="entry.first")
    rank_last = serializers.IntegerField(source="entry.last")
    name = serializers.CharField(source="key")
    figure = serializers.FloatField(help_text="Of the best submission, in `unit`")
    interval = Interval(
        columns=("low", "high"), help_text="95 %, of the mean in these runs; null with one trial, and for a p99"
    )
    n = serializers.IntegerField(source="trials", help_text="Trials of the best submission")
    averaged_over = serializers.IntegerField(source="best.averaged_over", allow_null=True, help_text=AVERAGED_OVER)
    submissions = serializers.IntegerField(help_text="In the group")
    submission = serializers.IntegerField(source="best.pk", help_text="The best one")
    ratio_to_leader = serializers.FloatField(source="entry.ratio")
    ratio_interval = Interval(
        source="entry.judgement.interval",
        default=None,
        columns=("ratio_low", "ratio_high"),
        help_text="95 %, of all runs of both configurations, with the noise between runs, for all pairs; "
        "null for the leader",
    )
    verdict = serializers.ChoiceField(
        source="entry.verdict",
        choices=Verdict.pairs(),
        allow_null=True,
        help_text="Against the leader, the same on every page; null for the leader. within_noise: tied; inconclusive: "
        "not enough runs to tell",
    )
    noise_from = serializers.ChoiceField(
        source="entry.judgement.noise_from",
        choices=NoiseFrom.pairs(),
        default=None,
        allow_null=True,
        help_text="Where the noise between runs comes from",
    )
    runs_needed = serializers.IntegerField(
        source="entry.judgement.runs_needed",
        default=None,
        allow_null=True,
        help_text="More runs of each (separate launches) that detect this difference; null: detected, or over 100",
    )
    throughput_ops_s = serializers.FloatField(source="best.throughput_ops_s")
    latency_p99_ms = serializers.FloatField(source="best.latency_p99_ms", allow_null=True)
    latency_p99_at_most_ms = serializers.FloatField(
        source="best.latency_p99_at_most_ms", allow_null=True, help_text="The value that limits and ranks use"
    )
    latency_p99_is_bound = serializers.BooleanField(
        source="best.latency_p99_is_bound", help_text="True if it is the p99 of the slowest type of operation"
    )
    latency_kind = serializers.CharField(source="best.latency_kind")
    load = load_field("best.shown_load")
    hourly_usd = Money(source="best.hourly_usd", allow_null=True)
    ops_per_usd = Money(source="best.ops_per_usd", allow_null=True)
    price_date = serializers.DateField(source="best.price_date", allow_null=True)
    price_last_seen = serializers.DateField(source="best.price_last_seen", allow_null=True)
    trust = serializers.CharField(source="best.trust")
    license = license_field("best.license")
    attribution = attribution_field("best.attribution")
    pack = pack_field("best.pack")


class LeaderboardSerializer(PricedAnswerSerializer):
    """A LeaderboardResult."""

    csv_rows = "groups"

    workload = serializers.CharField(source="workload.fingerprint")
    workload_title = serializers.CharField(source="workload.title")
    by = serializers.CharField(source="board.by")
    metric = serializers.CharField(source="board.metric.key")
    unit = serializers.CharField(source="board.metric.unit")
    higher_is_better = serializers.BooleanField(source="board.metric.higher_is_better")
    latency_kind = serializers.CharField(source="board.latency_kind", allow_null=True)
    rate_ops_s = serializers.FloatField(
        source="board.rate_ops_s", allow_null=True, help_text="The rate of all results; null: each has its own"
    )
    max_p99_ms = serializers.FloatField(
        source="board.max_p99_ms", allow_null=True, help_text="The limit that all results keep, curves at their `load`"
    )
    held_rates = serializers.SerializerMethodField(
        help_text="Rates that the load tool limited results to: these are ranked at `rate`, by p99 alone"
    )
    shelf = trust_filter_field()
    sentence = serializers.SerializerMethodField()
    groups_count = serializers.IntegerField(source="board.groups_count", help_text="`groups` has the 50 best")
    groups = RankedGroupSerializer(source="board.groups", many=True)
    p99_unknown = serializers.IntegerField(
        source="counts.p99_unknown", help_text="Submissions that the limit leaves out because their p99 is unknown"
    )
    not_ranked = serializers.SerializerMethodField(help_text="Submissions by reason")

    @property
    def csv_filename(self) -> str:
        result = cast(LeaderboardResult, self.instance)
        return f"leaderboard-{result.workload.fingerprint[:8]}-by-{grouping_name(result.board.by)}"

    def get_sentence(self, result: LeaderboardResult) -> str:
        return finding(result.board, result.counts)

    def get_held_rates(self, result: LeaderboardResult) -> list[float]:
        return [rate for rate, _ in result.held_rates]

    def get_not_ranked(self, result: LeaderboardResult) -> dict[str, int]:
        excluded = result.counts.excluded
        return {reason.value: excluded.get(reason, 0) for reason in _REASONS}

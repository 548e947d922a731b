"""The OpenAPI schema of comparison and leaderboard, until their answers are serializers."""

from collections.abc import Callable
from typing import Any

from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def leaderboard(query: type[serializers.Serializer[Any]]) -> Decorator:
    group = inline_serializer(
        "RankedGroup",
        {
            "rank": serializers.CharField(help_text='"4", or "1-3" where noise hides who is first'),
            "rank_first": serializers.IntegerField(),
            "rank_last": serializers.IntegerField(),
            "name": serializers.CharField(),
            "figure": serializers.FloatField(help_text="Of the best submission, in `unit`"),
            "interval": serializers.ListField(
                child=serializers.FloatField(),
                allow_null=True,
                help_text="95 %, of the mean; null with one trial, and of a p99",
            ),
            "n": serializers.IntegerField(help_text="Trials of the best submission"),
            "submissions": serializers.IntegerField(help_text="In the group"),
            "submission": serializers.IntegerField(help_text="The best one"),
            "ratio_to_leader": serializers.FloatField(),
            "ratio_interval": serializers.ListField(
                child=serializers.FloatField(),
                allow_null=True,
                help_text="95 %; null of the leader, and where nothing tells the noise",
            ),
            "verdict": serializers.CharField(
                allow_null=True,
                help_text="Against the leader, corrected for all pairs: worse, within noise, too few trials",
            ),
            "throughput_ops_s": serializers.FloatField(),
            "latency_p99_ms": serializers.FloatField(allow_null=True),
            "latency_kind": serializers.CharField(),
            "hourly_usd": serializers.CharField(allow_null=True),
            "ops_per_usd": serializers.CharField(allow_null=True),
            "price_date": serializers.DateField(allow_null=True),
            "trust": serializers.CharField(),
        },
        many=True,
    )
    answer = inline_serializer(
        "Leaderboard",
        {
            "workload": serializers.CharField(),
            "workload_title": serializers.CharField(),
            "by": serializers.CharField(),
            "metric": serializers.CharField(),
            "unit": serializers.CharField(),
            "higher_is_better": serializers.BooleanField(),
            "latency_kind": serializers.CharField(allow_null=True),
            "sentence": serializers.CharField(),
            "spread_cv": serializers.FloatField(
                allow_null=True, help_text="Pooled coefficient of variation of equal runs, a fraction"
            ),
            "groups_count": serializers.IntegerField(help_text="`groups` has the 50 best"),
            "groups": group,
            "not_ranked": serializers.DictField(child=serializers.IntegerField(), help_text="Submissions by reason"),
        },
    )
    return extend_schema(summary="Rank one workload, with ties", parameters=[query], responses=answer)

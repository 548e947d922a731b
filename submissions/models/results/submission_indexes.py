"""Indexes of submissions: each is here for an order, a filter or a page that reads by it."""

from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import F, Q

from submissions.choices import Flag, Trust

# These have an index: no value of another facet is rare enough to gain from one.
_FACETS_WITH_RARE_VALUES = (
    *("service", "provider", "region", "instance_type"),
    *("jdk_version", "disk_kind", "tool", "trust"),
)

INDEXES: list[models.Index] = [
    # one index for an order of the lists and its reverse, with the id that makes keyset paging total
    models.Index(F("throughput_ops_s").desc(nulls_last=True), F("id").desc(), name="by_throughput"),
    models.Index(F("ops_per_usd").desc(nulls_last=True), F("id").desc(), name="by_ops_per_usd"),
    models.Index(F("measured_at").desc(nulls_last=True), F("id").desc(), name="by_measured_at"),
    *(
        models.Index(F(column).asc(nulls_last=True), F("id").desc(), name=name)
        for column, name in (
            ("latency_p99_at_most_ms", "by_p99_at_most"),
            ("hourly_usd", "by_hourly_usd"),
            ("usd_per_million_ops", "by_usd_per_million_ops"),
            ("node_count", "by_node_count"),
        )
    ),
    *(models.Index(fields=[column, "id"], name=f"facet_{column}") for column in _FACETS_WITH_RARE_VALUES),
    GinIndex(fields=["flags"], name="facet_flags"),
    # the best of one workload, without reading the others
    models.Index(
        F("workload"),
        F("ops_per_usd").desc(nulls_last=True),
        F("id").desc(),
        name="by_workload_value",
    ),
    models.Index(
        F("workload"),
        F("throughput_ops_s").desc(nulls_last=True),
        F("id").desc(),
        name="by_workload_throughput",
    ),
    # the Pareto front of a workload is a walk along it
    models.Index(F("workload"), F("hourly_usd"), F("throughput_ops_s").desc(), F("id"), name="by_workload_cost"),
    models.Index(fields=["workload"], condition=Q(flags__contains=[Flag.THROTTLED]), name="throttled_of_a_workload"),
    models.Index(fields=["workload", "configuration"], name="runs_of_a_configuration"),
    # the last of an account's that wait, for its next one
    models.Index(
        fields=["submitted_by", "-unranked_until"],
        condition=Q(unranked_until__isnull=False),
        name="waiting_of_an_account",
    ),
    models.Index(fields=["workload", "-id"], name="newest_of_a_workload"),
    # whom its charts have to name (records/credits.py)
    models.Index(fields=["workload", "attribution"], condition=~Q(attribution=""), name="attributions_of_a_workload"),
    # the best with a log: whether the next result is plausible (ingest/checks/comparable_results.py)
    *(
        models.Index(
            F("workload"),
            F(column).desc(nulls_last=True),
            condition=~Q(trust=Trust.UPLOADED.value),
            name=f"with_log_by_{name}",
        )
        for column, name in (("throughput_ops_s", "throughput"), ("ops_per_usd", "value"))
    ),
    # the points of a line, and what else ran on such a cluster
    models.Index(fields=["workload", "instance_type", "node_count", "threads"], name="points_of_a_line"),
    # the few that articles give as ratios
    models.Index(
        fields=["workload", "relative_base"],
        condition=Q(throughput_ops_s__isnull=True),
        name="relative_results",
    ),
    # hold few rows: what feeds and `is_published` look for
    models.Index(fields=["retracted_at"], condition=Q(retracted_at__isnull=False), name="retractions"),
    models.Index(
        fields=["supersedes"],
        include=["visibility", "embargo_until", "hidden_at", "retracted_at"],  # every list reads it, and no row of it
        condition=Q(supersedes__isnull=False),
        name="successors_as_public",
    ),
    models.Index(fields=["-published_at", "-id"], name="publications"),
    # find the last of the times that change by themselves what is shown
    *(
        models.Index(fields=[column], condition=Q(**{f"{column}__isnull": False}), name=f"times_{column}")
        for column in ("embargo_until", "unranked_until")
    ),
    models.Index(fields=["published_at"], condition=Q(published_at__gt=F("created_at")), name="published_later"),
]

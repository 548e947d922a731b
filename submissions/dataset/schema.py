"""The tables and columns of the dataset, defined once: files, schema.json and the page are built from them."""

from collections.abc import Sequence
from typing import Any

from submissions import facts
from submissions.choices import Outcome
from submissions.dataset.columns import Column, Kind, Table, arrow_types, number, of_fact, text, usd, whole
from submissions.models import (
    LoadPoint,
    ModerationDecision,
    NodeGroup,
    Price,
    Submission,
    Trial,
    Workload,
    is_published,
)

_LATENCIES = (
    text("latency_kind", "what the latencies are: service_time, response_time or unknown; never rank them together"),
    number("latency_mean_ms", "ms", "mean latency"),
    number("latency_p50_ms", "ms", "median latency"),
    number("latency_p95_ms", "ms", "95th percentile of the latency"),
    number("latency_p99_ms", "ms", "99th percentile of the latency"),
    number("latency_p999_ms", "ms", "99.9th percentile of the latency"),
    number("latency_max_ms", "ms", "highest latency"),
)

_P99_AT_MOST = (
    number("latency_p99_at_most_ms", "ms", "that percentile; where it is known by type of operation only, the highest"),
    Column("latency_p99_is_bound", Kind.BOOLEAN, None, "it is the highest of the types: that over all is not above it"),
    text("latency_p99_bound_of", "the type of operation that it is of; empty: no bound, or not the same in all trials"),
)

_AT_SLO = (
    Column("at_slo_percentile", Kind.TEXT, None, "of a load curve, the percentile of its limit", "at_slo__percentile"),
    Column(
        "at_slo_max_ms", Kind.NUMBER, "ms", "the highest latency of that percentile that it allows", "at_slo__max_ms"
    ),
    Column(
        "at_slo_max_error_share", Kind.NUMBER, "fraction", "failed operations that it allows", "at_slo__max_error_share"
    ),
    Column(
        "at_slo_ops_s",
        Kind.NUMBER,
        "ops/s",
        "the highest measured rate that keeps the limit in every trial; unknown: none does, or it is no load curve",
        "at_slo__ops_s",
    ),
    Column("at_slo", Kind.JSON, None, "all of it: bracket, confidence and cost at that rate too"),
)

_ABOUT = (
    whole("id", "id of the submission; its page is /submissions/<id>/"),
    text("content_hash", "SHA-256 of its content: equal results have the same hash"),
    text("title", "written by the submitter"),
    text("notes", "written by the submitter"),
    text("source", "author, title and date of the article that the figures are from"),
    text("source_url", "URL of that article"),
    text(
        "license",
        "SPDX identifier of its licence, or what an imported source says of it; empty: unknown",
    ),
    text("pack", "pack of measurements of others that it came with; empty: an upload or a run"),
    text("attribution", "whom every copy has to name; empty: its licence asks for no words"),
    text("submitted_by", "name of the submitting account", "submitted_by__username"),
    of_fact(facts.TRUST),
    text("own_trust", "the trust level before another account reproduced it"),
    Column("flags", Kind.TEXTS, None, "data-quality flags: what looks implausible"),
    Column("measured_at", Kind.TIMESTAMP, None, "when it was measured"),
    of_fact(facts.MEASURED_AT_SOURCE),
    Column("created_at", Kind.TIMESTAMP, None, "when it was published here"),
)

_FIGURES = (
    whole("trials_count", "repetitions: n of the mean and its interval"),
    whole("averaged_over", "repetitions behind the trials, where the source gives means; unknown: each trial is one"),
    number("throughput_ops_s", "ops/s", "mean over the trials, successful operations only"),
    number("throughput_low_ops_s", "ops/s", "lower end of the 95 % t-interval of the mean; unknown with one trial"),
    number("throughput_high_ops_s", "ops/s", "upper end of that interval"),
    number("throughput_cv", "fraction", "coefficient of variation over the trials"),
    Column("relative_throughput", Kind.NUMBER, None, "a ratio, where the source gives only ratios; never rank it"),
    text("relative_base", "what that ratio is relative to"),
    *_LATENCIES,
    *_P99_AT_MOST,
    whole("operations", "successful ones, all trials"),
    whole("errors", "operations that failed, all trials"),
    of_fact(facts.PRICING_MODEL),
    usd("hourly_usd", "USD/h", "cost of the system under test: database and cache nodes with their storage"),
    usd("ops_per_usd", "ops/USD", "operations per dollar"),
    usd("usd_per_million_ops", "USD", "cost of a million operations"),
    Column("price_date", Kind.DATE, None, "date of the oldest price used"),
    Column("price_last_seen", Kind.DATE, None, "when the oldest of them was last confirmed"),
    Column("is_price_stated", Kind.BOOLEAN, None, "whether the submitter stated the cost, or a part of it"),
    text("price_missing", "why the cost is unknown"),
    Column("hosts", Kind.JSON, None, "what each host did: CPU, disks, network, server-side latency", "document__hosts"),
    Column("disk_tests", Kind.JSON, None, "what fio or iozone measured on the hosts", "document__disk_tests"),
    *_AT_SLO,
    usd("bill_usd", "USD", "what the whole test cost: set-up, clients and traffic between zones included"),
    Column("bill", Kind.JSON, "USD", "its line items: label, quantity, unit, unit_usd, usd; basis and price_date"),
    Column("document", Kind.JSON, None, "the whole submission document as accepted, with all settings"),
)

_WORKLOAD = text("workload", "fingerprint: only submissions with the same one may be compared", "workload__fingerprint")
_NAMED = {column.name for column in (*_ABOUT, *_FIGURES)}
# of the system and its load
_FACTS = tuple(
    _WORKLOAD if column == _WORKLOAD.name else of_fact(fact)
    for column, fact in facts.BY_COLUMN.items()
    if fact.in_dump and column not in _NAMED
)

_SUBMISSIONS = Table(
    "submissions",
    "One row per published submission: its facts and its headline figures.",
    (
        *_ABOUT,
        *_FACTS,
        *_FIGURES,
    ),
    lambda: Submission.objects.published().order_by("id"),
)

_TRIALS = Table(
    "trials",
    "One row per trial: one repetition of the workload; several clients that ran together are one trial.",
    (
        whole("submission", "id of its submission", source="submission_id"),
        whole("index", "its place in the submission, from 0"),
        number("throughput_ops_s", "ops/s", "successful operations by measured seconds, summed over the clients"),
        Column("relative_throughput", Kind.NUMBER, None, "a ratio, where the source gives only ratios; never rank it"),
        *_LATENCIES,
        whole("operations", "successful ones"),
        whole("errors", "operations that failed"),
        number("duration_s", "s", "measured time"),
        Column("started_at", Kind.TIMESTAMP, None, "when it started"),
        whole("threads", "threads per client"),
        number("offered_ops_s", "ops/s", "arrival rate of an open-loop load, all clients together"),
        whole("client_count", "load clients that ran together"),
        whole("averaged_over", "repetitions, where the source gives their mean; unknown: it is one trial"),
        Column("is_truncated", Kind.BOOLEAN, None, "its log is truncated"),
        Column(
            "is_at_peak", Kind.BOOLEAN, None, "whether the headline rests on it: false at other loads of a load curve"
        ),
        Column("latencies", Kind.JSON, "ms", "all that is known, by kind of latency"),
        Column(
            "latency_ranges", Kind.JSON, "ms", "lowest and highest of the clients whose percentiles cannot be merged"
        ),
        Column("by_operation", Kind.JSON, None, "figures of each type of operation"),
    ),
    lambda: Trial.objects.filter(is_published("submission__")).order_by("submission_id", "index"),
)

_LOAD_POINTS = Table(
    "load_points",
    "One row per point of a load curve: the trials at one load. Submissions at one load have none.",
    (
        whole("submission", "id of its submission", source="submission_id"),
        whole("index", "its place in order of load, from 0"),
        number("offered_ops_s", "ops/s", "rate that was offered; unknown: as many as the threads could"),
        whole("threads", "threads per client"),
        whole("trials_count", "repetitions at this load"),
        number("throughput_ops_s", "ops/s", "mean over them, successful operations only"),
        number("throughput_low_ops_s", "ops/s", "lower end of the 95 % t-interval of the mean; unknown with one trial"),
        number("throughput_high_ops_s", "ops/s", "upper end of that interval"),
        *_LATENCIES,
        number("worst_p50_ms", "ms", "highest median of its trials; a limit is compared with the highest ones"),
        number("worst_p95_ms", "ms", "highest 95th percentile of its trials"),
        number("worst_p99_ms", "ms", "highest 99th percentile of its trials"),
        number("worst_p999_ms", "ms", "highest 99.9th percentile of its trials"),
        number("error_share", "fraction", "failed operations of all, the highest of its trials"),
        whole("operations", "successful ones, all trials"),
        whole("fewest_operations", "successful ones of the trial with the fewest"),
        Column("is_sustained", Kind.BOOLEAN, None, "every trial reached 98 % of the offered rate, and none failed"),
        Column(
            "is_comparable", Kind.BOOLEAN, None, "false: service times, where other points of it have response times"
        ),
        Column(
            *("is_of_slowest", Kind.BOOLEAN, None),
            "the worst latencies are those of the slowest type of operation: over all types none are known",
        ),
        Column("is_peak", Kind.BOOLEAN, None, "the headline of the submission is that of this point"),
    ),
    lambda: LoadPoint.objects.filter(is_published("submission__")).order_by("submission_id", "index"),
)

_NODE_GROUPS = Table(
    "node_groups",
    "One row per group of equal machines of a submission.",
    (
        whole("submission", "id of its submission", source="submission_id"),
        whole("position", "its place in the submission, from 0"),
        text("role", "database, cache or client; clients are no part of the cost"),
        whole("count", "machines"),
        text("kind", "machines, or managed: a service whose vendor runs and bills them"),
        text("instance_type", "as the provider names it"),
        text("cpu_model", "of each machine"),
        whole("vcpus", "virtual processors of each machine"),
        number("memory_gib", "GiB", "memory of each machine"),
        Column("disks", Kind.JSON, None, "kind, count, size_gib, raid, filesystem, ... of each machine"),
        text("pricing_model", "on_demand, spot, reserved_1y, reserved_3y, savings_1y or savings_3y"),
        usd("node_hourly_usd", "USD/h", "price of one machine without its storage"),
        usd("storage_hourly_usd", "USD/h", "price of its storage"),
        Column("is_price_stated", Kind.BOOLEAN, None, "whether the submitter stated the price"),
        text("price_source", "source of the price"),
        Column("price_date", Kind.DATE, None, "day on which the price came into force"),
        Column("price_last_seen", Kind.DATE, None, "last day on which a price list had it"),
    ),
    lambda: NodeGroup.objects.filter(is_published("submission__")).order_by("submission_id", "position"),
)

_WORKLOADS = Table(
    "workloads",
    "One row per workload of a published submission.",
    (
        text("fingerprint", "hash of its canonical form"),
        text("title", "in words"),
        text("service", "the database"),
        Column("canonical", Kind.JSON, None, "what the fingerprint is computed from"),
    ),
    lambda: Workload.objects.filter(pk__in=Submission.objects.published().values("workload")).order_by("fingerprint"),
)

_PRICES = Table(
    "prices",
    "The dated price book: a price holds until a newer one of the same provider, region, sku, unit and pricing model.",
    (
        text("provider", "cloud"),
        text("region", "as the provider names it"),
        text("sku", "instance type, or a part of one, storage or traffic"),
        text("unit", "unit that the price is for: hour, gib_month, iops_month, mibps_month, disk_month or gb"),
        text("pricing_model", "on_demand, spot, reserved_1y, reserved_3y, savings_1y or savings_3y"),
        usd("usd", "USD/unit", "the price"),
        Column("valid_from", Kind.DATE, None, "day on which it came into force or was first seen"),
        text("source", "its source"),
    ),
    lambda: Price.objects.order_by("id"),
)

_MODERATION = Table(
    "moderation",
    "One row per decision of a moderator, without names; no row is ever changed.",
    (
        whole("id", "its place in the log"),
        Column("created_at", Kind.TIMESTAMP, None, "when it was decided"),
        whole("submission", "id of the submission; unknown where its page is not public", source="public_submission"),
        text("outcome", ", ".join(Outcome)),
        text("reason", "why"),
    ),
    lambda: ModerationDecision.objects.public().order_by("id"),
)

PARTITIONED = ("submissions", "trials", "node_groups")  # also in folders by database and month
TABLES: Sequence[Table] = (_SUBMISSIONS, _TRIALS, _NODE_GROUPS, _WORKLOADS, _PRICES, _MODERATION, _LOAD_POINTS)


def as_json() -> dict[str, Any]:
    """schema.json: every column with its type, unit and meaning."""
    return {
        "tables": [
            {
                "name": table.name,
                "meaning": table.meaning,
                "columns": [
                    {
                        "name": column.name,
                        "type": column.kind.value,
                        "parquet": str(arrow_types()[column.kind]),
                        "unit": column.unit,
                        "meaning": column.meaning,
                    }
                    for column in table.columns
                ],
            }
            for table in TABLES
        ]
    }

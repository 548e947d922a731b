"""What a table of results shows of each: the columns that its rows are read with."""

from submissions.models import Submission, SubmissionQuerySet
from submissions.models.results.publication import PUBLICATION_FIELDS

# A column that a row shows and this lacks costs a query a row: the tests of the pages count them.
TABLE_COLUMNS = (
    "title",
    "workload",  # figures of one workload are comparable
    "trust",
    "flags",
    *PUBLICATION_FIELDS,
    # cluster, software, workload, load
    "node_count",
    "instance_type",
    "cache_node_count",
    "provider",
    "region",
    "disk_kind",
    "service",
    "service_version",
    "jdk_vendor",
    "jdk_version",
    "operation",
    "consistency_level",
    "replication_factor",
    "tool",
    "threads",
    "fixed_rate_ops_s",
    "throttle_ops_s",
    "load_mode",
    # figures
    "throughput_ops_s",
    "throughput_cv",
    "trials_count",
    "averaged_over",
    "relative_throughput",
    "relative_base",
    "latency_p99_at_most_ms",
    "latency_p99_is_bound",
    "latency_p99_bound_of",
    "latency_mean_ms",
    "latency_kind",
    "hourly_usd",
    "ops_per_usd",
    "usd_per_million_ops",
    "is_price_stated",
    "price_missing",
    "price_date",
    "price_last_seen",
    "at_slo",
    "measured_at",
    "attribution",  # at the foot
)

# The same with the id, in the order in which `Submission.from_db` takes them
ROW_COLUMNS = tuple(field.attname for field in Submission._meta.concrete_fields if field.name in ("id", *TABLE_COLUMNS))


def in_table(rows: SubmissionQuerySet) -> SubmissionQuerySet:
    """With the columns of a table alone: half of those that there are."""
    return rows.only(*TABLE_COLUMNS)

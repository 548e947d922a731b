"""What a table of results shows of each: the columns that its rows are read with."""

from submissions.facts import FACTS
from submissions.models import Submission, SubmissionQuerySet
from submissions.models.results.publication import PUBLICATION_FIELDS

# Several of these facts share a cell of a row; each of the others has its own.
SHARED_CELLS = frozenset(
    {
        *(
            "title",
            "workload",
            "trust",
            "flag",
            "node_count",
            "instance_type",
            "cache_node_count",
            "provider",
            "region",
        ),
        *("disk_kind", "service", "service_version", "jdk_vendor", "jdk_version", "operation", "consistency_level"),
        *("replication_factor", "tool", "threads", "fixed_rate_ops_s", "throttle_ops_s", "load_mode", "trials"),
        *("latency_kind", "measured_at", "attribution", "data_bytes", "data_to_memory"),
    }
)
OWN_CELLS = tuple(fact for fact in FACTS.values() if fact.in_table and fact.key not in SHARED_CELLS)
# A column that a row shows and this lacks costs a query a row: the tests of the pages count them.
TABLE_COLUMNS = (
    *(fact.column for fact in FACTS.values() if fact.in_table),
    *PUBLICATION_FIELDS,
    # figures
    "throughput_ops_s",
    "throughput_cv",
    "averaged_over",
    "relative_throughput",
    "relative_base",
    "latency_p99_at_most_ms",
    "latency_p99_is_bound",
    "latency_p99_bound_of",
    "latency_mean_ms",
    "hourly_usd",
    "ops_per_usd",
    "usd_per_million_ops",
    "is_price_stated",
    "price_missing",
    "price_date",
    "price_last_seen",
    "at_slo",
)

# The same with the id, in the order in which `Submission.from_db` takes them
ROW_COLUMNS = tuple(field.attname for field in Submission._meta.concrete_fields if field.name in ("id", *TABLE_COLUMNS))


def in_table(rows: SubmissionQuerySet) -> SubmissionQuerySet:
    """With the columns of a table alone: half of those that there are."""
    return rows.only(*TABLE_COLUMNS)

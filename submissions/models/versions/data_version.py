"""One version of everything that is stored and shown: it changes with each row that is stored, changed or deleted.

Whatever changes what is shown starts a new version in its own transaction, by triggers of the lists below. What time
alone changes (an embargo that ends) starts one at that moment, without a write.

How to use it: `data_state()` is one query. An answer that is computed after it may be cached under `data` (and
`prices`, `pages`, where it depends on them). In an open transaction that has written something, `data` is its own:
nobody else reads what it caches. `submissions.records.cache` does all of it. A replica has the tokens that came to it
with the rows, and beside them that of the figures that are counted on the primary (`submissions.aggregates`).
"""

from dataclasses import dataclass

import pgtrigger
from django.db import DEFAULT_DB_ALIAS, connections, models, router


class Subject(models.TextChoices):
    DATA = "data"  # what counts, charts and lists are computed from
    FIGURES = "figures"  # what was counted of it: on a replica it comes after the rows
    PRICES = "prices"  # the price book
    PAGES = "pages"  # what pages show beside them: names of accounts, decisions of moderators, files


# A change of one of these columns of a submission starts a new version ...
SHOWN_COLUMNS = (
    "title",
    "notes",
    "source_url",
    "source",
    "submitted_by",
    "trust",
    "flags",
    "measured_at",
    "measured_at_source",
    "created_at",
    "retracted_at",
    "retraction_reason",
    "visibility",
    "link_key",
    "embargo_until",
    "published_at",
    "license",
    "pack",
    "attribution",
    "supersedes",
    "hidden_at",
    "unranked_at",
    "unranked_until",
    "service",
    "service_version",
    "provider",
    "region",
    "zones",
    "instance_type",
    "machine_family",
    "architecture",
    "cpu_model",
    "vcpus",
    "memory_gib",
    "disk_kind",
    "node_count",
    "cache_node_count",
    "client_count",
    "client_placement",
    "jdk_vendor",
    "jdk_version",
    "network_kind",
    "network_encryption",
    "workload",
    "tool",
    "tool_version",
    "operation",
    "consistency_level",
    "replication_factor",
    "load_mode",
    "threads",
    "fixed_rate_ops_s",
    "throttle_ops_s",
    "trials_count",
    "averaged_over",
    "throughput_ops_s",
    "throughput_low_ops_s",
    "throughput_high_ops_s",
    "throughput_cv",
    "relative_throughput",
    "relative_base",
    "operations",
    "errors",
    "latency_kind",
    "latency_mean_ms",
    "latency_p50_ms",
    "latency_p95_ms",
    "latency_p99_ms",
    "latency_p99_at_most_ms",
    "latency_p99_is_bound",
    "latency_p99_bound_of",
    "latency_p999_ms",
    "latency_max_ms",
    "at_slo",
    "series",
    "pricing_model",
    "hourly_usd",
    "ops_per_usd",
    "usd_per_million_ops",
    "price_date",
    "price_last_seen",
    "is_price_stated",
    "bill",
    "bill_usd",
    "price_missing",
    "document",
)
# ... and a change of these does not.
OTHER_COLUMNS = {
    "id": "names the row, and never changes",
    "content_hash": "recognizes what was sent before; no page shows it",
    "own_trust": "the level that returns when `trust` falls from `reproduced`: then `trust` changes",
    "changed_at": "notes any change, also one that shows nothing",
    "configuration": "computed by the database from the columns above",
}


class DataVersion(models.Model):
    """Random tokens: a change writes a new one into a row that no other open transaction has written.

    So changes never wait for each other. All tokens of a subject together are its version.
    """

    subject = models.CharField(max_length=10, choices=Subject)
    token = models.UUIDField()

    def __str__(self) -> str:
        return f"{self.subject}: {self.token}"


def new_version_on(
    operation: pgtrigger.Operation, subject: Subject = Subject.DATA, condition: pgtrigger.Condition | None = None
) -> pgtrigger.Trigger:
    """A trigger of a model: each statement with `operation` starts a version, or each with a row of it."""
    return pgtrigger.Trigger(
        name=f"version_on_{str(operation).lower().replace(' ', '_')}",
        level=pgtrigger.Row if condition else pgtrigger.Statement,
        when=pgtrigger.After,
        operation=operation,
        condition=condition,
        func=f"PERFORM submissions_new_version('{subject.value}'); RETURN NULL;",
    )


def changed_triggers(subject: Subject = Subject.DATA) -> list[pgtrigger.Trigger]:
    """Of rows that are stored with their submission: a changed or a deleted one starts a version."""
    changed = new_version_on(pgtrigger.Update, subject, pgtrigger.AnyChange())
    return [changed, new_version_on(pgtrigger.Delete, subject)]


def any_write_triggers(subject: Subject) -> list[pgtrigger.Trigger]:
    """Of rows that come by themselves: a new one starts a version too."""
    return [new_version_on(pgtrigger.Insert, subject), *changed_triggers(subject)]


def submission_triggers() -> list[pgtrigger.Trigger]:
    return [
        new_version_on(pgtrigger.Insert),
        new_version_on(pgtrigger.Update, condition=pgtrigger.AnyChange(*SHOWN_COLUMNS)),
        new_version_on(pgtrigger.Delete),
    ]


@dataclass(frozen=True, slots=True)
class DataState:
    """What is stored at a moment. Compare `data`, `prices` and `pages` for equality only."""

    data: str
    prices: str
    pages: str
    source: str = DEFAULT_DB_ALIAS  # the database that was asked: each replica has come as far as it has

    @property
    def transaction(self) -> str:
        """Of the open transaction that has written something, and so alone sees this version; "" outside of one."""
        return self.data.partition(" in ")[2]


def data_state() -> DataState:
    """One query, to the database that this request reads."""
    source = router.db_for_read(DataVersion)
    with connections[source].cursor() as cursor:
        cursor.execute("SELECT data, prices, pages FROM submissions_data_state()")
        data, prices, pages = cursor.fetchone()
    return DataState(data, prices, pages, source)

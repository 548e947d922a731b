"""Submissions and their trials: the facets are columns, the long tail stays in the document."""

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Now
from django.urls import get_script_prefix, reverse
from django.utils import timezone

from submissions.choices import (
    EXCLUDING_FLAGS,
    NO_CAPACITY_FLAGS,
    PROVEN,
    SAME_RATE,
    Architecture,
    ClientPlacement,
    ConsistencyLevel,
    DataFit,
    DateSource,
    Deployment,
    Flag,
    LoadMode,
    NetworkEncryption,
    NetworkKind,
    Trust,
    Visibility,
)
from submissions.models.aggregate import queue_triggers
from submissions.models.results.configuration import configuration_field
from submissions.models.results.latency_columns import LatencyColumns
from submissions.models.results.publication import LINK_KEY, is_linked, is_public
from submissions.models.results.submission_indexes import INDEXES
from submissions.models.versions.data_version import submission_triggers

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

    from submissions.models.results.load_point import LoadPoint

MAX_ID = models.BigAutoField.MAX_BIGINT
# The conditions of the methods below, for aggregates that count what each of them excludes.
HAS_RATE = Q(throughput_ops_s__isnull=False)
IS_UNRELIABLE = Q(flags__overlap=EXCLUDING_FLAGS)
IS_THROTTLED = Q(flags__contains=[Flag.THROTTLED])
IS_EXCLUDED = Q(flags__overlap=NO_CAPACITY_FLAGS)
IS_UNPRICED = Q(ops_per_usd=None) & ~IS_THROTTLED  # a throttled one has a price, but no value
# Its price says more about the submitter than about the system: listed, but on no board of money.
# What storage costs is not in the price: the same, but for articles, whose comparisons are shown as they were made.
IS_WITHOUT_STORAGE = Q(flags__contains=[Flag.WITHOUT_STORAGE]) & ~Q(trust=Trust.HISTORICAL)
IS_PRICE_OFF = Q(flags__contains=[Flag.STATED_PRICE_OFF]) | IS_WITHOUT_STORAGE
# Awaits a moderator, or one took it from the boards.
IS_UNRANKED = Q(unranked_at__isnull=False) | Q(unranked_until__gt=Now())


@lru_cache(4)
def _detail_address(script_prefix: str) -> str:
    """Of the page of any submission, up to its number: pages have hundreds of them."""
    return reverse("submissions:detail", args=[0]).removesuffix("0/")


def address_of(pk: int) -> str:
    """Of the page of a public submission."""
    return f"{_detail_address(get_script_prefix())}{pk}/"


def is_published(prefix: str = "") -> Q:
    """Public, neither retracted or superseded by its owner nor hidden by a moderator."""
    unspoiled = Q(**{f"{prefix}retracted_at": None, f"{prefix}hidden_at": None})
    return is_public(prefix) & unspoiled & ~_is_superseded(prefix)


def _is_superseded(prefix: str = "") -> Q:
    """By a public one: an unpublished successor leaves no trace, and one that is retracted gives the place back."""
    return Q(**{f"{prefix}pk__in": _successors().values("supersedes")})


def _successors() -> "SubmissionQuerySet":
    return Submission.objects.filter(is_public(), supersedes__isnull=False, retracted_at=None, hidden_at=None)


class SubmissionQuerySet(models.QuerySet["Submission"]):
    def published(self) -> "SubmissionQuerySet":
        """What lists, charts, counts, feeds and dumps are made of: nothing else may leave a trace."""
        return self.filter(is_published())

    def with_retracted(self) -> "SubmissionQuerySet":
        """`published` and what was: for an answer that says how many were retracted."""
        return self._open().exclude(_is_superseded())

    def visible_to(self, user: "User | AnonymousUser") -> "SubmissionQuerySet":
        """What is public, retracted and superseded ones too, and this person's own; a moderator's is all."""
        return self if is_moderator(user) else self._open() | self.filter(_owned_by(user))

    def by_link(self, user: "User | AnonymousUser", keys: Sequence[str] = ()) -> "SubmissionQuerySet":
        """What this person may open by an address with these keys: `visible_to`, and the unlisted ones of the keys."""
        return self.visible_to(user) | self.filter(is_linked(keys))

    def update(self, **changes: Any) -> int:
        """Notes the time of the change too."""
        return super().update(**{"changed_at": timezone.now(), **changes})

    def newest(self) -> "SubmissionQuerySet":
        """Published, the last published first: an embargo that ends brings a result to the front."""
        return self.published().filter(published_at__lte=Now()).order_by("-published_at", "-pk")

    def _open(self) -> "SubmissionQuerySet":
        return self.filter(is_public(), hidden_at=None)

    def listed(self) -> "SubmissionQuerySet":
        """Published, without the columns that no list shows."""
        return self.published().defer("document", "notes")

    def with_rate(self) -> "SubmissionQuerySet":
        """Published, with an absolute rate; relative figures of an article are never ranked."""
        return self.published().filter(HAS_RATE)

    def few_with_rate(self) -> "SubmissionQuerySet":
        """`with_rate`, for the first rows of an order: the successors of each are looked up, not all there are."""
        successors = _successors().filter(supersedes=OuterRef("pk"))
        return self._open().filter(~Exists(successors), HAS_RATE, retracted_at=None)

    def rankable(self) -> "SubmissionQuerySet":
        """Published, with a rate that is the system's capacity as far as flags tell, not held back by moderation."""
        return self.with_rate().exclude(IS_EXCLUDED).exclude(IS_UNRANKED)

    def at_rate(self, ops_s: float) -> "SubmissionQuerySet":
        """Those that did this rate, held to it or not: their latencies can be ranked together."""
        rows = self.with_rate().exclude(IS_UNRELIABLE).exclude(IS_UNRANKED)
        return rows.filter(is_at_rate(ops_s))

    def priced(self) -> "SubmissionQuerySet":
        """With operations per dollar: those with a rate and a price that the price book does not contradict."""
        return self.filter(ops_per_usd__isnull=False).exclude(IS_PRICE_OFF)

    def trust_filtered(self, trust: Trust | None) -> "SubmissionQuerySet":
        """What a board takes of these rows.

        None: those with a raw log, and historical ones of workloads that have nothing with a log.
        `historical`: these alone. Another level: it and higher ones.
        """
        if trust is None:
            return self.filter(Q(trust__in=PROVEN) | Q(trust=Trust.HISTORICAL) & ~has_proven())
        return self.filter(trust__in=(trust,) if trust == Trust.HISTORICAL else trust.and_higher)

    def of_workload(self, fingerprint: str) -> "SubmissionQuerySet":
        return self.filter(workload__fingerprint=fingerprint)

    def by_value(self) -> "SubmissionQuerySet":
        """Most operations per dollar first, the unpriced last."""
        return self.order_by(F("ops_per_usd").desc(nulls_last=True), "-id")


def is_at_rate(ops_s: float) -> Q:
    return Q(throughput_ops_s__range=(ops_s * (1 - SAME_RATE), ops_s * (1 + SAME_RATE)))


def has_proven(workload: str = "workload") -> Q:
    """Whether the workload of a submission, or a workload by `pk`, has results with a raw log that can be ranked."""
    return Q(Exists(Submission.objects.rankable().filter(workload=OuterRef(workload), trust__in=PROVEN)))


def filter_of_trust(trust: str) -> Trust | None:
    """The `trust` of the boards that show results of this level; None: the default."""
    return None if trust in PROVEN else Trust(trust)


def is_moderator(user: "User | AnonymousUser") -> bool:
    """A moderator decides about submissions of others."""
    return bool(user.is_active and user.has_perm("submissions.change_submission"))


def _owned_by(user: "User | AnonymousUser") -> Q:
    return Q(submitted_by=user.pk) if user.is_authenticated else Q(pk__in=())


class Submission(LatencyColumns):
    """One uploaded, immutable set of results with its facts. Retracted, never deleted."""

    content_hash = models.CharField(max_length=64)  # once an owner, so that nobody learns of another's private result
    document = models.JSONField()  # the whole submission document, as accepted
    title = models.CharField(max_length=300)
    notes = models.TextField(blank=True)
    source_url = models.URLField(max_length=2000, blank=True)
    source = models.CharField(max_length=500, blank=True)  # author, title, date of an article
    submitted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="submissions"
    )
    trust = models.CharField(max_length=20, choices=Trust.pairs)
    # its own level, kept while `trust` is `reproduced`; null otherwise
    own_trust = models.CharField(max_length=20, choices=Trust.pairs, null=True)
    flags = ArrayField(models.CharField(max_length=30, choices=Flag.pairs), default=list)
    measured_at = models.DateTimeField(null=True)
    measured_at_source = models.CharField(max_length=10, choices=DateSource.pairs, null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    retracted_at = models.DateTimeField(null=True)
    retraction_reason = models.CharField(max_length=500, blank=True)
    visibility = models.CharField(max_length=10, choices=Visibility.pairs, default=Visibility.PUBLIC)
    # of an unlisted one's link; another each time it becomes unlisted, so that old links end
    link_key = models.CharField(max_length=32, null=True)
    embargo_until = models.DateTimeField(null=True)  # public from then on, whatever `visibility` is
    published_at = models.DateTimeField(null=True, default=timezone.now)  # may lie ahead; null: it is not to be public
    changed_at = models.DateTimeField(null=True)  # the last change after it was stored
    license = models.CharField(max_length=200, blank=True)  # SPDX identifier, or the words of an imported source
    # of what comes with the site (packs/): the name of its folder, and whom every copy has to name
    pack = models.CharField(max_length=50, blank=True, default="", db_default="")
    attribution = models.CharField(max_length=300, blank=True, default="", db_default="")
    supersedes = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, related_name="superseded_by", db_index=False
    )
    hidden_at = models.DateTimeField(null=True)  # by a moderator: only its owner and moderators see it
    unranked_at = models.DateTimeField(null=True)  # by a moderator: shown, but on no board
    unranked_until = models.DateTimeField(null=True)  # of a new account: on no board before, unless approved

    service = models.CharField(max_length=100)
    service_version = models.CharField(max_length=50, null=True)
    provider = models.CharField(max_length=50)
    region = models.CharField(max_length=50, null=True)
    zones = ArrayField(models.CharField(max_length=50), default=list)
    instance_type = models.CharField(max_length=100)  # of the largest database group
    machine_family = models.CharField(
        max_length=50, null=True
    )  # of `instance_type`: pricing/machines/machine_families.py
    architecture = models.CharField(max_length=10, choices=Architecture.pairs, null=True)
    deployment = models.CharField(max_length=20, choices=Deployment.pairs, null=True)
    cpu_model = models.CharField(max_length=200, null=True)
    vcpus = models.PositiveIntegerField(null=True)  # of one database node
    memory_gib = models.FloatField(null=True)
    disk_kind = models.CharField(max_length=50, null=True)
    node_count = models.PositiveIntegerField()  # database nodes
    cache_node_count = models.PositiveIntegerField(default=0)
    client_count = models.PositiveIntegerField(null=True)
    client_placement = models.CharField(max_length=20, choices=ClientPlacement.pairs, null=True)
    jdk_vendor = models.CharField(max_length=50, null=True)
    jdk_version = models.CharField(max_length=50, null=True)
    network_kind = models.CharField(max_length=20, choices=NetworkKind.pairs, null=True)
    network_encryption = models.CharField(max_length=20, choices=NetworkEncryption.pairs, null=True)

    workload = models.ForeignKey(
        "submissions.Workload", on_delete=models.PROTECT, related_name="submissions", db_index=False
    )  # in four indexes
    tool = models.CharField(max_length=50)
    tool_version = models.CharField(max_length=50, null=True)
    operation = models.CharField(max_length=50)  # write, read, mixed, ...
    consistency_level = models.CharField(max_length=20, choices=ConsistencyLevel.pairs, null=True)
    replication_factor = models.PositiveSmallIntegerField(null=True)
    # analysis/data_size.py: of one copy; of all replicas by the memory of all database nodes; null: unknown
    data_bytes = models.BigIntegerField(null=True)
    data_to_memory = models.FloatField(null=True)
    data_fit = models.CharField(max_length=10, choices=DataFit.pairs, null=True)
    load_mode = models.CharField(max_length=20, choices=LoadMode.pairs, null=True)
    threads = models.PositiveIntegerField(null=True)
    # what the load tool limited the rate to, all clients together: of a schedule, of threads that wait
    fixed_rate_ops_s = models.FloatField(null=True)
    throttle_ops_s = models.FloatField(null=True)

    # all figures of a load curve are those of its peak
    trials_count = models.PositiveIntegerField()
    # repetitions behind the trials, where the source gives means of several; null: each trial is one
    averaged_over = models.PositiveIntegerField(null=True)
    throughput_ops_s = models.FloatField(null=True)  # mean over trials, successful operations only
    throughput_low_ops_s = models.FloatField(null=True)  # 95 % t-interval; null with one trial
    throughput_high_ops_s = models.FloatField(null=True)
    throughput_cv = models.FloatField(null=True)  # coefficient of variation, a fraction
    relative_throughput = models.FloatField(null=True)  # where a source gives only ratios
    relative_base = models.CharField(max_length=200, blank=True)  # what equals 1 or 100
    operations = models.BigIntegerField(null=True)  # successful, all trials
    errors = models.BigIntegerField(null=True)
    # the p99, else that of the slowest type of operation (analysis/slowest.py): what limits, orders and lists go by
    latency_p99_at_most_ms = models.FloatField(null=True)
    latency_p99_is_bound = models.BooleanField(default=False, db_default=False)
    latency_p99_bound_of = models.CharField(max_length=100, blank=True, default="", db_default="")  # of which

    configuration = configuration_field()  # equal ones of a workload are runs of one system
    # of a load curve: the highest rate at its own limit, else at the usual one (load_curves/at_slo.py)
    at_slo = models.JSONField(null=True)
    series = models.CharField(max_length=100, blank=True)  # measured in turns with the others of it

    pricing_model = models.CharField(max_length=20, null=True)  # of the database group
    hourly_usd = models.DecimalField(max_digits=16, decimal_places=8, null=True)
    ops_per_usd = models.DecimalField(max_digits=24, decimal_places=4, null=True)
    usd_per_million_ops = models.DecimalField(max_digits=20, decimal_places=10, null=True)
    price_date = models.DateField(null=True)  # oldest valid_from among the prices used
    price_last_seen = models.DateField(null=True)  # oldest of the days on which they were last confirmed
    is_price_stated = models.BooleanField(default=False)  # any part stated by the submitter
    bill = models.JSONField(null=True)  # what the whole test cost: see pricing/bill.py
    bill_usd = models.DecimalField(max_digits=20, decimal_places=8, null=True)
    price_missing = models.CharField(max_length=300, blank=True)  # why hourly_usd is null

    hourly_usd_when_measured: Decimal | None = None  # no column either: where it is shown at another price
    repriced_on: date | None = None  # not a column: set where the row is shown at the prices of another day
    # not a column either: set where the row of a curve is shown at one of its loads (questions/boards/at_load.py)
    shown_load: "LoadPoint | None" = None

    objects = SubmissionQuerySet.as_manager()
    texts_from_outside = ("document", "bill", "title", "notes", "source_url", "source", "retraction_reason")

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(throughput_ops_s__isnull=True) | Q(throughput_ops_s__gt=0),
                name="throughput_is_positive",
            ),
            models.CheckConstraint(
                condition=Q(throughput_ops_s__isnull=False) | Q(relative_throughput__isnull=False),
                name="absolute_or_relative_throughput",
            ),
            models.CheckConstraint(
                condition=Q(hourly_usd__isnull=True) | Q(hourly_usd__gt=0),
                name="cost_is_positive",
            ),
            models.CheckConstraint(condition=Q(node_count__gte=1), name="has_database_nodes"),
            models.UniqueConstraint(
                fields=["content_hash", "submitted_by"], name="one_content_an_owner", nulls_distinct=False
            ),
            models.UniqueConstraint(fields=["link_key"], condition=Q(link_key__isnull=False), name="one_link_key"),
        ]
        indexes = INDEXES
        triggers = [*submission_triggers(), *queue_triggers()]

    def __str__(self) -> str:
        return f"{self.pk}: {self.title}"

    @property
    def is_public(self) -> bool:
        """As `is_public()` of the database: retracted and hidden ones may be public too."""
        if self.embargo_until is not None:
            return self.embargo_until <= timezone.now()
        return self.visibility == Visibility.PUBLIC

    @property
    def is_open(self) -> bool:
        """Whether everyone may open it: public, and not hidden by a moderator."""
        return self.is_public and self.hidden_at is None

    @property
    def is_shared(self) -> bool:
        """Whether others than its owner and moderators can open its address: it is open, or the address has a key."""
        return self.hidden_at is None and (self.is_public or bool(self.link_query))

    @property
    def is_waiting(self) -> bool:
        """Whether it is of a new account, and no moderator has approved it."""
        return self.unranked_until is not None and self.unranked_until > timezone.now()

    @property
    def publication(self) -> datetime | None:
        """When it is to be public by its visibility and embargo: now at the earliest; None: not planned."""
        if self.embargo_until is not None:
            return max(self.embargo_until, timezone.now())
        return timezone.now() if self.visibility == Visibility.PUBLIC else None

    def get_absolute_url(self) -> str:
        """With the key of an unlisted one: whoever has this address may open it."""
        return f"{address_of(self.pk)}{self.link_query}"

    @property
    def link_query(self) -> str:
        """ "?key=..." for every address of an unlisted one; "" for the others, which need none."""
        return f"?{LINK_KEY}={self.link_key}" if self.link_key and not self.is_public else ""

    @property
    def link_suffix(self) -> str:
        """The same for an address that has other parameters before it."""
        return self.link_query.replace("?", "&")

    @property
    def trust_filter(self) -> Trust | None:
        """The `trust` of the boards that show it; None: the default."""
        return filter_of_trust(self.trust)

    @property
    def is_excluded(self) -> bool:
        """Whether one of its flags excludes it from every ranking of capacity."""
        return not set(NO_CAPACITY_FLAGS).isdisjoint(self.flags)

    @property
    def is_throttled(self) -> bool:
        """Whether its rate is the load tool's limit, not the system's capacity."""
        return Flag.THROTTLED in self.flags

    @property
    def limit_ops_s(self) -> float | None:
        """What the load tool limited the rate to, whether or not the system reached it."""
        return self.fixed_rate_ops_s or self.throttle_ops_s

    @property
    def latency_distorted_by_errors(self) -> bool:
        return not {Flag.ERRORS, Flag.NOT_FOUND}.isdisjoint(self.flags)

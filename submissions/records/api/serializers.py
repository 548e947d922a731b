"""A submission in the API: the row of a list, and everything about one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from django.utils.functional import cached_property
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request

from submissions.analysis.curves.load_curve import LatencyLimit
from submissions.api.bodies import represented
from submissions.api.fields import DistortedByErrors, Money, PageUrl
from submissions.choices import LoadMode, Trust
from submissions.facts import BY_COLUMN
from submissions.ingest.checks.reproduced_trust import reproduced_by
from submissions.ingest.store.store import Stored
from submissions.load_curves.answer import AtSloField, LoadPointSerializer
from submissions.load_curves.at_slo import at_slo
from submissions.models import PUBLICATION_FIELDS, Artifact, LoadPoint, NodeGroup, Submission, Trial
from submissions.pricing.bill import Bill, bill_of
from submissions.pricing.clusters import frozen_cost, measured_on
from submissions.pricing.cost import SystemCost
from submissions.records.api.nested import (
    ArtifactSerializer,
    BillSerializer,
    CostSerializer,
    MissingSerializer,
    PricedNodeGroupSerializer,
    TrialSerializer,
)
from submissions.records.api.reader_prices import YOUR_PRICE, YourPriceSerializer
from submissions.records.api.records import DiskTestSerializer, HostSerializer
from submissions.records.hosts import HostRecords, host_records, host_summary
from submissions.records.missing import may_be_added_until, missing_facts
from submissions.records.unpublished import link_keys

# Their order is that of the answers; facts that are not named come behind.
_ROW = (
    "id",
    "url",
    "title",
    "service",
    "service_version",
    "provider",
    "region",
    "zones",
    "instance_type",
    "node_count",
    "client_count",
    "jdk_vendor",
    "jdk_version",
    "disk_kind",
    "operation",
    "replication_factor",
    "consistency_level",
    "workload",
    "trials_count",
    "averaged_over",
    "throughput_ops_s",
    "latency_mean_ms",
    "latency_p50_ms",
    "latency_p95_ms",
    "latency_p99_ms",
    "latency_p999_ms",
    "latency_max_ms",
    "latency_kind",
    "latency_distorted_by_errors",
    "errors",
    "hourly_usd",
    "ops_per_usd",
    "usd_per_million_ops",
    "price_date",
    "price_last_seen",
    "trust",
    "flags",
    "license",
    "measured_at",
    "created_at",
    "measured_at_source",
    "bill_usd",
    "at_slo",
    "latency_p99_at_most_ms",
    "latency_p99_is_bound",
    "latency_p99_bound_of",
    "machine_family",
    "architecture",
    "client_placement",
    "pack",
    "attribution",
    "deployment",
)
_DETAIL = (
    "notes",
    "source",
    "source_url",
    "submitted_by",
    "workload_title",
    "tool",
    "tool_version",
    "load_mode",
    "threads",
    "throttle_ops_s",
    "fixed_rate_ops_s",
    "cpu_model",
    "vcpus",
    "memory_gib",
    "cache_node_count",
    "network_kind",
    "network_encryption",
    "throughput_low_ops_s",
    "throughput_high_ops_s",
    "throughput_cv",
    "relative_throughput",
    "relative_base",
    "operations",
    "pricing_model",
    "is_price_stated",
    "price_missing",
    "retracted_at",
    "retraction_reason",
    "visibility",
    "link",
    "embargo_until",
    "published_at",
    "supersedes",
    "superseded_by",
    "own_trust",
    "reproduced_by",
)
_PARTS = (
    "trials",
    "load_points",
    "node_groups",
    "artifacts",
    "lines_not_read",
    "hosts",
    "disk_tests",
    "cost",
    "bill",
    "missing",
    "document",
)
_OTHERS = [column for column in BY_COLUMN if column not in (*_ROW, *_DETAIL)]


class SubmissionRowSerializer(serializers.ModelSerializer[Submission]):
    """A row of a list; money is a string, measurements are numbers, unknown is null."""

    url = PageUrl("submissions:detail", source="pk", help_text="The page of the submission")
    workload = serializers.CharField(source="workload.fingerprint", help_text="Its fingerprint")
    hourly_usd = Money(allow_null=True)
    ops_per_usd = Money(allow_null=True)
    usd_per_million_ops = Money(allow_null=True)
    latency_distorted_by_errors = DistortedByErrors()
    bill_usd = Money(allow_null=True, help_text="What the whole test cost")
    at_slo = AtSloField()
    license = serializers.CharField(help_text="SPDX identifier, or what an imported source says; empty: unknown")

    class Meta:
        model = Submission
        fields: tuple[str, ...] = (*_ROW, *(column for column in _OTHERS if BY_COLUMN[column].in_table))
        read_only_fields = fields


class ListedSubmissionSerializer(SubmissionRowSerializer):
    """A row of the list of results, and what it costs its reader where that was asked."""

    your_price = YourPriceSerializer(required=False, help_text=YOUR_PRICE)

    class Meta(SubmissionRowSerializer.Meta):
        fields = (*SubmissionRowSerializer.Meta.fields, "your_price")
        read_only_fields = SubmissionRowSerializer.Meta.read_only_fields


class SubmissionSerializer(SubmissionRowSerializer):
    """Everything about one submission."""

    url = serializers.SerializerMethodField(  # type: ignore[assignment] # a list has no unlisted ones
        help_text="The page of the submission; of an unlisted one with its key"
    )
    link = serializers.SerializerMethodField(
        help_text="The secret link of an unlisted submission, for its owner to share; null otherwise"
    )
    workload_title = serializers.CharField(source="workload.title")
    submitted_by = serializers.CharField(
        source="submitted_by.username", allow_null=True, default=None, help_text="The account"
    )
    trials = TrialSerializer(many=True)
    load_points = LoadPointSerializer(many=True, help_text="Of a load curve, in order of load; else empty")
    node_groups = PricedNodeGroupSerializer(many=True)
    artifacts = ArtifactSerializer(many=True)
    lines_not_read = serializers.IntegerField(help_text="Of all its logs together; see artifacts")
    cost = CostSerializer()
    bill = BillSerializer(help_text="As GET submissions/<id>/bill/")
    missing = MissingSerializer(help_text="Facts that it lacks, and the effect of each on the result")
    source_url = serializers.CharField(read_only=True, help_text='"" where none was stated')
    own_trust = serializers.CharField(allow_null=True, help_text="What `trust` was before it was reproduced")
    supersedes = serializers.SerializerMethodField(
        help_text="The submission of the same account that this one replaces"
    )
    hosts = HostSerializer(source="records.hosts", many=True)
    disk_tests = DiskTestSerializer(source="records.disk_tests", many=True)
    superseded_by = serializers.SerializerMethodField(help_text="The one that replaces it")
    reproduced_by = serializers.SerializerMethodField(help_text="Submissions of other accounts that agree with it")
    your_price = YourPriceSerializer(required=False, help_text=YOUR_PRICE)

    class Meta(SubmissionRowSerializer.Meta):
        fields = (
            *SubmissionRowSerializer.Meta.fields,
            *_DETAIL,
            *(column for column in _OTHERS if not BY_COLUMN[column].in_table),
            *_PARTS,
        )
        read_only_fields = fields
        fields = (*fields, "your_price")

    @extend_schema_field(OpenApiTypes.URI)
    def get_url(self, resource: "SubmissionResource") -> str:
        return page_url(resource.submission, self.context["request"])

    @extend_schema_field({"type": ["string", "null"], "format": "uri"})
    def get_link(self, resource: "SubmissionResource") -> str | None:
        user = self.context["request"].user
        is_owner = user.is_authenticated and resource.submitted_by_id == user.pk
        return self.get_url(resource) if is_owner and resource.link_query else None

    def get_supersedes(self, resource: "SubmissionResource") -> int | None:
        older = self._visible().filter(pk=resource.supersedes_id).first() if resource.supersedes_id else None
        return older.pk if older else None

    def get_superseded_by(self, resource: "SubmissionResource") -> int | None:
        if resource.is_new:
            return None
        newer = self._visible().filter(supersedes=resource.submission.pk, retracted_at=None).first()
        return newer.pk if newer else None

    def _visible(self) -> "QuerySet[Submission]":
        return Submission.objects.visible_to(self.context["request"].user).only(*PUBLICATION_FIELDS)

    def get_reproduced_by(self, resource: "SubmissionResource") -> list[int]:
        return reproduced_by(resource.submission) if resource.trust == Trust.REPRODUCED else []


@dataclass(frozen=True)
class SubmissionResource:
    """A submission with all its parts; every other attribute is the submission's own."""

    submission: Submission
    trials: Sequence[Trial]
    node_groups: Sequence[NodeGroup]
    artifacts: Sequence[Artifact]
    load_points: Sequence[LoadPoint] = ()
    is_new: bool = False  # nothing can refer to it yet
    limit: LatencyLimit | None = None  # of `at_slo`; None: as it is stored

    def __getattr__(self, name: str) -> Any:
        return getattr(self.submission, name)

    @property
    def lines_not_read(self) -> int:
        return sum(file.lines_not_read for file in self.artifacts)

    @cached_property
    def records(self) -> HostRecords:
        return host_records(self.submission, host_summary(self.artifacts))

    @property
    def at_slo(self) -> Mapping[str, Any] | None:
        if self.limit is None:
            stored: Mapping[str, Any] | None = self.submission.at_slo
            return stored
        found = at_slo(self.load_points, self.limit, hourly_usd=self.submission.hourly_usd)
        return None if found is None else found.as_json()

    @property
    def missing(self) -> dict[str, Any]:
        row = self.submission
        until = None if row.pk is None else may_be_added_until(row)
        return {"facts": missing_facts(row), "add_until": until, "open": until and row.pk}

    @property
    def cost(self) -> SystemCost:
        return frozen_cost(self.node_groups, measured_on(self.submission))

    @property
    def bill(self) -> Bill:
        return bill_of(self.submission.bill)


def opened(pk: int, request: Request) -> Submission:
    """A submission that the caller may open, retracted or not; one query. Raises Http404."""
    rows = Submission.objects.by_link(request.user, link_keys(request.query_params))
    submission = rows.filter(pk=pk).select_related("workload", "submitted_by").first()
    if submission is None:
        raise Http404
    return submission


def submission_json(pk: int, request: Request) -> dict[str, Any]:
    """Everything about a submission that the caller may open; five queries. Raises Http404."""
    return full_json(opened(pk, request), request)


def stored_json(stored: Stored, request: Request) -> dict[str, Any]:
    """The same of an upload: of a new one what was written is answered, and nothing is read."""
    rows = stored.rows
    if rows is None:
        return submission_json(stored.submission.pk, request)
    submission, trials, groups, points = rows.as_read()
    files = sorted(rows.artifacts, key=lambda file: (file.trial_index is None, file.trial_index, file.pk))
    return _json(SubmissionResource(submission, trials, groups, files, points, is_new=True), request)


def full_json(submission: Submission, request: Request, limit: LatencyLimit | None = None) -> dict[str, Any]:
    """Everything about a submission, its `at_slo` at the limit given; four queries, five of a load curve."""
    resource = SubmissionResource(
        submission,
        list(submission.trials.all()),
        list(submission.node_groups.all()),
        list(submission.artifacts.all()),
        points_of(submission),
        limit=limit,
    )
    return _json(resource, request)


def points_of(submission: Submission) -> list[LoadPoint]:
    """In order of load; no query for what is no load curve."""
    return list(submission.load_points.all()) if submission.load_mode == LoadMode.CURVE else []


def _json(resource: Any, request: Request) -> dict[str, Any]:
    answer: dict[str, Any] = represented(SubmissionSerializer, resource, request)
    return answer


def page_url(submission: Submission, request: Request) -> str:
    """The permalink of a submission; of an unlisted one its secret link."""
    return str(request.build_absolute_uri(submission.get_absolute_url()))

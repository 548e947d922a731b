"""Filters: each value, unknown for null, limits, and what is refused."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.http import QueryDict

from submissions.models import Submission
from submissions.records.list.filters import ORDERINGS, SubmissionFilter
from tests.factories import SubmissionFactory
from tests.load_curves import curve

pytestmark = pytest.mark.django_db


def found(query):
    filterset = SubmissionFilter(QueryDict(query), Submission.objects.order_by("id"))
    assert filterset.is_valid(), filterset.errors
    return [row.title for row in filterset.qs]


def faults(query):
    return dict(SubmissionFilter(QueryDict(query), Submission.objects.all()).errors)


@pytest.fixture(autouse=True)
def rows():
    SubmissionFactory(
        title="aws",
        provider="aws",
        flags=["short"],
        measured_at=datetime(2015, 9, 1, 12, tzinfo=UTC),
        latency_kind="unknown",
    )
    SubmissionFactory(
        title="gce",
        provider="gce",
        region="us-central1",
        instance_type="n1-standard-8",
        node_count=6,
        jdk_vendor=None,
        jdk_version=None,
        throughput_ops_s=120_000.0,
        latency_p99_ms=9.0,
        hourly_usd=Decimal("0.9"),
        measured_at=datetime(2016, 1, 1, tzinfo=UTC),
    )
    SubmissionFactory(
        title="local",
        provider="local",
        region=None,
        instance_type="laptop",
        node_count=1,
        throughput_ops_s=1_000.0,
        latency_p99_ms=None,
        latency_p999_ms=None,
        hourly_usd=None,
        consistency_level=None,
        measured_at=None,
        trust="run_by_us",
    )


@pytest.mark.parametrize(
    ("query", "titles"),
    [
        ("", ["aws", "gce", "local"]),
        ("provider=aws", ["aws"]),
        ("provider=aws&provider=gce", ["aws", "gce"]),
        ("provider=Google", ["gce"]),  # a known spelling
        ("provider=", ["aws", "gce", "local"]),
        ("provider=azure", []),
        ("region=unknown", ["local"]),
        ("region=unknown&region=us-central1", ["gce", "local"]),
        ("jdk_vendor=oracle", ["aws", "local"]),
        ("jdk_vendor=unknown", ["gce"]),
        ("instance_type=laptop", ["local"]),
        ("node_count=3&node_count=6", ["aws", "gce"]),
        ("min_node_count=2&max_node_count=5", ["aws"]),
        ("replication_factor=3", ["aws", "gce", "local"]),
        ("consistency_level=unknown", ["local"]),
        ("latency_kind=unknown", ["aws"]),  # there it is a value of its own
        ("trust=run_by_us", ["local"]),
        ("flag=short", ["aws"]),
        ("flag=truncated", []),
        ("is_flagged=true", ["aws"]),
        ("is_flagged=false", ["gce", "local"]),
        ("is_priced=true", ["aws", "gce"]),
        ("is_priced=false", ["local"]),
        ("min_throughput=90000", ["aws", "gce"]),
        ("min_throughput=90000.5", ["gce"]),
        ("max_p99_ms=4", ["aws"]),
        ("max_hourly_usd=1", ["gce"]),
        ("min_ops_per_usd=300000000", ["gce"]),
        ("measured_after=2015-12-31T00:00:00Z", ["gce"]),
        ("measured_before=2016-01-01T00:00:00Z", ["aws"]),
        ("provider=aws&node_count=6", []),
    ],
)
def test_a_filter_leaves_what_it_names(query, titles):
    assert found(query) == titles


def test_limits_hold_together_at_the_peak_of_a_load_curve_and_say_so():
    row = curve()  # a p99 of 9 ms at 110,000 ops/s, 25 ms at its peak of 130,000

    assert row.title not in found("max_p99_ms=10&min_throughput=120000")
    assert row.title not in found("max_p99_ms=10")
    assert row.title in found("max_p99_ms=25&min_throughput=120000")
    label = SubmissionFilter.base_filters["max_p99_ms"].label
    assert label == "Maximum p99 (ms), load curves at their peak"


def test_a_workload_is_chosen_by_its_fingerprint():
    other = SubmissionFactory(title="read", workload__title="another workload")

    assert found(f"workload={other.workload.fingerprint}") == ["read"]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("node_count=0", "must be a whole number from 1 to 1000000"),
        ("node_count=ten", "must be a whole number from 1 to 1000000"),
        ("node_count=" + "9" * 40, "must be a whole number from 1 to 1000000"),
        (
            "trust=believed",
            "must be one of historical, uploaded, log_verified, run_by_owner, run_by_us, reproduced",
        ),
        ("is_priced=maybe", "Select a valid choice. maybe is not one of the available choices."),
        ("instance_type=a%00b", "is no value of this column"),
        ("instance_type=" + "x" * 201, "is no value of this column"),
        ("&".join(["node_count=1"] * 51), "takes at most 50 values"),
        ("min_throughput=many", "Enter a number such as 80000, 80,000, 80k or 1.5M, in ops/s."),
        ("min_throughput=nan", "Enter a number such as 80000, 80,000, 80k or 1.5M, in ops/s."),
        ("min_throughput=-1", "Enter a number of at least 0."),
        ("measured_after=yesterday", "Enter a valid date/time."),
    ],
)
def test_a_value_that_cannot_be_is_refused_with_the_reason(query, message):
    name = query.partition("=")[0]

    assert faults(query) == {name: [message]}


@pytest.mark.parametrize("query", ["min_throughput=1e999", "max_hourly_usd=1e-9999", "min_ops_per_usd=inf"])
def test_a_number_beyond_the_column_is_refused(query):
    assert list(faults(query)) == [query.partition("=")[0]]


def test_every_order_is_by_a_column():
    columns = {field.name for field in Submission._meta.get_fields()}

    assert {ordering.column for ordering in ORDERINGS.values()} <= columns

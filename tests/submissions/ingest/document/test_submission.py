"""The submission document: what it accepts, and how it names what it refuses."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from pydantic import ValidationError

from submissions.choices import ConsistencyLevel, LatencyKind, PricingModel, Raid, Role
from submissions.ingest.document.faults import faults_of
from submissions.ingest.document.submission import SubmissionDocument
from tests.documents import document


def faults(changes):
    with pytest.raises(ValidationError) as caught:
        SubmissionDocument.model_validate(document(changes))
    return [(fault.pointer, fault.detail) for fault in faults_of(caught.value)]


def test_the_contracts_example_is_read_whole():
    read = SubmissionDocument.model_validate(document())

    assert read.measured_at == datetime(2015, 9, 1, 12, tzinfo=UTC)
    group = read.nodes[0]
    assert (group.role, group.pricing_model) == (Role.DATABASE, PricingModel.ON_DEMAND)
    assert (group.hourly_usd, group.disks[0].raid) == (Decimal("0.532"), Raid.RAID0)
    assert read.workload.consistency_level == ConsistencyLevel.LOCAL_ONE
    trial = read.trials[0]
    assert trial.latency_kind == LatencyKind.SERVICE_TIME
    assert (trial.latency_ms.p99, trial.latency_ms.mean) == (4.0, None)


def test_a_document_survives_being_written_and_read_again():
    first = SubmissionDocument.model_validate(document())

    assert SubmissionDocument.model_validate(first.model_dump(mode="json")) == first


def test_known_spellings_become_one_word():
    read = SubmissionDocument.model_validate(document({"provider": "Google Cloud", "service/name": "Apache Cassandra"}))

    assert (read.provider, read.service.name) == ("gce", "cassandra")


def test_a_new_provider_is_accepted_as_it_is():
    assert SubmissionDocument.model_validate(document({"provider": "hetzner"})).provider == "hetzner"


def test_local_times_become_utc():
    read = SubmissionDocument.model_validate(document({"measured_at": "2015-09-01T14:00:00+02:00"}))

    assert read.measured_at == datetime(2015, 9, 1, 12, tzinfo=UTC)
    assert read.measured_at.tzinfo == UTC


@pytest.mark.parametrize(
    ("changes", "pointer", "detail"),
    [
        ({"service": ...}, "#/service", "is required"),
        ({"provider": ...}, "#/provider", "is required"),
        ({"nodes": []}, "#/nodes", "needs at least 1 entries"),
        ({"trials": []}, "#/trials", "needs at least 1 entries"),
        ({"nodes/0/count": ...}, "#/nodes/0/count", "is required"),
        ({"nodes/0/instance_type": ...}, "#/nodes/0/instance_type", "is required"),
        ({"clowd": "aws"}, "#/clowd", "unknown key"),
        ({"trials/0/latency_ms/p98": 1}, "#/trials/0/latency_ms/p98", "unknown key"),
        ({"provider": 7}, "#/provider", "must be a string"),
        ({"nodes": {}}, "#/nodes", "must be a list"),
        ({"nodes/0": "three"}, "#/nodes/0", "must be an object"),
        ({"nodes/0/count": "3"}, "#/nodes/0/count", "must be a number"),
        ({"nodes/0/count": True}, "#/nodes/0/count", "must be a number"),
        ({"nodes/0/count": 1.5}, "#/nodes/0/count", "must be a whole number"),
        ({"nodes/0/count": 0}, "#/nodes/0/count", "must be at least 1"),
        ({"nodes/0/count": 10**9}, "#/nodes/0/count", "must be at most 1000000"),
        (
            {"nodes/0/hourly_usd": 0.532},
            "#/nodes/0/hourly_usd",
            'must be a string such as "0.532": money is decimal',
        ),
        ({"nodes/0/hourly_usd": "NaN"}, "#/nodes/0/hourly_usd", "must be a finite number"),
        ({"nodes/0/hourly_usd": "0"}, "#/nodes/0/hourly_usd", "must be greater than 0"),
        ({"nodes/0/hourly_usd": "-1"}, "#/nodes/0/hourly_usd", "must be greater than 0"),
        ({"measured_at": "2015-09-01T12:00:00"}, "#/measured_at", "needs a time zone, such as a closing Z"),
        (
            {"measured_at": 1441108800},
            "#/measured_at",
            'must be a time such as "2015-09-01T12:00:00Z"',
        ),
        ({"measured_at": "1970-01-01T00:00:00Z"}, "#/measured_at", "must not be before the year 2000"),
        (
            {"source_url": "javascript:alert(1)"},
            "#/source_url",
            "must be an http:// or https:// address",
        ),
        ({"title": "x" * 301}, "#/title", "must not have more than 300 characters"),
        ({"title": "a\0b"}, "#/title", "must not contain control characters"),
        ({"title": "\ud800"}, "#/title", None),
        ({"trials/0/throughput_ops_s": ...}, "#/trials/0", "needs throughput_ops_s"),
        (
            {"trials/0/throughput_ops_s": float("nan")},
            "#/trials/0/throughput_ops_s",
            "must be a finite number",
        ),
        (
            {"trials/0/throughput_ops_s": float("inf")},
            "#/trials/0/throughput_ops_s",
            "must be a finite number",
        ),
        ({"trials/0/throughput_ops_s": -1}, "#/trials/0/throughput_ops_s", "must be greater than 0"),
        ({"trials/0/throughput_ops_s": 0}, "#/trials/0/throughput_ops_s", "must be greater than 0"),
        (
            {"trials/0/throughput_ops_s": 1e12},
            "#/trials/0/throughput_ops_s",
            "must be at most 10,000,000,000",
        ),
        (
            {"trials/0/operations": 0},
            "#/trials/0",
            "has no successful operation: there is no throughput to record",
        ),
        ({"trials/0/errors": -1}, "#/trials/0/errors", "must be at least 0"),
        (
            {"trials/0/latency_kind": "guess"},
            "#/trials/0/latency_kind",
            "must be one of 'service_time', 'response_time' or 'unknown'",
        ),
        (
            {"trials/0/latency_ms": {"p50": 5.0, "p99": 4.0}},
            "#/trials/0/latency_ms",
            "p50 5 ms is above p99 4 ms",
        ),
        (
            {"trials/0/latency_ms": {"mean": 5.0, "max": 4.0}},
            "#/trials/0/latency_ms",
            "mean 5 ms is above max 4 ms",
        ),
        (
            {"workload/operations": {"read": 0.5, "write": 0.4}},
            "#/workload",
            "the shares of operations sum to 0.9, not to 1",
        ),
        ({"workload/operations": {"read": "1"}}, "#/workload/operations/read", "must be a number"),
        (
            {"workload/operations": ..., "workload/command": ...},
            "#/workload",
            'needs operations or command: state "workload": {"operations": {"read": 0.5, "write": 0.5}} (the share of'
            ' each type; of one type alone {"write": 1}) or "workload": {"command": "the command line"}',
        ),
        ({"nodes/0/role": "client"}, "#", 'nodes needs a group with role "database"'),
        (
            {"settings": {"a": {"b": {"c": {"d": {"e": {"f": {"g": 1}}}}}}}},
            "#/settings",
            "must not be nested deeper than 6 levels",
        ),
        (
            {"settings": {str(n): n for n in range(1001)}},
            "#/settings",
            "must not have more than 2000 values",
        ),
        ({"settings": {"a": float("nan")}}, "#/settings", "must not have NaN or Infinity"),
        ({"settings": {"a": 2**64}}, "#/settings", "must not have an integer beyond 64 bits"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(changes, pointer, detail):
    found = faults(changes)

    assert len(found) == 1
    assert found[0][0] == pointer
    if detail is not None:
        assert found[0][1] == detail


def test_a_pointer_escapes_slashes_and_tildes_in_a_key():
    content = {**document(), "a/b~c": 1}

    with pytest.raises(ValidationError) as caught:
        SubmissionDocument.model_validate(content)

    assert [fault.pointer for fault in faults_of(caught.value)] == ["#/a~1b~0c"]


def test_a_word_that_cannot_be_a_slug_is_refused():
    assert faults({"provider": "a;b"}) == [
        ("#/provider", "use letters, digits, '.', '-' or '+', starting with a letter or digit")
    ]


def test_every_fault_is_told_at_once():
    found = faults({"provider": ..., "trials/0/errors": -1, "nodes/0/count": 0, "workload/threads": 1.5})

    assert {pointer for pointer, _ in found} == {
        "#/provider",
        "#/trials/0/errors",
        "#/nodes/0/count",
        "#/workload/threads",
    }


def test_absolute_and_relative_trials_do_not_mix():
    found = faults({"trials": [{"throughput_ops_s": 1}, {"relative_throughput": 1}], "relative_base": "x = 1"})

    assert found == [("#", "trials must be all absolute or all relative")]


def test_a_relative_throughput_says_what_it_is_relative_to():
    assert faults({"trials": [{"relative_throughput": 1}]}) == [
        ("#", "relative_base must state what a relative throughput refers to")
    ]

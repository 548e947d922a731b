"""The log's facts and the uploader's: gaps are filled, contradictions refused with both values."""

from datetime import UTC, datetime

import pytest

from benchsite.http.refusals import Refusal
from submissions.choices import Role
from submissions.ingest.document.readings import Facts, MachineReading
from submissions.ingest.logs.complete import common_facts, complete
from tests.documents import metadata

FACTS = Facts(
    consistency_level="QUORUM",
    replication_factor=3,
    threads=24,
    columns=5,
    value_bytes=34,
    operations={"write": 1.0},
    node_count=3,
)


def completed(changes=None, facts=FACTS, threads=24):
    return complete(metadata(changes), facts, tool="cassandra-stress", threads=threads)


def contradictions(changes, facts=FACTS):
    with pytest.raises(Refusal) as refused:
        completed(changes, facts)
    return [(fault.pointer, fault.detail) for fault in refused.value.faults]


def test_gaps_are_filled_from_the_log():
    content, from_log = completed()

    assert content["workload"] == {
        "tool": "cassandra-stress",
        "consistency_level": "QUORUM",
        "replication_factor": 3,
        "columns": 5,
        "value_bytes": 34,
        "threads": 24,
        "operations": {"write": 1.0},
    }
    assert from_log == {
        "#/workload/tool",
        "#/workload/consistency_level",
        "#/workload/replication_factor",
        "#/workload/columns",
        "#/workload/value_bytes",
        "#/workload/threads",
        "#/workload/operations",
    }


def test_the_uploaders_document_is_not_changed():
    given = metadata()

    complete(given, FACTS, tool="cassandra-stress", threads=24)

    assert "workload" not in given


def test_the_same_said_twice_is_no_contradiction():
    content, from_log = completed({"workload": {"consistency_level": "QUORUM", "threads": 24}})

    assert content["workload"]["threads"] == 24
    assert "#/workload/threads" in from_log


@pytest.mark.parametrize(
    ("workload", "pointer", "detail"),
    [
        (
            {"consistency_level": "ONE"},
            "#/workload/consistency_level",
            "the log says QUORUM, the upload says ONE",
        ),
        ({"replication_factor": 1}, "#/workload/replication_factor", "the log says 3, the upload says 1"),
        ({"threads": 200}, "#/workload/threads", "the log says 24, the upload says 200"),
        ({"tool": "ycsb"}, "#/workload/tool", "the log says cassandra-stress, the upload says ycsb"),
        (
            {"operations": {"read": 1.0}},
            "#/workload/operations",
            "the log says {'write': 1.0}, the upload says {'read': 1.0}",
        ),
    ],
)
def test_a_contradiction_is_refused_with_both_values(workload, pointer, detail):
    assert contradictions({"workload": workload}) == [(pointer, detail)]


def test_every_contradiction_is_told():
    assert len(contradictions({"workload": {"threads": 1, "replication_factor": 1}})) == 2


def test_a_cluster_may_be_larger_than_the_log_names_but_not_smaller():
    group = metadata()["nodes"][0]

    assert completed({"nodes": [{**group, "count": 6}]})
    assert contradictions({"nodes": [{**group, "count": 2}]}) == [
        ("#/nodes/0/count", "the log names 3 nodes, the upload says 2")
    ]


def test_a_missing_node_count_is_the_logs():
    group = {key: value for key, value in metadata()["nodes"][0].items() if key != "count"}

    content, from_log = completed({"nodes": [group]})

    assert content["nodes"][0]["count"] == 3
    assert "#/nodes/0/count" in from_log


@pytest.mark.parametrize(
    ("stated", "agrees"),
    [
        ("2026-11-20T00:00:00Z", True),
        ("2026-11-21T12:00:00+02:00", True),
        ("2026-11-25T00:00:00Z", False),
        ("2025-11-20T05:32:35Z", False),
    ],
)
def test_the_logs_clock_and_a_stated_day_may_differ_by_time_zones(stated, agrees):
    facts = Facts(measured_at=datetime(2026, 11, 20, 5, 32, 35, tzinfo=UTC))

    if agrees:
        assert completed({"measured_at": stated}, facts)
    else:
        assert [pointer for pointer, _ in contradictions({"measured_at": stated}, facts)] == ["#/measured_at"]


def test_a_missing_time_is_the_logs():
    facts = Facts(measured_at=datetime(2026, 11, 20, 5, 32, 35, tzinfo=UTC))

    content, _ = completed({"measured_at": None}, facts)

    assert content["measured_at"] == "2026-11-20T05:32:35+00:00"


@pytest.mark.parametrize("odd", [{"workload": "x"}, {"service": []}, {"nodes": "x"}, {"nodes": [3]}])
def test_odd_shapes_are_left_for_the_documents_own_check(odd):
    assert completed(odd)


def test_files_of_one_submission_must_agree():
    one = Facts(consistency_level="ONE", node_count=1)
    other = Facts(consistency_level="ALL", node_count=3)

    with pytest.raises(Refusal) as refused:
        common_facts([one, other])

    assert [(fault.pointer, fault.detail) for fault in refused.value.faults] == [
        ("#/files", "the logs differ in consistency_level: ALL, ONE")
    ]


def test_what_one_file_lacks_another_gives():
    facts = common_facts(
        [
            Facts(threads=8, node_count=1),
            Facts(replication_factor=3, node_count=3),
        ]
    )

    assert facts == Facts(threads=8, replication_factor=3, node_count=3)


MACHINES = Facts(
    provider="AWS",
    region="us-east-1",
    zones=("us-east-1a",),
    machines=(
        MachineReading(Role.DATABASE, "m6i.large", 3, 2),
        MachineReading(Role.CLIENT, "m6i.xlarge"),
    ),
)


def of_machines(nodes, **stated):
    return complete({**stated, **nodes}, MACHINES, tool="ycsb", threads=None)


def test_the_cloud_and_machines_of_a_log_fill_what_is_not_stated():
    content, from_log = of_machines({"nodes": [{"role": "database"}]})

    assert (content["provider"], content["region"], content["zones"]) == ("AWS", "us-east-1", ["us-east-1a"])
    assert content["nodes"] == [
        {"role": "database", "instance_type": "m6i.large", "count": 3, "vcpus": 2},
        {"role": "client", "instance_type": "m6i.xlarge"},
    ]
    assert {"#/provider", "#/zones", "#/nodes/0/count", "#/nodes/1/instance_type"} <= from_log
    assert of_machines({})[0]["nodes"] == content["nodes"]


def test_groups_of_machines_that_the_log_does_not_tell_apart_are_left_as_stated():
    groups = [{"role": "database", "instance_type": name, "count": 1} for name in ("a", "b")]
    content, _ = of_machines({"nodes": groups})

    assert content["nodes"][:2] == groups


def test_another_machine_than_that_of_the_log_is_refused():
    with pytest.raises(Refusal) as refused:
        of_machines({"nodes": [{"role": "database", "instance_type": "m5.large"}]}, provider="gcp")

    assert {fault.pointer for fault in refused.value.faults} == {"#/provider", "#/nodes/0/instance_type"}

"""Which workloads are the same."""

import pytest

from submissions.ingest.document.fingerprint import (
    canonical,
    duration_class,
    fingerprint,
    operation_name,
    workload_title,
)
from submissions.ingest.document.submission import SubmissionDocument
from tests.documents import document


def read(changes=None):
    return SubmissionDocument.model_validate(document(changes))


def test_the_canonical_form_of_the_example():
    assert canonical(read()) == {
        "service": "cassandra",
        "tool": "cassandra-stress",
        "operations": {"write": 1.0},
        "command": None,
        "consistency_level": "LOCAL_ONE",
        "replication_factor": 3,
        "columns": 5,
        "value_bytes": 34,
        "key_distribution": None,
        "key_count": None,
        "load_mode": "threads",
        "duration": "under 1 min",
    }


@pytest.mark.parametrize(
    "changes",
    [
        {"provider": "gce"},
        {"region": "us-west-2"},
        {"zones": []},
        {"service/version": "5.0.9"},
        {"nodes/0/instance_type": "m5.xlarge"},
        {"nodes/0/count": 6},
        {"nodes/0/disks": []},
        {"jdk": None},
        {"network/encryption": "node"},
        {"settings": {}},
        {"title": "another"},
        {"workload/tool_version": "3.0"},
        {"workload/threads": 50},
        {"workload/command": "cassandra-stress write n=2000000"},
        {"trials/0/throughput_ops_s": 5},
        {"trials/0/duration_s": 30.0},
    ],
)
def test_what_people_compare_is_not_in_it(changes):
    assert fingerprint(read(changes)) == fingerprint(read())


@pytest.mark.parametrize(
    "changes",
    [
        {"service/name": "scylladb"},
        {"workload/tool": "ycsb"},
        {"workload/operations": {"write": 0.5, "read": 0.5}},
        {"workload/consistency_level": "QUORUM"},
        {"workload/consistency_level": None},
        {"workload/replication_factor": 1},
        {"workload/columns": 10},
        {"workload/value_bytes": 1024},
        {"workload/key_count": 1000},
        {"workload/key_distribution": "uniform"},
        {"workload/fixed_rate_ops_s": 5000.0},
        {"workload/pipeline": 1},
        {"workload/pipeline": 16},
        {"client_placement": "on_database"},
        {"trials/0/duration_s": 600.0},
        {"trials/0/duration_s": None},
    ],
)
def test_what_was_asked_of_the_system_is_in_it(changes):
    assert fingerprint(read(changes)) != fingerprint(read())


def test_the_go_port_of_ycsb_is_of_the_same_family():
    assert fingerprint(read({"workload/tool": "go-ycsb"})) == fingerprint(read({"workload/tool": "ycsb"}))


def test_shares_equal_to_a_percent_are_the_same_mix():
    one = {"workload/operations": {"write": 0.501, "read": 0.499}}
    other = {"workload/operations": {"write": 0.499, "read": 0.501}}

    assert fingerprint(read(one)) == fingerprint(read(other))


def test_the_mix_is_read_from_a_command_that_names_one_operation():
    changes = {"workload/operations": ...}

    assert fingerprint(read(changes)) == fingerprint(read())


def test_an_unreadable_command_is_equal_only_to_itself():
    first = {"workload/operations": ..., "workload/command": "stress user profile=a.yaml"}
    second = {"workload/operations": ..., "workload/command": "stress user profile=b.yaml"}

    assert fingerprint(read(first)) == fingerprint(read(first))
    assert fingerprint(read(first)) != fingerprint(read(second))
    assert operation_name(read(first).workload) == "unknown"


@pytest.mark.parametrize(
    ("seconds", "name"),
    [
        (59.9, "under 1 min"),
        (60.0, "1 to 10 min"),
        (600.0, "10 to 60 min"),
        (3599.0, "10 to 60 min"),
        (3600.0, "over 1 h"),
    ],
)
def test_duration_classes(seconds, name):
    assert duration_class(read({"trials/0/duration_s": seconds})) == name


def test_the_asked_duration_wins_over_the_measured_one():
    assert duration_class(read({"workload/requested_duration_s": 900.0})) == "10 to 60 min"


def test_a_workloads_title_in_words():
    mixed = {"workload/operations": {"write": 0.25, "read": 0.75}, "workload/key_count": 20000}

    assert (
        workload_title(canonical(read(mixed)))
        == "cassandra: cassandra-stress 75% read + 25% write, LOCAL_ONE, RF 3, 5 × 34 B, 20,000 keys, under 1 min"
    )
    assert workload_title(canonical(read()), "Apache Cassandra", "cassandra-stress").startswith(
        "Apache Cassandra: cassandra-stress write, LOCAL_ONE"
    )

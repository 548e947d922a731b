import pytest

from submissions.analysis.data_size import (
    GIB,
    DataSize,
    copies,
    data_size,
    data_to_memory,
    fit_of,
    machine_types,
    memory_gib,
)
from submissions.choices import DataFit
from tests.documents import document

INSERTING = {
    "workload": {
        "tool": "ycsb",
        "operations": {"read": 0.5, "insert": 0.4, "update": 0.06, "delete": 0.04},
        "key_count": 50_000_000,
        "columns": 10,
        "value_bytes": 200,
        "replication_factor": 3,
    }
}


def size(changes, *trials):
    return data_size(document(changes), trials)


def test_a_workload_that_only_writes_over_has_one_size():
    # 2,000,000 keys of 5 x 34 bytes
    assert size({}, {}) == DataSize(340_000_000, 340_000_000)
    assert not size({}, {}).is_changing


def test_what_is_stated_wins():
    assert size({"workload/data_bytes": 10**12}, {}) == DataSize(10**12, 10**12, is_stated=True)


def test_inserts_count_as_they_were_counted_and_deletes_against_them():
    counted = [{"name": "read", "operations": 900}, {"name": "insert", "operations": 1_760_000_000}]
    counted += [{"name": "delete", "operations": 160_000_000}]

    found = size(INSERTING, {"operations": 4_000_000_000, "by_operation": counted})

    # 10^11 bytes and 1.6 x 10^9 rows of 2,000 bytes more
    assert found == DataSize(100_000_000_000, 3_300_000_000_000)
    assert found.mean_bytes == 1_700_000_000_000


def test_without_counts_by_type_inserts_are_a_share_of_the_operations_of_a_trial():
    trials = [{"operations": 1_000_000}, {"throughput_ops_s": 50_000, "duration_s": 60}]

    # (0.4 - 0.04) of 2,000,000 on average, of 2,000 bytes
    assert size(INSERTING, *trials) == DataSize(100_000_000_000, 101_440_000_000)


def test_how_much_was_inserted_may_be_unknown():
    assert size(INSERTING, {"operations": 1_000_000}, {"operations": None}) is None


def test_a_load_begins_with_nothing():
    loading = {"workload/operations": {"insert": 1.0}, "workload/command": "-load"}

    assert size(INSERTING | loading, {"operations": 1}) == DataSize(0, 100_000_000_000)


def test_no_more_is_deleted_than_there_is():
    deleting = {"workload/tool": "ycsb", "workload/operations": {"delete": 1.0}, "workload/key_count": 10}

    assert size(deleting, {"operations": 1000}).end_bytes == 0


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, 3),
        ({"workload/replication_factor": None}, None),
        ({"workload/replication_factor": None, "nodes/0/count": 1}, 1),
        ({"workload/replication_factor": None, "service/name": "memcached"}, 1),
        # one node keeps one copy, whatever its keyspace asks for
        ({"nodes/0/count": 1}, 1),
        ({"nodes/0/count": 2, "nodes/0/kind": "managed"}, 3),
    ],
)
def test_copies(changes, expected):
    assert copies(document(changes)) == expected


def test_memory_is_that_of_all_database_nodes_as_stated_or_of_the_catalogue():
    without = document({"nodes/0/memory_gib": None})

    assert memory_gib(document(), {}) == 90
    assert memory_gib(without, {}) is None
    assert memory_gib(without, {("aws", "m3.2xlarge"): 30.0}) == 90
    assert machine_types(document()) == set()
    assert machine_types(without) == {("aws", "m3.2xlarge")}


def test_a_managed_database_has_the_memory_of_the_machine_type_that_it_names():
    managed = document(
        {
            "provider": "scylladb-cloud",
            "settings": {"cloud": "aws"},
            "nodes/0/kind": "managed",
            "nodes/0/instance_type": "i4i.4xlarge",
            "nodes/0/memory_gib": None,
        }
    )

    assert machine_types(managed) == {("aws", "i4i.4xlarge")}
    assert memory_gib(managed, {("aws", "i4i.4xlarge"): 128.0}) == 384


def test_the_ratio_is_of_all_copies_by_all_memory():
    # 340 MB x 3 by 90 GiB
    ratio = data_to_memory(document(), DataSize(340_000_000, 340_000_000), {})

    assert ratio == pytest.approx(340_000_000 * 3 / (90 * GIB))
    assert data_to_memory(document({"workload/replication_factor": None}), DataSize(1, 1), {}) is None
    assert data_to_memory(document(), None, {}) is None


@pytest.mark.parametrize(
    ("ratio", "expected"),
    [
        (0.999, DataFit.BELOW_1),
        (1.0, DataFit.FROM_1_TO_3),
        (3.0, DataFit.FROM_1_TO_3),
        (3.001, DataFit.ABOVE_3),
        (None, None),
    ],
)
def test_ranges(ratio, expected):
    assert fit_of(ratio) is expected

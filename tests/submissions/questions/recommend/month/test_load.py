"""What a workload writes and reads, as a month needs it."""

from decimal import Decimal

import pytest

from submissions.questions.recommend.month.load import row_bytes, rows_of

WORKLOAD = {"service": "cassandra", "operations": {"read": 0.5, "update": 0.5}, "columns": 10, "value_bytes": 100}


def rows(canonical=WORKLOAD, ops_s=100_000, copies=3, value_bytes=None, **facts):
    return rows_of({**canonical, **facts}, ops_s=ops_s, copies=copies, value_bytes=value_bytes)


def test_the_share_of_writes_is_that_of_the_operations():
    found = rows(consistency_level="QUORUM")

    assert (found.written, found.read, found.row_bytes) == (50_000, 50_000, 1000)
    assert (found.service, found.consistency_level, found.replication_factor) == ("cassandra", "QUORUM", 3)


def test_a_read_modify_write_reads_a_row_and_writes_one():
    found = rows(operations={"read": 0.5, "read-modify-write": 0.5})

    assert (found.written, found.read) == (50_000, 100_000)


@pytest.mark.parametrize("operations", [None, {}, {"scan": 1.0}, {"read": 0.9, "tpcb-like": 0.1}])
def test_operations_of_several_rows_are_unknown(operations):
    found = rows(operations=operations)

    assert (found.written, found.read) == (None, None)


@pytest.mark.parametrize(
    ("tool", "facts", "expected"),
    [
        ("cassandra-stress", {}, 170),  # its own default, 5 columns of 34 bytes
        ("cassandra-stress", {"value_bytes": 100}, None),  # of the columns a distribution
        ("ycsb", {}, 1000),
        ("ycsb", {"columns": 1}, 100),
        ("vdbench", {}, None),
    ],
)
def test_where_a_part_is_not_stated_the_rule_of_the_load_tool_says_how_long_a_row_is(tool, facts, expected):
    found = row_bytes({"tool": tool, "operations": {"read": 0.5, "write": 0.5}, "command": None, **facts})

    assert found == (None if expected is None else Decimal(expected))


@pytest.mark.parametrize(
    ("facts", "asked", "expected"),
    [
        ({}, None, 1000),
        ({}, 200, 2000),  # of a column, as the question states it
        ({"columns": None}, None, None),
        ({"value_bytes": None}, None, None),
    ],
)
def test_a_row_is_its_columns_by_their_size(facts, asked, expected):
    found = row_bytes({**WORKLOAD, **facts}, asked)

    assert found == (None if expected is None else Decimal(expected))

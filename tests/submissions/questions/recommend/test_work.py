"""What a workload mostly does, by the shares of its operations."""

import pytest

from submissions.questions.recommend.work import Work, read_share, work_of


@pytest.mark.parametrize(
    ("operations", "work"),
    [
        ({"read": 0.95, "update": 0.05}, Work.READS),
        ({"read": 0.8, "insert": 0.2}, Work.READS),
        ({"read": 0.79, "insert": 0.21}, Work.MIXED),
        ({"READ": 0.5, "update": 0.06, "insert": 0.4, "delete": 0.04}, Work.MIXED),
        ({"read": 0.21, "update": 0.79}, Work.MIXED),
        ({"read": 0.1, "scan": 0.1, "update": 0.8}, Work.WRITES),
        ({"counter_write": 1.0}, Work.WRITES),
        ({"read-modify-write": 1.0}, Work.MIXED),
        ({"tpcb-like": 1.0}, Work.WRITES),
        ({"select-only": 1.0}, Work.READS),
        ({"read": 0.99, "my statement": 0.01}, None),
        ({}, None),
        (None, None),
    ],
)
def test_the_share_of_reads_decides(operations, work):
    assert work_of(operations) == work


def test_shares_need_not_be_of_one():
    assert read_share({"read": 3.0, "update": 1.0}) == 0.75

"""What of the disks may be data: one table, the same as in the methodology."""

from pathlib import Path

import pytest

from submissions.analysis.cluster_size.usable_space import IN_MEMORY, TABLE, holds_gib, usable_share

METHODOLOGY = Path("docs/methodology.md")


@pytest.mark.parametrize(
    ("service", "version", "share"),
    [
        ("cassandra", "0.8.6", 0.5),
        ("cassandra", "0.7.0-beta1", 0.5),
        ("cassandra", "1", 1.0),
        ("cassandra", "1.0", 1.0),
        ("cassandra", "1.0.9", 1.0),  # of the SSD test of 2012: its 10 TB are all usable
        ("cassandra", "4.0.3", 1.0),
        ("cassandra", None, 1.0),
        ("cassandra", "trunk", 1.0),
        ("scylladb", "0.9", 1.0),
    ],
)
def test_only_cassandra_before_1_0_needs_half_of_its_disks_for_compaction(service, version, share):
    usable = usable_share(service, version)

    assert usable.share == share
    assert usable.has_head_room is (share < 1)


def test_a_cluster_holds_its_space_by_the_number_of_copies():
    assert holds_gib(1_000.0, 0.5, 2) == 250.0
    assert holds_gib(None, 1.0, 3) is None
    assert holds_gib(1_000.0, 1.0, None) is None


def test_the_methodology_has_each_row_with_its_source():
    text = " ".join(METHODOLOGY.read_text(encoding="utf-8").split())

    for row in TABLE:
        assert row.usable.source in text, row
        assert f"before {'.'.join(map(str, row.before))}" in text, row
    for service in IN_MEMORY:
        assert service in text.lower()

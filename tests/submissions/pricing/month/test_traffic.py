"""How much payload goes from zone to zone."""

from decimal import Decimal

import pytest

from submissions.pricing.month.month import SECONDS_PER_MONTH
from submissions.pricing.month.traffic import UNKNOWN_FACTOR, UNKNOWN_MIX, UNKNOWN_ROW, gb_between_zones
from tests.submissions.pricing.month.bills import rows


def gb(zones=3, **load):
    return gb_between_zones(rows(**load), zones)[0]


@pytest.mark.parametrize(
    ("zones", "factor", "gigabytes"),
    [
        (3, 3, 525_600),  # 100,000 x 1,000 bytes x 3 x 2/3 x 2,628,000 s
        (2, 2, 262_800),
        (2, 3, 394_200),
        (1, 3, 0),
    ],
)
def test_a_month_of_writes_sends_each_copy_to_another_zone_as_often_as_there_are_others(zones, factor, gigabytes):
    month = rows(written="100000", factor=factor).times(SECONDS_PER_MONTH)

    assert gb_between_zones(month, zones) == (Decimal(gigabytes), "")


@pytest.mark.parametrize(
    ("level", "factor", "copies"),
    [
        (None, 3, 0),
        ("ONE", 3, 0),
        ("LOCAL_ONE", 3, 0),
        ("TWO", 3, 1),
        ("THREE", 3, 2),
        ("QUORUM", 3, 1),
        ("LOCAL_QUORUM", 5, 2),
        ("SERIAL", 3, 1),
        ("ALL", 3, 2),
    ],
)
def test_a_read_fetches_the_copies_that_its_consistency_level_asks_for_but_the_first(level, factor, copies):
    found = gb(read="3000000", factor=factor, service="riak", consistency_level=level)

    assert found == 2 * copies  # 3 million rows of 1,000 bytes, two thirds of them in other zones


@pytest.mark.parametrize("service", ["cassandra", "scylladb", "dse"])
@pytest.mark.parametrize("level", ["QUORUM", "ALL", "TWO"])
def test_databases_that_compare_digests_fetch_one_row_whatever_the_level(service, level):
    assert gb(read="3000000", service=service, consistency_level=level) == 0


def test_writes_and_reads_are_added_up():
    assert gb(written="1000000", read="1000000", service="riak", consistency_level="QUORUM") == Decimal(8) / 3


@pytest.mark.parametrize(
    ("load", "reason"),
    [
        ({"written": None}, UNKNOWN_MIX),
        ({"written": "1", "factor": None}, UNKNOWN_FACTOR),
        ({"written": "1", "row_bytes": None}, UNKNOWN_ROW),
        ({"read": "1", "factor": None, "service": "riak", "consistency_level": "QUORUM"}, UNKNOWN_FACTOR),
        ({"read": "1", "row_bytes": None, "service": "riak", "consistency_level": "TWO"}, UNKNOWN_ROW),
    ],
)
def test_what_is_not_known_is_named_and_never_zero(load, reason):
    assert gb_between_zones(rows(**load), 3) == (None, reason)


@pytest.mark.parametrize(
    "load",
    [
        {"read": "1", "row_bytes": None, "service": "cassandra", "consistency_level": "QUORUM", "factor": None},
        {"written": None, "zones": 1},
        {"written": "1", "row_bytes": None, "factor": None, "zones": 1},
    ],
)
def test_nothing_needs_to_be_known_of_rows_that_no_zone_sends(load):
    assert gb(**load) == 0

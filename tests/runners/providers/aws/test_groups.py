"""Names as a tag, orders as calls."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runners.providers.aws.groups import MAX_TAG_VALUE, Group, groups_of, pack, unpack
from runners.providers.base import DiskOrder, NodeOrder, NodeRequest

ORDER = NodeOrder(
    tag="run-1",
    owner="jane",
    expires_at=datetime(2031, 5, 1, tzinfo=UTC),
    region="us-east-1",
    nodes=(),
    spot=False,
    ssh_public_key="",
    user_data="",
    worker_cidr="192.0.2.7/32",
)
ZONES = ("us-east-1a", "us-east-1b", "us-east-1c")


def nodes(count, *, zones=ZONES, role="database", stem="db-", disks=()):
    return tuple(NodeRequest(f"{stem}{n}", role, "m5.large", zones[n % len(zones)], disks) for n in range(count))


@pytest.mark.parametrize(
    ("names", "packed"),
    [
        (["db-0"], "db-0"),
        (["db-0", "db-3", "db-6"], "db-0..6/3"),
        (["db-1", "db-4", "client-0", "client-1"], "db-1..4/3 client-0..1/1"),
        (["db-9", "db-10", "db-12"], "db-9..10/1 db-12"),
        (["db-2", "db-1"], "db-2 db-1"),
        (["seed", "db-007", "db-008"], "seed db-007..8/1"),
        ([], ""),
    ],
)
def test_names_are_packed_into_ranges_and_come_back_in_order(names, packed):
    assert pack(names) == packed
    assert unpack(packed) == names


@given(st.lists(st.from_regex(r"\A[a-z]{1,4}-?[0-9]{0,4}\Z"), max_size=30))
def test_any_names_come_back(names):
    assert unpack(pack(names)) == names


@pytest.mark.parametrize("name", ["", "db 1", "db..1", "db/1", "dä-1"])
def test_a_name_that_would_read_as_something_else_is_refused(name):
    with pytest.raises(ValueError, match="cannot be named"):
        pack([name])


def test_like_nodes_of_a_zone_are_one_call():
    order = replace(ORDER, nodes=nodes(7) + nodes(2, zones=ZONES[:1], role="client", stem="client-"))

    assert [(group.role, group.zone, pack(group.names)) for group in groups_of(order)] == [
        ("database", "us-east-1a", "db-0..6/3"),
        ("database", "us-east-1b", "db-1..4/3"),
        ("database", "us-east-1c", "db-2..5/3"),
        ("client", "us-east-1a", "client-0..1/1"),
    ]


def test_nodes_with_other_disks_are_another_call():
    plain, fast = nodes(2, zones=ZONES[:1]), nodes(2, zones=ZONES[:1], stem="fast-", disks=(DiskOrder("gp3", 1, 100),))

    assert [group.names for group in groups_of(replace(ORDER, nodes=plain + fast))] == [
        ("db-0", "db-1"),
        ("fast-0", "fast-1"),
    ]


def test_a_large_group_is_several_calls_of_a_hundred():
    groups = groups_of(replace(ORDER, nodes=nodes(250, zones=ZONES[:1])))

    assert [pack(group.names) for group in groups] == ["db-0..99/1", "db-100..199/1", "db-200..249/1"]


def test_names_that_do_not_fit_a_tag_are_spread_over_more_calls():
    odd = tuple(NodeRequest(f"a-rather-long-name-{n * n}", "database", "m5.large", None) for n in range(40))

    groups = groups_of(replace(ORDER, nodes=odd))

    assert [name for group in groups for name in group.names] == [node.name for node in odd]
    assert all(len(pack(group.names)) <= MAX_TAG_VALUE for group in groups)


def test_the_token_is_of_the_call_and_of_nothing_else():
    group = Group("database", "m5.large", "us-east-1a", (), ("db-0", "db-1"))
    token = group.token("site-a", "run-1")

    assert replace(group).token("site-a", "run-1") == token
    assert len(token) == 64
    others = {
        group.token("site-b", "run-1"),
        group.token("site-a", "run-2"),
        replace(group, zone="us-east-1b").token("site-a", "run-1"),
        replace(group, names=("db-0",)).token("site-a", "run-1"),
        replace(group, disks=(DiskOrder("gp3", 1, 100),)).token("site-a", "run-1"),
    }
    assert len(others | {token}) == 6

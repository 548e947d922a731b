"""Whether a cluster holds an amount of data, and was measured with as much for its memory."""

import json
from dataclasses import replace

import pytest

from submissions.questions.recommend.aggregate import ClusterKey
from submissions.questions.recommend.points import Point
from submissions.questions.recommend.ranking.capacity import Hardware, Machine, capacity_of, hardware_of

TB = 10**12 / 2**30  # GiB
POINT = Point(1, 145_212.0, 7.8, "service_time", is_of_slowest=True, is_throttled=False)
I4G = Hardware(memory_gib=6 * 128.0, disks_gib=6 * 3492.5)


def key(disks, *, is_scalable=True, machine="i4g.4xlarge", **group):
    layout = [json.dumps(disks), [], None]
    if not is_scalable:
        layout = [
            {"role": "database", "count": 3, "instance_type": machine, "disks": disks, "kind": "machines", **group}
        ]
    return ClusterKey("aws", "eu-west-1", "on_demand", machine, json.dumps(layout), is_scalable)


def of(asked, point=POINT, hardware=I4G, service="cassandra", copies=3):
    return capacity_of(point, hardware, service=service, replication_factor=copies, requested_gib=asked)


def test_disks_after_raid_are_shared_by_the_copies():
    assert of(TB).holds_gib == pytest.approx(6 * 3492.5 / 3)
    old = of(TB, POINT._replace(usable_share=0.5))
    assert (old.holds_gib, old.has_head_room) == (pytest.approx(6 * 3492.5 / 6), True)
    assert not of(TB).has_head_room
    assert of(TB).suffices
    assert not of(6_985.1).has_space
    assert of(6_985.0).has_space


def test_a_result_of_less_than_half_of_the_ratio_is_of_another_load():
    """93 GiB grew to about 1,970: a mean of 1,031 with 3 copies is 4 times the memory."""
    grown = POINT._replace(data_gib=1_031.5, data_to_memory=1_031.5 * 3 / 768)

    one, five = of(TB, grown), of(5 * TB, grown)

    assert (one.requested_to_memory, one.data_to_memory) == (
        pytest.approx(3.638, rel=1e-3),
        pytest.approx(4.029, rel=1e-3),
    )
    assert (one.suffices, one.is_unknown) == (True, False)
    assert (five.has_space, five.is_measured_alike) == (True, False)
    exactly_half = POINT._replace(data_gib=TB / 2, data_to_memory=TB / 2 * 3 / 768)
    assert of(TB, exactly_half).suffices
    assert not of(TB * 1.001, exactly_half).suffices


def test_the_ratio_is_unknown_where_the_memory_or_the_copies_are_and_the_amounts_still_compare():
    measured = POINT._replace(data_gib=10.0)

    unknown = of(TB, POINT)
    assert (unknown.suffices, unknown.is_unknown) == (True, True)
    without_copies = of(5.0, measured, copies=None)
    assert (without_copies.suffices, without_copies.is_unknown) == (True, True)
    assert not of(TB, measured, copies=None).suffices
    stated = POINT._replace(data_gib=10.0, data_to_memory=0.1)
    assert of(TB, stated, Hardware(None, 1e6)).requested_to_memory == pytest.approx(TB * 3 / 300)


@pytest.mark.parametrize("service", ["redis", "valkey", "memcached"])
def test_databases_in_memory_hold_what_fits_in_it(service):
    assert of(100.0, hardware=Hardware(64.0, 5_000.0), service=service, copies=1).holds_gib == 64.0
    assert of(100.0, hardware=Hardware(None, 5_000.0), service=service, copies=1).holds_gib is None
    assert not of(100.0, hardware=Hardware(None, 5_000.0), service=service, copies=1).suffices


def test_a_cluster_of_unknown_disks_holds_what_it_was_measured_with():
    managed = Hardware(6 * 128.0, None)
    measured = POINT._replace(data_gib=931.4, data_to_memory=3.64)

    assert of(TB, measured, managed).suffices
    assert not of(2 * TB, measured, managed).suffices
    assert not of(1.0, POINT, managed).suffices


def test_more_nodes_hold_more_and_the_least_number_is_that_of_both_limits():
    grown = POINT._replace(data_gib=1_031.5, data_to_memory=1_031.5 * 3 / 768)
    five = of(5 * TB, grown)

    least = five.least_nodes(6)

    assert least == 14  # 5 x 931.3 GiB of 6 x 1,031.5 x 2 / 6 a node
    assert five.of_nodes(least, 6).suffices
    assert not five.of_nodes(least - 1, 6).suffices
    assert of(TB, POINT, Hardware(768.0, None)).least_nodes(6) is None
    assert replace(five, requested_gib=None).least_nodes(6) == 1


def test_the_hardware_of_a_cluster_is_stated_or_that_of_its_machine_type():
    catalogue = {("aws", "i4g.4xlarge"): Machine(128.0, 3_492.5)}
    raid1 = [{"kind": "local-ssd", "count": 2, "size_gib": 100.0, "raid": "raid1"}]

    assert hardware_of(key([]), 6, catalogue) == (768.0, 6 * 3_492.5, False)
    assert hardware_of(key(raid1), 6, catalogue) == (768.0, pytest.approx(600.0), False)
    assert hardware_of(key([{"kind": "gp3"}]), 6, catalogue) == (768.0, None, False)
    assert hardware_of(key([]), 6, {}) == (None, None, False)
    assert hardware_of(key([], is_scalable=False), 3, catalogue) == (384.0, 3 * 3_492.5, False)
    assert hardware_of(key([], is_scalable=False, kind="managed"), 3, catalogue) == (384.0, None, True)

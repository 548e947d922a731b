"""Sizing: interpolated inside what was measured, proportional and marked outside, never too few nodes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from submissions.analysis.cluster_size.sizing import (
    MOST_NODES,
    DiskSet,
    Needed,
    Size,
    expected,
    in_proportion,
    nodes_needed,
    raw_tb,
    usable_tb,
)

# Netflix, July 2012: throughput of hi1.4xlarge nodes relative to the 48 + 36 nodes that they replace
SSD = (Size(12, 0.8), Size(15, 1.0))
MEASURED = (Size(6, 600.0), Size(12, 1000.0), Size(24, 1600.0))


def test_fifteen_ssd_nodes_replace_the_48_and_36():
    assert nodes_needed(SSD, 1.0, step=3, at_least=3) == Needed(15, 1.0, is_extrapolated=False, nearest=15)


@pytest.mark.parametrize(
    ("target", "needed"),
    [
        pytest.param(600, Needed(6, 600.0, False, 6), id="a measured size at the target"),
        pytest.param(700, Needed(8, pytest.approx(733.33, abs=0.01), False, 6), id="between: 600 + 2/6 of 400"),
        pytest.param(1000, Needed(12, 1000.0, False, 12), id="the next measured size"),
        pytest.param(1001, Needed(13, 1050.0, False, 12), id="one node more"),
        pytest.param(1600, Needed(24, 1600.0, False, 24), id="the largest"),
        pytest.param(3200, Needed(48, 3200.0, True, 24), id="twice the largest, in proportion to it"),
        pytest.param(300, Needed(3, 300.0, True, 6), id="below the smallest, in proportion to it"),
        pytest.param(1, Needed(1, 100.0, True, 6), id="next to nothing"),
    ],
)
def test_the_smallest_node_count_that_meets_a_target(target, needed):
    assert nodes_needed(MEASURED, target) == needed


def test_one_measured_size_scales_in_proportion_and_is_marked_unless_it_is_that_size():
    assert nodes_needed([Size(3, 300.0)], 300) == Needed(3, 300.0, False, 3)
    assert nodes_needed([Size(3, 300.0)], 301) == Needed(4, 400.0, True, 3)


def test_nodes_are_a_multiple_of_the_zones_and_at_least_the_replication_factor():
    assert nodes_needed(MEASURED, 700, step=3).node_count == 9
    assert nodes_needed(MEASURED, 1, at_least=3) == Needed(3, 300.0, True, 6)
    assert nodes_needed(MEASURED, 1, step=2, at_least=3).node_count == 4


def test_a_larger_cluster_that_did_less_is_not_taken():
    falling = (Size(6, 1000.0), Size(12, 900.0), Size(24, 1500.0))

    assert nodes_needed(falling, 1000).node_count == 6
    assert nodes_needed(falling, 1000, at_least=7) == Needed(14, 1000.0, False, 12)
    assert nodes_needed(falling, 1200, step=4).node_count == 20


def test_what_twice_the_largest_measured_size_does_not_reach_has_no_answer():
    assert nodes_needed(MEASURED, 3201) is None
    assert nodes_needed(MEASURED, 3200, step=5) is None  # 50 nodes
    assert nodes_needed([Size(3, 300.0)], 600).node_count == 6
    assert nodes_needed([Size(3, 300.0)], 601) is None
    assert nodes_needed([Size(MOST_NODES, 10.0)], 10.0).node_count == MOST_NODES
    assert nodes_needed([Size(MOST_NODES, 10.0)], 10.1) is None


@pytest.mark.parametrize(
    ("sizes", "target", "step"),
    [((), 1, 1), ((Size(3, 1.0), Size(3, 2.0)), 1, 1), (SSD, 0, 1), (SSD, float("nan"), 1), (SSD, 1, 0)],
)
def test_a_question_without_sense_is_refused(sizes, target, step):
    with pytest.raises(ValueError, match=r"at least one|twice|must be positive"):
        nodes_needed(sizes, target, step=step)


def test_caches_grow_in_proportion_and_are_never_too_few():
    assert in_proportion(36, of=48, to=48) == 36
    assert in_proportion(36, of=48, to=24) == 18
    assert in_proportion(36, of=48, to=25) == 19


def test_five_ssd_nodes_hold_ten_tb_which_is_one_zone_and_all_the_data():
    two_of_a_tb = [DiskSet(2, 10**12 / 2**30)]

    assert raw_tb(5, two_of_a_tb) == pytest.approx(10)
    assert usable_tb(15, two_of_a_tb, 3) == pytest.approx(10)


@pytest.mark.parametrize(
    ("raid", "count", "disks_worth"),
    [
        (None, 4, 4),
        ("none", 4, 4),
        ("raid0", 4, 4),
        ("raid1", 2, 1),
        ("raid10", 4, 2),
        ("raid5", 4, 3),
        ("raid6", 4, 2),
        ("raid5", 1, None),
        ("raid6", 2, None),
    ],
)
def test_a_raid_holds_what_its_copies_leave(raid, count, disks_worth):
    held = usable_tb(1, [DiskSet(count, 1000.0, raid)], 1)

    assert held == (None if disks_worth is None else pytest.approx(disks_worth * 1.073741824))


def test_usable_space_is_unknown_where_any_part_of_it_is():
    assert usable_tb(3, [], 3) is None
    assert usable_tb(3, [DiskSet(2, None)], 3) is None
    assert usable_tb(3, [DiskSet(2, 100.0), DiskSet(1, None)], 3) is None
    assert usable_tb(3, [DiskSet(2, 100.0)], None) is None


measured = st.lists(
    st.builds(Size, st.integers(1, 500), st.floats(1e-3, 1e9)), min_size=1, max_size=6, unique_by=lambda s: s.node_count
)


@given(
    sizes=measured,
    targets=st.tuples(st.floats(1e-6, 1e10), st.floats(1e-6, 1e10)),
    step=st.integers(1, 5),
    at_least=st.integers(1, 7),
)
@settings(max_examples=400, deadline=None)
def test_more_throughput_never_needs_fewer_nodes(sizes, targets, step, at_least):
    low, high = (nodes_needed(sizes, t, step=step, at_least=at_least) for t in sorted(targets))

    assert high is None or (low is not None and low.node_count <= high.node_count)


@given(sizes=measured, target=st.floats(1e-6, 1e10), step=st.integers(1, 5), at_least=st.integers(1, 7))
@settings(max_examples=400, deadline=None)
def test_the_answer_meets_the_target_and_one_step_less_does_not(sizes, target, step, at_least):
    needed = nodes_needed(sizes, target, step=step, at_least=at_least)

    if needed is None:
        return
    ordered = sorted(sizes, key=lambda size: size.node_count)
    assert needed.node_count % step == 0
    assert needed.node_count >= at_least
    assert needed.throughput >= target * (1 - 1e-9)
    smaller = needed.node_count - step
    assert smaller < at_least or smaller < 1 or expected(ordered, smaller) < target * (1 + 1e-9)

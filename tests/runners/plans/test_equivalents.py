"""The nearest type of another provider: sizes from the providers' own pages."""

from decimal import Decimal

import pytest

from runners.plans.equivalents import Difference, Equivalent, Hardware, nearest

M3 = Hardware("m3.2xlarge", 8, 30.0, 160.0, Decimal("0.532"))
M5 = Hardware("m5.2xlarge", 8, 32.0, 0.0, Decimal("0.384"))
T3 = Hardware("t3.2xlarge", 8, 32.0, 0.0, Decimal("0.3328"))
C5 = Hardware("c5.2xlarge", 8, 16.0, 0.0, Decimal("0.34"))
R5 = Hardware("r5.2xlarge", 8, 64.0, 0.0, Decimal("0.504"))
I3 = Hardware("i3.2xlarge", 8, 61.0, 1900.0, Decimal("0.624"))
M5_LARGER = Hardware("m5.4xlarge", 16, 64.0, 0.0, Decimal("0.768"))
AWS = [M5, T3, C5, R5, I3, M5_LARGER]
N1 = Hardware("n1-standard-8", 8, 30.0, None, Decimal("0.38"))
N1_HIGHMEM = Hardware("n1-highmem-8", 8, 52.0, None, Decimal("0.4736"))
N1_HIGHCPU = Hardware("n1-highcpu-8", 8, 7.2, None, Decimal("0.2836"))
GCE = [N1_HIGHCPU, N1_HIGHMEM, N1]


def test_the_same_size_elsewhere_is_found_and_its_disks_are_to_be_ordered():
    found = nearest(M3, GCE)

    assert found == Equivalent(M3, N1, (Difference("local disks", "160 GiB", "as ordered"),))
    assert str(found) == "n1-standard-8 instead of m3.2xlarge: local disks: as ordered instead of 160 GiB."


def test_a_little_more_memory_is_said():
    found = nearest(N1, AWS)

    assert found is not None
    assert found.match == M5
    assert [str(difference) for difference in found.differences] == [
        "memory: 32 GiB instead of 30 GiB",
        "local disks: none instead of as ordered",
    ]


def test_of_the_same_size_the_one_of_a_like_price_is_taken():
    assert [nearest(N1, types).match for types in ([T3, M5], [M5, T3])] == [M5, M5]


def test_a_type_with_local_disks_is_answered_by_one():
    storage = Hardware("n2-with-local", 8, 64.0, 1500.0)

    assert nearest(storage, AWS).match == I3


def test_processors_weigh_more_than_memory():
    assert nearest(Hardware("x", 16, 32.0, 0.0), AWS).match == M5_LARGER


def test_the_same_type_has_no_difference():
    found = nearest(M5, [Hardware("m6i.2xlarge", 8, 32.0, 0.0)])

    assert found.differences == ()
    assert str(found) == "m6i.2xlarge instead of m5.2xlarge: the same vCPUs, memory and local disks."


@pytest.mark.parametrize(("ours", "theirs"), [(15.0, 15.1), (30.5, 30.4), (None, None)])
def test_a_rounded_size_is_the_same_size(ours, theirs):
    wanted, offer = Hardware("a", 4, 16.0, ours), Hardware("b", 4, 16.0, theirs)

    assert nearest(wanted, [offer]).differences == ()


@pytest.mark.parametrize(
    ("wanted", "offered"),
    [
        (Hardware("x", None, 30.0), AWS),
        (Hardware("x", 8, None), AWS),
        (M3, []),
        (M3, [Hardware("y", None, None)]),
    ],
)
def test_what_is_unknown_has_no_equivalent(wanted, offered):
    assert nearest(wanted, offered) is None


def test_unknown_types_are_passed_over_and_equals_go_by_name():
    twins = [Hardware("z", 8, 30.0), Hardware("b", 8, 30.0), Hardware("a", None, 30.0)]

    assert nearest(Hardware("x", 8, 30.0), twins).match.name == "b"

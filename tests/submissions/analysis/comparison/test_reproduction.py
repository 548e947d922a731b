"""When two accounts' submissions reproduce each other."""

from dataclasses import replace

import pytest

from submissions.analysis.comparison import reproduction
from submissions.analysis.comparison.noise import WorkloadNoise
from submissions.analysis.comparison.reproduction import Cluster, Result, jdk_release_of, release_of
from submissions.choices import Trust

CLUSTER = Cluster(
    provider="aws",
    groups=(("database", "i3.2xlarge", 3),),
    disk_kind="local-ssd",
    service_version="4.1",
    jdk=("temurin", "11"),
    network=("native", "none"),
)
FIRST = Result(
    account=1,
    organisations=frozenset({"one.example"}),
    trust=Trust.LOG_VERIFIED,
    is_excluded=False,
    throughputs=(100_000.0, 102_000.0, 98_000.0),
    cluster=CLUSTER,
    raw_files=frozenset({"a"}),
)
SECOND = replace(
    FIRST,
    account=2,
    organisations=frozenset({"two.example"}),
    throughputs=(101_000.0, 99_500.0, 97_000.0),
    raw_files=frozenset({"b"}),
)


def reproduce_each_other(one, other):
    return reproduction.reproduce_each_other(one, other, WorkloadNoise())


def test_two_accounts_that_agree_reproduce_each_other():
    assert reproduce_each_other(FIRST, SECOND)
    assert reproduce_each_other(SECOND, FIRST)


@pytest.mark.parametrize(
    "changes",
    [
        {"account": 1},
        {"account": None},
        {"organisations": frozenset()},
        {"organisations": frozenset({"one.example", "two.example"})},
        {"trust": Trust.UPLOADED},
        {"trust": Trust.HISTORICAL},
        {"is_excluded": True},
        {"throughputs": (101_000.0,)},
        {"throughputs": ()},
        {"throughputs": (80_000.0, 81_000.0, 79_500.0)},  # differs
        {"throughputs": (100_000.0, 140_000.0, 70_000.0)},  # agrees with anything
        {"throughputs": (98_000.0, 100_000.0, 102_000.0)},  # the same figures in another order
        {"raw_files": frozenset({"a", "c"})},  # the same log
        {"cluster": None},
        {"cluster": replace(CLUSTER, provider="gce")},
        {"cluster": replace(CLUSTER, groups=(("database", "i3.2xlarge", 4),))},
        {"cluster": replace(CLUSTER, groups=(("cache", "r5.large", 1), ("database", "i3.2xlarge", 3)))},
        {"cluster": replace(CLUSTER, disk_kind=None)},
        {"cluster": replace(CLUSTER, service_version="4.0")},
        {"cluster": replace(CLUSTER, jdk=("temurin", "17"))},
        {"cluster": replace(CLUSTER, network=("native", "node"))},
    ],
)
def test_what_is_not_independent_equal_and_close_does_not(changes):
    other = replace(SECOND, **changes)

    assert not reproduce_each_other(FIRST, other)
    assert not reproduce_each_other(other, FIRST)


def test_the_interval_must_be_narrow():
    """Two trials each, 30 % apart: the means agree, but the interval is over 25 % wide."""
    one = replace(FIRST, throughputs=(100_000.0, 130_000.0))
    other = replace(SECOND, throughputs=(101_000.0, 129_500.0))

    assert not reproduce_each_other(one, other)
    assert reproduce_each_other(
        replace(one, throughputs=(100_000.0, 102_000.0)), replace(other, throughputs=(100_500.0, 101_500.0))
    )


def test_launches_of_two_accounts_may_differ_by_what_launches_do():
    """1 % between the trials of each and 4 % between the two: other launches, and nothing that trials could tell."""
    other = replace(SECOND, throughputs=(104_000.0, 103_000.0, 105_000.0))

    assert reproduce_each_other(FIRST, other)
    assert not reproduce_each_other(FIRST, replace(other, throughputs=(112_000.0, 111_000.0, 113_000.0)))


@pytest.mark.parametrize(
    ("version", "release"),
    [("2.1.8", "2.1"), ("5.0-rc1", "5.0"), ("16", "16"), ("v7.2.4", "7.2"), ("main", "main"), (None, None)],
)
def test_a_release_is_major_and_minor(version, release):
    assert release_of(version) == release


@pytest.mark.parametrize(
    ("version", "release"),
    [
        ("8u51", "8"),
        ("1.8.0_51", "8"),
        ("11.0.2", "11"),
        ("17.0.2+8", "17"),
        ("21-ea", "21"),
        ("1.7", "7"),
        (None, None),
    ],
)
def test_a_jdk_release_is_its_major_number(version, release):
    assert jdk_release_of(version) == release

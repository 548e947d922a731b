"""The dated table of what makers support, and which versions its cycles have."""

import re
from datetime import date, timedelta

import pytest

from submissions.age.end_of_life import Kind, cycle_of, past_patterns, read, table, write
from submissions.vocabulary import slug

TODAY = date(2026, 11, 23)


def test_every_line_of_the_table_has_its_day_and_its_source_and_no_version_has_two_lines():
    cycles = read()

    assert all(one.source.startswith("https://") for one in cycles)
    assert all(date(2023, 1, 1) < one.as_of <= TODAY for one in cycles)
    assert all(one.product == slug(one.product) for one in cycles)
    for (kind, product), own in table().items():
        for one in own:
            matching = [other for other in own if re.search(other.pattern, one.cycle)]
            assert matching == [one], f"{kind} {product} {one.cycle}"


@pytest.mark.parametrize(
    ("kind", "product", "version", "cycle"),
    [
        (Kind.SERVICE, "cassandra", "3.11.2", "3.11"),
        (Kind.SERVICE, "cassandra", "3.11", "3.11"),
        (Kind.SERVICE, "cassandra", "4.0-beta1", "4.0"),
        (Kind.SERVICE, "postgresql", "17.2 (Debian 17.2-1)", "17"),
        (Kind.SERVICE, "mongodb", "v7.0.5", "7.0"),
        (Kind.JDK, "oracle", "8u51", "8"),
        (Kind.JDK, "oracle", "1.8.0_252", "8"),
        (Kind.JDK, "temurin", "17.0.4", "17"),
    ],
)
def test_a_version_is_of_its_cycle(kind, product, version, cycle):
    assert cycle_of(kind, product, version).cycle == cycle


@pytest.mark.parametrize(
    ("kind", "product", "version"),
    [
        (Kind.SERVICE, "cassandra", "3.7"),  # between the cycles that are known
        (Kind.SERVICE, "cassandra", "3"),
        (Kind.SERVICE, "cassandra", "e9425cb3eb1dff1d"),
        (Kind.SERVICE, "cassandra", None),
        (Kind.SERVICE, "aerospike", "6.2"),
        (Kind.SERVICE, "postgresql", "170"),
        (Kind.JDK, "openjdk", "8u252"),  # builds of many makers
        (Kind.JDK, None, "8u252"),
        (Kind.JDK, "temurin", "80"),
    ],
)
def test_what_is_not_in_the_table_is_not_known(kind, product, version):
    assert cycle_of(kind, product, version) is None


def test_a_version_is_past_its_end_of_life_from_the_day_after_the_last_one():
    cycle = cycle_of(Kind.SERVICE, "postgresql", "14.1")

    assert cycle.eol == date(2026, 11, 12)
    assert not cycle.is_past(cycle.eol)
    assert cycle.is_past(cycle.eol + timedelta(days=1))


def test_a_cycle_without_a_known_end_is_never_past():
    assert not cycle_of(Kind.SERVICE, "cassandra", "4.1.3").is_past(date(2050, 1, 1))


def test_the_patterns_of_a_day_match_exactly_the_versions_that_are_past():
    patterns = past_patterns(Kind.SERVICE, TODAY)

    for one in read():
        if one.kind == Kind.SERVICE:
            pattern = patterns.get(one.product)
            assert bool(pattern and re.search(pattern, f"{one.cycle}.1")) == one.is_past(TODAY), one


def test_the_table_is_written_as_it_is_read(tmp_path):
    write(read(), tmp_path / "copy.csv")

    assert read(tmp_path / "copy.csv") == read()

"""Names, labels and request ids: they follow from the run alone, and GCE takes them."""

import uuid
from datetime import UTC, datetime, timedelta, timezone

import pytest

from runners.providers.base import DiskOrder, ProviderError
from runners.providers.gce.groups import Group, is_of_run
from runners.providers.gce.labels import Labels, described, expiry, from_description

EXPIRES_AT = datetime(2031, 5, 1, 12, 30, tzinfo=UTC)
TAG = "benchsite-run-abcdefghijkm"  # as long as they are


def test_a_machines_name_is_its_runs_its_sites_and_its_nodes():
    labels = Labels("s0123456789ab", TAG)

    assert labels.name_of("client-59") == "benchsite-run-abcdefghijkm-s0123456789ab-client-59"
    assert labels.node_of("benchsite-run-abcdefghijkm-s0123456789ab-client-59") == "client-59"
    assert labels.node_of("something-else") == "something-else"


def test_the_longest_site_leaves_room_for_the_longest_node():
    name = Labels("a" * 20, TAG).name_of("client-999")

    assert name == f"{TAG}-{'a' * 20}-client-999"
    assert len(name) == 58


def test_a_name_that_is_too_long_is_cut_and_still_ones_own():
    first, second = Labels("site", "a" * 60 + "1"), Labels("site", "a" * 60 + "2")

    assert first.prefix == "a" * 37 + "-97610641040e"  # sha256 of the whole
    assert len(first.prefix) == 50
    assert first.prefix != second.prefix
    assert first.prefix == Labels("site", "a" * 60 + "1").prefix


@pytest.mark.parametrize("node", ["db_0", "DB-0", "db-", "x" * 60, ""])
def test_a_node_that_cannot_name_a_machine_is_refused(node):
    with pytest.raises(ProviderError, match="a GCE machine cannot be named"):
        Labels("site", "run-1").name_of(node)


def test_labels_hold_what_the_sweep_needs_in_letters_that_gce_takes():
    labels = Labels("site-a", "run-1", "Jané.Doe@example.org" + "x" * 60, EXPIRES_AT)

    values = labels.values(benchsite_role="database")

    assert values == {
        "benchsite_site": "site-a",
        "benchsite_run": "run-1",
        "benchsite_owner": "jan__doe_example_org" + "x" * 43,
        "benchsite_expires_at": "1935405000",
        "benchsite_role": "database",
    }
    assert expiry(values) == EXPIRES_AT


def test_another_time_zone_is_the_same_moment():
    there = EXPIRES_AT.astimezone(timezone(timedelta(hours=5)))

    assert Labels("s", "r", expires_at=there).values()["benchsite_expires_at"] == "1935405000"


def test_nothing_is_made_without_its_end():
    with pytest.raises(ValueError, match="nothing is created without the time"):
        Labels("site", "run-1").values()


@pytest.mark.parametrize("tag", ['x" OR labels.y = "z', "Run-1", "a" * 64, "run 1"])
def test_a_tag_that_is_no_label_gets_into_no_filter(tag):
    with pytest.raises(ProviderError, match="GCE does not allow the label"):
        _ = Labels("site", tag).of_run


@pytest.mark.parametrize("values", [{}, {"benchsite_expires_at": "soon"}, {"benchsite_expires_at": "9" * 30}])
def test_a_broken_expiry_is_none(values):
    assert expiry(values) is None


def test_a_description_holds_labels_and_others_hold_none():
    values = {"benchsite_run": "run-1", "benchsite_site": "site-a"}

    assert from_description(described(values)) == values
    assert [from_description(text) for text in ("", "ssh from the office", "[1]", "null")] == [{}, {}, {}, {}]


def group(**changes):
    disks = (DiskOrder("pd-ssd", 1, 100),)
    given = {"role": "database", "instance_type": "n2-standard-8", "zone": "a", "disks": disks, "names": ("db-0",)}
    return Group(**{**given, **changes})


def test_a_request_id_is_a_uuid_of_its_run():
    id_ = group().request_id("site-a", "run-1", 0)

    assert uuid.UUID(id_).version == 5
    assert id_ == group().request_id("site-a", "run-1", 0)
    assert is_of_run(id_, "site-a", "run-1")
    assert not is_of_run(id_, "site-a", "run-12")
    assert not is_of_run(id_, "site-b", "run-1")
    assert not is_of_run("", "site-a", "run-1")
    assert not is_of_run("no uuid", "site-a", "run-1")


def test_calls_that_make_different_machines_have_different_request_ids():
    ids = [
        group().request_id("site-a", "run-1", 0),
        group().request_id("site-a", "run-1", 1),
        group().request_id("site-a", "run-2", 0),
        group().request_id("site-b", "run-1", 0),
        group(role="client").request_id("site-a", "run-1", 0),
        group(zone="b").request_id("site-a", "run-1", 0),
        group(instance_type="n2-standard-4").request_id("site-a", "run-1", 0),
        group(disks=()).request_id("site-a", "run-1", 0),
        group(names=("db-0", "db-1")).request_id("site-a", "run-1", 0),
    ]

    assert len(set(ids)) == len(ids)

"""What the tear-down believes and deletes, and what the sweep finds."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from google.cloud import compute_v1

from runners.providers.base import Leftover, NotAllowed, TryAgain
from runners.providers.gce import compute
from runners.providers.gce.labels import Labels
from runners.providers.gce.operations import may_yet_appear
from tests.lab.gce_errors import GceError
from tests.runners.providers.contract import EXPIRES_AT, clear, order_for
from tests.runners.providers.gce_cloud import sent


def test_terminate_waits_for_machines_that_are_being_made(api, cloud, provider, order):
    api.machines.operations.seconds = 0.5
    api.faults.unknown(60)
    api.faults.lose_answers("instances.bulkInsert")
    with pytest.raises(TryAgain):
        provider.launch(order)

    assert provider.terminate(order.tag, cloud.region) is False
    assert api.calls["firewalls.delete"] == 0

    api.faults.unknown(0)
    clear(cloud, provider, order.tag)
    assert provider.leftovers(cloud.region) == []


def operation(kind, *, ended_at=None, error=None, target="z/instances/db-0"):
    status = compute_v1.Operation.Status.DONE if ended_at else compute_v1.Operation.Status.RUNNING
    found = compute_v1.Operation(
        operation_type=kind,
        status=status,
        target_link=target,
        insert_time="2026-01-01T11:00:00+00:00",
        end_time=ended_at or "",
    )
    if error:
        found.error = compute_v1.Error(errors=[compute_v1.Errors(code=error)])
    return found


BEFORE = "2026-01-01T04:50:00.000-07:00"  # ten minutes before noon, as Google writes it
JUST_NOW = "2026-01-01T04:58:00.000-07:00"


@pytest.mark.parametrize(
    ("operations", "may_appear"),
    [
        ([], False),
        ([operation("insert")], True),
        ([operation("insert", ended_at=JUST_NOW)], True),
        ([operation("insert", ended_at=BEFORE)], False),  # listed by now, or gone in a way of which we know nothing
        ([operation("insert", ended_at=JUST_NOW, error="QUOTA_EXCEEDED")], False),
        ([operation("insert", ended_at=JUST_NOW), operation("delete", ended_at=JUST_NOW)], False),
        ([operation("insert", ended_at=JUST_NOW), operation("delete")], True),
        ([operation("insert", ended_at=JUST_NOW), operation("compute.instances.preempted", ended_at=JUST_NOW)], False),
        ([operation("insert", ended_at=JUST_NOW), operation("delete", ended_at=JUST_NOW, error="X")], True),
        ([operation("insert", ended_at=JUST_NOW), operation("delete", ended_at=JUST_NOW, target="db-1")], True),
    ],
)
def test_an_empty_list_is_believed_when_the_operations_agree(place, monkeypatch, operations, may_appear):
    def listed(place, text):
        return [] if "bulkInsert" in text else [("us-central1-a", one) for one in operations]

    monkeypatch.setattr(compute, "operations", listed)
    noon = datetime(2026, 1, 1, 12, tzinfo=UTC)

    assert may_yet_appear(place, Labels("site-a", "run-1"), noon) is may_appear


def test_a_disk_that_stayed_behind_is_deleted_and_one_of_others_is_not(api, cloud, provider):
    labels = {"benchsite_site": "site-a", "benchsite_run": "run-1"}
    with api.machines.lock:
        api.machines.add_disk("lab", "us-central1-f", "behind", {"diskSizeGb": 10, "labels": labels})
        api.machines.add_disk("lab", "us-central1-f", "theirs", {"diskSizeGb": 10, "labels": {"team": "x"}})

    assert provider.leftovers(None) == [Leftover("disk", "us-central1-f/behind", "run-1", None, "us-central1")]
    clear(cloud, provider, "run-1")

    assert list(api.machines.disks) == [("us-central1-f", "theirs")]


def test_leftovers_are_of_every_kind_and_every_region(api, cloud, provider):
    provider.launch(order_for(cloud, databases=1, clients=0))
    elsewhere = order_for(cloud, "run-9", databases=1, clients=0)
    node = replace(elsewhere.nodes[0], zone="europe-west1-b")
    provider.launch(replace(elsewhere, region="europe-west1", nodes=(node,)))

    here, everywhere = provider.leftovers(cloud.region), provider.leftovers(None)

    assert here == [
        Leftover("instance", "us-central1-a/run-1-site-a-db-0", "run-1", EXPIRES_AT, "us-central1"),
        Leftover("disk", "us-central1-a/run-1-site-a-db-0", "run-1", EXPIRES_AT, "us-central1"),
        Leftover("firewall", "run-1-site-a-ssh", "run-1", EXPIRES_AT, "us-central1"),
        Leftover("firewall", "run-1-site-a-internal", "run-1", EXPIRES_AT, "us-central1"),
    ]
    assert {(left.tag, left.region) for left in everywhere} == {("run-1", "us-central1"), ("run-9", "europe-west1")}
    assert len(everywhere) == 8


def test_firewall_rules_of_others_are_left_alone(api, cloud, provider, order):
    provider.launch(order)
    with api.machines.lock:
        for name, description in (("ssh", ""), ("json", '["benchsite_site"]'), ("text", "{not json")):
            api.machines.firewalls[name] = {"name": name, "description": description}

    clear(cloud, provider, order.tag)

    assert sorted(api.machines.firewalls) == ["json", "ssh", "text"]


def test_a_deletion_without_the_right_says_so(api, cloud, provider, order, monkeypatch):
    provider.launch(order)
    act = api.act

    def no_deletion(method, path, query, content):
        if method.id == "instances.delete":
            raise GceError(403, "forbidden", "Required 'compute.instances.delete' permission for 'x'")
        return act(method, path, query, content)

    monkeypatch.setattr(api, "act", no_deletion)

    with pytest.raises(NotAllowed, match=r"forbidden: Required 'compute\.instances\.delete' permission"):
        provider.terminate(order.tag, cloud.region)


def test_everything_is_labelled_when_it_is_made_and_nothing_later(api, cloud, provider, order):
    provider.launch(order)

    assert not [method for method in api.calls if "setLabels" in method or "patch" in method.lower()]
    for body in sent(api, "instances.bulkInsert"):
        given = [body["instanceProperties"]["labels"]]
        given += [disk["initializeParams"]["labels"] for disk in body["instanceProperties"]["disks"]]
        assert {(one["benchsite_run"], one["benchsite_expires_at"]) for one in given} == {("run-1", "1935405000")}


@pytest.fixture
def lose_zone_b(api, monkeypatch):
    """Zone b of us-central1 has an outage: GCE lists the others, and says so."""
    by_zone = api.api.by_zone

    def without(path, query, key, kind, things):
        answer = by_zone(path, query, key, kind, [one for one in things if "us-central1-b" not in one["zone"]])
        return {**answer, "unreachables": ["zones/us-central1-b"]}

    return lambda: monkeypatch.setattr(api.api, "by_zone", without)


def test_the_sweep_sees_the_other_zones_while_one_does_not_answer(cloud, provider, order, lose_zone_b):
    provider.launch(order)
    lose_zone_b()
    unseen = {}

    found = provider.leftovers(None, unseen)

    assert {left.provider_id.partition("/")[0] for left in found if left.kind == "instance"} == {
        "us-central1-a",
        "us-central1-c",
    }
    assert unseen == {"us-central1-b": "GCE cannot reach it now"}
    with pytest.raises(TryAgain):
        provider.leftovers(None)


def test_a_zone_that_does_not_answer_keeps_no_machine_of_the_others_alive(api, cloud, provider, order, lose_zone_b):
    provider.launch(order)
    lose_zone_b()

    with pytest.raises(TryAgain, match="us-central1-b: GCE cannot reach it now"):
        provider.terminate(order.tag, cloud.region)
    cloud.settle()

    assert {zone for zone, _ in api.machines.machines} == {"us-central1-b"}


def test_a_list_that_fails_is_reported_and_the_others_are_seen(api, cloud, provider, order):
    provider.launch(order)
    api.faults.throttle(actions=["disks.aggregatedList"])
    unseen = {}

    found = provider.leftovers(None, unseen)

    assert {left.kind for left in found} == {"instance", "firewall"}
    assert list(unseen) == ["disks"]

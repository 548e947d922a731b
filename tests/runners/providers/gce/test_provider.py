"""What the GCE provider makes of GCE's lists, operations and faults beyond the contract; and how often it asks."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from runners.choices import NodeState
from runners.providers.base import NoCapacity, QuotaExceeded, TryAgain
from runners.providers.gce import compute, network, operations, shapes
from runners.providers.gce.labels import Labels
from tests.runners.providers.clouds import Fault
from tests.runners.providers.contract import clear, ids, names, order_for

# how many calls


def test_calls_grow_with_zones_and_pages_and_not_with_nodes(api, cloud, provider):
    order = order_for(cloud, databases=288, clients=60)

    machines = provider.launch(order)
    launched = dict(api.calls)
    cloud.settle()
    api.calls.clear()
    provider.machines(order.tag, cloud.region)
    looked = dict(api.calls)
    api.calls.clear()
    clear(cloud, provider, order.tag)

    assert names(machines) == names(order.nodes)
    assert launched == {
        "instances.aggregatedList": 1,
        "machineTypes.aggregatedList": 1,
        "globalOperations.aggregatedList": 1,
        "images.getFromFamily": 1,
        "firewalls.insert": 2,
        "globalOperations.wait": 2,
        "instances.bulkInsert": 4,  # 96 database nodes in each of three zones, 60 clients in the first
        "zoneOperations.wait": 4,
        "firewalls.get": 1,
    }
    assert looked == {"instances.aggregatedList": 1}
    assert api.calls.pop("instances.delete") == 348  # GCE has no call that deletes many
    assert api.calls.pop("firewalls.delete") == 2
    assert sum(api.calls.values()) <= 20


def test_further_pages_are_read(api, cloud, provider, order, monkeypatch):
    provider.launch(order)
    monkeypatch.setattr(compute, "PAGE", 2)
    api.calls.clear()

    assert names(provider.machines(order.tag, cloud.region)) == names(order.nodes)
    assert api.calls == {"instances.aggregatedList": 2}
    assert len(provider.leftovers(cloud.region)) == 10  # four machines, four disks, two rules


def test_a_launch_of_what_runs_costs_one_look(api, cloud, provider, order):
    provider.launch(order)
    cloud.settle()
    api.calls.clear()

    provider.launch(order)

    assert api.calls == {"instances.aggregatedList": 1}


# crashes, failures, late workers


@pytest.mark.parametrize("method", ["firewalls.insert", "zoneOperations.wait", "images.getFromFamily"])
def test_a_lost_answer_on_the_way_leaves_one_of_each(api, cloud, order, method):
    api.faults.lose_answers(method)
    with pytest.raises(TryAgain, match="GCE did not answer: ConnectionError"):
        cloud.provider().launch(order)

    cloud.provider().launch(order)

    assert len(cloud.created(order.tag)) == 4
    kinds = sorted(left.kind for left in cloud.provider().leftovers(cloud.region))
    assert kinds == ["disk"] * 4 + ["firewall"] * 2 + ["instance"] * 4


def test_each_failed_attempt_is_followed_by_one_of_its_own(api, cloud, provider, order):
    for _ in range(3):
        with cloud.fail(Fault.QUOTA), pytest.raises(QuotaExceeded):
            provider.launch(order)

    assert names(provider.launch(order)) == names(order.nodes)
    asked = [query["requestId"] for method, query, _ in api.requests if method == "instances.bulkInsert"]
    assert len(set(asked)) == len(asked)
    assert len(cloud.created(order.tag)) == 4


def test_a_quota_that_refuses_the_request_itself_is_a_quota(api, cloud, provider, order):
    api.api.quota_in_operation = False
    api.faults.quota()

    with pytest.raises(QuotaExceeded, match=r"quotaExceeded: Quota 'CPUS' exceeded"):
        provider.launch(order)


def test_a_worker_that_wakes_up_after_the_teardown_leaves_nothing(cloud, order, monkeypatch):
    bulk_insert = compute.bulk_insert

    def asleep_before_it(place, zone, **request):
        monkeypatch.setattr(compute, "bulk_insert", bulk_insert)
        clear(cloud, cloud.provider(), order.tag)
        return bulk_insert(place, zone, **request)

    monkeypatch.setattr(compute, "bulk_insert", asleep_before_it)
    with pytest.raises(TryAgain, match="the run was torn down meanwhile; its new machines are deleted"):
        cloud.provider().launch(order)
    cloud.settle()

    assert len(cloud.created(order.tag)) == 4
    assert cloud.provider().leftovers(cloud.region) == []


@pytest.mark.parametrize(
    ("module", "call"),
    [(shapes, "find_shapes"), (operations, "creations"), (network, "firewall_rules"), (compute, "bulk_insert")],
)
def test_a_worker_that_sleeps_anywhere_in_a_launch_leaves_nothing_after_the_teardown(
    cloud, order, monkeypatch, module, call
):
    """Asleep before its firewall rules, it would make them anew, and find them there after the machines."""
    torn_down, awake = [], getattr(module, call)
    order = replace(order, is_wanted=lambda: not torn_down)

    def asleep_before_it(*args, **kwargs):
        monkeypatch.setattr(module, call, awake)
        clear(cloud, cloud.provider(), order.tag)
        torn_down.append(order.tag)
        return awake(*args, **kwargs)

    monkeypatch.setattr(module, call, asleep_before_it)
    with pytest.raises(TryAgain):
        cloud.provider().launch(order)

    assert torn_down
    cloud.settle()
    assert cloud.provider().machines(order.tag, cloud.region) == []


def test_a_part_of_a_group_without_its_operation_is_waited_for_and_not_made_again(api, cloud, provider, monkeypatch):
    order = order_for(cloud, databases=6, clients=0)
    provider.launch(order)
    cloud.settle()
    with api.machines.lock:
        del api.machines.machines["us-central1-a", "run-1-site-a-db-0"]
    monkeypatch.setattr(operations, "creations", lambda place, labels: {})

    with pytest.raises(TryAgain, match="GCE lists 1 of 2 machines that were created in one call"):
        provider.launch(order)

    assert len(cloud.created(order.tag)) == 6


def test_a_machine_that_someone_deleted_is_not_made_again(cloud, provider, order, place):
    provider.launch(order)
    cloud.settle()
    place.clients.instances.delete_unary(project=place.project, zone="us-central1-a", instance="run-1-site-a-db-0")
    cloud.settle()

    again = provider.launch(order)

    assert names(again) == names(order.nodes)
    assert names(provider.machines(order.tag, cloud.region)) == ["client-0", "db-1", "db-2"]
    assert len(cloud.created(order.tag)) == 4


def test_an_operation_that_takes_too_long_is_asked_for_again_later(api, cloud, order, monkeypatch):
    monkeypatch.setattr(compute, "WAIT_SECONDS", 0.0)
    with pytest.raises(TryAgain, match="GCE has not finished yet: insert operation-"):
        cloud.provider().launch(order)  # the firewall rule is not there yet
    cloud.settle()
    with pytest.raises(TryAgain, match="GCE has not finished yet: bulkInsert operation-"):
        cloud.provider().launch(order)
    cloud.settle()

    assert names(cloud.provider().launch(order)) == names(order.nodes)
    assert len(cloud.created(order.tag)) == 4


def test_a_zone_that_cannot_be_seen_is_not_an_empty_one(api, cloud, provider, order, monkeypatch):
    provider.launch(order)
    by_zone = api.api.by_zone

    def without(path, query, key, kind, things):
        answer = by_zone(path, query, key, kind, [one for one in things if "us-central1-b" not in one["zone"]])
        return {**answer, "unreachables": ["zones/us-central1-b"]}

    monkeypatch.setattr(api.api, "by_zone", without)

    with pytest.raises(TryAgain, match="GCE cannot reach zones/us-central1-b now"):
        provider.machines(order.tag, cloud.region)
    assert provider.machines(order.tag, "europe-west1") == []


# machines


def test_a_machine_tells_its_addresses_and_when_it_was_made(api, cloud, provider, order):
    before = datetime.now(UTC)
    provider.launch(order)
    cloud.settle()

    (machine,) = (one for one in provider.machines(order.tag, cloud.region) if one.name == "db-1")

    body = api.machines.machines["us-central1-b", "run-1-site-a-db-1"].body
    assert machine.provider_id == "us-central1-b/run-1-site-a-db-1"
    assert machine.address == body["networkInterfaces"][0]["accessConfigs"][0]["natIP"]
    assert machine.private_address == body["networkInterfaces"][0]["networkIP"]
    assert before - timedelta(seconds=1) < machine.launched_at < datetime.now(UTC)


def test_a_machine_that_stopped_is_lost_and_not_interrupted(api, cloud, provider, order):
    provider.launch(order)
    cloud.settle()
    with api.machines.lock:
        api.machines.machines["us-central1-a", "run-1-site-a-db-0"].body["status"] = "TERMINATED"

    found = {m.name: m for m in provider.machines(order.tag, cloud.region)}

    assert (found["db-0"].state, found["db-0"].is_interrupted) == (NodeState.LOST, False)
    assert found["db-1"].state == NodeState.RUNNING


def test_a_spot_machine_is_remembered_when_gce_lists_it_no_more(cloud, provider, order):
    launched = provider.launch(replace(order, spot=True))
    cloud.settle()
    for machine in launched:
        cloud.interrupt(machine)
    leaving = provider.machines(order.tag, cloud.region)
    cloud.settle()
    gone = provider.machines(order.tag, cloud.region)

    for seen in (leaving, gone):
        assert ids(seen) == ids(launched)
        assert {(m.state, m.is_interrupted) for m in seen} == {(NodeState.LOST, True)}
    assert compute.instances(provider.place(cloud.region), Labels("site-a", order.tag).of_run) == []
    assert provider.launch(replace(order, spot=True)) is not None
    assert len(cloud.created(order.tag)) == 4


def test_a_run_whose_name_begins_like_anothers_has_its_own_interruptions(cloud, provider):
    for tag in ("run-1", "run-12"):
        launched = provider.launch(replace(order_for(cloud, tag, databases=1, clients=0), spot=True))
    cloud.settle()
    cloud.interrupt(launched[0])

    assert [m.is_interrupted for m in provider.machines("run-12", cloud.region)] == [True]
    assert [m.is_interrupted for m in provider.machines("run-1", cloud.region)] == [False]


# a full zone


def test_a_full_zone_is_named_when_the_order_leaves_the_zone_open_and_another_takes_all(api, cloud, provider, order):
    order = replace(order, nodes=tuple(replace(node, zone=None) for node in order.nodes))
    with cloud.fail(Fault.NO_CAPACITY, zone="us-central1-a"), pytest.raises(NoCapacity) as full:
        provider.launch(order)

    moved = replace(order, full_zones=("us-central1-a",))
    with cloud.hide_new():  # the worker dies, and GCE does not list the machines yet
        first = provider.launch(moved)
        again = cloud.provider().launch(moved)

    assert (full.value.zone, full.value.instance_type) == ("us-central1-a", order.nodes[0].instance_type)
    assert {machine.zone for machine in first} == {"us-central1-b"}
    assert ids(again) == ids(first)
    assert len(cloud.created(order.tag)) == len(order.nodes)


def test_a_full_zone_that_the_order_names_is_the_end(cloud, provider, order):
    with cloud.fail(Fault.NO_CAPACITY), pytest.raises(NoCapacity) as full:
        provider.launch(order)

    assert full.value.zone is None


def test_a_teardown_lists_machines_alone_as_long_as_there_are_any(api, cloud, provider, order):
    """Each of these lists is a heavy read, of which a project has 750 a minute."""
    provider.launch(order)
    api.calls.clear()

    assert provider.terminate(order.tag, cloud.region) is False

    assert {name: count for name, count in api.calls.items() if "List" in name} == {"instances.aggregatedList": 1}

"""What the GCE provider makes of GCE's lists, operations and faults beyond the contract; and how often it asks."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from google.cloud import compute_v1

from runners.choices import NodeState
from runners.providers.base import Leftover, NotAllowed, QuotaExceeded, TryAgain
from runners.providers.gce import compute, history
from runners.providers.gce.labels import Labels
from tests.lab.gce_errors import GceError
from tests.runners.providers.clouds import Fault
from tests.runners.providers.contract import EXPIRES_AT, clear, ids, names, order_for
from tests.runners.providers.gce_cloud import sent


@pytest.fixture
def order(cloud):
    return order_for(cloud)


@pytest.fixture
def provider(cloud):
    return cloud.provider()


@pytest.fixture
def place(cloud, provider):
    return provider._place(cloud.region)


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
    with pytest.raises(TryAgain, match="the run was torn down meanwhile; what was made for it is deleted"):
        cloud.provider().launch(order)
    cloud.settle()

    assert len(cloud.created(order.tag)) == 4
    assert cloud.provider().leftovers(cloud.region) == []


def test_a_part_of_a_group_without_its_operation_is_waited_for_and_not_made_again(api, cloud, provider, monkeypatch):
    order = order_for(cloud, databases=6, clients=0)
    provider.launch(order)
    cloud.settle()
    with api.machines.lock:
        del api.machines.machines["us-central1-a", "run-1-site-a-db-0"]
    monkeypatch.setattr(history, "creations", lambda place, labels: {})

    with pytest.raises(TryAgain, match="GCE lists 1 of 2 machines that were made in one call"):
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
    with pytest.raises(TryAgain, match="GCE is still at it: insert operation-"):
        cloud.provider().launch(order)  # the firewall rule is not there yet
    cloud.settle()
    with pytest.raises(TryAgain, match="GCE is still at it: bulkInsert operation-"):
        cloud.provider().launch(order)
    cloud.settle()

    assert names(cloud.provider().launch(order)) == names(order.nodes)
    assert len(cloud.created(order.tag)) == 4


def test_a_zone_that_cannot_be_seen_is_not_an_empty_one(api, cloud, provider, order, monkeypatch):
    provider.launch(order)
    by_zone = api.api._by_zone

    def without(path, query, key, kind, things):
        answer = by_zone(path, query, key, kind, [one for one in things if "us-central1-b" not in one["zone"]])
        return {**answer, "unreachables": ["zones/us-central1-b"]}

    monkeypatch.setattr(api.api, "_by_zone", without)

    with pytest.raises(TryAgain, match="GCE cannot see zones/us-central1-b now"):
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
    assert compute.instances(provider._place(cloud.region), Labels("site-a", order.tag).of_run) == []
    assert provider.launch(replace(order, spot=True)) is not None
    assert len(cloud.created(order.tag)) == 4


def test_a_run_whose_name_begins_like_anothers_has_its_own_interruptions(cloud, provider):
    for tag in ("run-1", "run-12"):
        launched = provider.launch(replace(order_for(cloud, tag, databases=1, clients=0), spot=True))
    cloud.settle()
    cloud.interrupt(launched[0])

    assert [m.is_interrupted for m in provider.machines("run-12", cloud.region)] == [True]
    assert [m.is_interrupted for m in provider.machines("run-1", cloud.region)] == [False]


# terminate and leftovers


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

    assert history.may_yet_appear(place, Labels("site-a", "run-1"), noon) is may_appear


def test_a_disk_that_stayed_behind_is_deleted_and_one_of_others_is_not(api, cloud, provider):
    labels = {"benchsite_site": "site-a", "benchsite_run": "run-1"}
    with api.machines.lock:
        api.machines._add_disk("lab", "us-central1-f", "behind", {"diskSizeGb": 10, "labels": labels})
        api.machines._add_disk("lab", "us-central1-f", "theirs", {"diskSizeGb": 10, "labels": {"team": "x"}})

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
    act = api._act

    def no_deletion(method, path, query, content):
        if method.id == "instances.delete":
            raise GceError(403, "forbidden", "Required 'compute.instances.delete' permission for 'x'")
        return act(method, path, query, content)

    monkeypatch.setattr(api, "_act", no_deletion)

    with pytest.raises(NotAllowed, match=r"forbidden: Required 'compute\.instances\.delete' permission"):
        provider.terminate(order.tag, cloud.region)


def test_everything_is_labelled_when_it_is_made_and_nothing_later(api, cloud, provider, order):
    provider.launch(order)

    assert not [method for method in api.calls if "setLabels" in method or "patch" in method.lower()]
    for body in sent(api, "instances.bulkInsert"):
        given = [body["instanceProperties"]["labels"]]
        given += [disk["initializeParams"]["labels"] for disk in body["instanceProperties"]["disks"]]
        assert {(one["benchsite_run"], one["benchsite_expires_at"]) for one in given} == {("run-1", "1935405000")}

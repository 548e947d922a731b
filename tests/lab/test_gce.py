"""The Compute Engine API of the lab, asked by google-cloud-compute: its machines are real, its answers Google's."""

import json
import socket
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from google.api_core.exceptions import BadRequest, Conflict, Forbidden, GoogleAPICallError, NotFound
from google.auth.credentials import AnonymousCredentials
from google.cloud import compute_v1 as compute

from tests.lab.gce import PROJECT, Gce
from tests.lab.gce_requests import HERE, UBUNTU, ZONE, boot_disk, bulk, codes, instance, metadata
from tests.lab.keys import cloud_config, make_key_pair, ssh_when_up
from tests.lab.waiting import wait_for


@pytest.fixture
def client(gce: Gce) -> Callable[[type], Any]:
    def make(kind: type) -> Any:
        return kind(credentials=AnonymousCredentials(), client_options={"api_endpoint": gce.endpoint})

    return make


@pytest.fixture
def instances(client) -> compute.InstancesClient:
    return client(compute.InstancesClient)


@pytest.fixture
def finish(client) -> Callable[..., compute.Operation]:
    operations = client(compute.ZoneOperationsClient)
    return lambda operation: operations.wait(operation=operation.name, **HERE)


def test_a_machine_boots_with_our_host_key_and_dies_when_deleted(gce, instances, client, finish):
    login, host_key = make_key_pair(), make_key_pair()
    rule = compute.Firewall(
        name="run-r1",
        network="global/networks/default",
        allowed=[compute.Allowed(I_p_protocol="tcp", ports=["22"])],
        source_ranges=[f"{gce.network.gateway}/32"],
        target_tags=["run-r1"],
    )
    client(compute.FirewallsClient).insert_unary(project=PROJECT, firewall_resource=rule)
    given = metadata(
        user_data=cloud_config(host_key),
        ssh_keys=f"bench:{login.public}",
        startup_script="#!/bin/sh\nid bench >/run/ran\n",
    )
    machine = instance(disks=[boot_disk(UBUNTU)], metadata=given, tags=compute.Tags(items=["run-r1"]))

    finish(instances.insert_unary(instance_resource=machine, **HERE))
    address = instances.get(instance="db-0", **HERE).network_interfaces[0].network_i_p
    said = ssh_when_up(
        address, "bench", login, host_key, "sudo -n id -un; until grep -s uid= /run/ran; do sleep 0.1; done"
    )

    assert said.startswith("root\nuid=")
    assert "(bench)" in said
    seen = instances.get(instance="db-0", **HERE)
    assert (seen.status, seen.network_interfaces[0].access_configs[0].nat_i_p) == ("RUNNING", address)

    finish(instances.delete_unary(instance="db-0", **HERE))
    wait_for(lambda: not gce.alive, "it is deleted")
    assert gce.hosts == {}
    with pytest.raises(NotFound):
        instances.get(instance="db-0", **HERE)
    assert list(client(compute.DisksClient).list(**HERE)) == []
    assert gce.invalid_requests == []


def test_without_a_rule_nobody_outside_reaches_ssh(gce, instances, finish):
    finish(instances.insert_unary(instance_resource=instance("db-0"), **HERE))
    finish(instances.insert_unary(instance_resource=instance("db-1"), **HERE))
    wait_for(lambda: len(gce.hosts) == 2, "both boot")
    target = gce.hosts["db-0"].order.address

    wait_for(lambda: ":22 " in gce.hosts["db-0"].run("ss -ltn"), "sshd listens")

    assert gce.hosts["db-1"].run(f"nc -z -w 5 {target} 22 && echo reached") == "reached\n"
    with pytest.raises(TimeoutError):
        socket.create_connection((target, 22), timeout=1)


def test_only_images_with_cloud_init_run_user_data(gce, instances, finish):
    given = metadata(user_data="#!/bin/sh\ntouch /run/ran\n")
    finish(instances.insert_unary(instance_resource=instance("debian", metadata=given), **HERE))
    ubuntu = instance("ubuntu", disks=[boot_disk(UBUNTU)], metadata=given)
    finish(instances.insert_unary(instance_resource=ubuntu, **HERE))
    wait_for(lambda: len(gce.hosts) == 2, "both boot")

    for host in gce.hosts.values():
        wait_for(lambda host=host: "finished at" in host.console, "the first boot is over")

    ran = {name: host.run("ls /run/ran 2>/dev/null || true") for name, host in gce.hosts.items()}
    assert ran == {"debian": "", "ubuntu": "/run/ran\n"}


def test_local_ssds_and_data_disks_are_there(gce, instances, client, finish):
    ssd = compute.AttachedDisk(
        type_="SCRATCH",
        interface="NVME",
        auto_delete=True,
        initialize_params=compute.AttachedDiskInitializeParams(disk_type=f"zones/{ZONE}/diskTypes/local-ssd"),
    )
    data = compute.AttachedDisk(
        auto_delete=True,
        initialize_params=compute.AttachedDiskInitializeParams(
            disk_size_gb=4, disk_type=f"zones/{ZONE}/diskTypes/pd-ssd", labels={"run": "r1"}
        ),
    )

    finish(instances.insert_unary(instance_resource=instance(disks=[boot_disk(), data, ssd, ssd]), **HERE))

    host = wait_for(lambda: gce.hosts.get("db-0"), "the host boots")
    assert sorted(host.run("lsblk --noheadings --raw -o NAME,SIZE").splitlines()) == [
        "nvme0n1 2G",
        "nvme0n2 2G",
        "sdb 4G",
    ]
    disks = client(compute.DisksClient).list(request=compute.ListDisksRequest(filter='labels.run = "r1"', **HERE))
    assert sorted((disk.name, disk.size_gb) for disk in disks) == [("db-0", 20), ("db-0-persistent-disk-1", 4)]
    no_ssd = instance("e2", machine="e2-standard-2", disks=[boot_disk(), ssd])
    with pytest.raises(BadRequest, match="features are not compatible"):
        instances.insert_unary(instance_resource=no_ssd, **HERE)


def test_an_operation_runs_for_a_while_and_wait_waits_for_it(gce, instances, client):
    gce.machines.boots = False
    operations = client(compute.ZoneOperationsClient)

    begun = instances.insert_unary(instance_resource=instance(), **HERE)

    assert (begun.operation_type, begun.status.name) == ("insert", "RUNNING")
    assert operations.wait(operation=begun.name, **HERE).status.name == "DONE"
    assert operations.get(operation=begun.name, **HERE).progress == 100
    with pytest.raises(NotFound):
        operations.get(operation="operation-0", **HERE)


def test_a_request_id_makes_one_machine(gce, instances):
    gce.machines.boots = False
    request = compute.InsertInstanceRequest(instance_resource=instance(), request_id=str(uuid.uuid4()), **HERE)

    first, second = instances.insert_unary(request=request), instances.insert_unary(request=request)

    assert first.name == second.name
    assert gce.alive == ["db-0"]
    with pytest.raises(Conflict):
        instances.insert_unary(instance_resource=instance(), **HERE)


def test_a_large_cluster_in_one_call_is_listed_by_label_and_page(gce, instances, client, finish):
    gce.machines.boots = False
    names = [f"db-{number}" for number in range(348)]

    done = finish(instances.bulk_insert_unary(bulk_insert_instance_resource_resource=bulk(names), **HERE))

    assert codes(done) == []
    pages = instances.list(request=compute.ListInstancesRequest(filter='labels.run = "r2"', max_results=100, **HERE))
    assert sorted(one.name for one in pages) == sorted(names)
    assert gce.calls["instances.list"] == 4
    wanted = compute.AggregatedListInstancesRequest(project=PROJECT, filter="labels.run=r2")
    by_zone = {zone: len(part.instances) for zone, part in instances.aggregated_list(request=wanted)}
    assert by_zone == {f"zones/{zone}": 348 if zone == ZONE else 0 for zone in _zones(client)}
    other = instances.list(request=compute.ListInstancesRequest(filter='labels.run = "r3"', **HERE))
    assert list(other) == []


def _zones(client: Callable[[type], Any]) -> list[str]:
    return [zone.name for zone in client(compute.ZonesClient).list(project=PROJECT)]


def test_machine_types_and_images(gce, client):
    types = client(compute.MachineTypesClient)
    images = client(compute.ImagesClient)

    one = types.get(machine_type="n2-standard-4", **HERE)

    assert (one.guest_cpus, one.memory_mb) == (4, 16384)
    assert "c2-standard-60" in {each.name for each in types.list(**HERE)}
    with pytest.raises(NotFound):
        types.get(machine_type="n2-enormous-4", **HERE)
    family = images.get_from_family(project="ubuntu-os-cloud", family="ubuntu-2404-lts-amd64")
    assert family.name == "ubuntu-2404-noble-amd64-v20251111"


def test_firewall_rules(gce, client):
    firewalls = client(compute.FirewallsClient)
    rule = compute.Firewall(name="run-r1", allowed=[compute.Allowed(I_p_protocol="tcp", ports=["22"])])
    firewalls.insert_unary(project=PROJECT, firewall_resource=rule)

    with pytest.raises(Conflict):
        firewalls.insert_unary(project=PROJECT, firewall_resource=rule)
    found = firewalls.list(request=compute.ListFirewallsRequest(project=PROJECT, filter="name:run-*"))
    assert [one.name for one in found] == ["run-r1"]
    firewalls.delete_unary(project=PROJECT, firewall="run-r1")
    with pytest.raises(NotFound):
        firewalls.get(project=PROJECT, firewall="run-r1")


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"machine": "n2-enormous-4"}, "machineType"),
        ({"name": "Upper_Case"}, "Must be a match of regex"),
        ({"disks": [boot_disk("projects/debian-cloud/global/images/family/debian-1")]}, "sourceImage"),
        ({"disks": [boot_disk(disk_type=f"zones/{ZONE}/diskTypes/pd-magic")]}, "diskType"),
        ({"disks": [boot_disk(disk_type="pd-ssd")]}, "The URL is malformed"),
        ({"scheduling": compute.Scheduling(provisioning_model="SPOT", automatic_restart=True)}, "automaticRestart"),
    ],
)
def test_what_does_not_exist_or_fit_is_refused(gce, instances, wrong, text):
    with pytest.raises(BadRequest, match=text):
        instances.insert_unary(instance_resource=instance(**wrong), **HERE)
    assert gce.alive == []


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ({"name": "a", "machineTyp": "x"}, "instances.insert: Instance: unknown field machineTyp"),
        ({"name": 7}, "instances.insert: Instance.name: 7 is no string"),
        (
            {"disks": [{"mode": "WRITE"}]},
            "instances.insert: Instance.disks[0].mode: 'WRITE' is not one of READ_ONLY, READ_WRITE",
        ),
    ],
)
def test_a_request_that_the_api_does_not_know_is_refused_and_noted(gce, body, problem):
    request = urllib.request.Request(
        f"{gce.endpoint}/compute/v1/projects/lab/zones/{ZONE}/instances", data=json.dumps(body).encode()
    )

    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request)

    assert refused.value.code == 400
    assert gce.invalid_requests[0] == problem
    refused.value.close()


def test_throttling(gce, instances):
    gce.faults.throttle(calls=1)

    with pytest.raises(Forbidden) as refused:
        instances.list(retry=None, **HERE)

    assert refused.value.errors[0]["reason"] == "rateLimitExceeded"
    assert list(instances.list(**HERE)) == []


def test_a_zone_without_capacity_fails_the_operation(gce, instances, finish):
    gce.machines.boots = False
    gce.faults.no_capacity(ZONE)

    one = finish(instances.insert_unary(instance_resource=instance(), **HERE))
    many = finish(instances.bulk_insert_unary(bulk_insert_instance_resource_resource=bulk(["a", "b"]), **HERE))

    assert codes(one) == ["ZONE_RESOURCE_POOL_EXHAUSTED"]
    assert codes(many) == ["VM_MIN_COUNT_NOT_REACHED", "ZONE_RESOURCE_POOL_EXHAUSTED"]
    assert gce.alive == []


def test_a_zone_with_a_little_capacity_gives_what_it_has(gce, instances, finish):
    gce.machines.boots = False
    gce.faults.capacity(ZONE, 2)

    resource = bulk(["a", "b", "c"], minimum=1)
    done = finish(instances.bulk_insert_unary(bulk_insert_instance_resource_resource=resource, **HERE))

    assert codes(done) == []
    assert gce.alive == ["a", "b"]


def test_a_quota_fails_the_operation_or_the_request(gce, instances, finish):
    gce.faults.quota()

    assert codes(finish(instances.insert_unary(instance_resource=instance(), **HERE))) == ["QUOTA_EXCEEDED"]
    gce.api.quota_in_operation = False
    with pytest.raises(Forbidden) as refused:
        instances.insert_unary(instance_resource=instance(), **HERE)
    assert refused.value.errors[0]["reason"] == "quotaExceeded"


def test_a_spot_machine_is_preempted(gce, instances, client, finish):
    gce.machines.boots = False
    spot = {"provisioning_model": "SPOT", "automatic_restart": False}
    gone = compute.Scheduling(instance_termination_action="DELETE", **spot)
    kept = compute.Scheduling(instance_termination_action="STOP", **spot)
    finish(instances.insert_unary(instance_resource=instance("gone", scheduling=gone), **HERE))
    finish(instances.insert_unary(instance_resource=instance("kept", scheduling=kept), **HERE))

    gce.preempt(ZONE, "gone")
    gce.preempt(ZONE, "kept")

    def left() -> list[tuple[str, str]]:
        return [(one.name, one.status) for one in instances.list(**HERE)]

    assert left() == [("gone", "STOPPING"), ("kept", "STOPPING")]
    wait_for(lambda: left() == [("kept", "TERMINATED")], "both are preempted")
    operations = client(compute.ZoneOperationsClient)
    wanted = compute.ListZoneOperationsRequest(filter='operationType = "compute.instances.preempted"', **HERE)
    assert [one.target_link.rsplit("/", 1)[-1] for one in operations.list(request=wanted)] == ["gone", "kept"]
    finish(instances.delete_unary(instance="kept", **HERE))
    wait_for(lambda: left() == [], "the stopped one is deleted")


def test_a_machine_that_is_not_known_yet(gce, instances):
    gce.machines.boots = False
    gce.faults.unknown(3600)

    instances.insert_unary(instance_resource=instance(), **HERE)

    with pytest.raises(NotFound):
        instances.get(instance="db-0", **HERE)
    assert list(instances.list(**HERE)) == []
    with pytest.raises(Conflict):
        instances.insert_unary(instance_resource=instance(), **HERE)
    gce.faults.unknown(0)
    assert [one.name for one in instances.list(**HERE)] == ["db-0"]


def test_a_lost_answer_has_made_the_machine(gce, instances):
    gce.machines.boots = False
    gce.faults.lose_answers("instances.insert")
    request = compute.InsertInstanceRequest(instance_resource=instance(), request_id=str(uuid.uuid4()), **HERE)

    with pytest.raises((GoogleAPICallError, OSError)):
        instances.insert_unary(request=request, retry=None)

    assert gce.alive == ["db-0"]
    assert instances.insert_unary(request=request).operation_type == "insert"
    assert gce.alive == ["db-0"]


def test_a_delete_is_refused_for_a_while(gce, instances, finish):
    gce.machines.boots = False
    finish(instances.insert_unary(instance_resource=instance(), **HERE))
    gce.faults.refuse_terminate(calls=1)

    with pytest.raises(BadRequest, match="is not ready"):
        instances.delete_unary(instance="db-0", **HERE)
    finish(instances.delete_unary(instance="db-0", **HERE))
    wait_for(lambda: not gce.alive, "it is deleted")

"""What the GCE provider asks for: whole bodies as they arrive, checked by the API's own description."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from runners.providers.base import DiskOrder, InvalidPlan, NoCapacity, NodeOrder, NodeRequest, ProviderError
from runners.providers.gce.provider import GceProvider
from tests.runners.providers.contract import PUBLIC_KEY, USER_DATA, order_for
from tests.runners.providers.gce_cloud import sent

LABELS = {
    "benchsite_site": "site-a",
    "benchsite_run": "run-1",
    "benchsite_owner": "jane_doe_example_org",
    "benchsite_expires_at": "1935405000",  # 2031-05-01T12:30:00Z
    "benchsite_role": "database",
}
IMAGE = "projects/ubuntu-os-cloud/global/images/ubuntu-2404-noble-amd64-v20251111"
DESCRIPTION = (
    '{"benchsite_expires_at": "1935405000", "benchsite_owner": "jane_doe_example_org", '
    '"benchsite_region": "us-central1", "benchsite_run": "run-1", "benchsite_site": "site-a"}'
)


def two_nodes(*, instance_type="c3-standard-8", zone="us-central1-b", disks=(), **changes):
    order = NodeOrder(
        tag="run-1",
        owner="Jane'Doe@example.org",
        expires_at=datetime(2031, 5, 1, 12, 30, tzinfo=UTC),
        region="us-central1",
        nodes=tuple(NodeRequest(f"db-{n}", "database", instance_type, zone, disks) for n in range(2)),
        spot=False,
        ssh_public_key=PUBLIC_KEY,
        user_data=USER_DATA,
        worker_cidr="192.0.2.7/32",
    )
    return replace(order, **changes)


def properties(api):
    """Of the one bulkInsert call."""
    (body,) = sent(api, "instances.bulkInsert")
    return body["instanceProperties"]


def test_machines_are_asked_for_with_names_disks_labels_and_their_own_end(api, cloud):
    disks = (DiskOrder("hyperdisk-balanced", 1, 200, iops=6000, throughput_mibps=500),)

    cloud.provider().launch(two_nodes(disks=disks))

    (body,) = sent(api, "instances.bulkInsert")
    assert body == {
        "count": "2",
        "minCount": "2",
        "perInstanceProperties": {"run-1-site-a-db-0": {}, "run-1-site-a-db-1": {}},
        "instanceProperties": {
            "description": "Benchsite run-1",
            "machineType": "c3-standard-8",
            "disks": [
                {
                    "boot": True,
                    "autoDelete": True,
                    "initializeParams": {
                        "diskType": "pd-balanced",
                        "diskSizeGb": "40",
                        "sourceImage": IMAGE,
                        "labels": LABELS,
                    },
                },
                {
                    "autoDelete": True,
                    "deviceName": "data-0",
                    "initializeParams": {
                        "diskType": "hyperdisk-balanced",
                        "diskSizeGb": "200",
                        "provisionedIops": "6000",
                        "provisionedThroughput": "500",
                        "labels": LABELS,
                    },
                },
            ],
            "networkInterfaces": [
                {
                    "network": "global/networks/default",
                    "accessConfigs": [{"name": "External NAT", "type": "ONE_TO_ONE_NAT"}],
                }
            ],
            "labels": LABELS,
            "tags": {"items": ["run-1-site-a"]},
            "scheduling": {
                "provisioningModel": "STANDARD",
                "instanceTerminationAction": "DELETE",
                "terminationTime": "2031-05-01T12:30:00+00:00",
                "automaticRestart": False,
            },
            "metadata": {
                "items": [
                    {"key": "user-data", "value": USER_DATA},
                    {"key": "block-project-ssh-keys", "value": "TRUE"},
                    {"key": "enable-oslogin", "value": "FALSE"},
                ]
            },
        },
    }


def test_spot_machines_are_deleted_when_gce_takes_them_back(api, cloud):
    cloud.provider().launch(two_nodes(spot=True))

    assert properties(api)["scheduling"] == {
        "provisioningModel": "SPOT",
        "instanceTerminationAction": "DELETE",
        "terminationTime": "2031-05-01T12:30:00+00:00",
        "automaticRestart": False,
        "onHostMaintenance": "TERMINATE",
    }


def test_local_ssds_are_nvme_scratch_disks(api, cloud):
    cloud.provider().launch(two_nodes(instance_type="n2-standard-8", disks=(DiskOrder("local-ssd", 2, 375),)))

    local = {
        "type": "SCRATCH",
        "interface": "NVME",
        "autoDelete": True,
        "initializeParams": {"diskType": "local-ssd"},
    }
    assert properties(api)["disks"][1:] == [local, local]


def test_the_firewall_admits_the_worker_to_ssh_and_the_machines_to_each_other(api, cloud):
    cloud.provider().launch(two_nodes())

    common = {
        "network": "global/networks/default",
        "direction": "INGRESS",
        "targetTags": ["run-1-site-a"],
        "description": DESCRIPTION,
    }
    assert sent(api, "firewalls.insert") == [
        {
            "name": "run-1-site-a-ssh",
            "allowed": [{"IPProtocol": "tcp", "ports": ["22"]}],
            "sourceRanges": ["192.0.2.7/32"],
            **common,
        },
        {
            "name": "run-1-site-a-internal",
            "allowed": [{"IPProtocol": "all"}],
            "sourceTags": ["run-1-site-a"],
            **common,
        },
    ]


def test_the_site_chooses_network_image_and_size(api, cloud):
    site = cloud.site(subnetwork="bench", root_gib=100, image="projects/debian-cloud/global/images/family/debian-13")

    GceProvider(site).launch(two_nodes())

    assert properties(api)["networkInterfaces"][0]["subnetwork"] == "regions/us-central1/subnetworks/bench"
    boot = properties(api)["disks"][0]["initializeParams"]
    assert (boot["diskSizeGb"], boot["sourceImage"]) == (
        "100",
        "projects/debian-cloud/global/images/debian-13-trixie-v20251111",
    )


def test_a_group_is_a_zone_and_a_role(api, cloud):
    cloud.provider().launch(order_for(cloud, databases=4, clients=2))

    assert [sorted(body["perInstanceProperties"]) for body in sent(api, "instances.bulkInsert")] == [
        ["run-1-site-a-db-0", "run-1-site-a-db-3"],
        ["run-1-site-a-db-1"],
        ["run-1-site-a-db-2"],
        ["run-1-site-a-client-0", "run-1-site-a-client-1"],
    ]


def test_the_same_order_is_asked_for_under_the_same_ids_by_whoever_asks(api, cloud):
    with cloud.hide_new():
        cloud.provider().launch(two_nodes())
    first = [query["requestId"] for method, query, _ in api.requests if method == "instances.bulkInsert"]
    api.reset()
    cloud.provider().launch(two_nodes())
    second = [query["requestId"] for method, query, _ in api.requests if method == "instances.bulkInsert"]

    assert len(first) == 1
    assert second == first


def test_without_a_zone_a_machine_goes_where_its_type_is(cloud):
    machines = cloud.provider().launch(two_nodes(zone=None))

    assert [machine.zone for machine in machines] == ["us-central1-a", "us-central1-a"]


@pytest.mark.parametrize(
    ("changes", "kind", "reason"),
    [
        ({"instance_type": "n2-gigantic"}, InvalidPlan, "GCE has no machine type n2-gigantic in us-central1"),
        ({"instance_type": "m5.large"}, InvalidPlan, "GCE has no machine type 'm5.large'"),
        ({"zone": "us-central1-x"}, NoCapacity, "us-central1-x has no c3-standard-8"),
        ({"zone": "europe-west1-b"}, NoCapacity, "europe-west1-b has no c3-standard-8"),
        (
            {"disks": (DiskOrder("local-ssd", 1, 375),)},
            InvalidPlan,
            "c3-standard-8 supports no local SSDs; the plan needs 1",
        ),
        ({"zone": None, "region": None}, InvalidPlan, "GCE needs a region or zones"),
        ({"tag": "Run_1"}, InvalidPlan, "GCE does not allow the label 'Run_1'"),
    ],
)
def test_what_gce_does_not_have_is_refused_before_anything_is_made(api, cloud, changes, kind, reason):
    with pytest.raises(ProviderError, match=reason) as caught:
        cloud.provider().launch(two_nodes(**changes))

    assert type(caught.value) is kind
    assert {"instances.bulkInsert", "firewalls.insert"} & set(api.calls) == set()

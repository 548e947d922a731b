"""Requests of Compute Engine as the Google client makes them, for the tests of the lab's GCE."""

from typing import Any

from google.cloud import compute_v1 as compute

from tests.lab.gce import PROJECT

ZONE = "us-central1-a"
HERE = {"project": PROJECT, "zone": ZONE}
UBUNTU = "projects/ubuntu-os-cloud/global/images/family/ubuntu-2404-lts-amd64"
DEBIAN = "projects/debian-cloud/global/images/family/debian-12"


def boot_disk(image: str = DEBIAN, disk_type: str = f"zones/{ZONE}/diskTypes/pd-ssd") -> compute.AttachedDisk:
    parameters = compute.AttachedDiskInitializeParams(
        source_image=image, disk_size_gb=20, disk_type=disk_type, labels={"run": "r1"}
    )
    return compute.AttachedDisk(boot=True, auto_delete=True, initialize_params=parameters)


def instance(name: str = "db-0", *, machine: str = "n2-standard-2", disks: Any = None, **more: Any) -> compute.Instance:
    network = compute.NetworkInterface(
        network="global/networks/default", access_configs=[compute.AccessConfig(name="External NAT")]
    )
    return compute.Instance(
        name=name,
        machine_type=f"zones/{ZONE}/machineTypes/{machine}",
        disks=disks or [boot_disk()],
        network_interfaces=[network],
        labels={"run": "r1"},
        **more,
    )


def bulk(names: list[str], *, minimum: int | None = None) -> compute.BulkInsertInstanceResource:
    properties = compute.InstanceProperties(
        machine_type="n2-standard-2",
        disks=[boot_disk(disk_type="pd-ssd")],
        network_interfaces=[compute.NetworkInterface(network="global/networks/default")],
        labels={"run": "r2"},
    )
    each = {name: compute.BulkInsertInstanceResourcePerInstanceProperties() for name in names}
    return compute.BulkInsertInstanceResource(
        count=len(names),
        min_count=len(names) if minimum is None else minimum,
        per_instance_properties=each,
        instance_properties=properties,
    )


def codes(operation: compute.Operation) -> list[str]:
    return [error.code for error in operation.error.errors]


def metadata(**items: str) -> compute.Metadata:
    return compute.Metadata(
        items=[compute.Items(key=key.replace("_", "-"), value=value) for key, value in items.items()]
    )

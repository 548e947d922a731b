"""What a project finds in Compute Engine: zones, machine types, disk types, public images."""

from collections.abc import Mapping
from typing import Any

API = "https://www.googleapis.com/compute/v1"
REGIONS = {"us-central1": "abcf", "europe-west1": "bcd"}
ZONES = [f"{region}-{letter}" for region, letters in REGIONS.items() for letter in letters]
# family of machines: (GiB of memory a vCPU by kind, vCPUs, whether local SSDs can be attached)
_SIZES = (2, 4, 8, 16, 32, 48, 64, 80)
_FAMILIES: dict[str, tuple[dict[str, float], tuple[int, ...], bool]] = {
    "e2": ({"standard": 4, "highmem": 8, "highcpu": 1}, (2, 4, 8, 16, 32), False),
    "n1": ({"standard": 3.75, "highmem": 6.5, "highcpu": 0.9}, (1, 2, 4, 8, 16, 32, 64, 96), True),
    "n2": ({"standard": 4, "highmem": 8, "highcpu": 1}, _SIZES, True),
    "n2d": ({"standard": 4, "highmem": 8, "highcpu": 1}, _SIZES, True),
    "c2": ({"standard": 4}, (4, 8, 16, 30, 60), True),
    "c3": ({"standard": 4, "highmem": 8, "highcpu": 2}, (4, 8, 22, 44, 88, 176), False),
    "c4": ({"standard": 3.75, "highmem": 7.75, "highcpu": 2}, (2, 4, 8, 16), False),
    "n4": ({"standard": 4, "highmem": 8, "highcpu": 2}, (2, 4, 8, 16), False),
}
DISK_TYPES = ("pd-standard", "pd-balanced", "pd-ssd", "pd-extreme", "hyperdisk-balanced", "local-ssd")
HYPERDISK_MACHINES = ("c3", "c4", "n4")
QUOTAS = {
    "CPUS": 2400.0,
    "C3_CPUS": 2400.0,
    "N2_CPUS": 2400.0,
    "PREEMPTIBLE_CPUS": 0.0,
    "IN_USE_ADDRESSES": 400.0,
    "DISKS_TOTAL_GB": 40960.0,
    "HDB_TOTAL_GB": 40960.0,
    "SSD_TOTAL_GB": 40960.0,
    "LOCAL_SSD_TOTAL_GB": 40960.0,
}
IMAGES = {  # family: project, name of the newest image, whether cloud-init is in it
    "debian-12": ("debian-cloud", "debian-12-bookworm-v20251111", False),
    "debian-13": ("debian-cloud", "debian-13-trixie-v20251111", False),
    "ubuntu-2204-lts": ("ubuntu-os-cloud", "ubuntu-2204-jammy-v20251111", True),
    "ubuntu-2404-lts-amd64": ("ubuntu-os-cloud", "ubuntu-2404-noble-amd64-v20251111", True),
}


def zone(project: str, name: str) -> dict[str, Any]:
    region = name.rsplit("-", 1)[0]
    link = f"{API}/projects/{project}/zones/{name}"
    where = f"{API}/projects/{project}/regions/{region}"
    return {"kind": "compute#zone", "id": _id(name), "name": name, "status": "UP", "region": where, "selfLink": link}


def region(project: str, name: str, quotas: Mapping[str, float] = QUOTAS) -> dict[str, Any]:
    link = f"{API}/projects/{project}"
    zones = [f"{link}/zones/{one}" for one in ZONES if one.startswith(f"{name}-")]
    return {
        "kind": "compute#region",
        "id": _id(name),
        "name": name,
        "status": "UP",
        "zones": zones,
        "quotas": [{"metric": metric, "limit": limit, "usage": 0.0} for metric, limit in quotas.items()],
        "selfLink": f"{link}/regions/{name}",
    }


def machine_types(project: str, zone_name: str) -> list[dict[str, Any]]:
    types = []
    for family, (kinds, sizes, _) in _FAMILIES.items():
        for kind, gib in kinds.items():
            for vcpus in sizes:
                name = f"{family}-{kind}-{vcpus}"
                types.append(
                    {
                        "kind": "compute#machineType",
                        "id": _id(name),
                        "name": name,
                        "description": f"{vcpus} vCPUs, {vcpus * gib:g} GB RAM",
                        "guestCpus": vcpus,
                        "memoryMb": int(vcpus * gib * 1024),
                        "isSharedCpu": False,
                        "architecture": "X86_64",
                        "maximumPersistentDisks": 128,
                        "maximumPersistentDisksSizeGb": "263168",
                        "zone": zone_name,
                        "selfLink": f"{API}/projects/{project}/zones/{zone_name}/machineTypes/{name}",
                    }
                )
    return sorted(types, key=lambda one: one["name"])


def all_machine_types(project: str) -> list[dict[str, Any]]:
    return [one for name in ZONES for one in machine_types(project, name)]


def takes_local_ssd(machine_type: str) -> bool:
    return _FAMILIES[machine_type.split("-")[0]][2]


def image(family_or_name: str) -> dict[str, Any] | None:
    """The image of a family, or of that name."""
    for family, (project, name, _) in IMAGES.items():
        if family_or_name in (family, name):
            return {
                "kind": "compute#image",
                "id": _id(name),
                "name": name,
                "family": family,
                "status": "READY",
                "architecture": "X86_64",
                "diskSizeGb": "10",
                "sourceType": "RAW",
                "selfLink": f"{API}/projects/{project}/global/images/{name}",
            }
    return None


def has_cloud_init(source_image: str) -> bool:
    """Ubuntu's images run user-data with cloud-init; Debian's only have Google's guest agent."""
    return any(source_image.endswith((family, name)) and has for family, (_, name, has) in IMAGES.items())


def _id(name: str) -> str:
    """A number for a name, the same every time."""
    return str(int.from_bytes(name.encode()[-7:], "big"))

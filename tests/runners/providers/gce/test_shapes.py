"""Machine types and images as the API tells them."""

import pytest

from runners.providers.base import NoCapacity, ProviderError
from runners.providers.gce import shapes
from runners.providers.gce.shapes import Image, Shape
from tests.lab import gce_catalogue

NOBLE = "projects/ubuntu-os-cloud/global/images/ubuntu-2404-noble-amd64-v20251111"


@pytest.fixture
def clients(cloud):
    return cloud.provider().place(cloud.region).clients


def test_a_machine_type_is_found_in_all_zones_of_the_region_with_one_request(api, clients):
    found = shapes.find_shapes(clients, "lab", "us-central1", ["n2-standard-8", "n2-standard-8"])

    zones = frozenset({"us-central1-a", "us-central1-b", "us-central1-c", "us-central1-f"})
    assert found == {"n2-standard-8": Shape("n2-standard-8", "X86_64", 0, zones, 8, 32)}
    assert api.calls == {"machineTypes.aggregatedList": 1}


def test_bundled_local_ssds_and_architecture_are_read(clients, monkeypatch):
    one = {
        **gce_catalogue.machine_types("lab", "us-central1-a")[0],
        "name": "c4a-standard-8-lssd",
        "architecture": "ARM64",
        "guestCpus": 8,
        "memoryMb": 32 * 1024,
        "bundledLocalSsds": {"partitionCount": 2, "defaultInterface": "NVME"},
    }
    monkeypatch.setattr(gce_catalogue, "all_machine_types", lambda project: [one])

    found = shapes.find_shapes(clients, "lab", None, ["c4a-standard-8-lssd"])

    shape = Shape("c4a-standard-8-lssd", "ARM64", 2, frozenset({"us-central1-a"}), 8, 32)
    assert found == {"c4a-standard-8-lssd": shape}
    assert (shape.boot_disk_kind, shape.takes_local_ssds) == ("hyperdisk-balanced", False)


@pytest.mark.parametrize("name", ['x" OR name = "n2-standard-8', "m5.large", ""])
def test_a_name_that_is_none_gets_into_no_filter(api, clients, name):
    with pytest.raises(ProviderError, match="GCE has no machine type"):
        shapes.find_shapes(clients, "lab", None, [name])

    assert api.calls == {}


def test_a_zone_must_have_all_types():
    first = Shape("a", "X86_64", 0, frozenset({"r-a", "r-c", "r-b"}), 2, 8)
    second = Shape("b", "X86_64", 0, frozenset({"r-c", "r-b"}), 2, 8)
    third = Shape("c", "X86_64", 0, frozenset({"r-a"}), 2, 8)

    assert shapes.zone_with([first, second]) == "r-b"
    assert shapes.zone_with([first, second], full=["r-b"]) == "r-c"
    with pytest.raises(NoCapacity, match="no zone is left: r-b, r-c is full"):
        shapes.zone_with([first, second], full=["r-b", "r-c"])
    with pytest.raises(NoCapacity, match="no zone of this region has all of b, c"):
        shapes.zone_with([second, third])


@pytest.mark.parametrize(
    "choice",
    [
        "ubuntu-2404-lts-amd64",
        "projects/ubuntu-os-cloud/global/images/family/ubuntu-2404-lts-amd64",
        NOBLE,
        f"https://www.googleapis.com/compute/v1/{NOBLE}",
    ],
)
def test_an_image_is_named_by_family_or_path(clients, choice):
    assert shapes.find_image(clients, choice, "X86_64") == Image(NOBLE, 10, "X86_64")


def test_a_debian_family_is_found_in_its_project(clients):
    image = shapes.find_image(clients, "debian-12", "X86_64")

    assert image == Image("projects/debian-cloud/global/images/debian-12-bookworm-v20251111", 10, "X86_64")


def test_arm_machines_boot_the_familys_image_for_arm(clients, monkeypatch):
    name = "ubuntu-2404-noble-arm64-v20251111"
    families = {"ubuntu-2404-lts-arm64": ("ubuntu-os-cloud", name, True)}
    monkeypatch.setattr(gce_catalogue, "IMAGES", {**gce_catalogue.IMAGES, **families})
    image = gce_catalogue.image
    monkeypatch.setattr(
        gce_catalogue, "image", lambda asked: {**image(asked), "architecture": "ARM64"} if "arm64" in asked else None
    )

    found = shapes.find_image(clients, "ubuntu-2404-lts-amd64", "ARM64")

    assert found == Image(f"projects/ubuntu-os-cloud/global/images/{name}", 10, "ARM64")


@pytest.mark.parametrize(
    ("choice", "architecture", "reason"),
    [
        ("fedora-40", "X86_64", "GCE_IMAGE=fedora-40 is neither a family of ubuntu, debian nor the path of an image"),
        ("ubuntu-1804-lts", "X86_64", "the image ubuntu-1804-lts does not exist in ubuntu-os-cloud"),
        ("debian-12", "ARM64", "the image debian-12-bookworm-v20251111 is for X86_64, not ARM64"),
    ],
)
def test_an_image_that_there_is_not_is_refused(clients, choice, architecture, reason):
    with pytest.raises(ProviderError, match=reason):
        shapes.find_image(clients, choice, architecture)

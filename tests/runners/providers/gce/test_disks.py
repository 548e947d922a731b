"""Disks as Compute Engine wants them, and what it would refuse."""

import pytest

from runners.providers.base import DiskOrder, ProviderError
from runners.providers.gce.disks import attached
from runners.providers.gce.shapes import Image, Shape

IMAGE = Image("projects/p/global/images/i", 10, "X86_64")
ZONES = frozenset({"us-central1-a"})
N2 = Shape("n2-standard-8", "X86_64", 0, ZONES, 8, 32)
C3 = Shape("c3-standard-8", "X86_64", 0, ZONES, 8, 32)
C3_WITH_LOCAL = Shape("c3-standard-8-lssd", "X86_64", 2, ZONES, 8, 32)
N4 = Shape("n4-standard-8", "X86_64", 0, ZONES, 8, 32)


def asked(shape, *disks, root_gib=40):
    """(disk type, GiB, IOPS, MiB/s, device) of each."""
    return [
        (
            one.initialize_params.disk_type,
            one.initialize_params.disk_size_gb,
            one.initialize_params.provisioned_iops,
            one.initialize_params.provisioned_throughput,
            one.device_name,
        )
        for one in attached(disks, shape, IMAGE, root_gib=root_gib, labels={"run": "r"})
    ]


@pytest.mark.parametrize(
    ("shape", "disks", "expected"),
    [
        (N2, (), []),
        (N2, (DiskOrder("pd-ssd", 2, 100.5),), [("pd-ssd", 101, 0, 0, "data-0"), ("pd-ssd", 101, 0, 0, "data-1")]),
        (N2, (DiskOrder("pd-extreme", 1, 500, iops=20_000),), [("pd-extreme", 500, 20_000, 0, "data-0")]),
        (
            C3,
            (DiskOrder("hyperdisk-balanced", 1, 200, iops=6000, throughput_mibps=300),),
            [("hyperdisk-balanced", 200, 6000, 300, "data-0")],
        ),
        (N2, (DiskOrder("local-ssd", 2, 375),), [("local-ssd", 0, 0, 0, ""), ("local-ssd", 0, 0, 0, "")]),
        (N2, (DiskOrder("nvme", 1, None),), [("local-ssd", 0, 0, 0, "")]),
        (C3_WITH_LOCAL, (DiskOrder("local-ssd", 2, 375),), []),  # they are in the machine type
        (
            N2,
            (DiskOrder("local-ssd", 1, 375), DiskOrder("pd-balanced", 1, 50)),
            [("pd-balanced", 50, 0, 0, "data-0"), ("local-ssd", 0, 0, 0, "")],
        ),
    ],
)
def test_a_plans_disks_follow_the_boot_disk(shape, disks, expected):
    assert asked(shape, *disks) == [("pd-balanced", 40, 0, 0, ""), *expected]


def test_a_boot_disk_is_never_smaller_than_its_image():
    assert asked(N2, root_gib=5) == [("pd-balanced", 10, 0, 0, "")]


def test_series_without_persistent_disks_boot_from_hyperdisk():
    assert asked(N4) == [("hyperdisk-balanced", 40, 0, 0, "")]


def test_every_disk_that_can_outlive_its_machine_is_labelled_and_goes_with_it():
    found = attached((DiskOrder("pd-ssd", 1, 100),), N2, IMAGE, root_gib=40, labels={"run": "r"})

    assert [(one.auto_delete, dict(one.initialize_params.labels)) for one in found] == [(True, {"run": "r"})] * 2
    assert [one.boot for one in found] == [True, False]


@pytest.mark.parametrize(
    ("shape", "disk", "reason"),
    [
        (N4, DiskOrder("local-ssd", 1, 375), "n4-standard-8 supports no local SSDs; the plan needs 1"),
        (C3_WITH_LOCAL, DiskOrder("nvme", 3, 375), "c3-standard-8-lssd has 2 local SSDs; the plan needs 3"),
        (N2, DiskOrder("local-ssd", 1, 3000), "a local SSD of GCE has 375 GiB; the plan needs 3000"),
        (N2, DiskOrder("gp3", 1, 100), "GCE has no disks of kind gp3"),
        (N2, DiskOrder("pd-ssd", 1, None), "a disk of kind pd-ssd needs a size"),
        (N2, DiskOrder("pd-ssd", 1, 100, iops=6000), "the IOPS of a disk of kind pd-ssd depend on its size"),
        (
            N2,
            DiskOrder("pd-extreme", 1, 500, iops=20_000, throughput_mibps=500),
            "the throughput of a disk of kind pd-extreme depends on its size",
        ),
    ],
)
def test_a_disk_that_gce_does_not_have_is_refused(shape, disk, reason):
    with pytest.raises(ProviderError, match=reason):
        asked(shape, disk)

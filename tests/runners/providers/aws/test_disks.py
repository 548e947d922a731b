"""Block device mappings for types as DescribeInstanceTypes tells of them."""

import pytest

from runners.providers.aws import disks
from runners.providers.base import DiskOrder, ProviderError

M5 = {"InstanceType": "m5.large", "InstanceStorageSupported": False}
M3 = {  # SATA disks, which a machine gets only when they are mapped
    "InstanceType": "m3.2xlarge",
    "InstanceStorageInfo": {
        "TotalSizeInGB": 160,
        "Disks": [{"SizeInGB": 80, "Count": 2, "Type": "ssd"}],
        "NvmeSupport": "unsupported",
    },
}
I3 = {
    "InstanceType": "i3.8xlarge",
    "InstanceStorageInfo": {
        "TotalSizeInGB": 7600,
        "Disks": [{"SizeInGB": 1900, "Count": 4, "Type": "ssd"}],
        "NvmeSupport": "required",
    },
}
D2 = {
    "InstanceType": "d2.4xlarge",
    "InstanceStorageInfo": {"Disks": [{"SizeInGB": 2000, "Count": 12, "Type": "hdd"}], "NvmeSupport": "unsupported"},
}
ROOT = {
    "DeviceName": "/dev/xvda",
    "Ebs": {"VolumeType": "gp3", "VolumeSize": 40, "DeleteOnTermination": True, "Encrypted": True},
}


def mapped(instance_type, *orders):
    return disks.mappings(orders, instance_type, root_device="/dev/xvda", root_gib=40)


def test_a_machine_without_ordered_disks_has_its_root_volume():
    assert mapped(M5) == [ROOT]


def test_volumes_carry_their_iops_and_throughput_and_go_with_the_machine():
    assert mapped(M5, DiskOrder("gp3", 2, 99.5, iops=6000, throughput_mibps=500), DiskOrder("io2", 1, 10, 400)) == [
        ROOT,
        {
            "DeviceName": "/dev/sdf",
            "Ebs": {
                "VolumeType": "gp3",
                "VolumeSize": 100,
                "DeleteOnTermination": True,
                "Encrypted": True,
                "Iops": 6000,
                "Throughput": 500,
            },
        },
        {
            "DeviceName": "/dev/sdg",
            "Ebs": {
                "VolumeType": "gp3",
                "VolumeSize": 100,
                "DeleteOnTermination": True,
                "Encrypted": True,
                "Iops": 6000,
                "Throughput": 500,
            },
        },
        {
            "DeviceName": "/dev/sdh",
            "Ebs": {
                "VolumeType": "io2",
                "VolumeSize": 10,
                "DeleteOnTermination": True,
                "Encrypted": True,
                "Iops": 400,
            },
        },
    ]


def test_older_local_disks_are_mapped_beside_volumes():
    assert mapped(M3, DiskOrder("local-ssd", 2, 80), DiskOrder("gp2", 1, 50)) == [
        ROOT,
        {"DeviceName": "/dev/sdb", "VirtualName": "ephemeral0"},
        {"DeviceName": "/dev/sdc", "VirtualName": "ephemeral1"},
        {
            "DeviceName": "/dev/sdf",
            "Ebs": {"VolumeType": "gp2", "VolumeSize": 50, "DeleteOnTermination": True, "Encrypted": True},
        },
    ]


def test_nvme_local_disks_are_there_without_a_mapping():
    assert mapped(I3, DiskOrder("local-ssd", 4, None)) == [ROOT]


def test_many_local_disks_move_the_volumes_on():
    devices = [one["DeviceName"] for one in mapped(D2, DiskOrder("local-hdd", 12, None), DiskOrder("gp3", 1, 10))]

    assert devices == ["/dev/xvda", *(f"/dev/sd{letter}" for letter in "bcdefghijklm"), "/dev/sdn"]


@pytest.mark.parametrize(
    ("instance_type", "order", "reason"),
    [
        (M5, DiskOrder("local-ssd", 1, None), "m5.large has 0 local disks; the plan needs 1"),
        (M3, DiskOrder("local-ssd", 3, 80), "m3.2xlarge has 2 local disks; the plan needs 3"),
        (M5, DiskOrder("gp3", 1, None), "a disk of kind gp3 needs a size"),
        (M5, DiskOrder("gp3", 22, 10), "a machine cannot have so many disks"),
    ],
)
def test_impossible_disks_are_refused_before_anything_is_made(instance_type, order, reason):
    with pytest.raises(ProviderError, match=reason):
        mapped(instance_type, order)


def test_volumes_are_found_by_their_ids_in_the_order_of_the_plan_and_never_the_root():
    attached = {"/dev/sdg": "vol-0b", "/dev/xvda": "vol-0root", "/dev/sdf": "vol-0a"}
    instance = {
        "RootDeviceName": "/dev/xvda",
        "BlockDeviceMappings": [{"DeviceName": name, "Ebs": {"VolumeId": id_}} for name, id_ in attached.items()],
    }

    assert disks.volume_links(instance) == (
        "/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol0a:/dev/xvdf",
        "/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol0b:/dev/xvdg",
    )


def test_an_older_local_disk_is_found_where_it_was_mapped():
    assert disks.local_link(1) == "/dev/disk/by-id/nvme-Amazon_EC2_NVMe_Instance_Storage_*:/dev/xvdc"

"""The hardware of EC2's instance types, as apache-libcloud lists it."""

from zipfile import ZipFile

import pytest

from submissions.pricing.sources.snapshot import Hardware
from tools.prices.machine_types import local_disk_gib, memory_gib, read_wheel

TABLE = '''"""File generated"""
INSTANCE_TYPES = {
    "m3.2xlarge": {"ram": 30720, "extra": {"vcpu": "8", "memory": "30 GiB", "storage": "2 x 80 SSD"}},
    "m5.large": {"ram": 8192, "extra": {"vcpu": "2", "memory": "8 GiB", "storage": "EBS only"}},
    "odd.large": {"ram": 1, "extra": {"vcpu": "NA", "memory": "NA"}},
}
'''


def test_a_wheel_is_read_and_unknown_facts_are_none(tmp_path):
    wheel = tmp_path / "apache_libcloud-3.9.1-py3-none-any.whl"
    with ZipFile(wheel, "w") as members:
        members.writestr("libcloud/compute/constants/ec2_instance_types.py", TABLE)

    source = "apache-libcloud 3.9.1 ec2_instance_types.py"
    assert list(read_wheel(wheel)) == [
        Hardware("aws", "m3.2xlarge", 8, 30.0, 149.0, source),
        Hardware("aws", "m5.large", 2, 8.0, 0.0, source),
        Hardware("aws", "odd.large", None, None, None, source),
    ]


@pytest.mark.parametrize(
    ("text", "gib"),
    [
        ("EBS only", 0.0),
        ("1 x 75 NVMe SSD", 69.8),  # 75 x 10^9 / 2^30
        ("4 x 1900 NVMe SSD", 7078.1),
        ("24 x 2000 HDD", 44703.5),
        ("900 GB NVMe SSD", 838.2),
        ("3 x 3750GB", 10477.4),
        ("4 X 940 GB NVMe SSD", 3501.8),
        ("2 x 1,900 NVMe SSD", 3539.0),
        ("NA", None),
        ("", None),
    ],
)
def test_local_disks_are_measured_in_gib(text, gib):
    assert local_disk_gib(text) == gib


@pytest.mark.parametrize(("text", "gib"), [("15.25 GiB", 15.25), ("1,952 GiB", 1952.0), ("NA", None)])
def test_memory_is_read_in_gib(text, gib):
    assert memory_gib(text) == gib

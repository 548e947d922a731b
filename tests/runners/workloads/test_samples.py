"""The samples of a host."""

import pytest

from runners.workloads.samples import DiskUse, HostUse, parse

HEAD = "time,cpu_percent,iowait_percent,steal_percent,rx_bytes_s,tx_bytes_s"
DISKS = "".join(f",{d}:read_bytes_s,{d}:write_bytes_s,{d}:busy_percent" for d in ("md0", "nvme1n1", "nvme2n1"))


def test_means_of_a_trial():
    lines = [
        HEAD + DISKS,
        "1795161174.3,90,5,0,1000,2000,0,40000000,0,0,30000000,50,0,10000000,20",
        "1795161175.3,100,1,2,3000,4000,0,20000000,0,0,10000000,30,0,10000000,10",
        "1795161176.3,100,1",  # cut while it was written
    ]

    use = parse(lines)

    assert use == HostUse(
        seconds=2,
        cpu_percent=95.0,
        cpu_max_percent=100.0,
        iowait_percent=3.0,
        steal_percent=1.0,
        rx_bytes_s=2000.0,
        tx_bytes_s=3000.0,
        disks=(
            DiskUse("md0", 0.0, 30_000_000.0, 0.0),
            DiskUse("nvme1n1", 0.0, 20_000_000.0, 40.0),
            DiskUse("nvme2n1", 0.0, 10_000_000.0, 15.0),
        ),
    )
    assert use.is_saturated
    assert use.has_skewed_disks  # 20 MB/s beside 10 MB/s


def test_an_even_raid_is_not_skewed_and_half_a_processor_is_not_saturated():
    use = parse([HEAD + DISKS, "1,50,0,0,0,0,0,40000000,0,0,20000000,50,0,20000000,50"])

    assert not use.is_saturated
    assert not use.has_skewed_disks


def test_nothing_measured_is_unknown():
    assert parse([HEAD]) is None


def test_another_file_is_refused():
    with pytest.raises(ValueError, match="no samples"):
        parse(["a,b"])

"""The samples of a host."""

import pytest

from submissions.analysis.host_metrics.host_use import DiskUse, HostUse, Skew, over_trials, parse

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
    # 40 % busy beside 15 %, 20 MB/s beside 10 MB/s
    assert use.skew == Skew(most=DiskUse("nvme1n1", 0.0, 2e7, 40.0), least=DiskUse("nvme2n1", 0.0, 1e7, 15.0))


def test_a_second_in_which_a_counter_began_anew_is_left_out():
    """A network interface that goes takes its bytes with it: less than nothing was received."""
    use = parse([HEAD, "1,50,0,0,1000,2000", "2,60,0,0,-90000,-80000", "3,70,0,0,3000,4000"])

    assert (use.seconds, use.cpu_percent, use.rx_bytes_s, use.tx_bytes_s) == (2, 60.0, 2000.0, 3000.0)
    assert parse([HEAD, "2,60,0,0,-90000,-80000"]) is None


def test_an_even_raid_is_not_skewed_and_half_a_processor_is_not_saturated():
    use = parse([HEAD + DISKS, "1,50,0,0,0,0,0,40000000,0,0,20000000,50,0,20000000,50"])

    assert not use.is_saturated
    assert use.skew is None


def test_nothing_measured_is_unknown():
    assert parse([HEAD]) is None


def test_another_file_is_refused():
    with pytest.raises(ValueError, match="not samples"):
        parse(["a,b"])


def test_a_slow_member_shows_by_how_busy_it_is_with_the_same_load():
    use = parse([HEAD + DISKS, "1,50,0,0,0,0,0,40000000,0,0,20000000,100,0,20000000,40"])

    assert use.skew == Skew(most=DiskUse("nvme1n1", 0.0, 2e7, 100.0), least=DiskUse("nvme2n1", 0.0, 2e7, 40.0))


@pytest.mark.parametrize(
    "loads",
    [
        "0,40000000,0,0,20000000,3,0,20000000,1",  # hardly busy at all
        "0,40000000,0,0,40000000,60,0,1500000,2",  # the second is the system's disk
        "0,400000,0,0,300000,60,0,100000,30",  # too little to tell
    ],
)
def test_what_is_no_skew(loads):
    assert parse([HEAD + DISKS, f"1,50,0,0,0,0,{loads}"]).skew is None


def test_disks_without_a_raid_may_differ():
    disks = "".join(f",{d}:read_bytes_s,{d}:write_bytes_s,{d}:busy_percent" for d in ("nvme1n1", "nvme2n1"))

    assert parse([HEAD + disks, "1,50,0,0,0,0,0,40000000,90,0,10000000,20"]).skew is None


def test_reads_and_writes_are_those_of_the_members_not_of_their_sum_again():
    use = parse([HEAD + DISKS, "1,50,0,0,0,0,600,40,0,200,10,1,400,30,1"])

    assert (use.read_bytes_s, use.write_bytes_s) == (600.0, 40.0)


def test_a_host_without_a_disk_to_see_has_unknown_reads():
    use = parse([HEAD, "1,50,0,0,0,0"])

    assert (use.read_bytes_s, use.write_bytes_s) == (None, None)


def test_every_second_of_all_trials_counts_the_same():
    short = HostUse(1, 100.0, 100.0, 0.0, 3.0, 400.0, 0.0, (DiskUse("sda", 0.0, 800.0, 40.0),))
    long = HostUse(3, 20.0, 60.0, 4.0, 3.0, 0.0, 8.0, (DiskUse("sda", 0.0, 0.0, 0.0), DiskUse("sdb", 5.0, 0.0, 7.0)))

    assert over_trials([short, long]) == HostUse(
        seconds=4,
        cpu_percent=40.0,
        cpu_max_percent=100.0,
        iowait_percent=3.0,
        steal_percent=3.0,
        rx_bytes_s=100.0,
        tx_bytes_s=6.0,
        disks=(DiskUse("sda", 0.0, 200.0, 10.0), DiskUse("sdb", 5.0, 0.0, 7.0)),
    )


def test_no_trial_is_no_use():
    with pytest.raises(ValueError, match="no trial"):
        over_trials([])

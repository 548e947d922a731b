"""The file with what each host of a run measured."""

import pytest

from submissions.analysis.host_metrics.host_use import DiskUse, HostUse, Skew, over_trials
from submissions.analysis.host_metrics.hosts import (
    DiskFigures,
    DiskTest,
    Host,
    Hosts,
    TrialSkew,
    host,
    packed,
    unpacked,
)
from submissions.choices import Role


def use(cpu_percent, *disks):
    return HostUse(10, cpu_percent, 99.0, 0.0, 0.0, 1000.0, 2000.0, disks)


EVEN = (DiskUse("md0", 0.0, 4e7, 0.0), DiskUse("sda", 0.0, 2e7, 50.0), DiskUse("sdb", 0.0, 2e7, 50.0))
SLOW = (DiskUse("md0", 0.0, 4e7, 0.0), DiskUse("sda", 0.0, 2e7, 100.0), DiskUse("sdb", 0.0, 2e7, 40.0))


def test_a_host_knows_the_trials_in_which_it_was_saturated_or_skewed():
    uses = {2: use(90.0, *SLOW), 0: use(20.0, *EVEN), 1: use(85.1, *EVEN)}

    assert host("db-0", Role.DATABASE, uses) == Host(
        name="db-0",
        role=Role.DATABASE,
        trials=3,
        use=over_trials([uses[0], uses[1], uses[2]]),
        saturated_in=(1, 2),
        skews=(TrialSkew(2, Skew(most=SLOW[1], least=SLOW[2])),),
    )


def test_a_busy_database_beside_clients_is_not_saturated_but_one_that_also_runs_the_load_tool_is():
    database = host("db-0", Role.DATABASE, {0: use(95.0)})
    idle, busy = (host(f"client-{i}", Role.CLIENT, {0: use(cpu)}) for i, cpu in enumerate((30.0, 86.0)))

    assert Hosts((database, idle, busy), ()).saturated == (busy,)
    assert Hosts((database, idle), ()).saturated == ()
    assert Hosts((database,), ()).saturated == (database,)


def test_the_file_is_read_as_it_was_written():
    found = [host("db-0", Role.DATABASE, {0: use(90.0, *SLOW)}), host("client-0", Role.CLIENT, {0: use(5.0)})]
    tests = [DiskTest("db-0", "0", DiskFigures("random_read", 174.3, 42555.8, 0.75, 6.586))]

    assert unpacked(packed(found, tests)) == Hosts(tuple(found), tuple(tests))


@pytest.mark.parametrize("data", [b"", b"[]", b'{"hosts": [{"name": "x"}], "disk_tests": []}', b"\xff"])
def test_another_file_is_refused(data):
    with pytest.raises(ValueError, match="Hosts"):
        unpacked(data)

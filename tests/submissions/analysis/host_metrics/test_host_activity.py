"""What hosts did over time, from their samples: binned, the busiest client, the node that paused most."""

import pytest

from submissions.analysis.host_metrics.host_activity import MOST_POINTS, Second, activity, seconds

HEAD = "time,cpu_percent,iowait_percent,steal_percent,rx_bytes_s,tx_bytes_s"


def second(time, cpu=10.0, gc_ms=None, compactions=None, compaction_ms=None):
    return Second(time, cpu, gc_ms, compactions, compaction_ms)


def test_samples_with_and_without_logs_of_a_database_are_read():
    with_logs = f"{HEAD},sda:busy_percent,gcs,gc_ms,compactions,compaction_ms\n100.5,42,0,0,0,0,7,2,31.5,1,900\n101.5,4"
    without = f"{HEAD}\n100.5,42,0,0,0,0\n"

    assert seconds(with_logs.splitlines()) == [Second(100.5, 42.0, 31.5, 1.0, 900.0)]
    assert seconds(without.splitlines()) == [Second(100.5, 42.0, None, None, None)]
    with pytest.raises(ValueError, match="not samples"):
        seconds(["type,total ops"])


def test_the_busiest_client_and_the_node_that_paused_most_count_in_every_second():
    clients = [[second(11.0, 20.0), second(12.0, 90.0)], [second(11.2, 50.0)]]
    one = [second(11.0, gc_ms=0.0), second(12.0, gc_ms=30.0)]
    other = [second(11.0, gc_ms=5.0), second(12.0, gc_ms=4.0)]

    found = activity(1, clients, iter([one, other]))

    assert (found.trial, found.start, found.bin_seconds) == (1, 10.0, 1)
    assert found.client_cpu_percent == (20.0, 90.0)
    assert found.gc_ms_s == (5.0, 30.0)
    assert found.compactions == ()
    assert found.end == 12.0


def test_a_compaction_is_spread_over_the_seconds_before_its_end():
    idle = [second(float(time), compactions=0.0, compaction_ms=0.0) for time in range(11, 14)]
    node = [*idle, second(14.0, compactions=2.0, compaction_ms=3000.0)]  # two of 1.5 s
    other = [second(float(time), compactions=0.0, compaction_ms=0.0) for time in range(11, 14)]

    found = activity(0, [node], [node, [*other, second(14.0, compactions=1.0, compaction_ms=1000.0)]])

    assert found.compactions == (0.0, 0.0, 1.0, 3.0)


def test_a_long_trial_has_few_points():
    client = [second(float(time), float(time % 2)) for time in range(1, 3601)]

    found = activity(0, [client], [[second(float(time), gc_ms=6.0) for time in range(1, 3601)]])

    assert found.bin_seconds == 12
    assert len(found.client_cpu_percent) == MOST_POINTS
    assert set(found.client_cpu_percent) == {0.5}
    assert found.gc_ms_s == pytest.approx([6.0] * MOST_POINTS)


def test_seconds_of_another_clock_do_not_count():
    found = activity(0, [[second(11.0), second(12.0)]], [[second(5.0, gc_ms=9.0), second(99.0, gc_ms=9.0)]])

    assert found.gc_ms_s == (0.0, 0.0)


def test_without_a_client_there_is_nothing_to_show():
    assert activity(0, [], [[second(1.0, gc_ms=1.0)]]) is None
    assert activity(0, [[]], []) is None

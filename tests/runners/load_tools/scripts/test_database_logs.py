"""Pauses and compactions in the logs of real databases, counted while a trial is sampled."""

import os

import pytest

from runners.load_tools.scripts import trial

JAVA_17 = """\
[2026-11-22T12:36:06.944+0000][0.053s][24240][24247][debug] GC(0) Desired survivor size 524288 bytes
[2026-11-22T12:36:06.951+0000][0.059s][24240][24247][info ] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 6M->6M(64M) 6.805ms
[2026-11-22T12:36:06.951+0000][0.059s][24240][24247][info ] Safepoint "G1CollectForAllocation", At safepoint: 6868162 ns, Total: 6883315 ns
[2026-11-22T12:36:07.001+0000][0.109s][24240][24247][info ] GC(1) Concurrent Mark Cycle 12.000ms
[2026-11-22T12:36:07.002+0000][0.110s][24240][24247][info ] GC(1) Pause Remark 6M->6M(64M) 1.195ms
"""  # noqa: E501
JAVA_8 = """\
2026-11-22T12:36:06.951+0000: 12.345: [GC pause (G1 Evacuation Pause) (young), 0.0068050 secs]
2026-11-22T12:36:06.951+0000: 12.346: Total time for which application threads were stopped: 0.0070000 seconds, Stopping threads took: 0.0000319 seconds
"""  # noqa: E501
CASSANDRA = """\
DEBUG [CompactionExecutor:3] 2026-11-22 06:00:01,234 CompactionTask.java:175 - Compacting (x) [a, b]
INFO  [CompactionExecutor:3] 2026-11-22 06:00:02,468 CompactionTask.java:253 - Compacted (9f1) 4 sstables to [nb-5-big,] to level=0.  1.2MiB to 1.0MiB (~80% of original) in 1,234ms.  Read Throughput = 1.0MiB/s
DEBUG [CompactionExecutor:1] 2026-11-22 06:00:02,500 CompactionTask.java:224 - Compacted 4 sstables to [x-ka-5,].  1,234 bytes to 567 (~45% of original) in 66ms = 0.008MB/s.
"""  # noqa: E501


@pytest.mark.parametrize(
    ("path", "text", "events"),
    [
        ("dist/apache-cassandra-5.0.9/logs/gc.log", JAVA_17, [2, 8.0]),
        ("log/gc.log.0.current", JAVA_8, [1, 7.0]),
        ("log/debug.log", CASSANDRA, [2, 1300.0]),
    ],
)
def test_pauses_and_compactions_are_counted_from_the_end_of_the_log_on(tmp_path, monkeypatch, path, text, events):
    monkeypatch.chdir(tmp_path)
    log = tmp_path / path
    log.parent.mkdir(parents=True)
    log.write_text(text)
    patterns = trial.COMPACTION_LOGS if "debug" in path else trial.GC_LOGS
    followed = trial.DatabaseLog(patterns, trial.COMPACTIONS if "debug" in path else trial.PAUSES)

    assert followed.since() == [0, 0]
    with log.open("a") as file:
        file.write(text[:-40])
        file.flush()
        first = followed.since()
        file.write(text[-40:])
    assert [sum(pair) for pair in zip(first, followed.since(), strict=True)] == pytest.approx(events)
    assert followed.since() == [0, 0]


def test_a_log_that_is_rotated_is_followed_to_its_successor(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    log = tmp_path / "log/gc.log"
    log.parent.mkdir()
    log.write_text("")
    followed = trial.DatabaseLog(trial.GC_LOGS, trial.PAUSES)

    with log.open("a") as file:
        file.write(JAVA_17)
    os.utime(log, (1, 1))
    log.rename(tmp_path / "log/gc.log.0")
    log.write_text(JAVA_17)

    assert followed.since() == [4, pytest.approx(16.0)]

"""The cause of a failure in real lines of kernels, Java, Cassandra and PostgreSQL."""

import pytest

from runners.diagnosis import sentences
from runners.diagnosis.causes import Cause, CauseKind, causes_in, main_causes
from runners.diagnosis.file_ends import FileEnd


def part(path, text):
    return FileEnd(path, len(text), text.encode())


LINES = [
    ("kernel.log", "[  812.1] Out of memory: Killed process 2121 (java) total-vm:9123456kB", "out_of_memory"),
    ("kernel.log", "[  812.1] oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),task=java,pid=2121", "out_of_memory"),
    (
        "journal.log",
        "cassandra.service: A process of this unit has been killed by the OOM killer.",
        "out_of_memory",
    ),
    (
        "log/system.log",
        "FSWriteError: java.io.IOException: No space left on device",
        "disk_full",
    ),
    ("postgresql.log", 'PANIC:  could not write to file "pg_wal/xlogtemp.99": No space left on device', "disk_full"),
    ("log/system.log", "java.lang.RuntimeException: Insufficient disk space to flush 1024 bytes", "disk_full"),
    ("kernel.log", "[ 91.3] I/O error, dev nvme1n1, sector 2048 op 0x1:(WRITE) flags 0x800", "disk_failed"),
    ("kernel.log", "[ 91.4] XFS (nvme1n1): Filesystem has been shut down due to log error (0x2).", "disk_failed"),
    ("kernel.log", "[ 91.4] EXT4-fs (sda1): Remounting filesystem read-only", "disk_failed"),
    ("log/system.log", "FSReadError in /var/lib/benchsite/data/0/cassandra/data/x-Data.db", "disk_failed"),
    ("log/stdout", "# A fatal error has been detected by the Java Runtime Environment:", "jvm_crash"),
    ("log/stdout", "# There is insufficient memory for the Java Runtime Environment to continue.", "jvm_crash"),
    ("log/system.log", "JVMStabilityInspector.java:80 - java.lang.OutOfMemoryError: Java heap space", "heap_full"),
    ("log/stdout", "Terminating due to java.lang.OutOfMemoryError: Java heap space", "heap_full"),
    ("kernel.log", "[ 12.1] ixgbevf 0000:00:03.0: NIC Link is Down", "network"),
    ("journal.log", "benchsite-cassandra.service: Main process exited, code=killed, status=9/KILL", "killed"),
    ("postgresql.log", "LOG:  server process (PID 4711) was terminated by signal 9: Killed", "killed"),
    ("state.txt", "12:00:01 up 3 min\ndatabase: not running\n", "not_running"),
]


@pytest.mark.parametrize(("path", "line", "kind"), LINES, ids=[line[:40] for _, line, _ in LINES])
def test_a_line_names_its_cause(path, line, kind):
    cause, *_ = causes_in("db-1", [part(path, f"INFO before\n{line}\nINFO after\n")])

    assert (cause.host, cause.kind, cause.path) == ("db-1", kind, path)
    assert cause.line in line
    assert "db-1" in sentences.cause(kind, "db-1")


def test_every_kind_has_a_sentence():
    for kind in CauseKind:
        assert sentences.cause(kind, "db-0").endswith(".")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("conf/jvm-server.options", "# dumps the heap at java.lang.OutOfMemoryError\n-XX:+ExitOnOutOfMemoryError"),
        ("log/system.log", "INFO JVM Arguments: [-XX:+HeapDumpOnOutOfMemoryError, -XX:+ExitOnOutOfMemoryError]"),
        ("jobs/trial-0/output", "java.lang.OutOfMemoryError: of the load tool"),
        ("state.txt", "database: running as process 12"),
        ("log/system.log", "INFO Node /10.0.0.3 state jump to NORMAL"),
    ],
)
def test_what_is_no_failure_of_the_host_is_no_cause(path, text):
    assert causes_in("db-0", [part(path, text)]) == []


def test_the_deeper_cause_of_a_host_comes_first():
    found = causes_in(
        "db-0",
        [
            part("log/system.log", "ERROR java.lang.OutOfMemoryError: Map failed"),
            part("state.txt", "database: not running"),
            part("kernel.log", "[1.0] Out of memory: Killed process 7 (java)"),
        ],
    )

    assert [cause.kind for cause in found] == ["out_of_memory", "heap_full", "not_running"]


def test_a_run_has_one_cause_for_each_host_and_silent_hosts_are_one():
    by_host = {
        "db-0": [part("state.txt", "database: not running")],
        "db-1": [part("log/stdout", "write error: No space left on device")],
        "client-0": [part("state.txt", "up")],
    }

    assert main_causes(by_host, ["db-2"]) == [
        Cause("db-1", CauseKind.DISK_FULL, "log/stdout", "write error: No space left on device"),
        Cause("db-2", CauseKind.UNREACHABLE),
        Cause("db-0", CauseKind.NOT_RUNNING, "state.txt", "database: not running"),
    ]


def test_a_very_long_line_is_cut():
    [cause] = causes_in("db-0", [part("log/stdout", "x" * 1000 + " No space left on device")])

    assert len(cause.line) == 300
    assert cause.line.endswith("No space left on device")

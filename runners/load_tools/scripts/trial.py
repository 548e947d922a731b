"""trial.py FOLDER MEMBERS CLIENTS COORDINATOR [COMMAND ...]: one host's part of a trial.

All MEMBERS hosts wait for each other at the first client (COORDINATOR: its address, "-" on the client itself). Then the
clients start COMMAND together, and every host writes FOLDER/samples.csv once a second until the last of the CLIENTS has
finished, with the pauses and compactions in the database's logs, where it has such logs. A host without a COMMAND
only samples. The exit status is that of the command, or 75 if not all hosts came.
"""

from __future__ import annotations

import contextlib
import glob
import operator
import os
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Sequence

    Interfaces = dict[str, tuple[int, int]]  # bytes received and sent
    # CPU ticks by kind; the network's; bytes read, bytes written and ms busy of each disk
    Counters = tuple[list[int], Interfaces, list[tuple[int, int, int]]]

PORT = int(os.environ.get("MEETING_PORT", "9970"))
ADDRESS = os.environ.get("MEETING_ADDRESS", "")  # where the first client listens; every address by default
MEET_SECONDS = 300
NOT_MET = 75
SECTOR = 512  # bytes, in /proc/diskstats for every disk

# Of Cassandra, whose version decides where its garbage collection is logged
GC_LOGS = ("log/gc.log*", "dist/apache-cassandra-*/logs/gc.log*")
COMPACTION_LOGS = ("log/debug.log",)
LOG_BYTES = 4 * 1024 * 1024  # read in a second, at most
PAUSES = (
    re.compile(rb"^\[.*GC\(\d+\) Pause .* ([\d.]+)(ms)\s*$", re.M),  # since Java 9
    re.compile(rb"application threads were stopped: ([\d.]+) (seconds), Stopping threads took", re.M),  # Java 8
)
COMPACTIONS = (re.compile(rb" Compacted .* in ([\d,]+)(ms)"),)


def main(folder: str, members: str, clients: str, coordinator: str, *command: str) -> int:
    os.makedirs(folder, exist_ok=True)
    meeting: Meeting | Visit | None = None
    try:
        if int(members) == 1:
            pass  # no other host to wait for
        elif coordinator == "-":
            meeting = Meeting(int(members) - 1, int(clients) - 1)
        else:
            meeting = Visit(coordinator, bool(command))
    except OSError as error:
        sys.stdout.write(f"the hosts of the trial did not meet: {error}\n")
        return NOT_MET if command else 0
    stop = threading.Event()
    sampler = threading.Thread(target=sample, args=(os.path.join(folder, "samples.csv"), stop))
    sampler.start()
    try:
        return run(command, meeting) if command else watch(meeting)
    finally:
        if meeting:
            meeting.leave()
        stop.set()
        sampler.join()


def run(command: Sequence[str], meeting: Meeting | Visit | None) -> int:
    """Prints nothing but the output of the load tool."""
    done = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    signal.signal(signal.SIGTERM, lambda *_: done.terminate())
    status = done.wait()
    if meeting:
        meeting.finished()
    return status if status >= 0 else 128 - status


def watch(meeting: Meeting | Visit | None) -> int:
    if isinstance(meeting, Visit):
        meeting.wait_for_end()
    return 0


class Meeting:
    """At the first client: the other hosts connect and send their role; "go" is sent to all at once."""

    def __init__(self, others: int, other_clients: int) -> None:
        self.clients: list[socket.socket] = []
        self.all: list[socket.socket] = []
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as server:
            server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            server.bind((ADDRESS, PORT))
            server.listen(1024)
            deadline = time.monotonic() + MEET_SECONDS
            while len(self.all) < others:
                server.settimeout(max(0.01, deadline - time.monotonic()))
                visitor, _ = server.accept()
                role = first_byte(visitor)
                if role not in (b"c", b"s"):
                    visitor.close()
                    continue
                visitor.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
                self.all.append(visitor)
                if role == b"c":
                    self.clients.append(visitor)
        if len(self.clients) != other_clients:
            raise OSError(f"{len(self.clients)} clients came instead of {other_clients}")
        for visitor in self.all:
            visitor.sendall(b"g")

    def finished(self) -> None:
        """Wait for the other clients; a client that disconnected has finished too."""
        waiting = set(self.clients)
        while waiting:
            for visitor in select.select(list(waiting), [], [])[0]:
                waiting.discard(visitor)

    def leave(self) -> None:
        for visitor in self.all:
            visitor.close()


def first_byte(visitor: socket.socket) -> bytes:
    """Empty for a visitor that only probes the port."""
    visitor.settimeout(10)
    try:
        return visitor.recv(1)
    except OSError:
        return b""


class Visit:
    """At every other host: connect, wait for "go", later send or receive the end."""

    def __init__(self, coordinator: str, is_client: bool) -> None:
        deadline = time.monotonic() + MEET_SECONDS
        while True:
            try:
                self.socket = socket.create_connection((coordinator, PORT), 10)
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)
        self.socket.sendall(b"c" if is_client else b"s")
        self.socket.settimeout(MEET_SECONDS)
        if self.socket.recv(1) != b"g":
            raise OSError("the first client disconnected")
        self.socket.settimeout(None)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)

    def finished(self) -> None:
        self.socket.shutdown(socket.SHUT_WR)

    def wait_for_end(self) -> None:
        with contextlib.suppress(OSError):  # the first client disconnected: the trial is over as well
            self.socket.recv(1)

    def leave(self) -> None:
        self.socket.close()


def sample(path: str, stop: threading.Event) -> None:
    """One CSV line per second: rates since the previous line. The columns of the disks follow those of the host."""
    disks = sorted(disk_counters())
    columns = ["time", "cpu_percent", "iowait_percent", "steal_percent", "rx_bytes_s", "tx_bytes_s"]
    columns += [d + suffix for d in disks for suffix in (":read_bytes_s", ":write_bytes_s", ":busy_percent")]
    logs = {"gc": DatabaseLog(GC_LOGS, PAUSES), "compaction": DatabaseLog(COMPACTION_LOGS, COMPACTIONS)}
    logs = {name: log for name, log in logs.items() if log.file}
    columns += [name + suffix for name in logs for suffix in ("s", "_ms")]
    with open(path, "w") as file:
        file.write(",".join(columns) + "\n")
        before, before_at = counters(disks), time.monotonic()
        while not stop.wait(max(0.0, before_at + 1 - time.monotonic())):
            now, now_at = counters(disks), time.monotonic()
            cells = rates(before, now, now_at - before_at)
            for log in logs.values():
                cells += log.since()
            file.write("{:.1f},{}\n".format(time.time(), ",".join(f"{round(cell, 1):.10g}" for cell in cells)))
            file.flush()
            before, before_at = now, now_at


class DatabaseLog:
    """The newest file of these, followed from its end on, whatever rotates it."""

    def __init__(self, patterns: Sequence[str], events: Sequence[re.Pattern[bytes]]) -> None:
        self.patterns, self.events = patterns, events
        self.file: BinaryIO | None = None
        self.rest = b""
        self.follow_newest()
        self.skip_to_end()

    def skip_to_end(self) -> None:
        if self.file:
            self.file.seek(0, os.SEEK_END)

    def since(self) -> list[float]:
        """How many events ended since the last call, and the milliseconds that they took together."""
        text = self.rest + self.read()
        self.follow_newest()
        text += self.read()
        lines, newline, self.rest = text.rpartition(b"\n")
        found = [match for event in self.events for match in event.finditer(lines + newline)]
        return [float(len(found)), sum(milliseconds(*match.groups()) for match in found)]

    def read(self) -> bytes:
        return self.file.read(LOG_BYTES) if self.file else b""

    def follow_newest(self) -> None:
        paths = [path for pattern in self.patterns for path in glob.glob(pattern)]
        with contextlib.suppress(OSError, ValueError):  # rotated meanwhile; none at all
            newest = max(paths, key=os.path.getmtime)
            if self.file is None or os.stat(newest).st_ino != os.fstat(self.file.fileno()).st_ino:
                opened = open(newest, "rb")  # noqa: SIM115 (followed as long as the trial)
                if self.file:
                    self.file.close()
                self.file = opened


def milliseconds(number: bytes, unit: bytes) -> float:
    return float(number.replace(b",", b"")) * (1000.0 if unit == b"seconds" else 1.0)


def counters(disks: Sequence[str]) -> Counters:
    with open("/proc/stat") as file:
        cpu = [int(word) for word in file.readline().split()[1:9]]
    by_disk = disk_counters()
    return cpu, network_counters(), [by_disk.get(disk, (0, 0, 0)) for disk in disks]


def rates(before: Counters, now: Counters, seconds: float) -> list[float]:
    cpu = list(map(operator.sub, now[0], before[0]))
    ticks = max(1, sum(cpu))  # user nice system idle iowait irq softirq steal
    cells = [100.0 * (ticks - cpu[3] - cpu[4]) / ticks, 100.0 * cpu[4] / ticks, 100.0 * cpu[7] / ticks]
    cells += [grown / seconds for grown in transferred(before[1], now[1])]
    for index, old in enumerate(before[2]):
        read, written, busy_ms = map(operator.sub, now[2][index], old)
        cells += [read / seconds, written / seconds, min(100.0, busy_ms / seconds / 10)]
    return cells


def transferred(before: Interfaces, now: Interfaces) -> tuple[int, int]:
    """Bytes received and sent by the interfaces that were there: one that comes or goes takes its counters with it."""
    pairs = [(old, now[name]) for name, old in before.items() if name in now]
    return sum(max(0, new[0] - old[0]) for old, new in pairs), sum(max(0, new[1] - old[1]) for old, new in pairs)


def network_counters() -> Interfaces:
    """Bytes received and sent by each interface but the loopback."""
    by_interface = {}
    with open("/proc/net/dev") as file:
        for line in file.readlines()[2:]:
            name, _, numbers = line.partition(":")
            if name.strip() != "lo":
                words = numbers.split()
                by_interface[name.strip()] = (int(words[0]), int(words[8]))
    return by_interface


def disk_counters() -> dict[str, tuple[int, int, int]]:
    """Bytes read, bytes written and ms busy of each whole disk."""
    by_disk = {}
    with open("/proc/diskstats") as file:
        for line in file:
            words = line.split()
            if words[2].startswith(("nvme", "sd", "xvd", "vd", "md")) and os.path.exists("/sys/block/" + words[2]):
                by_disk[words[2]] = (int(words[5]) * SECTOR, int(words[9]) * SECTOR, int(words[12]))
    return by_disk


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

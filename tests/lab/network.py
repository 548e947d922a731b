"""The lab's bridge and the leftovers of labs that were killed; run as a program it is the watchdog of one lab."""

import contextlib
import fcntl
import ipaddress
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

# Every lab takes a slot: a /20 of its own, so that several labs can run on a machine at the same time.
POOL = ipaddress.ip_network(os.environ.get("LAB_NETWORK", "10.77.0.0/16"))
SLOT_PREFIX = 20
LOCKS = Path("/run/benchsite-lab")
FOLDERS = Path("/var/tmp/benchsite-lab")  # the overlays of the hosts; must not be an overlay itself
NETNS = Path("/run/netns")


class LabError(Exception):
    """The machine refused what the lab needs; the text is the program's own."""


def run(*command: object, text: str | None = None, check: bool = True) -> str:
    """Run a program and return what it printed; LabError with its complaint when it fails."""
    done = subprocess.run([str(part) for part in command], input=text, capture_output=True, text=True)
    if check and done.returncode:
        raise LabError(f"{' '.join(str(part) for part in command)}: {(done.stderr or done.stdout).strip()}")
    return done.stdout


class Network:
    """A bridge with its address range. Close it, or let the next lab clean up after it."""

    def __init__(self) -> None:
        self.slot, self._lock = _take_slot()
        self.name = _name(self.slot)
        self.folder = FOLDERS / self.name
        self.folder.mkdir(parents=True)
        self.cidr = list(POOL.subnets(new_prefix=SLOT_PREFIX))[self.slot]
        self.gateway = str(self.cidr[1])
        run("ip", "link", "add", self.name, "address", _mac(self.gateway), "type", "bridge", "stp_state", "0")
        run("ip", "addr", "add", f"{self.gateway}/{self.cidr.prefixlen}", "dev", self.name)
        run("ip", "link", "set", self.name, "up")
        # When this process dies in whatever way, the watchdog's input ends and it sweeps the slot.
        self._watchdog = subprocess.Popen(
            [sys.executable, __file__, str(self.slot)], stdin=subprocess.PIPE, start_new_session=True
        )

    def parts(self) -> list[ipaddress.IPv4Network]:
        """Four /22: the first with the bridge's own address, the others for the zones of a region."""
        return list(self.cidr.subnets(prefixlen_diff=2))

    def add_namespace(self, name: str, address: str) -> str:
        """A network namespace with `address` on the bridge; returns its full name, also that of its link here."""
        full = f"{self.name}-{name}"
        if len(full) > 15:  # IFNAMSIZ
            raise LabError(f"{full} is too long for a link")
        run("ip", "netns", "add", full)
        peer = ("peer", "name", "eth0", "address", _mac(address), "netns", full)
        run("ip", "link", "add", full, "type", "veth", *peer)
        run("ip", "link", "set", full, "master", self.name, "up")
        inside = f"""addr add {address}/{self.cidr.prefixlen} dev eth0
            link set eth0 up
            link set lo up
            route add default via {self.gateway}
            rule add to {self.cidr} lookup main pref 100
            rule add unreachable pref 200"""  # the lab is all the world there is: an error at once, no time-out
        run("ip", "-n", full, "-batch", "-", text=inside)
        return full

    def close(self) -> None:
        """Kill every host and remove whatever the lab made."""
        self._watchdog.kill()
        self._watchdog.wait()
        if self._watchdog.stdin:
            self._watchdog.stdin.close()
        sweep(self.slot)
        self._lock.close()


def pids(namespace: str) -> list[int]:
    """The processes that live in a network namespace."""
    return [int(pid) for pid in run("ip", "netns", "pids", namespace, check=False).split()]


def remove_namespace(namespace: str) -> None:
    for pid in pids(namespace):
        send(pid, signal.SIGKILL)
    run("ip", "netns", "del", namespace, check=False)
    # The other end of the pair goes with the namespace, but only once its last process has gone.
    run("ip", "link", "del", namespace, check=False)


def remove_folder(folder: Path) -> None:
    """Unmount everything at or below `folder`, free the loop devices of its files, delete it."""
    for line in reversed(Path("/proc/self/mountinfo").read_text().splitlines()):
        mounted = line.split()[4]
        if mounted == str(folder) or mounted.startswith(f"{folder}/"):
            run("umount", "-l", mounted, check=False)
    for device in json.loads(run("losetup", "--json", "--list", check=False) or "{}").get("loopdevices", []):
        if device["back-file"].startswith(f"{folder}/"):
            run("losetup", "--detach", device["name"], check=False)
    shutil.rmtree(folder, ignore_errors=True)


def sweep(slot: int) -> None:
    """Remove all that a lab of this slot has left: processes, namespaces, mounts, folders, the bridge."""
    name = _name(slot)
    if NETNS.is_dir():
        for entry in sorted(NETNS.iterdir()):
            if entry.name.startswith(f"{name}-"):
                remove_namespace(entry.name)
    remove_folder(FOLDERS / name)
    run("ip", "link", "del", name, check=False)


def leftovers(slot: int) -> list[str]:
    """What a lab of this slot has left on the machine: names of namespaces, folders, links."""
    name = _name(slot)
    namespaces = (
        [entry.name for entry in NETNS.iterdir() if entry.name.startswith(f"{name}-")] if NETNS.is_dir() else []
    )
    folders = [str(FOLDERS / name)] if (FOLDERS / name).exists() else []
    links = [link["ifname"] for link in json.loads(run("ip", "-j", "link", "show", "type", "bridge") or "[]")]
    return sorted(namespaces + folders + [link for link in links if link == name])


def _mac(address: str) -> str:
    """As in a real cloud, the same for the same address: what a machine remembers of the last host that had the address
    is right for the next, which would be silent for ten seconds otherwise."""
    return ":".join(f"{byte:02x}" for byte in (2, 1, *ipaddress.IPv4Address(address).packed))


def _name(slot: int) -> str:
    return f"bslab{slot}"


def _slots() -> Iterator[int]:
    yield from range(2 ** (SLOT_PREFIX - POOL.prefixlen))


def _lock(slot: int) -> IO[str] | None:
    """The slot's lock, held until it is closed or the process dies; None when another lab has it."""
    LOCKS.mkdir(parents=True, exist_ok=True)
    handle = (LOCKS / f"slot-{slot}.lock").open("w")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        handle.close()
        return None
    return handle


def _take_slot() -> tuple[int, IO[str]]:
    """The first free slot. Cleans, on the way, every slot whose lab is dead."""
    taken: tuple[int, IO[str]] | None = None
    for slot in _slots():
        lock = _lock(slot)
        if lock is None:
            continue
        if leftovers(slot):
            sweep(slot)
        if taken is None:
            taken = (slot, lock)
        else:
            lock.close()
    if taken is None:
        raise LabError(f"all {len(list(_slots()))} slots of {POOL} are in use")
    return taken


def send(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):  # it has ended by itself
        os.kill(pid, number)


def watch(slot: int) -> None:
    """Wait until the lab's process is gone, then sweep its slot, unless another lab was faster."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stdin.buffer.read()
    lock = _lock(slot)
    if lock is not None:
        sweep(slot)


if __name__ == "__main__":
    watch(int(sys.argv[1]))

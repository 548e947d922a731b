"""The network and its hosts, without a cloud around them."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.lab.hosts import Host, HostOrder
from tests.lab.network import LabError, Network, leftovers
from tests.lab.waiting import wait_for

ROOT = Path(__file__).parents[2]


@pytest.fixture
def boot(lab_network: Network) -> Iterator[Callable[..., Host]]:
    hosts: list[Host] = []

    def start(number: int, **more: object) -> Host:
        address = str(lab_network.parts()[0][100 + number])
        order = HostOrder(f"t{number}", address, f"i-{number}", f"host-{number}", **more)
        hosts.append(Host(lab_network, order))
        return hosts[-1]

    yield start
    for host in hosts:
        host.kill()


def is_open(host: Host, port: int = 22) -> bool:
    try:
        socket.create_connection((host.order.address, port), timeout=1).close()
    except OSError:
        return False
    return True


def test_hosts_reach_each_other_and_not_the_world(boot):
    one, other = boot(1), boot(2)

    wait_for(lambda: is_open(other), "sshd of the second host")

    assert one.run(f"nc -z -w 5 {other.order.address} 22 && echo reached") == "reached\n"
    with pytest.raises(LabError, match=r"Couldn't connect|No route to host|unreachable"):
        one.run("curl --max-time 5 --silent --show-error http://192.0.2.1/")


def test_a_host_has_its_own_name_processes_disks_and_kernel_parameters(boot):
    before = Path("/proc/sys/vm/max_map_count").read_text()
    host = boot(1, disks=[("nvme1n1", 1)])
    wait_for(lambda: is_open(host), "sshd")

    facts = host.run(
        "hostname; cat /proc/1/comm; lsblk --noheadings --raw -o NAME,TYPE,SIZE;"
        "mkfs.xfs -q /dev/nvme1n1 && mount /dev/nvme1n1 /mnt && stat --file-system -c %T /mnt;"
        "sysctl -w vm.max_map_count=654321; cat /proc/sys/vm/max_map_count"
    )

    assert facts.splitlines() == [
        "host-1",
        "sh",
        "nvme1n1 disk 1G",
        "xfs",
        "vm.max_map_count = 654321",
        "654321",
    ]
    assert Path("/proc/sys/vm/max_map_count").read_text() == before


def test_a_cut_link_is_silent_and_can_be_restored(boot):
    host = boot(1)
    wait_for(lambda: is_open(host), "sshd")

    host.cut_link()
    assert not is_open(host)

    host.restore_link()
    wait_for(lambda: is_open(host), "sshd behind the restored link")


def test_a_frozen_host_does_not_answer_until_it_is_thawed(boot):
    host = boot(1)
    wait_for(lambda: is_open(host), "sshd")

    def greeting(seconds: float = 60) -> bytes:
        with socket.create_connection((host.order.address, 22), timeout=seconds) as connection:
            return connection.recv(4)

    assert greeting() == b"SSH-"
    host.freeze()
    with pytest.raises(TimeoutError):
        greeting(seconds=1)
    host.thaw()
    assert greeting() == b"SSH-"


def test_a_limited_link_is_slow(boot):
    host = boot(1)
    host.run("head -c 1000000 /dev/zero >/root/megabyte")

    def seconds() -> float:
        host.run("(nc -l -q 0 -p 9999 </root/megabyte >/dev/null 2>&1 &) ; true")
        wait_for(lambda: "9999" in host.run("ss -ltn"), "the listener")
        started = os.times().elapsed
        with socket.create_connection((host.order.address, 9999), timeout=30) as connection:
            while connection.recv(65536):
                pass
        return os.times().elapsed - started

    fast = seconds()
    host.limit_link(4)
    limited = seconds()
    host.unlimit_link()

    assert limited > 1.5  # 8 Mbit at 4 Mbit/s, less the bucket
    assert fast < limited / 2


def test_a_firewall_admits_only_what_it_is_told(boot):
    host, friend = boot(1), boot(2)
    wait_for(lambda: is_open(host), "sshd")

    host.admit([(f"{friend.order.address}/32", "tcp", 22, 22)])

    assert not is_open(host)
    assert friend.run(f"nc -z -w 5 {host.order.address} 22 && echo reached") == "reached\n"


def test_a_killed_host_leaves_nothing(boot, lab_network):
    host = boot(1, disks=[("nvme1n1", 1)])
    disk = str(host.folder)

    host.kill()

    assert not host.is_alive
    assert not host.folder.exists()
    assert host.namespace not in subprocess.run(["ip", "netns"], capture_output=True, text=True).stdout
    assert host.namespace not in subprocess.run(["ip", "link"], capture_output=True, text=True).stdout
    assert disk not in subprocess.run(["losetup", "--list"], capture_output=True, text=True).stdout


CRASH = """
from tests.lab.hosts import Host, HostOrder
from tests.lab.network import Network
network = Network()
Host(network, HostOrder("x1", str(network.parts()[0][100]), "i-1", "crash", disks=[("nvme1n1", 1)]))
print(network.slot, flush=True)
input()
"""


@pytest.mark.parametrize("has_watchdog", [True, False])
def test_what_a_lab_killed_with_9_leaves_is_removed(lab_network, has_watchdog):
    crashed = subprocess.Popen(
        [sys.executable, "-c", CRASH], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    slot = int(crashed.stdout.readline())
    assert len(leftovers(slot)) == 3  # the namespace, the folder, the bridge
    bridge = socket.if_nametoindex(f"bslab{slot}")
    children = Path(f"/proc/{crashed.pid}/task/{crashed.pid}/children").read_text().split()
    watchdogs = [int(pid) for pid in children if "network.py" in Path(f"/proc/{pid}/cmdline").read_text()]
    if not has_watchdog:
        os.kill(watchdogs[0], signal.SIGKILL)

    crashed.kill()
    crashed.wait()
    if not has_watchdog:
        assert len(leftovers(slot)) == 3
        Network().close()  # the next lab to start

    def is_swept() -> bool:
        # the bridge goes last; another lab of this machine may have taken the slot since, with a bridge of its own
        return not leftovers(slot) or bridge not in {number for number, _ in socket.if_nameindex()}

    wait_for(is_swept, "the crashed lab is swept")
    for pipe in (crashed.stdin, crashed.stdout):
        pipe.close()

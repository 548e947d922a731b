"""Hosts of the lab: a network namespace, a file system of its own, a real cloud-init and a real sshd."""

import os
import shlex
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.lab.image import root_image
from tests.lab.network import LabError, Network, pids, remove_folder, remove_namespace, run, send

MACHINE = Path(__file__).parent / "machine"
GIB = 1024**3
# The modules of Debian's cloud.cfg that do something here; the others need a real disk or a boot loader.
CLOUD_INIT = {
    "datasource_list": ["NoCloud"],
    "network": {"config": "disabled"},
    "ssh_genkeytypes": ["ecdsa", "ed25519"],  # an RSA key takes longer than the rest of the boot
    "cloud_init_modules": ["bootcmd", "write-files", "set_hostname", "update_etc_hosts", "users-groups", "ssh"],
    "cloud_config_modules": ["set-passwords", "runcmd"],
    "cloud_final_modules": ["package-update-upgrade-install", "scripts-user", "final-message"],
}


@dataclass(frozen=True, slots=True)
class HostOrder:
    """A machine as its cloud describes it to its first boot."""

    name: str  # unique in the lab, at most 6 characters: it ends the name of a link
    address: str
    instance_id: str
    hostname: str
    default_user: str = "admin"  # of the image: admin on Debian, ubuntu on Ubuntu, "" for none
    public_keys: Sequence[str] = ()  # for the default user
    user_data: bytes = b""  # for cloud-init
    accounts: Sequence[tuple[str, str]] = ()  # (user, public key): GCE's ssh-keys
    startup_script: bytes = b""  # GCE's
    disks: Sequence[tuple[str, float]] = ()  # (device name, GiB): empty local disks, sparse files here
    links: Mapping[str, str] = field(default_factory=dict)  # name in /dev/disk/by-id -> device name
    has_sshd: bool = True


class Host:
    """A booted machine. `kill` is the power switch."""

    def __init__(self, network: Network, order: HostOrder) -> None:
        self.order = order
        self.network = network
        self.folder = network.folder / order.name
        self.root = self.folder / "root"
        self._mount()
        self._seed()
        self.namespace = network.add_namespace(order.name, order.address)
        self._process = self._start()

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    @property
    def console(self) -> str:
        """What a cloud shows as the serial console: the output of init, cloud-init and sshd."""
        return (self.folder / "console").read_text(errors="replace")

    def run(self, command: str, *, check: bool = True) -> str:
        """Run a shell command as root on the host, past ssh; LabError when it fails and `check` is set."""
        init = self._init()
        inside = ("nsenter", "--target", init, "--mount", "--uts", "--ipc", "--net", "--pid", "--root")
        return run(*inside, "env", "--chdir=/", "sh", "-c", command, check=check)

    def kill(self) -> None:
        """Cut the power: every process at once, then nothing of the host is left."""
        self._process.kill()
        remove_namespace(self.namespace)
        self._process.wait()
        remove_folder(self.folder)

    def freeze(self) -> None:
        """Stop every process: the host answers pings, and nothing else."""
        self._signal_all(signal.SIGSTOP)

    def thaw(self) -> None:
        self._signal_all(signal.SIGCONT)

    def cut_link(self) -> None:
        """Unplug the network cable."""
        run("ip", "link", "set", self.namespace, "down")

    def restore_link(self) -> None:
        run("ip", "link", "set", self.namespace, "up")

    def limit_link(self, mbit_s: float) -> None:
        """Limit both directions of the host's network to a rate in Mbit/s."""
        bucket = ("tbf", "rate", f"{mbit_s}mbit", "burst", "64kb", "latency", "50ms")
        run("tc", "qdisc", "replace", "dev", self.namespace, "root", *bucket)
        run("ip", "netns", "exec", self.namespace, "tc", "qdisc", "replace", "dev", "eth0", "root", *bucket)

    def unlimit_link(self) -> None:
        run("tc", "qdisc", "del", "dev", self.namespace, "root", check=False)
        run("ip", "netns", "exec", self.namespace, "tc", "qdisc", "del", "dev", "eth0", "root", check=False)

    def stop_sshd(self) -> None:
        """New connections are refused from now on; the open ones live."""
        self.run("pkill -o -x sshd")

    def admit(self, sources: Sequence[tuple[str, str, int, int]]) -> None:
        """Set the firewall: let in only (network, "tcp" | "udp" | "icmp" | "all", first port, last port)."""
        rules = [f"ip saddr {cidr} {_match(protocol, first, last)} accept" for cidr, protocol, first, last in sources]
        lines = "\n    ".join(rules)
        table = f"""table inet lab
delete table inet lab
table inet lab {{
  chain input {{
    type filter hook input priority 0; policy drop;
    iif lo accept
    ct state established,related accept
    {lines}
  }}
}}"""
        run("ip", "netns", "exec", self.namespace, "nft", "-f", "-", text=table)

    def _signal_all(self, number: signal.Signals) -> None:
        reached: set[int] = set()
        while new := set(pids(self.namespace)) - reached:  # some were born while the others were told
            for pid in new:
                send(pid, number)
            reached |= new

    def _mount(self) -> None:
        for part in ("upper", "work", "root"):
            (self.folder / part).mkdir(parents=True)
        layers = f"lowerdir={root_image()},upperdir={self.folder}/upper,workdir={self.folder}/work"
        run("mount", "-t", "overlay", "overlay", "-o", layers, self.root)

    def _seed(self) -> None:
        """Write what the host's first boot reads."""
        order, lab = self.order, self.root / "etc/lab"
        lab.mkdir()
        for script in ("init.sh", "services.sh", "stages.py", "logins.sh"):
            (lab / script).write_bytes((MACHINE / script).read_bytes())
        (lab / "hostname").write_text(order.hostname)
        (self.root / "etc/hosts").write_text(f"127.0.0.1 localhost\n{order.address} {order.hostname}\n")
        (lab / "disks").write_text("".join(f"{line}\n" for line in self._disks()))
        (lab / "links").write_text("".join(f"{link} {device}\n" for link, device in order.links.items()))
        if order.accounts:
            (lab / "accounts").write_text("".join(f"{user} {key}\n" for user, key in order.accounts))
        if order.startup_script:
            (lab / "startup-script").write_bytes(order.startup_script)
            (lab / "startup-script").chmod(0o755)
        if not order.has_sshd:
            (lab / "no-sshd").touch()
        config: dict[str, Any] = {**CLOUD_INIT, "users": []}
        if order.default_user:
            user = {"name": order.default_user, "shell": "/bin/bash", "sudo": ["ALL=(ALL) NOPASSWD:ALL"]}
            config.update(users=["default"], system_info={"distro": "debian", "default_user": user})
        (self.root / "etc/cloud/cloud.cfg.d/99-lab.cfg").write_text(yaml.safe_dump(config))
        metadata = {
            "instance-id": order.instance_id,
            "local-hostname": order.hostname,
            "public-keys": list(order.public_keys),
            "dsmode": "net",  # found by the one start of cloud-init that the lab makes of two
        }
        seed = self.root / "var/lib/cloud/seed/nocloud"
        seed.mkdir(parents=True)
        (seed / "meta-data").write_text(yaml.safe_dump(metadata))
        (seed / "user-data").write_bytes(order.user_data)

    def _disks(self) -> list[str]:
        """Make the local disks; a line for each: the name on the host, the loop device, its numbers."""
        lines = []
        for name, gib in self.order.disks:
            image = self.folder / f"{name}.disk"
            with image.open("wb") as sparse:
                sparse.truncate(int(gib * GIB))
            device = Path(run("losetup", "--find", "--show", image).strip())
            numbers = device.stat().st_rdev
            lines.append(f"{name} {device.name} {os.major(numbers)} {os.minor(numbers)}")
        return lines

    def _start(self) -> subprocess.Popen[bytes]:
        isolate = "unshare --mount --uts --pid --ipc --fork --kill-child"
        boot = f"ip netns exec {self.namespace} {isolate} chroot {shlex.quote(str(self.root))} /bin/sh /etc/lab/init.sh"
        with (self.folder / "console").open("wb") as console:
            return subprocess.Popen(
                shlex.split(boot),
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8"},
            )

    def _init(self) -> int:
        """The host's process 1, as this machine numbers it: the child of unshare, once the kernel's part is done."""
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
        deadline = time.monotonic() + 120
        while True:
            found = children.read_text().split() if self.is_alive else []
            if found and b"services.sh" in Path(f"/proc/{found[0]}/cmdline").read_bytes():
                return int(found[0])
            if not self.is_alive or time.monotonic() > deadline:
                raise LabError(f"{self.order.name} is not up: {self.console[-500:]}")
            time.sleep(0.01)


def _match(protocol: str, first: int, last: int) -> str:
    if protocol == "all":
        return ""
    if protocol == "icmp":
        return "ip protocol icmp"
    return f"{protocol} dport {first}-{last}"

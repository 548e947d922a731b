"""The life of an EC2 instance that moto leaves out: pending, shutting down, spot requests, and the host that it is."""

import base64
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from moto.ec2.models.instance_types import INSTANCE_TYPES
from moto.ec2.models.instances import InstanceState, StateReason

from tests.lab import ec2_account
from tests.lab.ec2_wire import Refused
from tests.lab.faults import Faults
from tests.lab.hosts import Host, HostOrder
from tests.lab.network import LabError, Network

CODES = {"pending": 0, "running": 16, "shutting-down": 32, "terminated": 48}
LOCAL_DISK_GIB = 2  # of each instance store volume, whatever the type's real size


@dataclass
class Life:
    """What the lab knows of an instance beyond moto."""

    instance: Any  # moto's
    region: str
    launched_at: float
    host: Host | None = None
    ended_at: float | None = None
    ended_by: str = ""  # the reason of its last change, with the time
    open_rules: object = None  # what the firewall of the host was set to
    spot: dict[str, Any] | None = None  # as DescribeSpotInstanceRequests answers it

    @property
    def state(self) -> str:
        return self.instance._state.name

    @state.setter
    def state(self, name: str) -> None:
        self.instance._state = InstanceState(name, CODES[name])  # moto changes the object, so it is never shared

    @property
    def is_left(self) -> bool:
        return self.state != "terminated"

    @property
    def groups(self) -> list[Any]:
        """Its security groups; without any named, the default one of its VPC."""
        default = ec2_account.backend(self.region).get_security_group_from_name("default", self.instance.vpc_id)
        return self.instance.security_groups or self.instance.nics[0].group_set or [default]


class Instances:
    """All instances of the account, their states by the clock, their hosts by the states."""

    def __init__(self, network: Network, faults: Faults) -> None:
        self.network, self.faults = network, faults
        self.boots = True  # False: instances run without a host, for clusters that no machine could hold
        self.pending_seconds = 0.5
        self.shutdown_seconds = 0.5
        self.lives: dict[str, Life] = {}
        self.errors: list[str] = []  # hosts that did not boot: a fault of the lab
        self.lock = threading.RLock()
        self._stop = threading.Event()
        self._numbers = 0
        self._thread = threading.Thread(target=self._follow, name="lab-ec2", daemon=True)
        self._thread.start()

    def clear(self) -> None:
        with self.lock:
            lives, self.lives = self.lives, {}
        self._each(lambda life: life.host and life.host.kill(), list(lives.values()))

    def close(self) -> None:
        self._stop.set()
        self._thread.join()
        self.clear()

    def add(self, region: str, instance: Any) -> Life:
        """A new instance: pending, with its private address only, as EC2 answers at first."""
        life = Life(instance, region, time.monotonic())
        life.state = "pending"
        instance.nics[0].public_ip = None
        self.lives[instance.id] = life
        return life

    def end(self, ids: Sequence[str], reason: StateReason | None = None) -> None:
        """moto has terminated them; they shut down for a while and their hosts go."""
        for life in (self.lives[id_] for id_ in ids if id_ in self.lives):
            if life.ended_at is None:
                life.ended_at = time.monotonic()
                if reason is not None:
                    life.instance.state_reason = reason
                    life.instance._reason = reason.code
                life.ended_by = life.instance._reason
            life.instance._reason = life.ended_by  # of the first call: moto would tell the time of the last one
            if life.host is not None or not self._is_gone(life):
                life.state = "shutting-down"
            if life.spot and life.spot["State"] != "closed":
                code = "instance-terminated-by-user" if reason is None else "instance-terminated-no-capacity"
                message, at = "Your Spot instance was terminated", datetime.fromtimestamp(time.time(), UTC)
                life.spot.update(State="closed", Status={"Code": code, "Message": message, "UpdateTime": at})

    def advance(self) -> None:
        """Set the states that are due by the clock. Those with a host wait for it."""
        now = time.monotonic()
        for life in self.lives.values():
            is_due = now >= life.launched_at + self.pending_seconds
            if life.state == "pending" and is_due and (life.host or not self.boots):
                life.state = "running"
                nic = life.instance.nics[0]
                nic.public_ip = nic.private_ip_address if nic.public_ip_auto_assign else None
            elif life.state == "shutting-down" and life.host is None and self._is_gone(life):
                life.state = "terminated"

    @contextmanager
    def visible(self, region: str) -> Iterator[None]:
        """Within: moto does not know the instances that eventual consistency still hides."""
        newest = time.monotonic() - self.faults.unknown_seconds
        hidden = {id_ for id_, life in self.lives.items() if life.launched_at > newest}
        ec2 = ec2_account.backend(region)
        everything = ec2.reservations
        if hidden:
            self.faults.counts["unknown"] += 1
            ec2.reservations = {
                key: reservation
                for key, reservation in everything.items()
                if not any(instance.id in hidden for instance in reservation.instances)
            }
        try:
            yield
        finally:
            everything.update(ec2.reservations)  # what was made meanwhile
            ec2.reservations = everything

    def refuse_dependent(self, group_id: str) -> None:
        """A security group cannot be deleted before its last instance is terminated."""
        for life in self.lives.values():
            if life.is_left and group_id in {group.id for group in life.groups}:
                raise Refused("DependencyViolation", f"resource {group_id} has a dependent object")

    def interrupt(self, instance_id: str, *, notice_seconds: float = 0) -> None:
        """EC2 takes a spot instance back; with a notice first, which the spot request shows."""
        life = self.lives[instance_id]
        if life.spot is None:
            raise ValueError(f"{instance_id} is no spot instance")
        message = "Your Spot instance is marked for termination"
        life.spot["Status"] = {"Code": "marked-for-termination", "Message": message}
        timer = threading.Timer(notice_seconds, self._take_back, [life])
        timer.daemon = True
        timer.start()
        if notice_seconds == 0:
            timer.join()

    def _take_back(self, life: Life) -> None:
        with self.lock:
            # the test that asked for it may be over, and its account with it
            if self.lives.get(life.instance.id) is life and life.state in ("pending", "running"):
                ec2_account.backend(life.region).terminate_instances([life.instance.id])
                code = "Server.SpotInstanceTermination"
                self.end([life.instance.id], StateReason(f"{code}: Spot instance termination", code))

    def _is_gone(self, life: Life) -> bool:
        return life.ended_at is not None and time.monotonic() >= life.ended_at + self.shutdown_seconds

    def _follow(self) -> None:
        """Boot what is pending, kill what was terminated, keep the firewalls as the security groups say."""
        while not self._stop.wait(0.1):
            with self.lock:
                lives = list(self.lives.values())
                self.advance()
            self._each(self._boot, [life for life in lives if self._wants_host(life)])
            self._each(self._kill, [life for life in lives if life.ended_at is not None and life.host])
            for life in lives:
                if life.host and life.ended_at is None:
                    self._admit(life)

    def _wants_host(self, life: Life) -> bool:
        return self.boots and life.host is None and life.ended_at is None and life.state == "pending"

    @staticmethod
    def _each(call: Callable[[Life], object], lives: list[Life]) -> None:
        if lives:
            with ThreadPoolExecutor(8) as pool:
                list(pool.map(call, lives))

    def _boot(self, life: Life) -> None:
        instance = life.instance
        key = ec2_account.backend(life.region).key_pairs.get(instance.key_name)
        with self.lock:
            self._numbers += 1
            name = f"a{self._numbers}"
        disks, links = _disks(life)
        order = HostOrder(
            name=name,
            address=instance.private_ip_address,
            instance_id=instance.id,
            hostname=f"ip-{instance.private_ip_address.replace('.', '-')}",
            default_user=ec2_account.default_user(life.region, instance.image_id),
            public_keys=(key.material_public.decode().strip(),) if key else (),
            user_data=base64.b64decode(instance.user_data.as_bytes()) if instance.user_data else b"",
            disks=disks,
            links=links,
            has_sshd=not self.faults.takes_ssh(),
        )
        try:
            host = Host(self.network, order)
        except LabError as error:
            self.errors.append(f"{instance.id}: {error}")
            life.ended_at = time.monotonic()
            life.state = "shutting-down"
            return
        with self.lock:
            if self.lives.get(instance.id) is life:
                life.host = host
                self._admit(life)
                return
        host.kill()  # the account was emptied in the meantime

    def _kill(self, life: Life) -> None:
        host = life.host
        if host:
            host.kill()
            life.host = None

    def _admit(self, life: Life) -> None:
        with self.lock:
            rules = sorted(set(_rules(life, [one for one in self.lives.values() if one.is_left])))
        if life.host and life.host.is_alive and life.open_rules != rules:
            life.host.admit(rules)
            life.open_rules = rules


def _rules(life: Life, everybody: list[Life]) -> Iterator[tuple[str, str, int, int]]:
    """The ingress rules of an instance's security groups; a group as source stands for its members' addresses."""
    for group in life.groups:
        for rule in group.ingress_rules:
            source = rule.source_group.get("GroupId")
            members = [one for one in everybody if source in {member.id for member in one.groups}] if source else []
            sources = [f"{member.instance.private_ip_address}/32" for member in members]
            sources += [rule.cidr_ipv4] if rule.cidr_ipv4 else []
            protocol = "all" if rule.ip_protocol == "-1" else rule.ip_protocol
            for cidr in sources:
                yield cidr, protocol, rule.from_port or 0, 65535 if rule.to_port is None else rule.to_port


def _disks(life: Life) -> tuple[list[tuple[str, float]], dict[str, str]]:
    """The instance store and the data volumes as a Nitro instance may number them, and their links by id.

    The root volume is nvme0n1. The instance store comes first here, as it often does: nobody may count on an order.
    """
    ec2 = ec2_account.backend(life.region)
    stores = INSTANCE_TYPES[life.instance.instance_type].get("InstanceStorageInfo", {}).get("Disks", [])
    there = [
        (f"Amazon_EC2_NVMe_Instance_Storage_AWS{number:017X}", float(LOCAL_DISK_GIB))
        for number in range(sum(disk["Count"] for disk in stores))
    ]
    there += [
        (f"Amazon_Elastic_Block_Store_{block.volume_id.replace('-', '')}", float(ec2.volumes[block.volume_id].size))
        for device, block in life.instance.get_block_device_mapping
        if device != life.instance.root_device_name
    ]
    devices = [f"nvme{number}n1" for number in range(1, len(there) + 1)]
    disks = [(device, gib) for device, (_, gib) in zip(devices, there, strict=True)]
    links = {f"nvme-{name}": device for device, (name, _) in zip(devices, there, strict=True)}
    return disks, {**links, **{f"{link}_1": device for link, device in links.items()}}  # udev links each twice

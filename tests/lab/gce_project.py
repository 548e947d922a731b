"""The project: instances with their disks and firewall rules, and the hosts that the instances are."""

import itertools
import re
import threading
import time
import uuid
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from tests.lab.faults import Faults
from tests.lab.gce_catalogue import API
from tests.lab.gce_errors import exists, not_found
from tests.lab.gce_hosts import host_order, open_rules
from tests.lab.gce_operations import Operations, stamp
from tests.lab.hosts import Host
from tests.lab.network import LabError, Network

Key = tuple[str, str]  # zone, name


@dataclass
class Machine:
    """An instance and what the lab knows of it."""

    body: dict[str, Any]
    project: str
    zone: str
    created_at: float
    host: Host | None = None
    ending_at: float | None = None
    is_preempted: bool = False
    open_rules: object = None

    @property
    def key(self) -> Key:
        return self.zone, self.body["name"]


class Project:
    def __init__(self, network: Network, faults: Faults) -> None:
        self.network, self.faults = network, faults
        # The first half of the first /22 is for the lab's own services.
        self.subnet = list(network.parts()[0].subnets(prefixlen_diff=1))[1]
        self.boots = True
        self.errors: list[str] = []
        self.lock = threading.RLock()
        self._host_numbers = itertools.count(1)
        self._stop = threading.Event()
        self.clear()
        self._thread = threading.Thread(target=self._follow, name="lab-gce", daemon=True)
        self._thread.start()

    def clear(self) -> None:
        with self.lock:
            old = list(getattr(self, "machines", {}).values())
            self.numbers = itertools.count(10**18)
            self.operations = Operations(self.numbers)
            self.machines: dict[Key, Machine] = {}
            self.disks: dict[Key, dict[str, Any]] = {}
            self.firewalls: dict[str, dict[str, Any]] = {}
            self._addresses = self.subnet.hosts()
            self._free: list[str] = []
        for machine in old:
            if machine.host:
                machine.host.kill()

    def close(self) -> None:
        self._stop.set()
        self._thread.join()
        self.clear()

    def visible(self, key: Key) -> Machine:
        """The machine, unless it does not exist, or eventual consistency still hides it."""
        machine = self.machines.get(key)
        if machine is None or self._is_hidden(machine):
            raise KeyError(key)
        return machine

    def seen(self, zone: str | None = None) -> list[Machine]:
        """The machines that lists show, by zone and name."""
        found = [one for one in self.machines.values() if zone in (None, one.zone) and not self._is_hidden(one)]
        return sorted(found, key=lambda one: one.key)

    def add(self, project: str, zone: str, body: dict[str, Any]) -> Machine:
        """Make an instance of a request's body that has been found right."""
        name = body["name"]
        if (zone, name) in self.machines:
            raise exists(f"projects/{project}/zones/{zone}/instances/{name}")
        link = f"{API}/projects/{project}/zones/{zone}"
        kept = {key: value for key, value in body.items() if key not in ("disks", "networkInterfaces", "machineType")}
        complete = {
            **kept,
            "kind": "compute#instance",
            "id": str(next(self.numbers)),
            "status": "PROVISIONING",
            "zone": link,
            "machineType": f"{link}/machineTypes/{body['machineType'].rsplit('/', 1)[-1]}",
            "creationTimestamp": stamp(),
            "cpuPlatform": "Intel Ice Lake",
            "labelFingerprint": uuid.uuid4().hex[:11] + "=",
            "selfLink": f"{link}/instances/{name}",
            "networkInterfaces": [self._interface(project, zone, one) for one in body["networkInterfaces"]],
            "disks": self._attach(project, zone, name, body["disks"]),
        }
        machine = Machine(complete, project, zone, time.monotonic())
        self.machines[machine.key] = machine
        return machine

    def end(self, machine: Machine) -> None:
        """Stop and delete; its host goes at once, the instance when the operation is over."""
        machine.body["status"] = "STOPPING"
        machine.ending_at = time.monotonic() + self.operations.seconds

    def preempt(self, zone: str, name: str) -> None:
        """Compute Engine takes a Spot instance back."""
        with self.lock:
            machine = self.machines[zone, name]
            scheduling = machine.body.get("scheduling", {})
            if scheduling.get("provisioningModel") != "SPOT" and not scheduling.get("preemptible"):
                raise ValueError(f"{name} is no Spot instance")
            target = f"projects/{machine.project}/zones/{zone}/instances/{name}"
            self.operations.start(machine.project, f"zones/{zone}", "compute.instances.preempted", target)
            machine.is_preempted = True
            self.end(machine)

    def advance(self) -> None:
        """Set what is due by the clock."""
        now = time.monotonic()
        for machine in list(self.machines.values()):
            age, status = now - machine.created_at, machine.body["status"]
            if status == "STOPPING":
                if now >= (machine.ending_at or 0) and machine.host is None:
                    self._bury(machine)
            elif status == "PROVISIONING" and age > self.operations.seconds / 2:
                machine.body["status"] = "STAGING"
            elif status == "STAGING" and age > self.operations.seconds and (machine.host or not self.boots):
                machine.body["status"] = "RUNNING"
                machine.body["lastStartTimestamp"] = stamp()

    def remove_disk(self, project: str, zone: str, name: str) -> None:
        if (zone, name) not in self.disks:
            raise not_found(f"projects/{project}/zones/{zone}/disks/{name}")
        del self.disks[zone, name]

    def _bury(self, machine: Machine) -> None:
        """Delete; a preempted instance only when its scheduling says so, else it stays, stopped."""
        action = machine.body.get("scheduling", {}).get("instanceTerminationAction", "STOP")
        if machine.is_preempted and action != "DELETE":
            machine.body["status"] = "TERMINATED"
            machine.is_preempted = False
            return
        del self.machines[machine.key]
        self._free += [one["networkIP"] for one in machine.body["networkInterfaces"]]
        for attached in machine.body["disks"]:
            disk = (machine.zone, attached.get("source", "").rsplit("/", 1)[-1])
            if disk in self.disks:
                self.disks[disk].pop("users", None)
                if attached.get("autoDelete"):
                    del self.disks[disk]

    def _interface(self, project: str, zone: str, asked: dict[str, Any]) -> dict[str, Any]:
        region = zone.rsplit("-", 1)[0]
        link = f"{API}/projects/{project}"
        address = self._free.pop() if self._free else str(next(self._addresses))
        configs = [
            {"type": "ONE_TO_ONE_NAT", "name": "External NAT", **config, "natIP": address}
            for config in asked.get("accessConfigs", [])
        ]
        return {
            **asked,
            "kind": "compute#networkInterface",
            "name": "nic0",
            "network": f"{link}/global/networks/default",
            "subnetwork": f"{link}/regions/{region}/subnetworks/default",
            "networkIP": address,
            **({"accessConfigs": configs} if configs else {}),
        }

    def _attach(self, project: str, zone: str, instance: str, asked: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        link = f"{API}/projects/{project}/zones/{zone}"
        attached = []
        for index, one in enumerate(asked):
            parameters = one.get("initializeParams", {})
            device = one.get("deviceName", f"persistent-disk-{index}")
            shown = {key: value for key, value in one.items() if key != "initializeParams"}
            shown.update(
                kind="compute#attachedDisk", index=index, deviceName=device, mode=one.get("mode", "READ_WRITE")
            )
            if one.get("type") == "SCRATCH":
                attached.append({**shown, "diskSizeGb": "375", "autoDelete": True})
                continue
            default = instance if one.get("boot") else f"{instance}-{device}"
            name = parameters.get("diskName") or (one["source"].rsplit("/", 1)[-1] if "source" in one else default)
            if "source" not in one:
                size = one.get("diskSizeGb") or parameters.get("diskSizeGb") or 10
                self.add_disk(project, zone, name, {**parameters, "diskSizeGb": size})
            self.disks[zone, name]["users"] = [f"{link}/instances/{instance}"]
            size = self.disks[zone, name]["sizeGb"]
            attached.append({**shown, "type": "PERSISTENT", "source": f"{link}/disks/{name}", "diskSizeGb": size})
        return attached

    def add_disk(self, project: str, zone: str, name: str, parameters: dict[str, Any]) -> None:
        link = f"{API}/projects/{project}/zones/{zone}"
        if (zone, name) in self.disks:
            raise exists(f"projects/{project}/zones/{zone}/disks/{name}")
        disk = {
            "kind": "compute#disk",
            "id": str(next(self.numbers)),
            "name": name,
            "status": "READY",
            "sizeGb": str(parameters["diskSizeGb"]),
            "type": f"{link}/diskTypes/{parameters.get('diskType', 'pd-standard').rsplit('/', 1)[-1]}",
            "zone": link,
            "labels": parameters.get("labels", {}),
            "creationTimestamp": stamp(),
            "selfLink": f"{link}/disks/{name}",
        }
        for key in ("provisionedIops", "provisionedThroughput", "sourceImage"):
            if key in parameters:
                disk[key] = parameters[key]
        self.disks[zone, name] = disk

    def _is_hidden(self, machine: Machine) -> bool:
        is_hidden = time.monotonic() < machine.created_at + self.faults.unknown_seconds
        self.faults.counts["unknown"] += is_hidden
        return is_hidden

    def _follow(self) -> None:
        while not self._stop.wait(0.1):
            with self.lock:
                self.advance()
                machines = list(self.machines.values())
            wanted = [one for one in machines if self.boots and one.host is None and one.body["status"] == "STAGING"]
            ended = [one for one in machines if one.host and one.body["status"] in ("STOPPING", "TERMINATED")]
            with ThreadPoolExecutor(8) as pool:
                list(pool.map(self._boot, wanted))
                list(pool.map(self._kill, ended))
            for machine in machines:
                self._admit(machine)

    def _boot(self, machine: Machine) -> None:
        with self.lock:
            name = f"g{next(self._host_numbers)}"
            order = host_order(name, machine.body, self.disks, machine.zone, has_sshd=not self.faults.takes_ssh())
        try:
            host = Host(self.network, order)
        except LabError as error:
            self.errors.append(f"{machine.body['name']}: {error}")
            with self.lock:
                self.end(machine)
            return
        with self.lock:
            if self.machines.get(machine.key) is machine:
                machine.host = host
                self._admit(machine)
                return
        host.kill()  # the project was emptied in the meantime

    def _kill(self, machine: Machine) -> None:
        host = machine.host
        if host:
            host.kill()
            machine.host = None

    def _admit(self, machine: Machine) -> None:
        with self.lock:
            bodies = [one.body for one in self.machines.values()]
            rules = open_rules(machine.body, list(self.firewalls.values()), bodies, self.subnet)
        if machine.host and machine.host.is_alive and machine.open_rules != rules:
            machine.host.admit(rules)
            machine.open_rules = rules


def is_name(text: str) -> bool:
    """Names follow RFC 1035."""
    return bool(re.fullmatch(r"[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?", text))

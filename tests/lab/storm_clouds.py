"""The clouds of a storm: the lab's APIs without hosts, what they did and when, and the trouble that a call meets."""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from runners.providers.aws import groups, tags
from runners.providers.gce.labels import RUN as RUN_LABEL
from runners.providers.local import processes
from runners.providers.local.processes import MACHINE
from tests.lab import ec2_account
from tests.lab.ec2 import REGION
from tests.lab.ec2_wire import Refused
from tests.lab.gce_errors import GceError
from tests.lab.storm_clock import Clock
from tests.runners.providers import ec2_cloud, gce_cloud

THROTTLED, LOST, AWAY, FORBIDDEN, NO_CAPACITY, NO_QUOTA = (
    "throttled", "answer lost", "unavailable", "forbidden", "no capacity", "no quota",
)  # fmt: skip

UNKNOWN_SECONDS = 5.0  # no list has a new machine


@dataclass(frozen=True)
class Life:
    """A machine in the record of its cloud: all that is billed."""

    tag: str
    name: str
    id: str
    began: float
    ended: float | None


class Cloud(ABC):
    """One stand-in; `strike` is for the next call, which `calm` follows."""

    slug: str

    @abstractmethod
    def lives(self) -> list[Life]:
        """Every machine that ever existed."""

    @abstractmethod
    def left(self) -> list[str]:
        """Everything that exists, of whatever run."""

    @abstractmethod
    def strike(self, call: str, trouble: str) -> None:
        """Give the next call trouble."""

    @abstractmethod
    def calm(self) -> None:
        """The call is over."""

    @abstractmethod
    def take_back(self, life: Life) -> None:
        """The cloud takes a spot machine back."""

    def alive(self, tag: str, name: str) -> Life | None:
        found = [life for life in self.lives() if (life.tag, life.name) == (tag, name) and life.ended is None]
        return found[0] if found else None


class Ec2Sky(Cloud):
    slug = "aws"
    deletions = ("TerminateInstances", "DeleteSecurityGroup", "DeleteKeyPair")
    creation = "RunInstances"

    def __init__(self, api: ec2_cloud.Api, clock: Clock) -> None:
        self.api = api
        api.reset()
        api.faults.clock = clock.monotonic
        api.instances.pending_seconds, api.instances.shutdown_seconds = 3, 4
        api.faults.unknown(UNKNOWN_SECONDS)

    def lives(self) -> list[Life]:
        return [_ec2_life(id_, life) for id_, life in list(self.api.instances.lives.items())]

    def left(self) -> list[str]:
        ec2 = ec2_account.backend(REGION)
        named = [group.name for group in ec2.describe_security_groups() if group.name.startswith("benchsite-")]
        open_requests = [one for one in self._spot_requests() if one["State"] in ("open", "active")]
        requests = [one["SpotInstanceRequestId"] for one in open_requests]
        return [*self.api.alive, *ec2.volumes, *named, *ec2.key_pairs, *requests]

    def _spot_requests(self) -> Iterator[dict[str, Any]]:
        return (life.spot for life in self.api.instances.lives.values() if life.spot)

    def strike(self, call: str, trouble: str) -> None:
        faults = self.api.faults
        if trouble == THROTTLED:
            faults.throttle(calls=1)
        elif trouble == LOST:
            faults.lose_answers(call)
        elif trouble == NO_CAPACITY:
            faults.no_capacity()
        elif trouble == NO_QUOTA:
            faults.quota()
        elif trouble == AWAY:
            self.api.refusal = Refused("Unavailable", "The service is unavailable. Please try again shortly.", 503)
        elif trouble == FORBIDDEN:
            self.api.refusal = Refused("UnauthorizedOperation", "You are not authorized to do this.", 403)

    def calm(self) -> None:
        self.api.refusal = None
        self.api.faults.end_all()

    def take_back(self, life: Life) -> None:
        self.api.instances.interrupt(life.id)


def _ec2_life(id_: str, life: Any) -> Life:
    its = {one["key"]: one["value"] for one in life.instance.get_tags()}
    name = groups.unpack(its[tags.NAMES])[life.instance.ami_launch_index]
    return Life(its[tags.RUN], name, id_, life.launched_at, life.ended_at)


class GceSky(Cloud):
    slug = "gce"
    deletions = ("instances.delete", "firewalls.delete", "disks.delete")
    creation = "instances.bulkInsert"

    def __init__(self, api: gce_cloud.Api, clock: Clock) -> None:
        self.api, self._clock = api, clock
        api.reset()
        api.faults.clock = clock.monotonic
        api.machines.operations.seconds = 3
        api.faults.unknown(UNKNOWN_SECONDS)
        self._began: dict[str, tuple[Any, float]] = {}
        self._ended: dict[str, float] = {}
        self._remember(api.machines)

    def _remember(self, project: Any) -> None:
        add, end = type(project).add, type(project).end

        def added(its_project: str, zone: str, body: dict[str, Any]) -> Any:
            machine = add(project, its_project, zone, body)
            self._began[f"{zone}/{body['name']}"] = machine, self._clock.time()
            return machine

        def ended(machine: Any) -> None:
            end(project, machine)
            self._ended.setdefault(f"{machine.zone}/{machine.body['name']}", machine.ending_at)

        project.add, project.end = added, ended

    def lives(self) -> list[Life]:
        found = []
        for id_, (machine, began) in list(self._began.items()):
            tag = machine.body["labels"][RUN_LABEL]
            prefix = machine.body["tags"]["items"][0]
            name = machine.body["name"].removeprefix(f"{prefix}-")
            found.append(Life(tag, name, id_, began, self._ended.get(id_)))
        return found

    def left(self) -> list[str]:
        with self.api.machines.lock:
            self.api.machines.advance()
            project = self.api.machines
            return [str(key) for key in (*project.machines, *project.disks, *project.firewalls)]

    def strike(self, call: str, trouble: str) -> None:
        faults = self.api.faults
        if trouble == THROTTLED:
            faults.throttle(calls=1)
        elif trouble == LOST:
            faults.lose_answers(call)
        elif trouble == NO_CAPACITY:
            faults.no_capacity()
        elif trouble == NO_QUOTA:
            faults.quota()
        elif trouble == AWAY:
            self.api.refusal = GceError(503, "backendError", "Backend Error")
        elif trouble == FORBIDDEN:
            self.api.refusal = GceError(403, "forbidden", "Required 'compute.instances.delete' permission")

    def calm(self) -> None:
        self.api.refusal = None
        self.api.faults.end_all()

    def take_back(self, life: Life) -> None:
        self.api.preempt(*life.id.split("/"))


class ThisMachine(Cloud):
    """Runs here: real folders and real processes, recorded when the provider writes them."""

    slug = "local"
    deletions: tuple[str, ...] = ()
    creation = ""

    def __init__(self, folder: Path, clock: Clock) -> None:
        self.folder, self._clock = folder, clock
        self._lives: dict[str, Life] = {}

    def lives(self) -> list[Life]:
        return list(self._lives.values())

    def strike(self, call: str, trouble: str) -> None:
        raise ValueError(f"nothing here can be {trouble}")

    def take_back(self, life: Life) -> None:
        raise ValueError("nobody takes this machine back")

    def calm(self) -> None:
        """Record what was made and what has gone."""
        there = {facts["provider_id"]: facts for path in self.folder.glob(f"*/*/{MACHINE}") if (facts := _read(path))}
        for id_, facts in there.items():
            began = datetime.fromisoformat(facts["launched_at"]).timestamp()
            self._lives.setdefault(id_, Life(facts["tag"], facts["name"], id_, began, None))
        for id_, life in self._lives.items():
            if life.ended is None and id_ not in there:
                self._lives[id_] = replace(life, ended=self._clock.time())

    def left(self) -> list[str]:
        folders = list(self.folder.iterdir()) if self.folder.exists() else []
        running = [process.pid for process in processes.of_run(self.folder, "no mark of a run")]
        return [str(one) for one in (*folders, *running)]


def _read(path: Path) -> dict[str, Any] | None:
    try:
        facts: dict[str, Any] = json.loads(path.read_text())
    except (OSError, ValueError):  # being written, or being deleted
        return None
    return facts

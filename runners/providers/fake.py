"""A cloud in memory that obeys the contract: for tests of everything above a provider.

`CLOUD` outlives the provider objects, as a real cloud outlives a worker; faults are set on it.
"""

import itertools
from collections import Counter, deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from threading import RLock

from runners.choices import NodeState
from runners.hosts.hosts import NO_FILES, Files, Finished, HostLost, Hosts, Progress
from runners.models import Run
from runners.providers.base import (
    Abilities,
    Leftover,
    Machine,
    NoCapacity,
    NodeOrder,
    Provider,
    Traits,
    TryAgain,
)

NOTHING = b"part 3 state.txt\nb2sK\n"  # what a host prints that has nothing to say


@dataclass
class FakeJob:
    """A detached command: it prints `output` and ends, at once or when the test says so."""

    output: bytes = b""
    exit_status: int | None = 0


@dataclass
class FakeCloud:
    machines: dict[str, Machine] = field(default_factory=dict)  # by provider_id
    tags: dict[str, tuple[str, datetime]] = field(default_factory=dict)  # provider_id -> tag, expiry
    created: list[str] = field(default_factory=list)  # every name ever created, per tag
    faults: dict[str, deque[Exception]] = field(default_factory=dict)  # call -> errors to raise
    lose_answer: bool = False  # the next launch goes through, its answer does not
    jobs: dict[tuple[str, str], FakeJob] = field(default_factory=dict)  # (node, job)
    plan: dict[str, FakeJob] = field(default_factory=dict)  # job name -> what it will be
    commands: dict[tuple[str, str], str] = field(default_factory=dict)  # (node, job) -> how it was started
    files: dict[tuple[str, str], bytes] = field(default_factory=dict)  # (node, path)
    printed: dict[str, bytes] = field(default_factory=dict)  # node -> what it answers to `read`
    asked: list[dict[str, str]] = field(default_factory=list)  # the commands of each `read`
    lost_hosts: set[str] = field(default_factory=set)
    not_ready: set[str] = field(default_factory=set)
    calls: Counter[str] = field(default_factory=Counter)
    unseen: dict[str, str] = field(default_factory=dict)  # places that do not answer the sweep
    reach: int | None = None  # how many hosts a call to start something reaches in time; None: all
    refuse_terminate: int = 0  # how many calls terminate nothing
    full_zones: set[str] = field(default_factory=set)
    before_launch: Callable[[], object] = lambda: None  # what happens while a worker sleeps there
    lock: RLock = field(default_factory=RLock)
    _ids: itertools.count = field(default_factory=lambda: itertools.count(1))  # type: ignore[type-arg]

    def fail(self, call: str, *errors: Exception) -> None:
        self.faults.setdefault(call, deque()).extend(errors)

    def check(self, call: str) -> None:
        self.calls[call] += 1
        if self.faults.get(call):
            raise self.faults[call].popleft()

    def alive(self, tag: str) -> list[Machine]:
        return [
            machine
            for key, machine in self.machines.items()
            if self.tags[key][0] == tag and machine.state != NodeState.TERMINATED
        ]


CLOUD = FakeCloud()


def reset() -> FakeCloud:
    """A new, empty cloud."""
    CLOUD.__init__()  # type: ignore[misc]
    return CLOUD


TRAITS = Traits()


class FakeProvider(Provider):
    slug = "fake"
    abilities = Abilities(spot=True, multi_zone=True, local_disks=True, provisioned_disks=True, replaces=True)

    def launch(self, order: NodeOrder) -> Sequence[Machine]:
        with CLOUD.lock:
            CLOUD.check("launch")
            CLOUD.before_launch()
            order.check_wanted()
            there = {machine.name for key, machine in CLOUD.machines.items() if CLOUD.tags[key][0] == order.tag}
            for node in order.nodes:
                if node.zone in CLOUD.full_zones:
                    raise NoCapacity(f"no {node.instance_type} in {node.zone}")
                if node.name not in there:
                    self._create(order, node.name, node.zone)
            if CLOUD.lose_answer:
                CLOUD.lose_answer = False
                raise TryAgain("the answer was lost")
            return CLOUD.alive(order.tag)

    def _create(self, order: NodeOrder, name: str, zone: str | None) -> None:
        number = next(CLOUD._ids)
        provider_id = f"fake-{number}"
        CLOUD.machines[provider_id] = Machine(
            name=name,
            provider_id=provider_id,
            state=NodeState.RUNNING,
            zone=zone,
            address=f"192.0.2.{number % 250}",
            private_address=f"198.51.100.{number % 250}",
            launched_at=datetime.now(UTC),
        )
        CLOUD.tags[provider_id] = (order.tag, order.expires_at)
        CLOUD.created.append(f"{order.tag}/{name}")

    def machines(self, tag: str, region: str | None) -> Sequence[Machine]:
        CLOUD.check("machines")
        return CLOUD.alive(tag)

    def history(self, tag: str, region: str | None) -> Sequence[Machine]:
        CLOUD.check("history")
        return [machine for key, machine in CLOUD.machines.items() if CLOUD.tags[key][0] == tag]

    def terminate(self, tag: str, region: str | None) -> bool:
        with CLOUD.lock:
            CLOUD.check("terminate")
            if CLOUD.refuse_terminate:
                CLOUD.refuse_terminate -= 1
                return False
            for machine in CLOUD.alive(tag):
                self._end(machine)
            return True

    def remove(self, tag: str, region: str | None, names: Collection[str]) -> bool:
        """As a real cloud, it lists the machines as gone only after the call that deletes them."""
        with CLOUD.lock:
            CLOUD.check("remove")
            doomed = [machine for machine in CLOUD.alive(tag) if machine.name in names]
            for machine in doomed:
                self._end(machine)
            return not doomed

    def _end(self, machine: Machine) -> None:
        ended = replace(machine, state=NodeState.TERMINATED, terminated_at=datetime.now(UTC))
        CLOUD.machines[machine.provider_id] = ended

    def leftovers(self, region: str | None, unseen: dict[str, str] | None = None) -> Sequence[Leftover]:
        CLOUD.check("leftovers")
        if unseen is not None:
            unseen.update(CLOUD.unseen)
        return [
            Leftover("instance", key, *CLOUD.tags[key], region=region)
            for key, machine in CLOUD.machines.items()
            if machine.state != NodeState.TERMINATED
        ]


class FakeHosts(Hosts):
    """Hosts of the fake cloud; a job ends as `CLOUD.plan` says, by default well and silent."""

    def check(self, names: Sequence[str]) -> Mapping[str, bool]:
        return {name: name not in CLOUD.not_ready and name not in CLOUD.lost_hosts for name in names}

    def run(self, commands: Mapping[str, str], *, timeout_seconds: float) -> Mapping[str, Finished]:
        self._reach(commands)
        return {name: Finished(0, "") for name in commands}

    def read(self, commands: Mapping[str, str], *, seconds: float, most: int) -> Mapping[str, bytes]:
        CLOUD.check("read")
        CLOUD.asked.append(dict(commands))
        return {name: CLOUD.printed.get(name, NOTHING)[:most] for name in commands if name not in CLOUD.lost_hosts}

    def put(self, files: Files) -> None:
        self._reach(files)
        for name, contents in files.items():
            for path, content in contents.items():
                CLOUD.files[name, path] = content

    def start(self, jobs: Mapping[str, str], *, job: str, files: Files = NO_FILES) -> None:
        self._reach(jobs)
        for name in list(jobs)[: CLOUD.reach]:
            self.put({name: files.get(name, {})})
            CLOUD.commands[name, job] = jobs[name]
            CLOUD.jobs.setdefault((name, job), CLOUD.plan.get(f"{name}/{job}", CLOUD.plan.get(job, FakeJob())))

    def set_aside(self, names: Sequence[str], *, job: str) -> Collection[str]:
        self._reach(names)
        for name in names:
            CLOUD.jobs.pop((name, job), None)
        return names

    def look(self, names: Sequence[str], *, job: str, path: str, offsets: Mapping[str, int]) -> Mapping[str, Progress]:
        self._reach(names)
        seen = {}
        for name in names:
            state = CLOUD.jobs.get((name, job))
            if state is None:
                seen[name] = Progress(False, None, b"", 0)
                continue
            offset = offsets.get(name, 0)
            CLOUD.files[name, path] = state.output
            seen[name] = Progress(
                is_running=state.exit_status is None,
                exit_status=state.exit_status,
                new_output=state.output[offset:],
                offset=len(state.output),
            )
        return seen

    def fetch(self, name: str, path: str, to: str) -> bool:
        self._reach([name])
        CLOUD.check("fetch")
        content = CLOUD.files.get((name, path))
        if content is None:
            return False
        Path(to).write_bytes(content)
        return True

    def _reach(self, names: Mapping[str, object] | Sequence[str]) -> None:
        lost = sorted(set(names) & CLOUD.lost_hosts)
        if lost:
            raise HostLost(f"{', '.join(lost)} does not answer", lost)


def make_provider(run: Run | None) -> FakeProvider:
    return FakeProvider()


def make_hosts(run: Run | None) -> FakeHosts:
    return FakeHosts()

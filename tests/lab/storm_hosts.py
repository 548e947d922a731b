"""The hosts of a storm's clouds, without hosts: they take commands while their machine exists, and keep what ran."""

import random
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from runners.hosts.hosts import Finished, HostLost, Progress, output_of
from tests.lab.storm_clock import Clock
from tests.lab.storm_clouds import Cloud

BOOT_SECONDS = 7.0
FACTS = b'{"at": "2026-11-22T12:00:00Z", "kernel": "6.1"}'
NEVER = 1e9


@dataclass
class Ran:
    """A detached command on a machine."""

    began: float
    seconds: float
    output: bytes
    exit_status: int = 0


@dataclass
class Hosts:
    """Of one run; `lost` hosts exist and never answer again; on a `sick` one, every installation fails."""

    cloud: Cloud
    tag: str
    clock: Clock
    dice: random.Random
    lost: set[str] = field(default_factory=set)
    sick: str = ""
    endless: str = ""  # the job that never ends
    failing: str = ""  # the job that ends with an error
    ran: dict[tuple[str, str], Ran] = field(default_factory=dict)
    files: dict[tuple[str, str], bytes] = field(default_factory=dict)

    def answer(self, what: str, *args: Any) -> Any:
        """Raises HostLost."""
        return getattr(self, f"_{what}")(*args)

    def _check(self, names: Collection[str]) -> Mapping[str, bool]:
        found = {name: self.cloud.alive(self.tag, name) for name in names}
        now = self.clock.time()
        return {
            name: life is not None and name not in self.lost and now > life.began + BOOT_SECONDS
            for name, life in found.items()
        }

    def _run(self, commands: Mapping[str, str]) -> Mapping[str, Finished]:
        self._reach(commands)
        return {name: Finished(0, "") for name in commands}

    def _read(self, commands: Mapping[str, str]) -> Mapping[str, bytes]:
        """Whoever does not answer is left out."""
        return {name: b"nothing" for name in commands if name not in self.lost and self.cloud.alive(self.tag, name)}

    def _put(self, files: Mapping[str, Mapping[str, bytes]]) -> list[str]:
        for name, id_ in self._reach(files).items():
            self.files |= {(id_, path): content for path, content in files[name].items()}
        return list(files)

    def _set_aside(self, names: Collection[str], job: str) -> list[str]:
        for id_ in self._reach(names).values():
            self.ran.pop((id_, job), None)
        return list(names)

    def _start(self, jobs: Mapping[str, str], job: str) -> None:
        for name, id_ in self._reach(jobs).items():
            if (id_, job) not in self.ran:
                self.ran[id_, job] = self._begun(id_, job, jobs[name])

    def _begun(self, id_: str, job: str, command: str) -> Ran:
        output = FACTS if job == "facts" else b"installing\n"
        if job.startswith("trial-"):
            output = self.files[id_, f"replay-{job.removeprefix('trial-')}.log"]
        seconds = NEVER if job == self.endless else self.dice.uniform(0.5, 9)
        is_sick = job == "install" and self._name_of(id_) == self.sick
        return Ran(self.clock.time(), seconds, output, 1 if job == self.failing or is_sick else 0)

    def _name_of(self, id_: str) -> str:
        return next(life.name for life in self.cloud.lives() if life.tag == self.tag and life.id == id_)

    def _look(self, names: Collection[str], job: str, offsets: Mapping[str, int]) -> Mapping[str, Progress]:
        return {name: self._seen(id_, job, offsets.get(name, 0)) for name, id_ in self._reach(names).items()}

    def _seen(self, id_: str, job: str, offset: int) -> Progress:
        ran = self.ran.get((id_, job))
        if ran is None:
            return Progress(False, None, b"", offset)
        is_running = self.clock.time() < ran.began + ran.seconds
        output = ran.output[: len(ran.output) // 2] if is_running else ran.output
        return Progress(is_running, None if is_running else ran.exit_status, output[offset:], max(offset, len(output)))

    def _fetch(self, names: Collection[str], path: str) -> bytes | None:
        [id_] = self._reach(names).values()
        found = [ran.output for (host, job), ran in self.ran.items() if host == id_ and output_of(job) == path]
        return found[0] if found else None

    def _reach(self, names: Collection[str]) -> dict[str, str]:
        """The machines by name."""
        found = {name: self.cloud.alive(self.tag, name) for name in names if name not in self.lost}
        gone = sorted(name for name in names if found.get(name) is None)
        if gone:
            raise HostLost(f"{', '.join(gone)} does not answer", gone)
        return {name: life.id for name, life in found.items() if life}

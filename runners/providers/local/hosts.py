"""The hosts of a run on this machine: commands run in a local shell instead of over SSH."""

import os
import secrets
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from runners.hosts import detached
from runners.hosts.hosts import Finished, HostLost, Hosts, Progress
from runners.providers.local import processes
from runners.providers.local.provider import MACHINE

T = TypeVar("T")

PARALLEL = 8
LOOK_BYTES = 1024 * 1024
MAX_OUTPUT = 64 * 1024  # of a short command
_SHORT_SECONDS = 30.0
_KILLED = 128  # the exit status of a shell ended by a signal, as over SSH


class LocalHosts(Hosts):
    """`folder` is that of the run; each host is a folder in it, and is lost when the folder no longer exists."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def check(self, names: Sequence[str]) -> Mapping[str, bool]:
        return {name: (self._folder / name / MACHINE).is_file() for name in names}

    def run(self, commands: Mapping[str, str], *, timeout_seconds: float) -> Mapping[str, Finished]:
        def work(name: str) -> Finished:
            status, output = self._shell(name, commands[name], timeout_seconds)
            return Finished(status, output[-MAX_OUTPUT:].decode(errors="replace"))

        return _each(commands, work)

    def put(self, files: Mapping[str, Mapping[str, bytes]]) -> None:
        def work(name: str) -> None:
            for path, content in files[name].items():
                self._write(name, path, content)

        _each(files, work)

    def start(self, jobs: Mapping[str, str], *, job: str) -> None:
        def work(name: str) -> None:
            status, output = self._shell(name, detached.start_command(job, jobs[name]), _SHORT_SECONDS)
            if status:
                reason = output.decode(errors="replace").strip()[-200:]
                raise HostLost(f"{name}: {job} cannot be started: {reason}", [name])

        _each(jobs, work)

    def look(self, names: Sequence[str], *, job: str, path: str, offsets: Mapping[str, int]) -> Mapping[str, Progress]:
        def work(name: str) -> Progress:
            offset = offsets.get(name, 0)
            command = detached.look_command(job, path, offset=offset, limit=LOOK_BYTES)
            _, output = self._shell(name, command, _SHORT_SECONDS)
            first, _, new = output.partition(b"\n")
            try:
                is_running, exit_status = detached.state_of(first)
            except ValueError as error:
                raise HostLost(f"{name}: {error}", [name]) from None
            return Progress(is_running, exit_status, new, offset + len(new))

        return _each(names, work)

    def fetch(self, name: str, path: str, to: str) -> bool:
        source, part = self._node(name) / path, f"{to}.part"
        if not source.is_file():
            return False
        shutil.copyfile(source, part)
        os.replace(part, to)
        return True

    def _shell(self, name: str, command: str, seconds: float) -> tuple[int, bytes]:
        folder = self._node(name)
        try:
            status, output = processes.shell(command, folder, mark=str(self._folder), seconds=seconds)
        except subprocess.TimeoutExpired:
            raise HostLost(f"{name}: no answer in {seconds:g} seconds", [name]) from None
        except FileNotFoundError:  # the folder was deleted meanwhile
            raise _gone(name) from None
        return (_KILLED if status < 0 else status), output

    def _write(self, name: str, path: str, content: bytes) -> None:
        """Atomic; new folders belong to the account of the runs."""
        node = self._node(name)
        target = node / path
        missing = [folder for folder in target.parents if folder.is_relative_to(node) and not folder.exists()]
        for folder in reversed(missing):
            folder.mkdir(exist_ok=True)
            processes.give(folder)
        part = target.with_name(f"{target.name}.{secrets.token_hex(8)}.part")
        part.write_bytes(content)
        part.chmod(0o755 if path.endswith(".sh") else 0o644)
        processes.give(part)
        part.replace(target)

    def _node(self, name: str) -> Path:
        node = self._folder / name
        if not (node / MACHINE).is_file():
            raise _gone(name)
        return node


def _gone(name: str) -> HostLost:
    return HostLost(f"{name}: its folder no longer exists", [name])


def _each(names: Iterable[str], work: Callable[[str], T]) -> dict[str, T]:
    """The results of `work` for each host. Raises HostLost with all lost hosts, after calling every host."""
    results: dict[str, T] = {}
    lost: dict[str, HostLost] = {}

    def call(name: str) -> None:
        try:
            results[name] = work(name)
        except HostLost as error:
            lost[name] = error

    with ThreadPoolExecutor(PARALLEL) as pool:
        list(pool.map(call, names))
    if lost:
        raise HostLost("; ".join(str(lost[name]) for name in sorted(lost)), sorted(lost))
    return results

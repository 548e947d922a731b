"""The hosts of a run on this machine: commands run in a local shell instead of over SSH."""

import contextlib
import os
import secrets
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, TypeVar

from benchsite.storage import disk
from benchsite.storage.temporary import temporary_folder
from runners.hosts import detached
from runners.hosts.hosts import NO_FILES, Files, Finished, HostLost, Hosts, Progress
from runners.providers.local import processes
from runners.providers.local.account import close_data
from runners.providers.local.processes import MACHINE

T = TypeVar("T")

PARALLEL = 8
LOOK_BYTES = 1024 * 1024
MAX_OUTPUT = 64 * 1024  # of a short command
MAX_FETCHED = 1024**3
_SHORT_SECONDS = 30.0
_FETCH_SECONDS = 90.0
_NO_FILE = 66
_KILLED = 128  # the exit status of a shell ended by a signal, as over SSH


class LocalHosts(Hosts):
    """`folder` is that of the run, in DATA_DIR/runs/; each host is a folder in it, lost when it no longer exists."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def check(self, names: Sequence[str]) -> Mapping[str, bool]:
        return {name: (self._folder / name / MACHINE).is_file() for name in names}

    def run(self, commands: Mapping[str, str], *, timeout_seconds: float) -> Mapping[str, Finished]:
        def work(name: str) -> Finished:
            status, output = self._shell(name, commands[name], timeout_seconds)
            return Finished(status, output[-MAX_OUTPUT:].decode(errors="replace"))

        return _each(commands, work)

    def read(self, commands: Mapping[str, str], *, seconds: float, most: int) -> Mapping[str, bytes]:
        printed: dict[str, bytes] = {}

        def work(name: str) -> None:
            with tempfile.TemporaryFile(dir=temporary_folder()) as output:
                with contextlib.suppress(HostLost):  # what it has printed is kept
                    self._shell(name, commands[name], seconds, to=output)
                output.seek(0)
                printed[name] = output.read(most)

        _each(commands, work)
        return {name: output for name, output in printed.items() if output}

    def put(self, files: Files) -> None:
        def work(name: str) -> None:
            for path, content in files[name].items():
                self._write(name, path, content)

        _each(files, work)

    def start(self, jobs: Mapping[str, str], *, job: str, files: Files = NO_FILES) -> None:
        close_data(self._folder.parent.parent)
        self.put(files)

        def work(name: str) -> None:
            status, output = self._shell(name, detached.start_command(job, jobs[name]), _SHORT_SECONDS)
            if status:
                reason = output.decode(errors="replace").strip()[-200:]
                raise HostLost(f"{name}: {job} cannot be started: {reason}", [name])

        _each(jobs, work)

    def set_aside(self, names: Sequence[str], *, job: str) -> Collection[str]:
        return self.run(dict.fromkeys(names, detached.set_aside_command(job)), timeout_seconds=_SHORT_SECONDS).keys()

    def look(self, names: Sequence[str], *, job: str, path: str, offsets: Mapping[str, int]) -> Mapping[str, Progress]:
        close_data(self._folder.parent.parent)
        if disk.is_low():
            raise HostLost("the disk of this machine is nearly full", names)

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
        """Read under the account of the runs: a link in the host's folder leads to nothing that it may not read."""
        part = f"{to}.part"
        command = f"[ -f {shlex.quote(path)} ] || exit {_NO_FILE}; exec head -c {MAX_FETCHED} {shlex.quote(path)}"
        try:
            with open(part, "wb") as file:
                status, _ = self._shell(name, command, _FETCH_SECONDS, to=file)
            if status == 0:
                os.replace(part, to)
        finally:
            Path(part).unlink(missing_ok=True)
        if status not in (0, _NO_FILE):
            raise HostLost(f"{name}: {path} cannot be read", [name])
        return status == 0

    def _shell(
        self, name: str, command: str, seconds: float, *, stdin: bytes = b"", to: IO[bytes] | None = None
    ) -> tuple[int, bytes]:
        folder, mark = self._node(name), str(self._folder)
        try:
            status, output = processes.shell(command, folder, mark=mark, seconds=seconds, stdin=stdin, to=to)
        except subprocess.TimeoutExpired:
            raise HostLost(f"{name}: no answer in {seconds:g} seconds", [name]) from None
        except FileNotFoundError:  # the folder was deleted meanwhile
            raise _gone(name) from None
        return (_KILLED if status < 0 else status), output

    def _write(self, name: str, path: str, content: bytes) -> None:
        """Atomic, and under the account of the runs: nothing in the host's folder can lead the site elsewhere."""
        mode = "700" if path.endswith(".sh") else "600"
        part = f"{path}.{secrets.token_hex(8)}.part"
        folder, source, target = (shlex.quote(text) for text in (str(Path(path).parent), part, path))
        command = f"mkdir -p {folder} && cat >{source} && chmod {mode} {source} && mv {source} {target}"
        status, output = self._shell(name, command, _SHORT_SECONDS, stdin=content)
        if status:
            reason = output.decode(errors="replace").strip()[-200:]
            raise HostLost(f"{name}: {path} cannot be written: {reason}", [name])

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

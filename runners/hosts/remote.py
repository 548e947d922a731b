"""The hosts of a run over SSH: asyncssh behind plain calls; each call has its own event loop.

Only the host key of the run is accepted, and only the key of the run is offered: no agent, known_hosts file or
configuration file is read. Private keys stay in memory.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import asyncssh

from runners.hosts import detached
from runners.hosts.hosts import NO_FILES, Files, Finished, HostLost, HostNotReady, Hosts, Progress
from runners.hosts.keys import KEY_TYPE, public_key, unseal
from runners.hosts.sessions import NETWORK_ERRORS, Session, reason_of

if TYPE_CHECKING:
    from runners.models import Run

# At lower levels it logs every command and every packet.
asyncssh.set_log_level(logging.WARNING)

T = TypeVar("T")
Work = Callable[[Session], Awaitable[T]]

FOLDER = "/var/lib/benchsite"  # on each host
LOOK_BYTES = 1024 * 1024  # of one host
LOOK_BYTES_OF_ALL = 32 * 1024 * 1024  # of all hosts together: the rest is read by the next look
# cloud-init restarts sshd and holds the package manager's lock until it has finished
BOOT_IS_OVER = "[ ! -d /run/cloud-init ] || [ -e /run/cloud-init/result.json ]"
_SHORT_SECONDS = 30.0  # the commands around a job
_SHOWN = 10  # hosts named in an error


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds, and hosts at a time. A silent host is lost after keepalive_seconds * (keepalive_misses + 1)."""

    parallel: int = 32
    connect_seconds: float = 10.0
    attempts: int = 3
    pause_seconds: float = 1.0  # between two attempts
    keepalive_seconds: float = 5.0
    keepalive_misses: int = 3


class SshHosts(Hosts):
    """All hosts have the same host key, whose public line is `host_key`, and accept `private_key`.

    Cheap to create for every step. `check` makes one attempt and raises nothing. Every other call tries
    `limits.attempts` times to connect, does its work on each host that it reaches, and then raises HostLost with the
    names of the others, or HostNotReady when none of these accepted a connection.
    """

    def __init__(
        self,
        addresses: Mapping[str, str],
        *,
        private_key: bytes,
        host_key: str,
        user: str = "root",
        port: int = 22,
        folder: str = FOLDER,
        limits: Limits | None = None,
    ) -> None:
        self._addresses = dict(addresses)
        self._folder = folder
        self._limits = limits or Limits()
        self._options: dict[str, Any] = {
            "port": port,
            "username": user,
            "client_keys": [asyncssh.import_private_key(private_key)],
            "known_hosts": ([asyncssh.import_public_key(host_key)], [], []),
            "server_host_key_algs": [KEY_TYPE],
            "preferred_auth": ("publickey",),
            "agent_path": None,
            "config": None,
            "gss_host": None,
            "x509_trusted_certs": None,
            "connect_timeout": self._limits.connect_seconds,
            "login_timeout": self._limits.connect_seconds,
            "keepalive_interval": self._limits.keepalive_seconds,
            "keepalive_count_max": self._limits.keepalive_misses,
        }

    def check(self, names: Sequence[str]) -> Mapping[str, bool]:
        """Whether each host accepts commands and has finished booting: until then, cloud-init may cut connections."""

        async def work(session: Session) -> bool:
            return (await session.run(BOOT_IS_OVER, _SHORT_SECONDS)).exit_status == 0

        results, _ = _in_loop(self._gather(names, work, attempts=1))
        return {name: results.get(name, False) for name in names}

    def run(self, commands: Mapping[str, str], *, timeout_seconds: float) -> Mapping[str, Finished]:
        """A host whose command takes longer is considered lost: the timeout must exceed what a healthy host needs."""

        async def work(session: Session) -> Finished:
            return await session.run(commands[session.name], timeout_seconds)

        return self._each(list(commands), work)

    def put(self, files: Files) -> None:
        async def work(session: Session) -> None:
            await session.put(files[session.name])

        self._each([name for name in files if files[name]], work)

    def start(self, jobs: Mapping[str, str], *, job: str, files: Files = NO_FILES) -> None:
        async def work(session: Session) -> None:
            if needed := files.get(session.name):
                await session.put(needed)
            done = await session.run(detached.start_command(job, jobs[session.name]), _SHORT_SECONDS)
            if done.exit_status:
                raise session.lost(f"{job} cannot be started: {done.output.strip()[-200:]}")

        self._each(list(jobs), work)

    def look(self, names: Sequence[str], *, job: str, path: str, offsets: Mapping[str, int]) -> Mapping[str, Progress]:
        limit = min(LOOK_BYTES, LOOK_BYTES_OF_ALL // max(1, len(names)))

        async def work(session: Session) -> Progress:
            offset = offsets.get(session.name, 0)
            command = detached.look_command(job, path, offset=offset, limit=limit)
            _, output = await session.capture(command, _SHORT_SECONDS, keep=limit + 1024)
            first, _, new = output.partition(b"\n")
            try:
                is_running, exit_status = detached.state_of(first)
            except ValueError as error:
                raise session.lost(str(error)) from None
            return Progress(is_running, exit_status, new, offset + len(new))

        return self._each(list(names), work)

    def fetch(self, name: str, path: str, to: str) -> bool:
        """Resumes after a broken connection; `to` is created only when both sides have the same SHA-256."""

        async def work(session: Session) -> bool:
            return await session.fetch(path, to)

        for _ in range(self._limits.attempts - 1):
            with contextlib.suppress(HostLost):
                return self._each([name], work)[name]
        return self._each([name], work)[name]

    def _each(self, names: Sequence[str], work: Work[T]) -> dict[str, T]:
        """The results of `work` for each host. Raises HostLost after calling every host."""
        results, lost = _in_loop(self._gather(names, work, attempts=self._limits.attempts))
        if lost:
            reasons = [str(lost[name]) for name in sorted(lost)]
            more = [f"{len(reasons) - _SHOWN} more hosts"] if len(reasons) > _SHOWN else []
            none_answered = all(isinstance(error, HostNotReady) for error in lost.values())
            raise (HostNotReady if none_answered else HostLost)("; ".join(reasons[:_SHOWN] + more), sorted(lost))
        return results

    async def _gather(
        self, names: Sequence[str], work: Work[T], *, attempts: int
    ) -> tuple[dict[str, T], dict[str, HostLost]]:
        gate = asyncio.Semaphore(self._limits.parallel)
        results: dict[str, T] = {}
        lost: dict[str, HostLost] = {}

        async def call(name: str) -> None:
            try:
                async with gate, self._session(name, attempts) as session:
                    results[name] = await work(session)
            except HostLost as error:
                lost[name] = error

        await asyncio.gather(*(call(name) for name in names))
        return results, lost

    @contextlib.asynccontextmanager
    async def _session(self, name: str, attempts: int) -> AsyncIterator[Session]:
        connection = await self._connect(name, attempts)
        try:
            yield Session(connection, name, self._folder)
        finally:
            connection.close()
            with contextlib.suppress(*NETWORK_ERRORS):
                async with asyncio.timeout(2):
                    await connection.wait_closed()
            connection.abort()

    async def _connect(self, name: str, attempts: int) -> asyncssh.SSHClientConnection:
        left = attempts
        while True:
            left -= 1
            try:
                return await asyncssh.connect(self._addresses[name], **self._options)
            except NETWORK_ERRORS as error:
                if not left:
                    reason = reason_of(error)
                    raise HostNotReady(f"{name} accepts no connection: {reason}", [name]) from None
            await asyncio.sleep(self._limits.pause_seconds)


def hosts_of(run: "Run") -> SshHosts:
    """The machines of a run, at the addresses from its provider and with the keys of the run."""
    if run.ssh_key is None or run.host_key is None:
        raise ValueError(f"run {run.pk} has no keys: it was never queued, or has ended")
    return SshHosts(
        {node.name: node.address for node in run.nodes.all() if node.address},
        private_key=unseal(run.ssh_key),
        host_key=public_key(unseal(run.host_key)),
    )


def _in_loop(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run to the end, also in a thread that has a loop already."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()

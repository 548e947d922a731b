"""The hosts of a run over SSH: asyncssh behind plain calls.

Only the host key of the run is accepted, and only the key of the run is offered: no agent, known_hosts file or
configuration file is read. Private keys stay in memory.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Collection, Coroutine, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import asyncssh

from runners.hosts import detached
from runners.hosts.connections import close, connections
from runners.hosts.hosts import NO_FILES, Files, Finished, HostLost, HostNotReady, Hosts, Progress
from runners.hosts.keys import KEY_TYPE, public_key, unseal
from runners.hosts.sessions import NETWORK_ERRORS, Session, reason_of

if TYPE_CHECKING:
    from runners.models import Run

# At lower levels it logs every command and every packet.
asyncssh.set_log_level(logging.WARNING)
log = logging.getLogger(__name__)

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
    """Seconds, and hosts at a time. A silent host is lost after keepalive_seconds * (keepalive_misses + 1).

    With `keep_seconds`, a connection is kept for so long after its last use, for the next step of the run.
    """

    parallel: int = 128
    connect_seconds: float = 10.0
    attempts: int = 3  # for a host that refuses; one that is silent is asked once
    pause_seconds: float = 1.0  # between two attempts
    keepalive_seconds: float = 5.0
    keepalive_misses: int = 3
    budget_seconds: float = 45.0  # of all calls of one step; what is not reached by then is left to the next step
    grace_seconds: float = 15.0  # then what has been begun is given up, too
    keep_seconds: float = 0.0


KEPT = Limits(keep_seconds=90.0)  # more than the pause between two looks at a long job, also with two workers


class SshHosts(Hosts):
    """All hosts have the same host key, whose public line is `host_key`, and accept `private_key`.

    Create one for every step: its calls share a budget of time. `check` makes one attempt and raises nothing. Every
    other call tries `limits.attempts` times to connect, does its work on each host that it reaches, and then raises
    HostLost with the names of the others, or HostNotReady when none of these accepted a connection.
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
        self._until: float | None = None  # the end of the budget, which begins with the first call
        self._identity = (user, port, host_key, public_key(private_key))
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

        results, _ = connections().run(self._gather(names, work, attempts=1))
        return {name: results.get(name, False) for name in names}

    def run(self, commands: Mapping[str, str], *, timeout_seconds: float) -> Mapping[str, Finished]:
        """A host whose command takes longer is considered lost: the timeout must exceed what a healthy host needs."""

        async def work(session: Session) -> Finished:
            return await session.run(commands[session.name], timeout_seconds)

        return self._each(list(commands), work)

    def read(self, commands: Mapping[str, str], *, seconds: float, most: int) -> Mapping[str, bytes]:
        printed = {name: bytearray() for name in commands}

        async def work(session: Session) -> None:
            printed[session.name].clear()  # what a connection printed that broke
            await session.print_to(printed[session.name], commands[session.name], most)

        connections().run(_within(seconds, self._gather(list(commands), work, attempts=1)))
        return {name: bytes(output) for name, output in printed.items() if output}

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

    def set_aside(self, names: Sequence[str], *, job: str) -> Collection[str]:
        return self.run(dict.fromkeys(names, detached.set_aside_command(job)), timeout_seconds=_SHORT_SECONDS).keys()

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
            try:
                return self._each([name], work, is_short=False)[name]
            except HostNotReady:  # it has been tried often enough, or is silent
                raise
            except HostLost:
                continue
        return self._each([name], work, is_short=False)[name]

    def _each(self, names: Sequence[str], work: Work[T], *, is_short: bool = True) -> dict[str, T]:
        """The results of `work` for each host that was reached in time. Raises HostLost after calling every host."""
        gathered = self._gather(names, work, attempts=self._limits.attempts, is_short=is_short)
        results, lost = connections().run(gathered)
        if lost:
            reasons = [str(lost[name]) for name in sorted(lost)]
            more = [f"{len(reasons) - _SHOWN} more hosts"] if len(reasons) > _SHOWN else []
            none_answered = all(isinstance(error, HostNotReady) for error in lost.values())
            raise (HostNotReady if none_answered else HostLost)("; ".join(reasons[:_SHOWN] + more), sorted(lost))
        return results

    async def _gather(
        self, names: Sequence[str], work: Work[T], *, attempts: int, is_short: bool = True
    ) -> tuple[dict[str, T], dict[str, HostLost]]:
        """Results and errors; a host that is in neither was not reached in time, and says nothing about itself."""
        gate = asyncio.Semaphore(self._limits.parallel)
        results: dict[str, T] = {}
        lost: dict[str, HostLost] = {}

        async def call(position: int, name: str) -> None:
            async with gate:
                left = self._seconds_left() if is_short else None
                if left == 0 and position >= self._limits.parallel:
                    return
                try:
                    async with asyncio.timeout(None if left is None else left + self._limits.grace_seconds):
                        results[name] = await self._call(name, work, attempts)
                except HostLost as error:
                    lost[name] = error
                except TimeoutError:
                    log.info("%s: not reached within the time of a step", name)

        await asyncio.gather(*(call(position, name) for position, name in enumerate(names)))
        return results, lost

    def _seconds_left(self) -> float:
        now = time.monotonic()
        self._until = self._until or now + self._limits.budget_seconds
        return max(0.0, self._until - now)

    async def _call(self, name: str, work: Work[T], attempts: int) -> T:
        """On a kept connection, or on a new one: everything that is asked of a host may be repeated."""
        key = (self._addresses[name], self._identity)
        kept = connections().take(key)
        if kept is not None:
            with contextlib.suppress(HostLost):  # it broke since it was used
                return await self._use(kept, key, name, work)
        return await self._use(await self._connect(name, attempts), key, name, work)

    async def _use(self, connection: asyncssh.SSHClientConnection, key: Hashable, name: str, work: Work[T]) -> T:
        try:
            result = await work(Session(connection, name, self._folder))
        except HostLost:
            await close(connection)
            raise
        except BaseException:
            connection.abort()
            raise
        await connections().give_back(key, connection, self._limits.keep_seconds)
        return result

    async def _connect(self, name: str, attempts: int) -> asyncssh.SSHClientConnection:
        left = attempts
        while True:
            left -= 1
            try:
                return await asyncssh.connect(self._addresses[name], **self._options)
            except NETWORK_ERRORS as error:
                if not left or isinstance(error, TimeoutError):
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
        folder=folder_of(run),
        limits=KEPT,
    )


def folder_of(run: "Run") -> str:
    """On each host. A run that took its machines over has another one: a late worker of the run before reaches none."""
    return f"{FOLDER}-{run.pk}" if run.took_over_from_id else FOLDER


async def _within(seconds: float, work: Coroutine[Any, Any, object]) -> None:
    """Give up after this time; what the work has done by then stays."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await work

"""`python -m bench.hosts`: what many hosts cost a worker, on an SSH server of another process that takes its time.

Every step is the one of the site: check, write the scripts of a job and start it, look at it. The hosts share one
address; their commands are not run, their connections and files are real.
"""

import argparse
import asyncio
import multiprocessing
import resource
import tempfile
import time
from collections.abc import Callable
from multiprocessing.connection import Connection

import asyncssh

from runners.hosts.keys import RunKeys, make_keys, public_key
from runners.hosts.remote import SshHosts

COMMAND_SECONDS = 0.05  # as a host in another place of the same region answers
SCRIPTS = {f"bin/script-{number}.sh": b"#!/bin/sh\n" + b"# a line of a script\n" * 400 for number in range(6)}
LOOKS = 3


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.hosts", description=__doc__)
    parser.add_argument("--hosts", type=int, default=348, metavar="N")
    parser.add_argument(
        "--silent", action=argparse.BooleanOptionalAction, default=True, help="also hosts that are silent"
    )
    parser.add_argument("--runs", type=int, default=4, metavar="N", help="runs of so many hosts that one worker drives")
    options = parser.parse_args()
    count = options.hosts
    keys = make_keys()
    ready, theirs = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=_serve, args=(keys, theirs), daemon=True)
    server.start()
    port = ready.recv()
    measured = _measure(keys, port, [f"db-{number}" for number in range(count)])
    measured.append(_measure_runs(keys, port, count, options.runs))
    if options.silent:
        measured.append(_measure_silent(keys, [f"db-{number}" for number in range(count)]))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{count} hosts, {COMMAND_SECONDS * 1000:.0f} ms a command; {memory} MiB at most\n")
    print("| step | wall s | CPU s of the worker |\n|---|---|---|")
    for name, wall, cpu in measured:
        print(f"| {name} | {wall:.1f} | {cpu:.1f} |")
    server.terminate()


def _measure(keys: RunKeys, port: int, names: list[str]) -> list[tuple[str, float, float]]:
    def hosts() -> SshHosts:
        """Anew for every step, as a run makes them."""
        return _hosts(keys, port, names)

    def prepare() -> None:
        hosts().start(dict.fromkeys(names, "bin/script-0.sh"), job="prepare", files=dict.fromkeys(names, SCRIPTS))

    steps: list[tuple[str, Callable[[], object]]] = [("check", lambda: hosts().check(names)), ("prepare", prepare)]
    steps += [(f"look {number + 1}", lambda: _look(hosts(), names)) for number in range(LOOKS)]
    return [_timed(name, step) for name, step in steps]


def _measure_runs(keys: RunKeys, port: int, count: int, runs: int) -> tuple[str, float, float]:
    """One look at each of several runs, as their worker goes from one to the next with all connections kept."""
    clusters = [[f"run-{run}-db-{number}" for number in range(count)] for run in range(runs)]

    def looks() -> None:
        for names in clusters:
            _look(_hosts(keys, port, names), names)

    looks()
    return _timed(f"a look at each of {runs} such runs", looks)


def _measure_silent(keys: RunKeys, names: list[str]) -> tuple[str, float, float]:
    """Hosts that take a connection and say nothing, as those that boot or hang."""
    import socket

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(4096)
        port = listener.getsockname()[1]
        return _timed("check, all silent", lambda: _hosts(keys, port, names).check(names))


def _hosts(keys: RunKeys, port: int, names: list[str]) -> SshHosts:
    options = {}
    try:  # an older version keeps no connections
        from runners.hosts.remote import KEPT

        options["limits"] = KEPT
    except ImportError:
        pass
    return SshHosts(
        dict.fromkeys(names, "127.0.0.1"),
        private_key=keys.private,
        host_key=public_key(keys.host_private),
        port=port,
        folder="/",
        **options,
    )


def _look(hosts: SshHosts, names: list[str]) -> None:
    hosts.look(names, job="prepare", path="jobs/prepare/output", offsets={})


def _timed(name: str, step: Callable[[], object]) -> tuple[str, float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    step()
    return name, time.perf_counter() - wall, time.process_time() - cpu


def _serve(keys: RunKeys, ready: Connection) -> None:
    asyncio.run(_listen(keys, ready))


async def _listen(keys: RunKeys, ready: Connection) -> None:
    with tempfile.TemporaryDirectory() as folder:
        server = await asyncssh.listen(
            "127.0.0.1",
            0,
            backlog=4096,
            server_host_keys=[asyncssh.import_private_key(keys.host_private)],
            authorized_client_keys=asyncssh.import_authorized_keys(public_key(keys.private)),
            process_factory=_answer,
            sftp_factory=lambda channel: asyncssh.SFTPServer(channel, chroot=folder.encode()),
            encoding=None,
        )
        ready.send(server.sockets[0].getsockname()[1])
        await asyncio.Event().wait()


async def _answer(process: asyncssh.SSHServerProcess[bytes]) -> None:
    if "tar -x" in (process.command or ""):
        await process.stdin.read()
    await asyncio.sleep(COMMAND_SECONDS)
    if "flock --nonblock" in (process.command or ""):
        process.stdout.write(b"running\n")
    process.exit(0)


if __name__ == "__main__":
    main()

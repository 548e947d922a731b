"""A real sshd on loopback: a free port, host and client keys as a run has them, no right beyond the test's own."""

import getpass
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import psutil

from runners.hosts.keys import RunKeys, make_keys, public_key
from runners.hosts.remote import Limits, SshHosts

PROGRAM = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")
PATIENT = Limits(connect_seconds=30, attempts=2, pause_seconds=0.05)
QUICK = Limits(connect_seconds=1, attempts=2, pause_seconds=0.05, keepalive_seconds=0.3, keepalive_misses=2)
DEADLINE = 300.0  # seconds

T = TypeVar("T")


def wait_until(condition: Callable[[], T]) -> T:
    deadline = time.monotonic() + DEADLINE
    while not (value := condition()):
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.02)
    return value


class Sshd:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.keys: RunKeys = make_keys()
        self.port = _free_port()
        self._write("host_key", self.keys.host_private.decode())
        self._write("authorized_keys", public_key(self.keys.private) + "\n")
        self._write(
            "sshd_config",
            f"""Port {self.port}
ListenAddress 127.0.0.1
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/authorized_keys
PidFile none
UsePAM no
StrictModes no
PasswordAuthentication no
PermitRootLogin prohibit-password
MaxStartups 200
Subsystem sftp internal-sftp
""",
        )
        self.start()

    def start(self) -> None:
        if os.geteuid() == 0:
            Path("/run/sshd").mkdir(exist_ok=True)  # where sshd locks itself in; a service manager makes it
        command = [PROGRAM, "-D", "-e", "-f", str(self.folder / "sshd_config")]
        self.process = psutil.Popen(command, stderr=(self.folder / "log").open("ab"), stdin=subprocess.DEVNULL)

    def hosts(self, names: tuple[str, ...] = ("db-0",), **changes: object) -> SshHosts:
        options = {
            "private_key": self.keys.private,
            "host_key": public_key(self.keys.host_private),
            "user": getpass.getuser(),
            "port": self.port,
            "folder": str(self.folder / "host"),
            "limits": PATIENT,
        }
        return SshHosts(dict.fromkeys(names, "127.0.0.1"), **{**options, **changes})

    @property
    def connections(self) -> list[psutil.Process]:
        """The processes that serve one connection each, and what runs in them."""
        return self.process.children(recursive=True)

    def freeze(self) -> None:
        self._signal(signal.SIGSTOP, self.process, *self._servers())

    def thaw(self) -> None:
        self._signal(signal.SIGCONT, self.process, *self._servers())

    def cut_connections(self) -> None:
        self._signal(signal.SIGKILL, *self._servers())

    def stop(self) -> None:
        for process in [self.process, *self.connections]:
            if process.is_running():
                process.kill()
        self.process.wait()

    def _servers(self) -> list[psutil.Process]:
        servers = []
        for process in self.connections:
            with suppress(psutil.NoSuchProcess):
                if process.name().startswith("sshd"):
                    servers.append(process)
        return servers

    @staticmethod
    def _signal(number: int, *processes: psutil.Process) -> None:
        for process in processes:
            with suppress(psutil.NoSuchProcess):  # one whose connection has just ended
                process.send_signal(number)

    def _write(self, name: str, content: str) -> None:
        path = self.folder / name
        path.write_text(content)
        path.chmod(0o600)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])

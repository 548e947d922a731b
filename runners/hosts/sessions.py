"""One connection to one host: run commands, transfer files; every failure is a HostLost with a clear reason."""

import asyncio
import contextlib
import hashlib
import io
import os
import posixpath
import secrets
import shlex
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import asyncssh

from runners.hosts.hosts import Finished, HostLost

NETWORK_ERRORS = (OSError, asyncssh.Error)  # TimeoutError is an OSError
MAX_OUTPUT = 64 * 1024  # of a short command
BLOCK = 4 * 1024 * 1024  # of a file
BLOCK_SECONDS = 120.0  # a network slower than 35 KB/s is considered broken
HASH_SECONDS = 1800.0


class Session:
    """Commands start in `folder`; paths are relative to it."""

    def __init__(self, connection: asyncssh.SSHClientConnection, name: str, folder: str) -> None:
        self.name = name
        self._connection = connection
        self._folder = folder

    async def run(self, command: str, seconds: float) -> Finished:
        status, output = await self.capture(command, seconds)
        return Finished(status, output.decode(errors="replace"))

    async def capture(
        self, command: str, seconds: float, *, keep: int = MAX_OUTPUT, send: bytes = b""
    ) -> tuple[int, bytes]:
        """The exit status, and the last `keep` bytes of stdout and stderr; `send` is the input."""
        output = bytearray()
        with self._network():
            async with asyncio.timeout(seconds):
                process = await self._start(command, stdin=asyncssh.PIPE if send else asyncssh.DEVNULL)
                if send:
                    process.stdin.write(send)
                    process.stdin.write_eof()
                while chunk := await process.stdout.read(MAX_OUTPUT):
                    output += chunk
                    del output[:-keep]
                await process.wait_closed()
        if process.exit_signal is not None:
            return 128, bytes(output)  # the shell was killed; for a killed command, the status is 128 + signal
        # asyncssh raises nothing when the connection ends during a command: the status is None
        if process.exit_status is None:
            raise self.lost("the connection broke")
        return process.exit_status, bytes(output)

    async def print_to(self, output: bytearray, command: str, most: int) -> None:
        """Add what the command prints to `output`, until it ends or has printed `most` bytes."""
        with self._network():
            process = await self._start(command)
            try:
                while len(output) < most and (chunk := await process.stdout.read(MAX_OUTPUT)):
                    output += chunk[: most - len(output)]
            finally:
                process.close()  # the connection may be kept

    async def put(self, files: Mapping[str, bytes]) -> None:
        """Write small files, each atomically: as one archive, because each file of its own costs four round trips."""
        status, output = await self.capture(_unpacking(files), BLOCK_SECONDS, send=_archive(files))
        if status:
            raise self.lost(f"files cannot be written: {output.decode(errors='replace').strip()[-200:]}")

    async def fetch(self, path: str, to: str) -> bool:
        """Copy a file to `to`, resuming `to`.part; False when it does not exist. OSError: of the local disk."""
        source, part = posixpath.join(self._folder, path), Path(f"{to}.part")
        with self._network():
            async with asyncio.timeout(BLOCK_SECONDS):
                sftp = await self._connection.start_sftp_client()
        async with sftp:
            try:
                with self._network():
                    size = (await sftp.stat(source)).size or 0
            except _NoSuchFile:
                return False
            with part.open("ab") as local:
                if local.tell() > size:
                    local.truncate(0)
                await self._copy(sftp, source, local)
        if await self._hash(source, part.stat().st_size) != _local_hash(part):
            part.unlink()  # the file changed, or the copy is damaged: start again next time
            raise self.lost(f"{posixpath.basename(path)} differs from its copy")
        os.replace(part, to)
        return True

    def lost(self, reason: str) -> HostLost:
        return HostLost(f"{self.name}: {reason}", [self.name])

    async def _start(self, command: str, stdin: int = asyncssh.DEVNULL) -> asyncssh.SSHClientProcess[bytes]:
        folder = shlex.quote(self._folder)
        line = f"mkdir -p {folder} && cd {folder} && exec sh -c {shlex.quote(command)}"
        return await self._connection.create_process(line, stdin=stdin, stderr=asyncssh.STDOUT, encoding=None)

    async def _copy(self, sftp: asyncssh.SFTPClient, source: str, local: BinaryIO) -> None:
        with self._network():
            remote = await sftp.open(source, "rb")
        while True:
            with self._network():
                async with asyncio.timeout(BLOCK_SECONDS):
                    block: Any = await remote.read(BLOCK, local.tell())  # bytes: the file is open in binary
            if not block:
                return
            local.write(block)

    async def _hash(self, source: str, size: int) -> str:
        """SHA-256 of the first `size` bytes on the host: a log may have grown meanwhile."""
        command = f"head -c {size} {shlex.quote(source)} | sha256sum"
        _, output = await self.capture(command, HASH_SECONDS)
        return output.decode(errors="replace").partition(" ")[0]

    @contextlib.contextmanager
    def _network(self) -> Iterator[None]:
        try:
            yield
        except asyncssh.SFTPNoSuchFile:
            raise _NoSuchFile from None
        except NETWORK_ERRORS as error:
            raise self.lost(reason_of(error)) from None


class _NoSuchFile(Exception):
    """The file does not exist: a result, not a failure."""


def reason_of(error: Exception) -> str:
    """The reason in our own words: the text of an exception may repeat what a server sent."""
    if isinstance(error, asyncssh.HostKeyNotVerifiable):
        return "its host key is not that of the run"
    if isinstance(error, asyncssh.PermissionDenied):
        return "it does not accept the key of the run"
    if isinstance(error, TimeoutError):
        return "no answer in time"
    if isinstance(error, ConnectionRefusedError):
        return "connection refused"
    if isinstance(error, asyncssh.ConnectionLost | ConnectionResetError | BrokenPipeError):
        return "the connection broke"
    return f"the connection failed ({type(error).__name__})"


def _archive(files: Mapping[str, bytes]) -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, data in files.items():
            member = tarfile.TarInfo(path)
            member.size, member.mode = len(data), 0o755 if path.endswith(".sh") else 0o644
            archive.addfile(member, io.BytesIO(data))
    return content.getvalue()


def _unpacking(files: Mapping[str, bytes]) -> str:
    """The command that reads the archive: into a folder of its own, then each file to its place."""
    part = f"put.{secrets.token_hex(8)}.part"
    folders = sorted({folder for path in files if (folder := posixpath.dirname(path))})
    commands = [f"mkdir -p {part} {shlex.join(folders)}", f"tar -xpmf - -C {part}"]
    commands += [f"mv -f {part}/{shlex.quote(path)} {shlex.quote(path)}" for path in files]
    return f"{' && '.join(commands)}; status=$?; rm -rf {part}; exit $status"


def _local_hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

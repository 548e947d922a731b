"""A request's body, read by the event loop within a time and a size: a slow sender occupies no thread."""

import asyncio
import io
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import IO, Any

from benchsite.storage.temporary import temporary_folder

KIB = 1024
WRITE_BYTES = 256 * KIB

Receive = Callable[[], Awaitable[dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class BodyLimits:
    """How long a body may take, and how much of it is read before its sender is known."""

    patience_seconds: float = 30  # without a single byte; and what every body may take in all
    least_bytes_s: int = 1 * KIB  # a longer body may take as much longer as it needs at this rate
    anonymous_bytes: int = 1024 * KIB


class BodyRefused(Exception):
    """The body was not read to its end; `status` and `detail` say why."""

    def __init__(self, status: int, detail: str):
        super().__init__(detail)
        self.status = status
        self.detail = detail


class Disconnected(Exception):
    """The client has gone."""


class Body:
    """What has arrived so far: in memory, from a quarter of a megabyte on in an unnamed temporary file."""

    def __init__(self) -> None:
        self.size_bytes = 0
        self._waiting = bytearray()
        self._file: IO[bytes] | None = None

    async def add(self, chunk: bytes) -> None:
        self.size_bytes += len(chunk)
        self._waiting += chunk
        if len(self._waiting) >= WRITE_BYTES:
            await asyncio.to_thread(self._write)

    async def stream(self) -> IO[bytes]:
        """The whole body from its start; `close` closes it."""
        if self._file is None:
            return io.BytesIO(self._waiting)
        await asyncio.to_thread(self._write)
        self._file.seek(0)
        return self._file

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def _write(self) -> None:
        if self._file is None:
            self._file = tempfile.TemporaryFile(dir=temporary_folder())  # noqa: SIM115 closed by `close`
        self._file.write(self._waiting)
        self._waiting.clear()


async def read_body(
    receive: Receive,
    body: Body,
    *,
    announced: int,
    most_bytes: int,
    limits: BodyLimits,
    admit: Callable[[], Awaitable[None]],
) -> None:
    """Read all of a request's body into `body`.

    `admit` is awaited once, before the body has more bytes than anybody may send; it raises where the sender
    may not. Raises BodyRefused, Disconnected, and OSError where the temporary file cannot be written.
    """
    start = time.monotonic()
    is_admitted = False
    while True:
        expected = max(announced, body.size_bytes)
        if expected > most_bytes:
            raise BodyRefused(413, f"the body is over {most_bytes:,} bytes")
        if expected > limits.anonymous_bytes and not is_admitted:
            await admit()
            is_admitted = True
        deadline = start + limits.patience_seconds + body.size_bytes / limits.least_bytes_s
        message = await _next_message(receive, min(limits.patience_seconds, deadline - time.monotonic()))
        if message["type"] == "http.disconnect":
            raise Disconnected
        if chunk := message.get("body", b""):
            await body.add(chunk)
        if not message.get("more_body"):
            return


async def _next_message(receive: Receive, seconds: float) -> dict[str, Any]:
    try:
        async with asyncio.timeout(max(seconds, 0)):
            return await receive()
    except TimeoutError:
        raise BodyRefused(408, "the body did not arrive in time") from None

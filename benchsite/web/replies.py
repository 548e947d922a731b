"""An answer on its way from a request thread to the client: a slow reader occupies a connection, never a thread."""

import asyncio
import tempfile
import threading
from collections.abc import Awaitable, Callable
from typing import IO, Any

from benchsite.storage.temporary import temporary_folder

Send = Callable[[dict[str, Any]], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

CHUNK_BYTES = 256 * 1024
MEMORY_BYTES = 1024 * 1024  # what is waiting for the client beyond this goes to a temporary file
SEND_SECONDS = 60  # a client that takes nothing for so long is gone


class Abandoned(Exception):
    """The client has gone: nobody reads what would still be written."""


class FileToSend:
    """The file of a response (wsgi.file_wrapper): the event loop sends it, and closes it."""

    def __init__(self, file: IO[bytes], block_bytes: int = CHUNK_BYTES):
        self.file = file

    def close(self) -> None:
        self.file.close()


class Reply:
    """Written by one request thread, sent by the event loop at the same time."""

    def __init__(self, loop: asyncio.AbstractEventLoop):
        self._loop = loop
        self._changed = asyncio.Event()
        self._lock = threading.Lock()
        self._whole = b""  # an answer that is written at once, as most are
        self._spool: IO[bytes] | None = None  # of any other; send_to closes it
        self._written = self._taken = 0
        self._status = 0
        self._headers: Headers = []
        self._file: FileToSend | None = None
        self._is_ended = self._is_abandoned = False
        self.has_failed = self.is_started = False

    # of the request thread

    def start(self, status: int, headers: Headers) -> None:
        self._status, self._headers = status, headers

    def write(self, chunk: bytes, *, flush: bool) -> None:
        with self._lock:
            if self._is_abandoned:
                raise Abandoned
            if self._written or flush or len(chunk) > MEMORY_BYTES:
                self._write_to_spool(chunk)
            else:
                self._whole = chunk
            self._written += len(chunk)
        if flush:
            self._notify()

    def _write_to_spool(self, chunk: bytes) -> None:
        if self._spool is None:
            self._spool = tempfile.SpooledTemporaryFile(MEMORY_BYTES, dir=str(temporary_folder()))  # noqa: SIM115
            self._spool.write(self._whole)
        self._spool.seek(self._written)
        self._spool.write(chunk)

    def end(self, file: FileToSend | None = None) -> None:
        """All is written but the rest of `file`, which is now the event loop's to send and close."""
        self._file = file
        self._is_ended = True
        self._notify()

    def fail(self) -> None:
        """The connection is closed, or an error is answered where nothing was sent yet."""
        self.has_failed = True
        self._notify()

    def _notify(self) -> None:
        self._loop.call_soon_threadsafe(self._changed.set)

    def close(self) -> None:
        """It is not used after all."""
        if self._spool is not None:
            self._spool.close()

    # of the event loop

    def abandon(self) -> None:
        self._is_abandoned = True
        self._changed.set()

    async def send_to(self, send: Send) -> None:
        """Send everything as it comes. Raises Abandoned where it cannot, TimeoutError for a client that sleeps."""
        try:
            await self._send(send)
        finally:
            self._is_abandoned = True
            if self._file is not None:
                await asyncio.to_thread(self._file.close)
            with self._lock:
                self.close()

    async def _send(self, send: Send) -> None:
        is_last = False
        while not is_last:
            chunk, is_last = await self._next()
            if not self.is_started:
                await send({"type": "http.response.start", "status": self._status, "headers": self._headers})
                self.is_started = True
            message = {"type": "http.response.body", "body": chunk, "more_body": not is_last}
            async with asyncio.timeout(SEND_SECONDS):
                await send(message)

    async def _next(self) -> tuple[bytes, bool]:
        """The next piece, and whether it is the last one."""
        while True:
            self._changed.clear()
            if self._is_abandoned or self.has_failed:
                raise Abandoned
            is_ended = self._is_ended
            if chunk := self._take():
                return chunk, is_ended and self._file is None and self._taken == self._written
            if is_ended:
                return await self._rest_of_file()
            await self._changed.wait()

    def _take(self) -> bytes:
        with self._lock:
            if self._spool is None:
                chunk = self._whole[self._taken : self._taken + CHUNK_BYTES]
            else:
                self._spool.seek(self._taken)
                chunk = self._spool.read(CHUNK_BYTES)
            self._taken += len(chunk)
        return chunk

    async def _rest_of_file(self) -> tuple[bytes, bool]:
        if self._file is None:
            return b"", True
        chunk = await asyncio.to_thread(self._file.file.read, CHUNK_BYTES)
        return chunk, not chunk

"""Requests to a site: one after the other on a kept connection, or many at a time."""

import asyncio
import gzip
import http.client
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from bench.timing import Timing

TIMEOUT_SECONDS = 240
NO_ANSWER = 0  # the status of a request that took longer


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes  # as it came
    ms: float
    first_byte_ms: float

    @property
    def gzip_bytes(self) -> int:
        """What a browser receives, or would with gzip where the site does not compress."""
        is_packed = self.headers.get("content-encoding") == "gzip"
        return len(self.body) if is_packed else len(gzip.compress(self.body, 6))

    @property
    def plain(self) -> bytes:
        return gzip.decompress(self.body) if self.headers.get("content-encoding") == "gzip" else self.body


class Client:
    """One connection that stays open, as a browser's does; takes gzip."""

    def __init__(self, port: int, headers: Mapping[str, str] | None = None):
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_SECONDS)
        self._headers = {"Accept-Encoding": "gzip", **(headers or {})}

    def get(self, address: str, headers: Mapping[str, str] | None = None) -> Answer:
        return self._ask("GET", address, None, headers or {})

    def post(self, address: str, body: bytes, *, kind: str = "application/json") -> Answer:
        return self._ask("POST", address, body, {"Content-Type": kind})

    def must_post(self, address: str, body: bytes, *, kind: str = "application/json", expected: int = 201) -> Answer:
        """A measurement of refusals would be none: any other status ends the run."""
        answer = self.post(address, body, kind=kind)
        if answer.status != expected:
            raise SystemExit(f"bench: POST {address} answered {answer.status}: {answer.plain[:500]!r}")
        return answer

    def _ask(self, method: str, address: str, body: bytes | None, headers: Mapping[str, str]) -> Answer:
        began = time.perf_counter()
        try:
            response = self._send(method, address, body, headers)
        except (http.client.RemoteDisconnected, ConnectionError):  # it was silent for long: the server closed it
            self._connection.close()
            began = time.perf_counter()
            response = self._send(method, address, body, headers)
        except TimeoutError:
            self._connection.close()
            return Answer(NO_ANSWER, {}, b"", _ms_since(began), _ms_since(began))
        first = time.perf_counter()
        content = response.read()
        named = {name.lower(): value for name, value in response.getheaders()}
        return Answer(response.status, named, content, _ms_since(began), (first - began) * 1000)

    def _send(
        self, method: str, address: str, body: bytes | None, headers: Mapping[str, str]
    ) -> http.client.HTTPResponse:
        self._connection.request(method, address, body, {**self._headers, **headers})
        return self._connection.getresponse()


@dataclass
class Seen:
    """What many clients saw."""

    times_ms: list[float] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)

    @property
    def timing(self) -> Timing | None:
        return Timing.of(self.times_ms) if self.times_ms else None

    @property
    def errors(self) -> int:
        return sum(count for status, count in self.statuses.items() if not status.startswith(("2", "304")))


async def ask_until(port: int, requests: "Requests", until: float, seen: Seen, *, pause: float = 0.0) -> None:
    """One client that asks again as soon as it was answered, on a kept connection."""
    streams = None
    while time.perf_counter() < until:
        began = time.perf_counter()
        try:
            streams = streams or await asyncio.open_connection("127.0.0.1", port, limit=2**20)
            status, is_kept = await asyncio.wait_for(_exchange(*streams, next(requests)), TIMEOUT_SECONDS)
        except (OSError, asyncio.IncompleteReadError, TimeoutError) as error:
            status, is_kept = type(error).__name__, False
        seen.times_ms.append(_ms_since(began))
        seen.statuses[status] += 1
        if not is_kept and streams:
            streams[1].close()
            streams = None
        if pause:
            await asyncio.sleep(pause)
    if streams:
        streams[1].close()


class Requests:
    """An endless row of requests, ready to be sent."""

    def __init__(self, *heads_and_bodies: tuple[str, bytes], headers: Mapping[str, str] | None = None):
        lines = "".join(f"{name}: {value}\r\n" for name, value in (headers or {}).items())
        self._ready = [
            f"{first} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept-Encoding: gzip\r\n{lines}"
            f"Content-Length: {len(body)}\r\n\r\n".encode()
            + body
            for first, body in heads_and_bodies
        ]
        self._next = 0

    def __next__(self) -> bytes:
        self._next += 1
        return self._ready[(self._next - 1) % len(self._ready)]


async def _exchange(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes) -> tuple[str, bool]:
    writer.write(request)
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    status = head[9:12].decode()
    if b"\r\ntransfer-encoding: chunked" in head:
        while size := int(await reader.readuntil(b"\r\n"), 16):
            await reader.readexactly(size + 2)
        await reader.readexactly(2)
    elif b"\r\ncontent-length: " in head:
        await reader.readexactly(int(head.partition(b"\r\ncontent-length: ")[2].partition(b"\r\n")[0]))
    return status, b"\r\nconnection: close" not in head


def crowd(port: int, requests: list[Requests], seconds: float) -> Seen:
    """As many clients as there are rows of requests, for some seconds."""
    seen = Seen()

    async def everybody() -> None:
        until = time.perf_counter() + seconds
        await asyncio.gather(*(ask_until(port, each, until, seen) for each in requests))

    asyncio.run(everybody())
    return seen


def _ms_since(began: float) -> float:
    return (time.perf_counter() - began) * 1000

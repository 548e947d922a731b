"""The site that is besieged, and what its clients saw."""

import gzip
import http.client
import socket
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from bench.client import Seen as SeenByMany
from bench.cpu import Processes

JSON = "application/json"
LOOPBACK = "127.0.0.1"
STRANGER = "127.0.0.2"  # another address of this machine, counted by itself
TIMEOUT_SECONDS = 120
MOST_REDIRECTS = 3
REFUSED = 503  # with Retry-After: the site has said when to come again


class Seen(SeenByMany):
    """Durations and statuses of one kind of request."""

    def __str__(self) -> str:
        timing = self.timing
        if timing is None:
            return "none"
        statuses = ", ".join(f"{count} x {status}" for status, count in sorted(self.statuses.items()))
        return (
            f"median {timing.median_ms:,.0f} ms, p95 {timing.p95_ms:,.0f} ms, slowest {self.slowest_ms:,.0f} ms; "
            f"{statuses}"
        )

    @property
    def median_ms(self) -> float:
        return self.timing.median_ms if self.timing else 0.0

    @property
    def slowest_ms(self) -> float:
        return max(self.times_ms, default=0.0)

    def add(self, answer: "Answer") -> None:
        self.times_ms.append(answer.ms)
        self.statuses[answer.shown] += 1

    def figures(self) -> dict[str, Any]:
        return {
            "n": len(self.times_ms),
            "median_ms": self.median_ms,
            "slowest_ms": self.slowest_ms,
            "statuses": dict(self.statuses),
        }


@dataclass(frozen=True, slots=True)
class Answer:
    status: int  # 0: none came
    ms: float
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    cookies: tuple[str, ...] = ()
    error: str = ""

    @property
    def shown(self) -> str:
        return str(self.status) if self.status else self.error

    @property
    def plain(self) -> bytes:
        return gzip.decompress(self.body) if self.headers.get("content-encoding") == "gzip" else self.body


@dataclass
class Target:
    port: int
    token: str = ""
    processes: Processes = field(default_factory=Processes)  # its web processes, its PostgreSQL; none: not measured
    server_errors: Counter[str] = field(default_factory=Counter)  # by address, of all that was asked

    def connect(self) -> socket.socket:
        return socket.create_connection((LOOPBACK, self.port), timeout=10)

    def ask(self, method: str, path: str, seen: Seen, body: bytes | None = None, kind: str = JSON) -> None:
        """One request on a connection of its own."""
        headers = {"Content-Type": kind} if body else {}
        seen.add(self.answer(method, path, body, {**self.identity, **headers}))

    @property
    def identity(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    def read(self, path: str, headers: Mapping[str, str] | None = None, *, sender: str = LOOPBACK) -> Answer:
        """As somebody who has no account; a redirect is followed, and its time is part of the answer's."""
        began = time.perf_counter()
        for _ in range(MOST_REDIRECTS):
            answer = self.answer("GET", path, None, headers or {}, sender=sender)
            if answer.status not in (301, 302, 307, 308):
                break
            to = urlsplit(answer.headers.get("location", ""))
            path = f"{to.path}?{to.query}" if to.query else to.path
        ms = (time.perf_counter() - began) * 1000
        return Answer(answer.status, ms, answer.body, answer.headers, answer.cookies, answer.error)

    def answer(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str], *, sender: str = LOOPBACK
    ) -> Answer:
        began = time.perf_counter()
        connection = http.client.HTTPConnection(
            LOOPBACK, self.port, timeout=TIMEOUT_SECONDS, source_address=(sender, 0)
        )
        try:
            with closing(connection):
                connection.request(method, path, body, dict(headers))
                response = connection.getresponse()
                content = response.read()
        except (OSError, http.client.HTTPException) as error:
            return Answer(0, _ms_since(began), error=type(error).__name__)
        named = {name.lower(): value for name, value in response.getheaders()}
        if response.status >= 500 and not (response.status == REFUSED and "retry-after" in named):
            self.server_errors[f"{response.status} {method} {path.partition('?')[0]}"] += 1
        cookies = tuple(response.headers.get_all("Set-Cookie") or ())
        return Answer(response.status, _ms_since(began), content, named, cookies)


def _ms_since(began: float) -> float:
    return (time.perf_counter() - began) * 1000

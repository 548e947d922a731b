"""`python -m bench.siege` (make siege): slow clients against a running site, then a crowd of readers and uploaders.

Prints how long /healthz, a page and an upload take meanwhile, and what was refused. The site is another process:
`make run` with THROTTLE_* raised; the uploads need a token of it.
"""

import argparse
import http.client
import json
import os
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import django

from bench.timing import Timing

JSON = "application/json"
PAGE = "/submissions/"
LOG = Path(__file__).resolve().parents[1] / "tests/data/cassandra-stress/cs50-01-write-n20000-t4.log"
SECONDS_A_BYTE = 1.0
READ_PAGES = ("/", PAGE, "/api/v1/submissions/", "/value/", "/data/")


@dataclass
class Seen:
    """Durations and statuses of one kind of request."""

    times_ms: list[float] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        if not self.times_ms:
            return "none"
        timing = Timing.of(self.times_ms)
        slowest = max(self.times_ms)
        statuses = ", ".join(f"{count} x {status}" for status, count in sorted(self.statuses.items()))
        return f"median {timing.median_ms:,.0f} ms, p95 {timing.p95_ms:,.0f} ms, slowest {slowest:,.0f} ms; {statuses}"

    @property
    def median_ms(self) -> float:
        return median(self.times_ms)


class Target:
    def __init__(self, port: int, token: str = ""):
        self._port = port
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self._port), timeout=10)

    def ask(self, method: str, path: str, seen: Seen, body: bytes | None = None, kind: str = JSON) -> None:
        """One request on a connection of its own."""
        began = time.perf_counter()
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        headers = {**self._headers, "Content-Type": kind} if body else {}
        try:
            with closing(connection):
                connection.request(method, path, body, headers)
                response = connection.getresponse()
                response.read()
                status = str(response.status)
        except OSError as error:
            status = type(error).__name__
        except http.client.HTTPException as error:
            status = type(error).__name__
        seen.times_ms.append((time.perf_counter() - began) * 1000)
        seen.statuses[status] += 1


SLOW_BODY = b"POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: %s\r\nContent-Length: 100000\r\n%s\r\n"
SLOW_BODIES = (
    SLOW_BODY % (b"/api/v1/runs/estimate/", b"application/json", b""),
    SLOW_BODY % (b"/account/login/", b"application/x-www-form-urlencoded", b"Cookie: csrftoken=%s\r\n" % (b"a" * 32)),
)
SLOW_HEADERS = (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",)


@contextmanager
def slow_clients(target: Target, starts: tuple[bytes, ...], count: int) -> Iterator[None]:
    """`count` connections that send one byte a second, opened again when the site closes one."""
    stop = threading.Event()
    thread = threading.Thread(target=_trickle, args=(target, starts, count, stop))
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _trickle(target: Target, starts: tuple[bytes, ...], count: int, stop: threading.Event) -> None:
    clients: list[socket.socket | None] = [None] * count
    while not stop.wait(SECONDS_A_BYTE):
        for index, client in enumerate(clients):
            try:
                if client is None:
                    client = clients[index] = target.connect()
                    client.sendall(starts[index % len(starts)])
                client.sendall(b"x")
            except OSError:
                clients[index] = None
    for client in clients:
        if client is not None:
            with suppress(OSError):
                client.close()


def watched(target: Target, seconds: float) -> tuple[Seen, Seen]:
    """/healthz and a page, asked once every half second."""
    healthz, page = Seen(), Seen()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        target.ask("GET", "/healthz", healthz)
        target.ask("GET", PAGE, page)
        time.sleep(0.5)
    return healthz, page


def crowd(target: Target, readers: int, uploaders: int, seconds: float) -> tuple[Seen, Seen]:
    """Readers and uploaders who each ask again as soon as they were answered; every other upload is a raw log."""
    from submissions.synthetic.documents import document

    reads, posts = Seen(), Seen()
    until, seed = time.monotonic() + seconds, time.time_ns()

    def read(number: int) -> None:
        while time.monotonic() < until:
            target.ask("GET", READ_PAGES[number % len(READ_PAGES)], reads)
            number += 1

    def upload(number: int) -> None:
        while time.monotonic() < until:
            sent = document(number, seed=seed)
            if number % 2:
                target.ask("POST", "/api/v1/submissions/", posts, json.dumps(sent).encode())
            else:
                target.ask("POST", "/api/v1/submissions/import/", posts, _with_log(number, seed), FORM)
            number += uploaders + 1

    everybody: list[tuple[Callable[[int], None], int]] = [(read, n) for n in range(readers)]
    everybody += [(upload, n) for n in range(uploaders)]
    with ThreadPoolExecutor(len(everybody)) as pool:
        for done in [pool.submit(does, number) for does, number in everybody]:
            done.result()
    return reads, posts


FORM = "multipart/form-data; boundary=siege"
METADATA = {
    "service": {"name": "cassandra"},
    "provider": "aws",
    "region": "us-east-1",
    "measured_at": "2026-05-04T12:00:00Z",
    "nodes": [{"role": "database", "count": 3, "instance_type": "m5.xlarge"}],
    "workload": {"tool": "cassandra-stress"},
}


def _with_log(number: int, seed: int) -> bytes:
    """A log with the facts that make it a new submission, as a form."""
    metadata = json.dumps({**METADATA, "settings": {"siege": f"{seed} {number}"}}).encode()
    return (
        b'--siege\r\nContent-Disposition: form-data; name="metadata"\r\n\r\n'
        + metadata
        + b'\r\n--siege\r\nContent-Disposition: form-data; name="log"; filename="stress.log"\r\n\r\n'
        + LOG.read_bytes()
        + b"\r\n--siege--\r\n"
    )


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
    django.setup()  # the documents that are uploaded need it
    parser = argparse.ArgumentParser(prog="python -m bench.siege", description=__doc__)
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--token", default="", help="of an account that may submit; without it nothing is uploaded")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--bodies", type=int, default=48)
    parser.add_argument("--headers", type=int, default=300)
    parser.add_argument("--readers", type=int, default=100)
    parser.add_argument("--uploaders", type=int, default=100)
    options = parser.parse_args()
    target = Target(options.port, options.token)
    healthz, quiet = watched(target, min(options.seconds, 10))
    print(f"quiet:        /healthz {healthz}\n              {PAGE} {quiet}")
    with (
        slow_clients(target, SLOW_BODIES, options.bodies),
        slow_clients(target, SLOW_HEADERS, options.headers),
    ):
        time.sleep(3)
        healthz, page = watched(target, options.seconds)
    print(f"slow clients: /healthz {healthz}\n              {PAGE} {page}")
    print(f"              the page takes {page.median_ms / quiet.median_ms:.2f} x as long as without them")
    if options.token:
        reads, posts = crowd(target, options.readers, options.uploaders, options.seconds)
        print(f"crowd:        {options.readers} readers: {reads}\n              {options.uploaders} uploaders: {posts}")


if __name__ == "__main__":
    main()

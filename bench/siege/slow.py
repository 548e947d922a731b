"""Slow clients: connections that send one byte a second."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from bench.siege.target import Seen, Target

PAGE = "/submissions/"
SECONDS_A_BYTE = 1.0
HEAD_START_SECONDS = 3  # until most of the slow clients are there

SLOW_BODY = b"POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: %s\r\nContent-Length: 100000\r\n%s\r\n"
SLOW_BODIES = (
    SLOW_BODY % (b"/api/v1/runs/estimate/", b"application/json", b""),
    SLOW_BODY % (b"/account/login/", b"application/x-www-form-urlencoded", b"Cookie: csrftoken=%s\r\n" % (b"a" * 32)),
)
SLOW_HEADERS = (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",)


def besieged(target: Target, bodies: int, headers: int, seconds: float) -> tuple[Seen, Seen]:
    """/healthz and a page, while `bodies` requests and `headers` heads never end."""
    with slow_clients(target, SLOW_BODIES, bodies), slow_clients(target, SLOW_HEADERS, headers):
        time.sleep(HEAD_START_SECONDS)
        return watched(target, seconds)


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

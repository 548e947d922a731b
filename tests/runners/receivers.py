"""A receiver of webhooks on loopback: notes what arrives and answers as it is told."""

import json
import ssl
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Receiver:
    """`statuses` are the answers in turn, the last one for good; `seen` is what arrived."""

    def __init__(self, statuses: Sequence[int], headers: dict[str, str]) -> None:
        self.statuses = list(statuses)
        self.headers = headers
        self.seen: list[dict[str, Any]] = []
        self.port = 0

    @property
    def bodies(self) -> list[Any]:
        return [one["body"] for one in self.seen]

    def url(self, path: str = "/hook?a=1", scheme: str = "http", name: str = "localhost") -> str:
        return f"{scheme}://{name}:{self.port}{path}"

    def take(self, path: str, headers: Any, body: bytes) -> int:
        wanted = ("Host", "Content-Type", "Authorization")
        kept = {name: headers[name] for name in wanted if name in headers}
        self.seen.append({"path": path, "headers": kept, "body": json.loads(body)})
        return self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]


@contextmanager
def receiver(
    statuses: Sequence[int] = (204,), *, headers: dict[str, str] | None = None, tls: ssl.SSLContext | None = None
) -> Iterator[Receiver]:
    taker = Receiver(statuses, headers or {})

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            status = taker.take(self.path, self.headers, self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(status)
            for name, value in taker.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if tls:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    taker.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield taker
    finally:
        server.shutdown()
        thread.join()
        server.server_close()

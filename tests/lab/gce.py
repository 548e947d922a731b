"""A Compute Engine API on loopback whose instances are hosts of the lab.

google-cloud-compute reaches it with client_options={"api_endpoint": gce.endpoint} and AnonymousCredentials. A trap of
the library: `insert(...).result()` asks the real endpoint; use `insert_unary` and an operations client of your own.
"""

import json
import socket
import sys
import threading
import time
import uuid
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.lab import gce_catalogue, gce_discovery
from tests.lab.faults import Faults
from tests.lab.gce_api import Api
from tests.lab.gce_discovery import Method
from tests.lab.gce_errors import GceError
from tests.lab.gce_project import Project
from tests.lab.hosts import Host
from tests.lab.network import Network

PREFIX = "/compute/v1/"
PROJECT = "lab"


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was killed is no fault of the lab."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class Gce:
    """The API and its machines. `calls` counts by method id ("instances.insert"); `invalid_requests` holds what the
    API's description does not allow in the requests, `invalid_answers` what it does not in the lab's own answers.
    """

    def __init__(self, network: Network) -> None:
        self.network = network
        self.faults = Faults()
        self.machines = Project(network, self.faults)
        self.api = Api(self.machines)
        self._server = _Server(("127.0.0.1", 0), self._handler())
        self.endpoint = f"http://127.0.0.1:{self._server.server_port}"
        self.reset()
        self._thread = threading.Thread(target=self._server.serve_forever, name="lab-gce-api", daemon=True)
        self._thread.start()

    def reset(self) -> None:
        """An empty project: no machine, no fault, no count."""
        self.faults.clear()
        self.machines.clear()
        self.machines.boots = True
        self.machines.errors.clear()
        self.api.quota_in_operation = True
        self.api.quotas = dict(gce_catalogue.QUOTAS)
        self.calls: Counter[str] = Counter()
        self.requests: list[tuple[str, dict[str, str], Any]] = []
        self.invalid_requests: list[str] = []
        self.invalid_answers: list[str] = []
        self.seconds = 0.0  # that answers took; injected delays and the wait for operations not counted
        self._seen: dict[tuple[str, str], dict[str, Any]] = {}

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        self.machines.close()

    @property
    def hosts(self) -> dict[str, Host]:
        """The booted hosts by instance name."""
        return {one.body["name"]: one.host for one in self.machines.machines.values() if one.host}

    @property
    def alive(self) -> list[str]:
        """The instances that cost money, by name."""
        with self.machines.lock:
            self.machines.advance()
            return [one.body["name"] for one in self.machines.machines.values() if one.body["status"] != "TERMINATED"]

    def preempt(self, zone: str, name: str) -> None:
        self.machines.preempt(zone, name)

    def answer(self, http: str, target: str, content: bytes) -> tuple[int, dict[str, Any], bool]:
        """(status, body, whether the answer gets lost)."""
        url = urlsplit(target)
        found = gce_discovery.find(http, url.path.removeprefix(PREFIX)) if url.path.startswith(PREFIX) else None
        if found is None:
            return 404, GceError(404, "notFound", f"{http} {url.path}").body(), False
        method, path = found
        query = dict(parse_qsl(url.query))
        time.sleep(self.faults.delay_seconds(method.id))
        if method.id.endswith("Operations.wait"):
            time.sleep(self.machines.operations.wait_seconds(_scope(path), path["operation"]))
        started = time.perf_counter()
        try:
            with self.machines.lock:
                answer = self.act(method, path, query, content)
        except GceError as error:
            return error.status, error.body(), False
        finally:
            self.seconds += time.perf_counter() - started
        return 200, answer, self.faults.strikes(f"lost:{method.id}")

    def act(self, method: Method, path: dict[str, str], query: dict[str, str], content: bytes) -> dict[str, Any]:
        self.calls[method.id] += 1
        try:
            body = json.loads(content) if content else {}
        except ValueError:
            raise GceError(400, "parseError", "Parse Error") from None
        self.requests.append((method.id, query, body))
        if self.faults.strikes("throttle", method.id):
            raise GceError(403, "rateLimitExceeded", "Rate Limit Exceeded", "usageLimits")
        problems = gce_discovery.request_problems(method, query, body)
        if problems:
            self.invalid_requests += problems
            raise GceError(400, "badRequest", f"Invalid JSON payload received. {problems[0]}")
        self.machines.advance()
        answer = self._once(method, path, query, body)
        self.invalid_answers += gce_discovery.answer_problems(method, answer)
        return answer

    def _once(self, method: Method, path: dict[str, str], query: dict[str, str], body: Any) -> dict[str, Any]:
        """The same requestId does it once and gets the same operation."""
        request_id = query.get("requestId")
        if request_id is None:
            return self.api.answer(method.id, path, query, body)
        try:
            is_good = uuid.UUID(request_id).int != 0
        except ValueError:
            is_good = False
        if not is_good:
            raise GceError(
                400, "invalid", f"Invalid value for field 'requestId': '{request_id}'. Must be a valid UUID."
            )
        key = (method.id, request_id)
        if key not in self._seen:
            self._seen[key] = self.api.answer(method.id, path, query, body)
            self.machines.operations.asked_with(_scope(path), self._seen[key]["name"], request_id)
        first = self._seen[key]
        return self.machines.operations.get(path["project"], _scope(path), first["name"])

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        gce = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                status, body, is_lost = gce.answer(self.command, self.path, self.rfile.read(length))
                if is_lost:
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                content = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json; charset=UTF-8")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_DELETE = do_PATCH = handle_one  # noqa: N815

            def log_message(self, format: str, *args: object) -> None:
                pass

        return Handler


def _scope(path: dict[str, str]) -> str:
    """Where the operations of a request live."""
    if "zone" in path:
        return f"zones/{path['zone']}"
    return f"regions/{path['region']}" if "region" in path else "global"

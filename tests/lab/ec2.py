"""An EC2 API on loopback whose instances are hosts of the lab: moto, with what it leaves out put in front of it.

boto3 reaches it with AWS_ENDPOINT_URL and any credentials; S3, SSM, STS and the price list answer at the same address.
Closed here, of moto's gaps: ClientToken, MaxCount, the pending and shutting-down states, capacity, architecture and
type and key pair checks, gp3 IOPS and throughput, root volumes, spot requests, placement groups, dependent security
groups, public addresses, the images of Debian and Ubuntu, security groups as firewalls of the hosts.
"""

import os
import re
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
from werkzeug.serving import make_server

from tests.lab import ec2_account, ec2_pricing, ec2_quotas, ec2_wire
from tests.lab.ec2_gaps import Gaps
from tests.lab.ec2_instances import Instances
from tests.lab.ec2_wire import Refused
from tests.lab.faults import Faults
from tests.lab.hosts import Host
from tests.lab.network import Network

REGION = "us-east-1"
# No plan takes one of moto's 1,300 images, each with a volume and a snapshot; without, an account is ready at once.
os.environ["MOTO_EC2_LOAD_DEFAULT_AMIS"] = "false"
_SCOPE = re.compile(r"Credential=[^/]+/\d{8}/(?P<region>[^/]+)/(?P<service>[^/]+)/aws4_request")


class _QuietHandler(MotoRequestHandler):
    protocol_version = "HTTP/1.1"  # so that boto3 keeps its connections, as with the real API

    def log(self, type: str, message: str, *args: Any) -> None:
        pass


@dataclass
class Answer:
    status: int
    body: bytes
    content_type: str = "text/xml;charset=UTF-8"
    headers: list[tuple[str, str]] = field(default_factory=list)


class Ec2:
    """The API and its machines. `calls` counts by action (others than EC2's as "s3:PUT", "ssm:GetParameter");
    `requests` keeps every EC2 call, `invalid_requests` what botocore's service model does not allow in them.
    """

    def __init__(self, network: Network) -> None:
        self.network = network
        self.faults = Faults()
        self.instances = Instances(network, self.faults)
        self._gaps = Gaps(self.instances, self.faults)
        self._moto = DomainDispatcherApplication(create_backend_app)
        self._server = make_server("127.0.0.1", 0, self._serve, threaded=True, request_handler=_QuietHandler)
        self.endpoint = f"http://127.0.0.1:{self._server.server_port}"
        self.reset()
        self._thread = threading.Thread(target=self._server.serve_forever, name="lab-aws", daemon=True)
        self._thread.start()

    def reset(self) -> None:
        """An empty account: no machine, no fault, no count."""
        self.faults.clear()
        self.instances.clear()
        self.instances.boots = True
        self.instances.errors.clear()
        self.instances.pending_seconds = self.instances.shutdown_seconds = 0.5
        self.calls: Counter[str] = Counter()
        self.quotas: dict[str, float] = {}  # of vCPUs by code, where the account's is not the usual one
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.invalid_requests: list[str] = []
        self.seconds = 0.0  # that answers took, injected delays not counted
        self._gaps.clear()
        self._forward({"REQUEST_METHOD": "POST", "PATH_INFO": "/moto-api/reset", "HTTP_HOST": "localhost"}, b"")
        self.zones = ec2_account.prepare(REGION, self.network.parts()[1:])

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        self.instances.close()

    @property
    def hosts(self) -> dict[str, Host]:
        """The booted hosts by instance id."""
        return {id_: life.host for id_, life in self.instances.lives.items() if life.host}

    @property
    def alive(self) -> list[str]:
        """The instances that cost money: pending, running or shutting down."""
        with self.instances.lock:
            self.instances.advance()
            return [id_ for id_, life in self.instances.lives.items() if life.is_left]

    def _serve(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0)) if _is_sized(environ) else None
        scope = _SCOPE.search(environ.get("HTTP_AUTHORIZATION", ""))
        service = scope["service"] if scope else "s3"
        if service == "ec2" and body is not None:
            answer, is_lost = self.ec2(environ, body, scope["region"] if scope else REGION)
        else:
            answer, is_lost = self.other(service, environ, body), False
        if is_lost:
            environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
        headers = [("Content-Type", answer.content_type), *answer.headers]
        if not any(name.lower() == "content-length" for name, _ in headers):
            headers.append(("Content-Length", str(len(answer.body))))
        start_response(f"{answer.status} -", headers)
        return [answer.body]

    def ec2(self, environ: dict[str, Any], body: bytes, region: str) -> tuple[Answer, bool]:
        fields = ec2_wire.form(body)
        action = fields["Action"]
        time.sleep(self.faults.delay_seconds(action))
        started = time.perf_counter()
        try:
            with self.instances.lock:
                self.note(fields)
                answer = self.act(environ, fields, region)
        except Refused as refused:
            answer = Answer(refused.status, refused.body())
        self.seconds += time.perf_counter() - started
        return answer, answer.status == 200 and self.faults.strikes(f"lost:{action}")

    def note(self, fields: dict[str, str]) -> None:
        """Count and check a request; throttling comes before anything else looks at it."""
        action = fields["Action"]
        self.calls[action] += 1
        problems = ec2_wire.problems(fields)
        self.invalid_requests += [f"{action}: {problem}" for problem in problems]
        self.requests.append((action, ec2_wire.parameters(fields)))
        if self.faults.strikes("throttle", action):
            raise Refused("RequestLimitExceeded", "Request limit exceeded.", 503)
        if problems:
            raise Refused("UnknownParameter", problems[0])

    def act(self, environ: dict[str, Any], fields: dict[str, str], region: str) -> Answer:
        action = fields["Action"]
        self.instances.advance()
        with self.instances.visible(region):
            completed, made = self._gaps.before(region, action, fields)
            if made is not None:
                return Answer(200, made)
            answer = self._forward(environ, ec2_wire.encode(completed))
        if answer.status == 200:
            answer.body = self._gaps.after(region, action, completed, answer.body)
            self._gaps.remember(region, fields, answer.body)
        return answer

    def other(self, service: str, environ: dict[str, Any], body: bytes | None) -> Answer:
        target = environ.get("HTTP_X_AMZ_TARGET", "").rpartition(".")[2]
        action = target or (ec2_wire.form(body or b"").get("Action") if service == "sts" else environ["REQUEST_METHOD"])
        self.calls[f"{service}:{action}"] += 1
        if service == "s3" and self.faults.strikes("storage"):
            code = "<Error><Code>ServiceUnavailable</Code><Message>Please reduce your request rate.</Message></Error>"
            return Answer(503, code.encode(), "application/xml")
        if service == "servicequotas":
            return Answer(*ec2_quotas.answer(self.quotas, body or b"{}"), "application/x-amz-json-1.1")
        if service == "pricing":
            return Answer(200, ec2_pricing.answer(target, body or b"{}"), "application/x-amz-json-1.1")
        return self._forward(environ, body)

    def _forward(self, environ: dict[str, Any], body: bytes | None) -> Answer:
        """Let moto answer. A body without a length (chunked) is moto's to read."""
        if body is not None:
            environ = {**environ, "wsgi.input": BytesIO(body), "CONTENT_LENGTH": str(len(body))}
        status, headers = 500, list[tuple[str, str]]()

        def start_response(line: str, given: list[tuple[str, str]], *_: object) -> Callable[[bytes], object]:
            nonlocal status, headers
            status, headers = int(line.split()[0]), given
            return lambda _: None

        content = b"".join(self._moto(_defaults(environ), start_response))
        kept = [pair for pair in headers if pair[0].lower() not in ("content-type", "content-length", "connection")]
        if environ["REQUEST_METHOD"] == "HEAD":
            kept += [pair for pair in headers if pair[0].lower() == "content-length"]
        return Answer(status, content, dict(headers).get("Content-Type", "text/xml"), kept)


def _is_sized(environ: dict[str, Any]) -> bool:
    return "chunked" not in environ.get("HTTP_TRANSFER_ENCODING", "")


def _defaults(environ: dict[str, Any]) -> dict[str, Any]:
    """What every WSGI application may count on."""
    return {
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "QUERY_STRING": "",
        "SCRIPT_NAME": "",
        "wsgi.url_scheme": "http",
        "wsgi.errors": BytesIO(),
        **environ,
    }

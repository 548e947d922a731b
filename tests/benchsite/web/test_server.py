"""The real web server in front of the real application, with one thread for reading and two for writing."""

import http.client
import os
import socket
import subprocess
import time
from contextlib import ExitStack, closing

import pytest

from benchsite.management.commands.serve import commands
from tests.benchsite.commands import ROOT

SLOW_BODY = (  # of a type that the view reads: another is refused unread
    b"POST /api/v1/runs/estimate/ HTTP/1.1\r\nHost: localhost\r\n"
    b"Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n{"
)
SLOW_HEAD = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "


@pytest.fixture(scope="module")
def port():
    """The port of a web server of this module's own, on the services of the tests."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        number = probe.getsockname()[1]
    command = commands("127.0.0.1", number)["web"]
    command[command.index("--workers") + 1] = "1"
    environment = {**os.environ, "WEB_THREADS": "1", "MAX_UPLOAD_BYTES": "3000000"}
    process = subprocess.Popen(command, cwd=ROOT, env=environment)
    deadline = time.monotonic() + 120
    while True:
        try:
            assert get(number, "/healthz").status == 200
            break
        except ConnectionRefusedError:
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.1)
    yield number
    process.terminate()
    process.wait(60)


def get(port, path):
    return ask(port, "GET", path)


def ask(port, method, path, body=None, headers=None, *, chunked=False):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    with closing(connection):
        connection.request(method, path, body, headers or {}, encode_chunked=chunked)
        response = connection.getresponse()
        response.content = response.read()
        return response


def test_slow_clients_stop_neither_the_probe_nor_a_page_nor_a_form(port):
    with ExitStack() as stack:
        for start in [SLOW_BODY] * 12 + [SLOW_HEAD] * 40:
            client = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
            client.sendall(start)

        answers = [
            get(port, "/healthz"),
            get(port, "/account/login/"),
            ask(port, "POST", "/api/v1/runs/estimate/", b"{}", {"Content-Type": "application/json"}),
        ]

    assert [answer.status for answer in answers] == [200, 200, 400]
    assert b'"#/provider"' in answers[2].content  # it was read, and judged


@pytest.mark.parametrize("charset", ["zlib", "idna", "undefined"])
def test_a_page_is_an_answer_whatever_charset_is_named(port, charset):
    answer = ask(port, "GET", "/account/login/?next=%ff", headers={"Content-Type": f"text/plain; charset={charset}"})

    assert answer.status == 200


def test_an_address_with_a_nul_is_not_found(port):
    assert get(port, "/data/%00/x").status == 404


def test_a_chunked_body_is_read_like_any_other(port):
    headers = {"Content-Type": "application/json", "Transfer-Encoding": "chunked"}

    answer = ask(port, "POST", "/api/v1/runs/estimate/", iter([b"{", b"}"]), headers, chunked=True)

    assert (answer.status, b'"#/provider"' in answer.content) == (400, True)


def test_a_stranger_is_refused_before_a_large_body_is_read(port):
    with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
        client.sendall(
            b"POST /api/v1/submissions/import/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000000\r\n\r\n"
        )
        answer = client.recv(65536)

    assert answer.startswith(b"HTTP/1.1 401 ")


@pytest.mark.parametrize("path", ["/api/v1/submissions/import/", "/account/login/"])
def test_a_body_over_the_limit_is_refused_unread(port, path):
    with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
        client.sendall(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20000000\r\n\r\n".encode())
        answer = client.recv(65536)

    assert answer.startswith(b"HTTP/1.1 413 ")


def test_a_head_has_the_headers_of_the_page_and_no_body(port):
    page, head = get(port, "/account/login/"), ask(port, "HEAD", "/account/login/")

    assert (head.status, head.content) == (200, b"")
    assert abs(int(head.headers["Content-Length"]) - len(page.content)) < 100  # the tokens differ


def test_many_requests_share_a_connection(port):
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        statuses = []
        for path in ("/healthz", "/account/login/", "/nowhere", "/healthz"):
            connection.request("GET", path)
            response = connection.getresponse()
            response.read()
            statuses.append(response.status)

    assert statuses == [200, 200, 404, 200]

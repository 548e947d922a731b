"""What the siege's clients see: durations and statuses, redirects, errors of the server."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from bench.siege.target import Answer, Seen, Target


class Handler(BaseHTTPRequestHandler):
    ANSWERS = {
        "/moved/?x=1": (302, {"Location": "/there/"}),
        "/there/": (200, {}),
        "/broken/?x=1": (500, {}),
        "/busy/": (503, {"Retry-After": "2"}),
        "/away/": (503, {}),
    }

    def do_GET(self):
        status, headers = self.ANSWERS[self.path]
        self.send_response(status)
        for name, value in {**headers, "Content-Length": "2"}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *args):
        """Nothing of it belongs among the results of tests."""


@pytest.fixture
def target():
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield Target(server.server_address[1])
        server.shutdown()
        thread.join()


def test_durations_and_statuses_are_one_line():
    seen = Seen()
    for number, status in enumerate([200] * 19 + [503], start=1):
        seen.add(Answer(status, float(number)))

    assert str(seen) == "median 10 ms, p95 19 ms, slowest 20 ms; 19 x 200, 1 x 503"
    assert str(Seen()) == "none"


def test_a_redirect_is_part_of_the_answer_to_a_reader(target):
    assert target.read("/moved/?x=1").status == 200


def test_only_an_answer_that_does_not_say_when_to_come_again_is_a_server_error(target):
    for path in ("/there/", "/busy/", "/broken/?x=1", "/away/", "/away/"):
        target.read(path)

    assert target.server_errors == {"500 GET /broken/": 1, "503 GET /away/": 2}


def test_a_site_that_is_not_there_is_named_by_its_error():
    assert Target(1).read("/").shown == "ConnectionRefusedError"

"""The gateway: a request thread gets complete requests only, and never waits for a client."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from io import FileIO

import pytest
from django.http import HttpResponse

from benchsite.http.response_cache import FROM_MEMORY
from benchsite.web import admission
from benchsite.web import gateway as gateway_module
from benchsite.web.bodies import BodyLimits
from benchsite.web.environ import environ_of
from benchsite.web.gateway import Gateway

FOREVER = object()


class Client:
    """One request, message by message: FOREVER among the messages is a client that sends no more and waits."""

    def __init__(self, *messages, method="POST", path="/x/", headers=()):
        self.scope = {
            "type": "http",
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "headers": list(headers),
            "client": ("192.0.2.1", "999"),
            "server": ("127.0.0.1", "80"),
        }
        self.left = list(messages)
        self.sent = []
        self.takes = asyncio.Event()
        self.takes.set()

    async def receive(self):
        if not self.left or self.left[0] is FOREVER:
            await asyncio.Event().wait()
        return self.left.pop(0)

    async def send(self, message):
        await self.takes.wait()
        self.sent.append(message)

    @property
    def status(self):
        return self.sent[0]["status"] if self.sent else None

    @property
    def headers(self):
        return dict(self.sent[0]["headers"])

    @property
    def body(self):
        return b"".join(message.get("body", b"") for message in self.sent[1:])


def sends(body, *, more=False):
    return {"type": "http.request", "body": body, "more_body": more}


GONE = {"type": "http.disconnect"}


def echo(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [environ["wsgi.input"].read()]


def gateway(application=echo, *, threads=1, **limits):
    limits = BodyLimits(**{"patience_seconds": 30, **limits})
    return Gateway(
        application, threads=threads, most_bytes=1_000_000, large_bodies={"/large/": 9_000_000}, limits=limits
    )


def run(main):
    """Another thread's event loop: the browser of the tests has one in ours."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, main()).result(30)


def answer(site, make_client):
    async def main():
        client = make_client()
        await site(client.scope, client.receive, client.send)
        return client

    return run(main)


def test_a_body_in_pieces_arrives_whole_with_its_length():
    lengths = []

    def measure(environ, start_response):
        lengths.append(environ["CONTENT_LENGTH"])
        return echo(environ, start_response)

    client = answer(gateway(measure), lambda: Client(sends(b"one ", more=True), sends(b"two")))

    assert (client.status, client.body, lengths) == (200, b"one two", ["7"])


def test_a_body_larger_than_memory_arrives_whole():
    pieces = [bytes([number]) * 100_000 for number in range(9)]

    client = answer(
        gateway(anonymous_bytes=1_000_000), lambda: Client(*(sends(piece, more=True) for piece in pieces), sends(b""))
    )

    assert client.body == b"".join(pieces)


def test_slow_bodies_take_no_thread():
    async def main():
        site = gateway(threads=1)
        slow = [Client(sends(b"x", more=True), FOREVER) for _ in range(20)]
        waiting = [asyncio.create_task(site(each.scope, each.receive, each.send)) for each in slow]
        await asyncio.sleep(0)
        reader, writer, probe = Client(sends(b""), method="GET"), Client(sends(b"w")), Client(path="/healthz")
        for each in (reader, writer, probe):
            await site(each.scope, each.receive, each.send)
        for task in waiting:
            task.cancel()
        return reader.status, writer.body, probe.body

    assert run(main) == (200, b"w", b'{"status": "ok"}')


def test_a_body_that_does_not_arrive_is_refused_and_no_thread_saw_it():
    seen = []
    site = gateway(lambda *args: seen.append(args), patience_seconds=0.02)

    client = answer(site, lambda: Client(sends(b"x", more=True), FOREVER, path="/api/v1/x/"))

    assert (client.status, client.headers[b"content-type"]) == (408, b"application/problem+json")
    assert b"did not arrive in time" in client.body
    assert seen == []


def test_a_body_that_trickles_below_the_least_rate_is_refused():
    class Trickle(Client):
        async def receive(self):
            await asyncio.sleep(0.01)
            return sends(b"x", more=True)

    client = answer(gateway(patience_seconds=0.1, least_bytes_s=10_000), Trickle)

    assert client.status == 408


def test_a_body_over_the_limit_of_its_address_is_refused_unread():
    announced = [(b"content-length", b"1000001")]

    client = answer(gateway(), lambda: Client(sends(b"x"), headers=announced))

    assert (client.status, len(client.left)) == (413, 1)


def test_a_body_that_announces_nothing_is_cut_at_the_limit(monkeypatch):
    monkeypatch.setattr(admission, "refusal", lambda environ: None)
    pieces = [sends(b"x" * 400_000, more=True) for _ in range(9)]

    client = answer(gateway(), lambda: Client(*pieces))

    assert (client.status, len(client.left)) == (413, 6)


def test_more_than_anybody_may_send_is_read_only_from_who_may(monkeypatch):
    monkeypatch.setattr(admission, "refusal", lambda environ: HttpResponse("who?", status=401))
    announced = [(b"content-length", b"2000000")]

    client = answer(gateway(), lambda: Client(sends(b"x"), path="/large/", headers=announced))

    assert (client.status, client.body, len(client.left)) == (401, b"who?", 1)


def test_a_full_disk_refuses_a_large_body_with_its_reason(monkeypatch):
    monkeypatch.setattr("tempfile.TemporaryFile", lambda dir: FileIO("/dev/full", "wb"))

    client = answer(gateway(), lambda: Client(sends(b"x" * 300_000), path="/api/v1/x/"))

    assert client.status == 507
    assert b"disk of this site is full" in client.body


def test_who_leaves_while_sending_is_not_answered():
    client = answer(gateway(), lambda: Client(sends(b"x", more=True), GONE))

    assert client.sent == []


def test_what_nobody_waits_for_any_more_is_not_begun():
    begun, may_end = [], threading.Event()

    def work(environ, start_response):
        begun.append(environ["PATH_INFO"])
        may_end.wait(10)
        return echo(environ, start_response)

    async def main():
        site = gateway(work, threads=1)
        first = Client(sends(b""), method="GET", path="/first/")
        gone = Client(sends(b""), GONE, method="GET", path="/gone/")
        working = asyncio.create_task(site(first.scope, first.receive, first.send))
        while not begun:
            await asyncio.sleep(0)
        await site(gone.scope, gone.receive, gone.send)
        may_end.set()
        await working

    run(main)

    assert begun == ["/first/"]


def test_what_is_known_at_once_waits_for_no_thread():
    begun, may_end = threading.Event(), threading.Event()

    def work(environ, start_response):
        if known := environ.get(FROM_MEMORY):
            start_response("200 OK", [])
            return known
        begun.set()
        may_end.wait(10)
        return echo(environ, start_response)

    def answer_from_memory(environ):
        return HttpResponse("known") if environ["PATH_INFO"] == "/known/" else None

    async def main():
        site = Gateway(work, threads=1, most_bytes=1000, large_bodies={}, answer_from_memory=answer_from_memory)
        slow, known, head = (
            Client(sends(b""), method=method, path=path)
            for method, path in (("GET", "/slow/"), ("GET", "/known/"), ("HEAD", "/known/"))
        )
        working = asyncio.create_task(site(slow.scope, slow.receive, slow.send))
        while not begun.is_set():
            await asyncio.sleep(0)
        for client in (known, head):
            await site(client.scope, client.receive, client.send)
        may_end.set()
        await working
        return known, head

    known, head = run(main)

    assert (known.status, known.body) == (200, b"known")
    assert (head.status, head.body) == (200, b"")


def test_of_a_crowd_the_event_loop_answers_a_few_each_turn(monkeypatch):
    monkeypatch.setattr(gateway_module, "MOST_A_TURN", 2)
    threads = []

    def work(environ, start_response):
        threads.append(threading.current_thread().name)
        return echo(environ, start_response)

    async def main():
        site = Gateway(
            work, threads=1, most_bytes=1000, large_bodies={}, answer_from_memory=lambda environ: HttpResponse("known")
        )
        for _ in range(2):
            crowd = [Client(sends(b""), method="GET") for _ in range(3)]
            await asyncio.gather(*(site(client.scope, client.receive, client.send) for client in crowd))
            assert [client.status for client in crowd] == [200] * 3
            await asyncio.sleep(0)

    run(main)

    assert sum(name.startswith("read") for name in threads) == 2
    assert len(threads) == 6


def test_a_reader_that_takes_nothing_holds_no_thread():
    def long(environ, start_response):
        start_response("200 OK", [])
        return (b"x" * 50_000 for _ in range(100))

    async def main():
        site = gateway(long, threads=1)
        asleep, awake = Client(sends(b""), method="GET"), Client(sends(b""), method="GET")
        asleep.takes.clear()
        sleeping = asyncio.create_task(site(asleep.scope, asleep.receive, asleep.send))
        await site(awake.scope, awake.receive, awake.send)
        asleep.takes.set()
        await sleeping
        return len(awake.body), len(asleep.body)

    assert run(main) == (5_000_000, 5_000_000)


def test_the_rest_of_an_answer_is_not_made_for_who_has_gone():
    made = []

    def endless(environ, start_response):
        start_response("200 OK", [])
        while True:
            made.append(1)
            yield b"x" * 1_000

    async def main():
        site = gateway(endless)
        client = Client(sends(b""), GONE)
        await site(client.scope, client.receive, client.send)

    run(main)  # it ends


@pytest.mark.parametrize(("method", "body"), [("GET", b"0123456789" * 100_000), ("HEAD", b"")])
def test_a_file_is_sent_whole_and_closed(tmp_path, method, body):
    path = tmp_path / "file"
    path.write_bytes(b"0123456789" * 100_000)
    opened = path.open("rb")

    def serve_file(environ, start_response):
        start_response("200 OK", [("Content-Length", "1000000")])
        return environ["wsgi.file_wrapper"](opened)

    client = answer(gateway(serve_file), lambda: Client(sends(b""), method=method))

    assert (client.body, client.headers[b"content-length"], opened.closed) == (body, b"1000000", True)


def test_an_error_of_the_application_is_an_answer_without_its_reason():
    def broken(environ, start_response):
        raise ZeroDivisionError("secret")

    client = answer(gateway(broken), lambda: Client(sends(b"")))

    assert client.status == 500
    assert b"secret" not in client.body


@pytest.mark.parametrize("charset", ["zlib", "base64", "hex", "rot13", "idna", "punycode", "undefined", "utf-7", "x"])
def test_a_charset_that_is_no_plain_text_is_left_out(charset):
    def shown(environ, start_response):
        start_response("200 OK", [])
        return [environ["CONTENT_TYPE"].encode()]

    headers = [(b"content-type", f"multipart/form-data; charset={charset}; boundary=x".encode())]

    assert (
        answer(gateway(shown), lambda: Client(sends(b""), headers=headers)).body == b"multipart/form-data; boundary=x"
    )


def test_a_charset_of_text_stays():
    scope = Client(headers=[(b"content-type", b'text/plain; Charset="Latin-1"')]).scope

    assert environ_of(scope)["CONTENT_TYPE"] == 'text/plain; Charset="Latin-1"'


def test_no_address_has_a_nul():
    assert answer(gateway(), lambda: Client(sends(b""), path="/data/%00/x")).status == 404


def test_headers_reach_the_application_as_wsgi_names_them():
    seen = {}

    def remember(environ, start_response):
        seen.update(environ)
        return echo(environ, start_response)

    headers = [
        (b"x-a", b"1"),
        (b"x-a", b"2"),
        (b"cookie", b"a=1"),
        (b"cookie", b"b=2"),
        (b"x_forwarded_for", b"forged"),
        (b"content-type", b"text/plain"),
    ]
    answer(gateway(remember), lambda: Client(sends(b""), headers=headers, path="/%C3%A4%ff/"))

    assert (seen["HTTP_X_A"], seen["HTTP_COOKIE"], seen["CONTENT_TYPE"]) == ("1,2", "a=1; b=2", "text/plain")
    assert "HTTP_X_FORWARDED_FOR" not in seen  # a proxy replaces only the name with dashes
    assert seen["PATH_INFO"].encode("latin-1") == b"/\xc3\xa4\xff/"
    assert seen["REMOTE_ADDR"] == "192.0.2.1"
    assert 0 <= seen["benchsite.waited_seconds"] < 30


def test_a_costly_page_is_made_by_a_thread_of_its_own():
    names = []

    def work(environ, start_response):
        names.append(threading.current_thread().name.partition("_")[0])
        return echo(environ, start_response)

    for costly in (True, False):
        site = Gateway(work, threads=1, most_bytes=9, large_bodies={}, is_costly=lambda _, costly=costly: costly)
        answer(site, lambda: Client(sends(b""), method="GET"))

    assert names == ["costly", "read"]

"""The proxy: a real nginx with deploy/nginx.conf, as docker-compose.yml starts it, before a small site."""

import os
import re
import shutil
import socket
import ssl
import subprocess
import threading
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPResponse, HTTPSConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import yaml

from tests.lab.waiting import wait_for

ROOT = Path(__file__).parents[2]
PROXY = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]["proxy"]
NGINX = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
PAGE = {"Cache-Control": "public, max-age=2, stale-while-revalidate=10", "Vary": "Cookie, Accept-Encoding"}
FOR_LONG = {"Cache-Control": "max-age=60, public", "Vary": "Cookie, Accept-Encoding"}  # as a page, without haste

pytestmark = pytest.mark.skipif(
    not (NGINX and shutil.which("envsubst") and shutil.which("openssl")),
    reason="no nginx, envsubst or openssl here: apt-get install nginx-light gettext-base openssl",
)


@dataclass
class Site:
    """What stands behind the proxy: it counts requests, and answers with what a test sets for an address."""

    headers: dict[str, dict[str, str]] = field(default_factory=dict)
    statuses: dict[str, int] = field(default_factory=dict)
    bodies: dict[str, bytes] = field(default_factory=dict)
    etag: str = ""
    seen: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    def requests(self, path):
        return Counter(seen for seen, _ in self.seen)[path]

    def answer(self, handler):
        path = handler.path
        self.seen.append((path, {name.lower(): value for name, value in handler.headers.items()}))
        is_known = bool(self.etag) and handler.headers.get("If-None-Match") == self.etag
        body = b"" if is_known else self.bodies.get(path, f"answer {self.requests(path)}".encode())
        handler.send_response(304 if is_known else self.statuses.get(path, 200))
        for name, value in self.headers.get(path, {}).items():
            handler.send_header(name, value)
        if self.etag:
            handler.send_header("ETag", self.etag)
        if not is_known:
            handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)


@dataclass
class Proxy:
    port: int
    site: Site
    tls: ssl.SSLContext

    def get(self, path, **headers):
        """(status, headers, text)."""
        connection = HTTPSConnection("127.0.0.1", self.port, context=self.tls, timeout=30)
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request("GET", path, headers={"Host": "bench.example.org", **sent})
        answer: HTTPResponse = connection.getresponse()
        try:
            return answer.status, dict(answer.getheaders()), answer.read().decode()
        finally:
            connection.close()

    def texts(self, path, times, **headers):
        return [self.get(path, **headers)[2] for _ in range(times)]


@pytest.fixture
def site():
    site = Site()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            site.answer(self)

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site.port = server.server_port
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield site
    server.shutdown()
    server.server_close()


@pytest.fixture
def proxy(site, tmp_path):
    with running(site, tmp_path) as proxy:
        yield proxy


@contextmanager
def running(site, folder, **settings):
    port = free_port()
    configuration = configure(folder, site.port, port, **settings)
    command = [NGINX, "-c", configuration, "-e", folder / "errors"]
    checked = subprocess.run([*command, "-t", "-q"], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr
    process = subprocess.Popen([*command, "-g", "daemon off;"])
    try:
        wait_for(lambda: answers(port), "nginx", seconds=30, every=0.02)
        tls = ssl.create_default_context(cafile=str(folder / "tls" / "fullchain.pem"))
        tls.check_hostname = False
        yield Proxy(port, site, tls)
    finally:
        process.terminate()
        process.wait(30)


def configure(folder, site_port, port, **settings):
    """The file that the container's command writes, with folders and ports of this test in place of the container's."""
    tls = folder / "tls"
    for name in ("tls", "tmp", "bodies", "pages"):
        (folder / name).mkdir()
    # fmt: off
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=localhost", "-keyout", tls / "privkey.pem", "-out", tls / "fullchain.pem"],
        check=True, capture_output=True,
    )
    # fmt: on
    text = (ROOT / "deploy" / "nginx.conf").read_text()
    for here, there in {
        "/tmp/": f"{folder}/tmp/",  # first: the other folders are in one of that name, too
        "user nginx;": "user root;" if os.getuid() == 0 else "",
        "http://web:8000": f"http://127.0.0.1:{site_port}",
        "listen 8080": f"listen 127.0.0.1:{free_port()}",
        "listen 8443": f"listen 127.0.0.1:{port}",
        "http2 on;": "",  # Debian 12's nginx does not know it
        "/etc/benchsite/tls": str(tls),
        "/var/cache/nginx": str(folder / "bodies"),
        "/var/cache/pages": str(folder / "pages"),
        "/dev/stdout": str(folder / "access"),
        "/dev/stderr": str(folder / "errors"),
    }.items():
        assert here in text, here
        text = text.replace(here, there)
    (folder / "nginx.conf").write_text(text)
    script = PROXY["command"][2].replace("$$", "$").replace("/tmp/", f"{folder}/tmp/")
    script = script.replace("/etc/benchsite/", f"{folder}/")
    script = re.sub(r"^exec nginx .*$", "", script, flags=re.MULTILINE)
    subprocess.run(["sh", "-ec", script], check=True, env={"PATH": os.environ["PATH"], **defaults(), **settings})
    return folder / "tmp" / "nginx.conf"


def defaults():
    """What the container has where .env says nothing."""
    return {name: re.sub(r"^\$\{\w+:-(.*)\}$", r"\1", value) for name, value in PROXY["environment"].items()}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


# Limits


def test_after_its_burst_an_address_is_refused_with_words_and_when_to_try_again(site, tmp_path):
    with running(site, tmp_path, REQUESTS_PER_SECOND="1") as proxy:
        answers = (proxy.get("/submissions/") for _ in range(5_000))
        status, headers, text = next(answer for answer in answers if answer[0] != 200)
        static = Counter(proxy.get("/static/site.css")[0] for _ in range(120))

    assert proxy.site.requests("/submissions/") > 100
    assert (status, headers["Retry-After"], headers["Content-Type"]) == (429, "10", "text/plain")
    assert "Too many requests from your address" in text
    assert static == {200: 120}


@pytest.mark.parametrize("query", ["format=csv", "region=a&format=%63sv", "%66ormat=CS%56"])
def test_exports_have_a_lower_limit_however_they_are_written(site, tmp_path, query):
    with running(site, tmp_path, EXPORTS_PER_MINUTE="1") as proxy:
        exports = Counter(proxy.get(f"/api/v1/prices/?{query}")[0] for _ in range(15))
        page = proxy.get("/api/v1/prices/?format=json")[0]

    assert exports == {200: 11, 429: 4}
    assert page == 200


def test_the_site_s_own_refusal_reaches_the_client_as_it_is(proxy):
    proxy.site.statuses["/x/"] = 429
    proxy.site.bodies["/x/"] = b"from the site"

    assert proxy.get("/x/")[2] == "from the site"


# Addresses


def test_the_site_hears_the_address_of_the_client_last(proxy):
    proxy.get("/submissions/", X_Forwarded_For="203.0.113.9")

    [(_, headers)] = proxy.site.seen
    assert headers["x-forwarded-for"] == "203.0.113.9, 127.0.0.1"
    assert (headers["x-forwarded-proto"], headers["host"]) == ("https", "bench.example.org")


def test_behind_a_trusted_balancer_each_of_its_clients_has_limits_of_its_own(site, tmp_path):
    trusted = {"TRUSTED_PROXIES": "10.0.0.0/8,127.0.0.1", "EXPORTS_PER_MINUTE": "1"}
    with running(site, tmp_path, **trusted) as proxy:

        def exports(client, number):
            answered = [proxy.get("/x/?format=csv", X_Forwarded_For=f"{client}, 10.1.2.3") for _ in range(number)]
            return Counter(status for status, _, _ in answered)

        assert exports("203.0.113.9", 12) == {200: 11, 429: 1}
        assert exports("203.0.113.10", 1) == {200: 1}
        assert exports("2001:db8:1:2::1", 6) + exports("2001:db8:1:2:aaaa::1", 6) == {200: 11, 429: 1}
        assert exports("2001:db8:1:3::1", 1) == {200: 1}
        assert exports("2001:db8::1", 1) == {200: 1}
        assert exports("::ffff:203.0.113.9", 1) == {429: 1}
        assert exports("::ffff:203.0.113.11", 1) == {200: 1}
    assert site.seen[0][1]["x-forwarded-for"] == "203.0.113.9, 10.1.2.3, 203.0.113.9"


def test_nobody_else_is_believed_about_an_address(site, tmp_path):
    with running(site, tmp_path, EXPORTS_PER_MINUTE="1") as proxy:
        forged = [proxy.get("/x/?format=csv", X_Forwarded_For=f"203.0.113.{number}")[0] for number in range(12)]

    assert Counter(forged) == {200: 11, 429: 1}


@pytest.mark.parametrize("path", ["/readyz", "/metrics"])
def test_how_the_site_is_doing_is_not_for_the_outside(proxy, path):
    assert proxy.get(path)[0] == 404
    assert proxy.site.seen == []
    assert proxy.get("/healthz")[0] == 200


# The cache of what anybody may see


def test_a_page_for_anybody_is_asked_for_twice_and_then_sent_from_the_cache(proxy):
    proxy.site.headers["/value/"] = FOR_LONG

    assert proxy.texts("/value/", 5) == ["answer 1", "answer 2", "answer 2", "answer 2", "answer 2"]
    assert proxy.texts("/value/?by=jdk", 1) == ["answer 1"]


def test_who_brings_a_cookie_or_a_token_gets_an_answer_of_their_own_and_leaves_none(proxy):
    proxy.site.headers["/value/"] = FOR_LONG
    proxy.texts("/value/", 3)

    assert proxy.texts("/value/", 2, Cookie="sessionid=a") == ["answer 3", "answer 4"]
    assert proxy.texts("/value/", 2, Authorization="Bearer a") == ["answer 5", "answer 6"]
    assert proxy.get("/value/")[2] == "answer 2"


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/a/", {"Cache-Control": "private, max-age=60"}),
        ("/a/", {"Cache-Control": "no-store"}),
        ("/a/", {"Cache-Control": "max-age=60"}),
        ("/a/", {}),
        ("/a/", {"Cache-Control": "public, no-cache"}),
        ("/a/", {"Cache-Control": "public, max-age=60", "Set-Cookie": "csrftoken=a"}),
        ("/a/", {"Cache-Control": "public, max-age=600"}),  # for minutes: a moderator may take it away meanwhile
        ("/api/v1/submissions/", FOR_LONG),
        ("/data/results.csv.gz", {"Cache-Control": "public, max-age=86400, immutable"}),
    ],
)
def test_everything_else_is_asked_for_each_time(proxy, path, headers):
    proxy.site.headers[path] = headers

    assert proxy.texts(path, 4) == ["answer 1", "answer 2", "answer 3", "answer 4"]


def test_large_answers_take_no_place_in_the_cache(proxy):
    proxy.site.headers["/value/"] = FOR_LONG
    proxy.site.bodies["/value/"] = b"x" * 100_000

    proxy.texts("/value/", 4)

    assert proxy.site.requests("/value/") == 4


def test_static_files_are_kept(proxy):
    proxy.site.headers["/static/a.css"] = {"Cache-Control": "max-age=315360000, public, immutable"}

    assert proxy.texts("/static/a.css", 4)[-1] == "answer 2"


def test_each_encoding_has_its_own(proxy):
    proxy.site.headers["/value/"] = FOR_LONG
    proxy.texts("/value/", 3, Accept_Encoding="br")

    assert proxy.texts("/value/", 2, Accept_Encoding="gzip") == ["answer 3", "answer 4"]
    assert proxy.get("/value/", Accept_Encoding="br")[2] == "answer 2"


def test_a_part_of_a_page_is_not_sent_for_the_page(proxy):
    proxy.site.headers["/value/"] = FOR_LONG
    proxy.texts("/value/", 3)

    assert proxy.get("/value/", HX_Request="true")[2] == "answer 3"


def test_what_was_hidden_meanwhile_is_not_sent_however_often_it_is_asked_for(proxy):
    proxy.site.headers["/value/"] = {"Cache-Control": "public, max-age=1"}
    proxy.texts("/value/", 3)
    proxy.site.statuses["/value/"] = 404

    wait_for(lambda: proxy.get("/value/")[0] == 404, "the end of what is fresh", seconds=30)

    assert [proxy.get("/value/")[0] for _ in range(5)] == [404] * 5


def test_an_old_page_is_asked_for_by_its_etag(proxy):
    proxy.site.headers["/value/"] = {"Cache-Control": "public, max-age=1"}
    proxy.site.etag = 'W/"a"'
    proxy.texts("/value/", 2)
    texts = set()

    def is_asked():
        texts.add(proxy.get("/value/")[2])
        return proxy.site.seen[-1][1].get("if-none-match") == 'W/"a"'

    wait_for(is_asked, "a question by ETag", seconds=30)

    assert texts == {"answer 2"}


def test_a_signed_in_reader_s_etag_and_range_reach_the_site(proxy):
    proxy.get("/value/", Cookie="sessionid=a", If_None_Match='"a"')
    proxy.get("/data/x.zip", Range="bytes=5-")

    assert proxy.site.seen[0][1]["if-none-match"] == '"a"'
    assert proxy.site.seen[1][1]["range"] == "bytes=5-"

"""A site on a primary, a streaming replica and pgbouncer in transaction mode: lag, a dead replica, a dead primary.

One web server of the site for all tests; each test begins with everything up and the replica at the end of the log.
"""

import http.client
import http.cookies
import json
import os
import re
import shutil
import socket
import subprocess
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, urlencode

import psycopg
import pytest

from benchsite.processes import embedded_servers as servers
from tests.benchsite.commands import PRODUCTION, ROOT, environment, manage, start
from tests.benchsite.data_folders import copied, new_folder
from tests.documents import document
from tests.lab.waiting import wait_for

PGBOUNCER = shutil.which("pgbouncer") or "/usr/sbin/pgbouncer"
SECONDS = 30
READER = """
from django.contrib.auth.models import User
User.objects.create_user("reader", password="a long enough passphrase")
"""
READ_PAGES = (
    "/",
    "/submissions/",
    "/submissions/1/",
    "/value/",
    "/services/",
    "/scaling/",
    "/prices/",
    "/runs/",
    "/data/",
)

pytestmark = pytest.mark.skipif(
    not Path(PGBOUNCER).exists(), reason="no pgbouncer is installed: apt-get install pgbouncer"
)


class Answer(NamedTuple):
    status: int
    headers: http.client.HTTPMessage
    text: str


class Postgres:
    def __init__(self, place: Path):
        self.data, self.sockets = place / "data", place / "sockets"

    def start(self):
        servers.start_postgres(self.data, self.sockets, "benchsite", durable=False)

    def kill(self):
        servers.postgres_tool("pg_ctl", self.data, "stop", "--silent", "--mode=immediate")

    def query(self, sql):
        with psycopg.connect(host=str(self.sockets), user="postgres", dbname="benchsite", autocommit=True) as database:
            return database.execute(sql).fetchone()[0]


class Lab:
    def __init__(self, place: Path, token: str, redis_url: str, cache_url: str):
        self.place, self.token = place, token
        self.primary, self.replica = Postgres(place / "primary"), Postgres(place / "replica")
        self.redis_url, self.cache_url = redis_url, cache_url
        self._sent = 0
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]

    def start(self):
        for server in (self.primary, self.replica):
            servers.make_socket_folder(server.sockets)
        self.primary.start()
        self._copy_primary()
        self.replica.start()
        self._pooler = self._start_pooler()
        self._site = start("serve", "--only", "web", **self.settings)
        wait_for(self._answers, "the site answers", seconds=120)

    @property
    def settings(self):
        address = f"postgres://postgres@{quote(str(self.place / 'pooler'), safe='')}:6432"
        return {
            **PRODUCTION,
            "DATABASE_URL": f"{address}/site",
            "DATABASE_REPLICA_URLS": f"{address}/replica",
            "DATABASE_POOLED": "1",
            "REDIS_URL": self.redis_url,
            "CACHE_REDIS_URL": self.cache_url,
            "REDIS_PREFIX": f"replicas-{os.getpid()}",
            "ALLOWED_HOSTS": "127.0.0.1",
            "HTTPS": "0",
            "PORT": self.port,
            "WEB_WORKERS": "1",
            "STATIC_MANIFEST": "0",
            "PAGE_CACHE_SECONDS": "0",
            "DATA_DIR": self.place / "site",
        }

    def stop(self):
        for process in (self._site, self._pooler):
            process.terminate()
            process.communicate()
        for server in (self.replica, self.primary):
            server.kill()

    def heal(self):
        """Everything runs, and the replica has all that the primary has."""
        for server in (self.primary, self.replica):
            if not servers.postgres_runs(server.data):
                server.start()
        self.replica.query("SELECT coalesce(pg_wal_replay_resume()::text, '')")
        self.catch_up()
        wait_for(lambda: self.probe()["status"] == "ok", "the site sees both servers", seconds=SECONDS)

    def catch_up(self):
        end = self.primary.query("SELECT pg_current_wal_insert_lsn()::text")
        behind = f"SELECT coalesce(pg_last_wal_replay_lsn() >= '{end}', false)"
        wait_for(lambda: self.replica.query(behind), "the replica has replayed", seconds=SECONDS)

    def probe(self):
        return json.loads(self.ask("/readyz").text)

    def ask(self, path, method="GET", body=None, *, headers=None, jar=None):
        """`jar`: a dictionary of cookies that the answer may change."""
        headers = dict(headers or {})
        if jar:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in jar.items())
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)) as connection:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            text = response.read().decode()
        for line in response.headers.get_all("Set-Cookie") or () if jar is not None else ():
            jar.update({name: morsel.value for name, morsel in http.cookies.SimpleCookie(line).items()})
        return Answer(response.status, response.headers, text)

    def submit(self, title):
        """A result that nobody has sent before."""
        self._sent += 1
        body = json.dumps(document({"title": title, "trials/0/throughput_ops_s": 1000 + self._sent}))
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        return self.ask("/api/v1/submissions/", "POST", body, headers=headers)

    def titles(self, **headers):
        rows = json.loads(self.ask("/api/v1/submissions/", headers=headers).text)["results"]
        return [row["title"] for row in rows]

    def sign_in(self):
        jar = {}
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', self.ask("/account/login/", jar=jar).text)[1]
        fields = {"login": "reader", "password": "a long enough passphrase", "csrfmiddlewaretoken": token}
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        answer = self.ask("/account/login/", "POST", urlencode(fields), headers=headers, jar=jar)
        assert answer.status == 302, answer.text
        return jar

    def _answers(self):
        with suppress(ConnectionRefusedError):
            return self.ask("/healthz").status == 200
        assert self._site.poll() is None, self._site.stdout.read()
        return False

    def _copy_primary(self):
        """As docs/scaling.md does it."""
        self.replica.data.mkdir(mode=0o700)
        if os.getuid() == 0:
            shutil.chown(self.replica.data, servers.SERVICE_USER)
        options = [f"--host={self.primary.sockets}", "--username=postgres", "--write-recovery-conf"]
        made = servers.postgres_tool("pg_basebackup", self.replica.data, *options, "--checkpoint=fast", "--no-sync")
        assert made.returncode == 0, made.stdout
        with (self.replica.data / "postgresql.auto.conf").open("a") as settings:
            settings.write("wal_retrieve_retry_interval = '100ms'\n")

    def _start_pooler(self):
        place = self.place / "pooler"
        servers.make_socket_folder(place)
        (place / "users.txt").write_text('"postgres" ""\n')
        example = re.search(r"```ini\n(.*?)```", (ROOT / "docs/scaling.md").read_text(), re.DOTALL)[1]
        example = example.replace("host=db1.internal", f"host={self.primary.sockets}")
        example = example.replace("host=db2.internal", f"host={self.replica.sockets}")
        example = example.replace("auth_type = scram-sha-256", "auth_type = any")
        example += f"unix_socket_dir = {place}\ndefault_pool_size = 4\n"
        example = re.sub(r"^(site|tasks|replica) = ", r"\1 = user=postgres ", example, flags=re.MULTILINE)
        example = example.replace("listen_addr = 0.0.0.0", "").replace("/etc/pgbouncer/", f"{place}/")
        (place / "pgbouncer.ini").write_text(example)
        account = []
        if os.getuid() == 0:
            account = [f"--user={servers.SERVICE_USER}"]
            for path in place.iterdir():
                shutil.chown(path, servers.SERVICE_USER)
        return subprocess.Popen(
            [PGBOUNCER, "--quiet", *account, place / "pgbouncer.ini"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment(),
        )


@pytest.fixture(scope="module")
def running(_site):
    from django.conf import settings

    with new_folder() as place:
        place.mkdir()
        copied(_site.data_dir, place / "site")
        (place / "primary").mkdir()
        (place / "replica").mkdir()
        shutil.move(place / "site/services/postgres", place / "primary/data")
        lab = Lab(place, _site.token, settings.REDIS_URL, settings.CACHE_REDIS_URL)
        try:
            lab.start()
            done = manage("shell", "-v0", "-c", READER, **lab.settings)
            assert done.returncode == 0, done.stdout
            yield lab
        finally:
            lab.stop()


@pytest.fixture
def lab(running):
    running.heal()
    return running


def test_readers_are_answered_by_the_replica_and_writers_see_what_they_wrote(lab):
    lab.replica.query("SELECT coalesce(pg_wal_replay_pause()::text, '')")

    assert lab.submit("while the replica stands still").status == 201

    assert "while the replica stands still" in lab.titles(Authorization=f"Bearer {lab.token}")
    assert "while the replica stands still" not in lab.titles()
    lab.replica.query("SELECT coalesce(pg_wal_replay_resume()::text, '')")
    lab.catch_up()
    assert "while the replica stands still" in lab.titles()


def test_a_replica_shows_the_figures_that_have_come_to_it(lab):
    """What is cached for its readers is its own; figures come to it after the rows that they are counted from."""
    writer = {"Authorization": f"Bearer {lab.token}"}
    lab.submit("counted one")
    at_primary = total(lab.ask("/submissions/", headers=writer))
    lab.catch_up()
    count = total(lab.ask("/submissions/"))
    assert count == at_primary

    lab.submit("counted two")
    lab.catch_up()
    lab.replica.query("SELECT coalesce(pg_wal_replay_pause()::text, '')")
    assert total(lab.ask("/submissions/", headers=writer)) == count + 1
    assert total(lab.ask("/submissions/")) == count
    lab.replica.query("SELECT coalesce(pg_wal_replay_resume()::text, '')")
    lab.catch_up()

    assert total(lab.ask("/submissions/")) == count + 1


def total(page):
    """What the facet of the trust levels adds up to: each result has one."""
    [facet] = [part for part in page.text.split("<fieldset") if 'name="trust"' in part]
    return sum(map(int, re.findall(r'class="count">(\d+)<', facet)))


def test_who_signs_in_is_signed_in_before_the_replica_knows(lab):
    lab.replica.query("SELECT coalesce(pg_wal_replay_pause()::text, '')")

    jar = lab.sign_in()

    assert lab.ask("/account/", jar=jar).status == 200
    without_mark = {name: value for name, value in jar.items() if name != "wrote"}
    assert "wrote" in jar
    assert lab.ask("/account/", jar={**without_mark}).status == 302


def test_a_mark_that_is_made_up_is_no_mark(lab):
    lab.replica.query("SELECT coalesce(pg_wal_replay_pause()::text, '')")
    lab.submit("not yet there")

    assert "not yet there" not in lab.titles(Cookie="wrote=9999999999999999")


def test_a_dead_replica_costs_no_answer(lab):
    assert lab.titles()
    lab.replica.kill()

    answers = [lab.ask(path) for path in READ_PAGES]

    assert [answer.status for answer in answers] == [200] * len(READ_PAGES)
    assert lab.submit("without a replica").status == 201
    assert "without a replica" in lab.titles()
    assert lab.probe() | {"disk": "ok"} == {
        "status": "ok",
        "database": "ok",
        "replica1": "unreachable",
        "broker": "ok",
        "cache": "ok",
        "disk": "ok",
    }


def test_without_the_primary_reading_goes_on_and_changes_are_refused_clearly(lab):
    jar = lab.sign_in()
    lab.catch_up()
    lab.primary.kill()

    answers = {path: lab.ask(path).status for path in READ_PAGES}
    assert answers == dict.fromkeys(READ_PAGES, 200)
    assert lab.titles(Authorization=f"Bearer {lab.token}")
    assert lab.ask("/account/", jar=jar).status == 200

    wait_for(lambda: lab.submit("x").headers["Retry-After"] == "30", "the site knows", seconds=SECONDS)
    refused = lab.submit("lost")
    assert refused.status == 503
    assert json.loads(refused.text)["errors"] == [
        {"pointer": "#", "detail": "the site is read-only at the moment: try again in a minute"}
    ]
    form = lab.ask("/account/logout/", "POST", "", jar=jar)
    assert (form.status, "is read-only at the moment" in form.text) == (503, True)
    probe = lab.ask("/readyz")
    assert (probe.status, json.loads(probe.text)["status"]) == (200, "read-only")

    lab.primary.start()
    wait_for(lambda: lab.submit("after it").status in (200, 201), "changes are taken again", seconds=SECONDS)


def test_a_pooler_in_transaction_mode_is_enough_for_uploads_and_streams(lab):
    for number in range(3):
        assert lab.submit(f"through the pooler {number}").status == 201
    lab.catch_up()

    table = lab.ask("/api/v1/submissions/?format=csv")

    rows = lab.primary.query("SELECT count(*) FROM submissions_submission WHERE retracted_at IS NULL")
    assert table.status == 200
    assert table.text.count("through the pooler") == 3
    assert len(table.text.splitlines()) >= rows
    done = manage("dump_dataset", **lab.settings)
    assert done.returncode == 0, done.stdout
    assert "submissions.parquet" in done.stdout

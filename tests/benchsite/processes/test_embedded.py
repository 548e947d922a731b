"""The embedded services start, are shared, survive being killed, and stop after their last user."""

import os
import signal
import socket
import subprocess
import sys

import psutil
import psycopg
import pytest
import redis

from benchsite.processes import embedded
from tests.benchsite.commands import ROOT, environment, manage

PATIENCE_SECONDS = 300  # on a machine with much else to do

# Holds the services of argv[1] until its standard input closes.
USER = """
import sys
from benchsite.processes import embedded
embedded.use(sys.argv[1])
print("ready", flush=True)
sys.stdin.read()
"""

not_the_first_start = pytest.mark.usefixtures("servers_made_before")


@pytest.fixture(autouse=True)
def stopped_at_the_end(data_dir):
    """Whatever the test did: its servers are gone before its folder."""
    yield
    for process in servers(data_dir).values():
        process.kill()
        process.wait(PATIENCE_SECONDS)


class embedded_user:  # noqa: N801  reads as a context manager
    """Another process that uses the services."""

    def __init__(self, data_dir):
        self.process = subprocess.Popen(
            [sys.executable, "-c", USER, data_dir],
            cwd=ROOT,
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout.readline() == "ready\n"

    def __enter__(self):
        return self.process

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(PATIENCE_SECONDS)
        self.process.stdout.close()


def servers(data_dir):
    """Server processes that run on this folder, by name."""
    found = {}
    for process in psutil.process_iter(["name", "cmdline", "status"]):
        words = process.info["cmdline"] or []
        if process.info["status"] != psutil.STATUS_ZOMBIE and any(str(data_dir) in word for word in words):
            name = process.info["name"].partition("-")[0]
            found["cache" if name == "valkey" and any("cache.sock" in word for word in words) else name] = process
    found.pop("python", None), found.pop("python3", None)
    return found


def postgres_pid(data_dir):
    return int((data_dir / "services/postgres/postmaster.pid").read_text().split()[0])


def connect(data_dir):
    return psycopg.connect(embedded.database_url(data_dir), autocommit=True)


def broker(data_dir):
    return redis.Redis.from_url(embedded.redis_url(data_dir))


def cache(data_dir):
    return redis.Redis.from_url(embedded.cache_url(data_dir))


def policy(client):
    return client.info("memory")["maxmemory_policy"]


def test_a_first_start_makes_a_database_a_broker_and_a_cache_and_opens_no_port(data_dir):
    with embedded_user(data_dir):
        assert connect(data_dir).execute("SHOW server_encoding").fetchone() == ("UTF8",)
        assert broker(data_dir).ping()
        assert connect(data_dir).execute("SHOW listen_addresses").fetchone() == ("",)
        for client in (broker(data_dir), cache(data_dir)):
            assert client.config_get("port") == {"port": "0"}
        assert (policy(broker(data_dir)), policy(cache(data_dir))) == ("noeviction", "allkeys-lru")
        assert (embedded.Place(data_dir).sockets.stat().st_mode & 0o077) == 0


@not_the_first_start
def test_the_last_of_two_users_stops_the_services(data_dir):
    with embedded_user(data_dir):
        with embedded_user(data_dir):
            pass
        still_there = servers(data_dir)

    assert set(still_there) == {"postgres", "valkey", "cache"}
    assert servers(data_dir) == {}


@not_the_first_start
def test_after_a_killed_user_the_next_one_finds_and_stops_the_services(data_dir):
    with embedded_user(data_dir) as killed:
        killed.kill()
        killed.wait()
        left = servers(data_dir)

    with embedded_user(data_dir):
        found = servers(data_dir)

    assert {name: process.pid for name, process in found.items()} == {n: p.pid for n, p in left.items()}
    assert servers(data_dir) == {}


@not_the_first_start
def test_killed_servers_are_recovered_with_their_data(data_dir):
    with embedded_user(data_dir) as user:
        connect(data_dir).execute("CREATE TABLE kept AS SELECT 7 AS number")
        user.kill()
        os.kill(postgres_pid(data_dir), signal.SIGKILL)
        for client in (broker(data_dir), cache(data_dir)):
            client.set("kept", "7")
            os.kill(client.info("server")["process_id"], signal.SIGKILL)

    with embedded_user(data_dir):
        assert connect(data_dir).execute("SELECT number FROM kept").fetchone() == (7,)
        assert broker(data_dir).get("kept") == b"7"
        assert cache(data_dir).get("kept") is None  # it can be made again


@not_the_first_start
def test_data_stays_over_a_stop_and_stale_pid_and_socket_files_are_no_hindrance(data_dir):
    with embedded_user(data_dir):
        connect(data_dir).execute("CREATE TABLE kept AS SELECT 7 AS number")
        broker(data_dir).set("kept", "7")
        pid_file = (data_dir / "services/postgres/postmaster.pid").read_text()

    leave_pid_of_another_program(data_dir, pid_file)
    leave_socket_without_server(data_dir)
    with embedded_user(data_dir):
        assert connect(data_dir).execute("SELECT number FROM kept").fetchone() == (7,)
        assert broker(data_dir).get("kept") == b"7"
        assert postgres_pid(data_dir) != os.getpid()


def leave_pid_of_another_program(data_dir, text):
    """As after a crash: the number in the pid file now belongs to another program."""
    stale = text.replace(text.split()[0], str(os.getpid()), 1)
    (data_dir / "services/postgres/postmaster.pid").write_text(stale)


def leave_socket_without_server(data_dir):
    """As after a crash: the broker's socket is there and nobody listens."""
    dead = socket.socket(socket.AF_UNIX)
    dead.bind(str(embedded.Place(data_dir).redis_socket))
    dead.close()


def test_a_killed_initialisation_is_begun_again(data_dir):
    unfinished = data_dir / "services/postgres.unfinished"
    unfinished.mkdir(parents=True)
    (unfinished / "PG_VERSION").write_text("18\n")

    with embedded_user(data_dir):
        assert connect(data_dir).execute("SELECT 1").fetchone() == (1,)


def test_eight_processes_start_at_once(data_dir):
    users = [
        subprocess.Popen(
            [sys.executable, "-c", USER, data_dir], cwd=ROOT, env=environment(), stdin=subprocess.PIPE, text=True
        )
        for _ in range(8)
    ]
    for user in users:
        user.stdin.close()

    assert [user.wait(PATIENCE_SECONDS) for user in users] == [0] * 8
    assert servers(data_dir) == {}


def test_a_long_path_gets_its_sockets_in_the_temporary_folder(data_dir):
    deep = data_dir / ("d" * 90) / "data"

    with embedded_user(deep):
        assert embedded.Place(deep).sockets.parent != deep / "services"
        assert broker(deep).ping()
        assert connect(deep).execute("SELECT 1").fetchone() == (1,)


@not_the_first_start
def test_a_command_finds_the_services_whether_or_not_a_site_runs(data_dir):
    alone = manage("migrate", "--check", "contenttypes", DATA_DIR=data_dir)
    with embedded_user(data_dir):
        beside = manage("migrate", "contenttypes", DATA_DIR=data_dir)

    assert alone.returncode == 1, alone.stdout  # there are migrations to apply: it has asked the database
    assert beside.returncode == 0, beside.stdout
    assert servers(data_dir) == {}


@not_the_first_start
def test_a_terminated_command_stops_the_services(data_dir):
    command = subprocess.Popen(
        [
            sys.executable,
            ROOT / "manage.py",
            "shell",
            "-v0",
            "-c",
            "import time; print('up', flush=True); time.sleep(600)",
        ],
        cwd=ROOT,
        env=environment(DATA_DIR=data_dir),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert command.stdout.readline() == "up\n"

    command.terminate()

    assert command.wait(PATIENCE_SECONDS) == 128 + signal.SIGTERM
    assert servers(data_dir) == {}

"""What runs on the hosts, run here: downloads from a server on loopback, a trial of three processes."""

import ast
import hashlib
import http.server
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import yaml

import runners.load_tools.scripts
from runners.load_tools.scripts import fetch

FOLDER = Path(runners.load_tools.scripts.__file__).parent
SECONDS = 60


def run(script, *arguments, cwd, **environment):
    command = [sys.executable, str(FOLDER / script), *map(str, arguments)]
    done = subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, timeout=SECONDS, env={**os.environ, **environment}
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.sh")), ids=lambda path: path.name)
def test_shell_scripts_are_posix(path):
    subprocess.run(["sh", "-n", path], check=True)
    if shutil.which("shellcheck"):
        subprocess.run(["shellcheck", "--shell=sh", path], check=True)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.name)
def test_python_scripts_are_of_the_oldest_python_that_a_host_has(path):
    tree = ast.parse(path.read_text(), feature_version=(3, 8))

    imported = {
        name.name.partition(".")[0] for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names
    }
    assert imported <= sys.stdlib_module_names
    # of Python 3.10
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == "strict"]


# Latencies of pgbench


def latencies(folder, *arguments):
    """What the histogram that the script writes says, and what is left beside it."""
    from submissions.ingest.parsers.hdr_log import PARSER

    assert run("pgbench_latencies.py", "log", "made.hdr", *arguments, cwd=folder) == (0, "", "")
    with (folder / "made.hdr").open() as file:
        return PARSER.parse(file), sorted(path.name for path in folder.iterdir())


def test_the_lines_of_all_threads_become_one_histogram(tmp_path):
    from submissions.analysis.histograms import percentiles

    lines = [f"0 {n} {n * 10} 0 1763798400 {n}" for n in range(1, 1001)]
    (tmp_path / "log.77").write_text("\n".join(lines[:600]) + "\n")
    (tmp_path / "log.77.1").write_text(
        "\n".join([*lines[600:], "1 7 failed 0 1763798400 5", "1 8 skipped 0 1 5", "1 9"])
    )

    reading, left = latencies(tmp_path, "tpcb-like-st")

    assert left == ["made.hdr"]
    by_name = {histogram.operation: histogram for histogram in reading.histograms}
    assert list(by_name) == ["tpcb-like", "total"]
    assert {histogram.kind for histogram in reading.histograms} == {"service_time"}
    found = percentiles(by_name["total"].encoded)
    assert (found.p50, found.p99, found.max) == pytest.approx((5.0, 9.9, 10.0), rel=0.001)
    assert found.mean == pytest.approx(5.005, rel=0.001)
    assert reading.warnings == ()


def test_extreme_latencies_and_a_sample(tmp_path):
    from submissions.analysis.histograms import percentiles

    (tmp_path / "log.1").write_text(f"0 1 0 0 1 1\n0 2 1 0 1 1\n0 3 {10**15} 0 1 1\n")

    reading, _ = latencies(tmp_path, "select-only-rt", "0.0533333")

    assert percentiles(reading.histograms[0].encoded).max == pytest.approx(24 * 3600 * 1000, rel=0.001)
    assert reading.histograms[0].kind == "response_time"
    assert reading.warnings == ("the histogram has 5.33 % of the operations, chosen at random",)


# Downloads


class Mirror:
    def __init__(self, folder):
        handler = type("Handler", (http.server.SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})
        self.folder = folder
        self.server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), lambda *args: handler(*args, directory=str(folder))
        )
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def mirror(tmp_path):
    folder = tmp_path / "mirror"
    folder.mkdir()
    served = Mirror(folder)
    (folder / "x.tar.gz").write_bytes(b"content" * 1000)
    yield served
    served.server.shutdown()
    served.server.server_close()


def published(mirror, algorithm, form="{}"):
    digest = hashlib.new(algorithm, (mirror.folder / "x.tar.gz").read_bytes()).hexdigest()
    (mirror.folder / f"x.tar.gz.{algorithm}").write_text(form.format(digest))


def gpg_form(digest):
    upper = digest.upper()
    groups = [upper[index : index + 8] for index in range(0, len(upper), 8)]
    return "x.tar.gz: " + " ".join(groups[:8]) + "\n          " + " ".join(groups[8:]) + "\n"


@pytest.mark.parametrize("form", ["{}", "{}\n", "{}  x.tar.gz\n", "{} *x.tar.gz\n"])
@pytest.mark.parametrize("algorithm", ["sha512", "sha256", "sha1"])
def test_a_download_is_verified(mirror, tmp_path, algorithm, form):
    published(mirror, algorithm, form)

    assert run("fetch.py", f"{mirror.url}/x.tar.gz", "dist/x.tar.gz", cwd=tmp_path) == (0, "", "")

    assert (tmp_path / "dist/x.tar.gz").read_bytes() == b"content" * 1000


def test_a_checksum_as_gpg_prints_it(mirror, tmp_path):
    digest = hashlib.sha512((mirror.folder / "x.tar.gz").read_bytes()).hexdigest()
    (mirror.folder / "x.tar.gz.sha512").write_text(gpg_form(digest))

    assert run("fetch.py", f"{mirror.url}/x.tar.gz", "x.tar.gz", cwd=tmp_path) == (0, "", "")


def test_a_download_with_another_checksum_is_thrown_away(mirror, tmp_path):
    (mirror.folder / "x.tar.gz.sha256").write_text("0" * 64)

    status, _, error = run("fetch.py", f"{mirror.url}/x.tar.gz", "x.tar.gz", cwd=tmp_path)

    assert status == 1
    assert f"published is {'0' * 64}" in error
    assert list(tmp_path.glob("x.tar.gz*")) == []


def test_a_download_without_checksum_is_refused(mirror, tmp_path):
    status, _, error = run("fetch.py", f"{mirror.url}/x.tar.gz", "x.tar.gz", cwd=tmp_path)

    assert (status, error) == (1, f"{mirror.url}/x.tar.gz has no published checksum\n")


@pytest.fixture
def peer(tmp_path):
    """The address of a host that serves what it has downloaded to dist/."""
    (tmp_path / "peer/dist").mkdir(parents=True)
    (tmp_path / "peer/host.env").write_text("JAVA_HOME=/nowhere\n")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    share = [str(FOLDER / "cassandra.sh"), "share", "127.0.0.1", str(port), "60"]
    subprocess.run(["sh", *share], cwd=tmp_path / "peer", check=True, timeout=SECONDS)
    yield f"127.0.0.1:{port}"
    os.kill(int((tmp_path / "peer/share.pid").read_text()), signal.SIGTERM)


def test_a_file_comes_from_another_host_and_its_checksum_from_the_mirror(mirror, tmp_path, peer):
    published(mirror, "sha256", "{}")
    shutil.move(mirror.folder / "x.tar.gz", tmp_path / "peer/dist/x.tar.gz")

    assert run("fetch.py", f"{mirror.url}/x.tar.gz", "dist/x.tar.gz", peer, cwd=tmp_path) == (0, "", "")

    assert (tmp_path / "dist/x.tar.gz").read_bytes() == b"content" * 1000


def test_a_host_that_serves_something_else_is_not_believed(mirror, tmp_path, peer):
    published(mirror, "sha256", "{}")
    (tmp_path / "peer/dist/x.tar.gz").write_bytes(b"forged")

    assert run("fetch.py", f"{mirror.url}/x.tar.gz", "x.tar.gz", peer, cwd=tmp_path) == (0, "", "")

    assert (tmp_path / "x.tar.gz").read_bytes() == b"content" * 1000


def test_without_the_other_host_the_mirror_serves_the_file(mirror, tmp_path, monkeypatch):
    published(mirror, "sha256", "{}")
    monkeypatch.setattr(fetch, "PEER_SECONDS", -1)
    monkeypatch.chdir(tmp_path)

    fetch.main(f"{mirror.url}/x.tar.gz", "x.tar.gz", "127.0.0.1:1")

    assert (tmp_path / "x.tar.gz").read_bytes() == b"content" * 1000


def test_what_is_there_is_not_downloaded_again(mirror, tmp_path):
    (tmp_path / "x.tar.gz").write_bytes(b"there")

    assert run("fetch.py", f"{mirror.url}/x.tar.gz", "x.tar.gz", cwd=tmp_path) == (0, "", "")

    assert (tmp_path / "x.tar.gz").read_bytes() == b"there"


# Configuration

DISTRIBUTED = """\
# Cassandra storage config YAML
cluster_name: 'Test Cluster'
# num_tokens: 16
num_tokens: 256
# data_file_directories:
#     - /var/lib/cassandra/data
# commitlog_directory: /var/lib/cassandra/commitlog
seed_provider:
  # Addresses of hosts
  - class_name: org.apache.cassandra.locator.SimpleSeedProvider
    parameters:
      - seeds: "127.0.0.1:7000"

# a comment that stays
concurrent_reads: 32
listen_address: localhost
auto_snapshot: true
client_encryption_options:
    enabled: false
"""


def test_a_node_is_configured_from_its_distributions_file(tmp_path):
    (tmp_path / "conf").mkdir()
    (tmp_path / "data/0").mkdir(parents=True)
    (tmp_path / "data/1").mkdir()
    (tmp_path / "conf/cassandra.yaml").write_text(DISTRIBUTED)
    overrides = {
        "yaml": {"cluster_name": "benchsite", "seed_provider": [{"class_name": "S"}], "num_tokens": 16, "new": None},
        "known": {"auto_snapshot": False, "unknown_to_this_version": 1},
        "rackdc": {"dc": "dc1", "rack": "za"},
    }
    (tmp_path / "overrides.json").write_text(json.dumps(overrides))

    for _ in range(2):  # a second time changes nothing
        assert run("configure.py", "conf", "overrides.json", cwd=tmp_path) == (0, "", "")

    assert yaml.safe_load((tmp_path / "conf/cassandra.yaml").read_text()) == {
        "cluster_name": "benchsite",
        "num_tokens": 16,
        "data_file_directories": [f"{tmp_path}/data/0/cassandra/data", f"{tmp_path}/data/1/cassandra/data"],
        "commitlog_directory": f"{tmp_path}/data/0/cassandra/commitlog",
        "seed_provider": [{"class_name": "S"}],
        "concurrent_reads": 32,
        "listen_address": "localhost",
        "auto_snapshot": False,
        "client_encryption_options": {"enabled": False},
        "new": None,
    }
    assert "# a comment that stays" in (tmp_path / "conf/cassandra.yaml").read_text()
    assert (tmp_path / "conf/cassandra.yaml.distributed").read_text() == DISTRIBUTED
    assert (tmp_path / "conf/cassandra-rackdc.properties").read_text() == "dc=dc1\nrack=za\n"


# Trials


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def part(tmp_path, name, port, *arguments, **environment):
    folder = tmp_path / name
    folder.mkdir()
    command = [sys.executable, str(FOLDER / "trial.py"), "trials/0", *arguments]
    return subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, text=True, env={**os.environ, "MEETING_PORT": port, **environment}
    )


def test_clients_start_together_and_every_host_is_sampled_until_the_last_has_finished(tmp_path):
    port = free_port()
    # each client shows that it has begun, and ends only when it has seen that the other has, too
    meet = "touch ../{0}-began; until [ -e ../{1}-began ]; do sleep 0.05; done; echo {0}; exit {2}"
    first = part(tmp_path, "one", port, "3", "2", "-", "sh", "-c", meet.format("one", "two", 0))
    database = part(tmp_path, "db", port, "3", "2", "127.0.0.1")
    assert not (tmp_path / "one-began").exists()  # it waits for the second client
    second = part(tmp_path, "two", port, "3", "2", "127.0.0.1", "sh", "-c", meet.format("two", "one", 3))

    outputs = [process.communicate(timeout=SECONDS)[0] for process in (first, second, database)]

    assert outputs == ["one\n", "two\n", ""]
    assert [first.returncode, second.returncode, database.returncode] == [0, 3, 0]
    for name in ("one", "two", "db"):
        head = (tmp_path / name / "trials/0/samples.csv").read_text().splitlines()[0]
        assert head.startswith("time,cpu_percent,iowait_percent,steal_percent,rx_bytes_s,tx_bytes_s")


def test_the_first_client_listens_where_it_is_told_to(tmp_path):
    port = free_port()
    first = part(tmp_path, "one", port, "2", "1", "-", "true", MEETING_ADDRESS="127.0.0.5")
    elsewhere = socket.create_server(("127.0.0.6", int(port)))  # taken only if the client listened everywhere
    database = part(tmp_path, "db", port, "2", "1", "127.0.0.5")

    with elsewhere:
        statuses = [process.wait(timeout=SECONDS) for process in (first, database)]

    assert statuses == [0, 0]


def test_a_client_alone_needs_nobody_and_its_samples_can_be_read(tmp_path):
    from submissions.analysis.host_use import parse

    alone = part(tmp_path, "one", free_port(), "1", "1", "-", "sh", "-c", "sleep 2.5")
    alone.communicate(timeout=SECONDS)

    with (tmp_path / "one/trials/0/samples.csv").open() as lines:
        use = parse(lines)
    assert use.seconds == 2
    assert 0 <= use.cpu_percent <= use.cpu_max_percent <= 100


def test_the_database_is_sampled_no_longer_when_the_first_client_dies(tmp_path):
    port = free_port()
    first = part(tmp_path, "one", port, "2", "1", "-", "sh", "-c", "touch began; sleep 60")
    database = part(tmp_path, "db", port, "2", "1", "127.0.0.1")
    began = tmp_path / "one/began"
    while not began.exists():
        assert first.poll() is None
    first.kill()

    assert database.wait(SECONDS) == 0


# Facts


def test_facts_are_one_small_json_object(tmp_path):
    (tmp_path / "data/0").mkdir(parents=True)

    status, output, error = run("facts.py", cwd=tmp_path)

    facts = json.loads(output)
    assert (status, error) == (0, "")
    assert len(output) < 8000
    assert facts["vcpus"] == os.cpu_count()
    assert facts["kernel"] == os.uname().release
    assert 0.1 < facts["memory_gib"] < 100_000
    assert len(facts["data"]) == 1
    assert facts["java"] is None
    assert facts["disk_test"] is None


# Diagnosis


def diagnosed(folder, **variables):
    from runners.diagnosis.parts import parts_of

    settings = {"AGE": "60", "LIMIT": "1000", "KERNEL": "yes", "UNIT": "", "PROCESS": "", "FILES": "", **variables}
    done = subprocess.run(
        ["sh", FOLDER / "diagnose.sh"], cwd=folder, capture_output=True, timeout=SECONDS, env={**os.environ, **settings}
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return {part.path: part for part in parts_of(done.stdout)}


def test_a_host_prints_the_end_of_its_logs_and_how_it_is(tmp_path):
    (tmp_path / "log").mkdir()
    (tmp_path / "log/system.log").write_bytes(b"\0first\n" + b"x" * 2000 + b"\nlast\n")
    for number in range(5):
        log = tmp_path / f"log/gc.log.{number}"
        log.write_text(f"gc {number}\n")
        os.utime(log, (number, number))

    parts = diagnosed(tmp_path, FILES="log/system.log\nlog/gc.log*\nlog/none*\nlog")

    system = parts.pop("log/system.log")
    assert (system.size, len(system.content), system.content[-6:]) == (2013, 1000, b"\nlast\n")
    assert sorted(path for path in parts if path.startswith("log/")) == [f"log/gc.log.{number}" for number in (2, 3, 4)]
    assert b"Filesystem" in parts["state.txt"].content
    assert b"database:" not in parts["state.txt"].content


def test_a_host_knows_whether_its_own_database_runs(tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir(), other.mkdir()
    word = f"light-database-{os.getpid()}"
    with subprocess.Popen(["sh", "-c", f"sleep 60; : {word}"], cwd=one) as database:
        here, there = (diagnosed(place, PROCESS=f"[l]{word[1:]}", KERNEL="no") for place in (one, other))
        database.kill()

    assert here["state.txt"].content == f"database: running as process {database.pid}\n".encode()
    assert there["state.txt"].content == b"database: not running\n"


def test_lines_of_the_kernel_from_before_the_machine_was_ordered_are_left_out(tmp_path):
    programs = tmp_path / "bin"
    programs.mkdir()
    up = float(Path("/proc/uptime").read_text().split()[0])
    lines = (
        f"[{up - 7000:12.6f}] Out of memory: Killed process 1\n[{up - 30:12.6f}] I/O error, dev nvme1n1\n continued\n"
    )
    (programs / "dmesg").write_text(f"#!/bin/sh\ncat <<'END'\n{lines}END\n")
    (programs / "dmesg").chmod(0o755)

    parts = diagnosed(tmp_path, AGE="60", PATH=f"{programs}:{os.environ['PATH']}")

    assert b"Out of memory" not in parts["kernel.log"].content
    assert parts["kernel.log"].content.endswith(b"I/O error, dev nvme1n1\n continued\n")

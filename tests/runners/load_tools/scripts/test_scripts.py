"""What runs on the hosts, run here: a trial of three processes."""

import ast
import json
import os
import shutil
import socket
import subprocess
import sys

import pytest
import yaml

from runners.load_tools.scripts import trial
from tests.runners.load_tools.scripts.running import FOLDER, SECONDS, run


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


def test_a_network_interface_that_comes_or_goes_changes_no_rate():
    before = {"eth0": (1000, 500), "veth1": (90_000, 80_000), "eth1": (700, 700)}
    now = {"eth0": (3000, 900), "veth2": (5_000_000, 1), "eth1": (10, 710)}  # eth1 began anew

    assert trial.transferred(before, now) == (2000, 410)


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
    folder.mkdir(exist_ok=True)
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
    from submissions.analysis.host_metrics.host_use import parse

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


def test_a_host_without_such_logs_has_no_columns_of_them(tmp_path):
    (tmp_path / "db/log").mkdir(parents=True)
    (tmp_path / "db/log/debug.log").touch()
    for name in ("one", "db"):
        part(tmp_path, name, free_port(), "1", "1", "-", "true").communicate(timeout=SECONDS)

    heads = [(tmp_path / name / "trials/0/samples.csv").read_text().splitlines()[0] for name in ("one", "db")]
    assert "compaction" not in heads[0]
    assert heads[1].endswith(",compactions,compaction_ms")


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

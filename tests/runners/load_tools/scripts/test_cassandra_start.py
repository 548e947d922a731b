"""A node of Cassandra that is started again after another host has taken a place in its cluster."""

import json
import os
import signal
import subprocess
from contextlib import suppress

import pytest

from tests.runners.load_tools.scripts.running import FOLDER, SECONDS

ADDRESS = "127.94.3.7"
ACCOUNT = 65534  # of no other process that looks like Cassandra
# Takes CQL, like the server, and says what it was started with.
SERVER = f"""#!/bin/sh
exec python3 -c '
import socket, time
with open("../../started", "a") as file:
    file.write(open("../../overrides.json").read() + "\\n")
open("../../data/0/cassandra/commitlog", "w").close()
listener = socket.create_server(("{ADDRESS}", 9042))
while True:
    listener.accept()[0].close()
' org.apache.cassandra.service.CassandraDaemon
"""


@pytest.fixture
def host(open_folder):
    if os.getuid() != 0:
        pytest.skip("only root can start processes of another account")
    home = open_folder / "dist/apache-cassandra-5.0.4"
    for folder in ("bin", "data/0"):
        (open_folder / folder).mkdir(parents=True)
    (home / "bin").mkdir(parents=True)
    (home / "conf").mkdir()
    (home / "conf/cassandra.yaml").write_text("cluster_name: x\n")
    (home / "bin/cassandra").write_text(SERVER)
    (home / "bin/cassandra").chmod(0o755)
    (open_folder / "host.env").write_text("JAVA_HOME=/usr\n")
    (open_folder / "cassandra.env").touch()
    for name in ("cassandra.sh", "configure.py"):
        (open_folder / "bin" / name).write_bytes((FOLDER / name).read_bytes())
    for path in (open_folder, *open_folder.rglob("*")):
        os.chown(path, ACCOUNT, ACCOUNT)
    open_folder.chmod(0o755)
    yield open_folder
    for pid in (open_folder / "launch.pid").read_text().split():
        with suppress(ProcessLookupError):
            os.kill(int(pid), signal.SIGKILL)


def start(host, seeds):
    overrides = {"known": {}, "yaml": {"seeds": seeds}, "rackdc": {"dc": "dc1"}}
    (host / "overrides.json").write_text(json.dumps(overrides))
    command = ["sh", "bin/cassandra.sh", "start", "5.0.4", ADDRESS, "20"]
    done = subprocess.run(
        command, cwd=host, capture_output=True, text=True, timeout=SECONDS, user=ACCOUNT, group=ACCOUNT, extra_groups=[]
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return [json.loads(line)["yaml"]["seeds"] for line in (host / "started").read_text().splitlines()]


def test_a_node_starts_once_and_anew_without_its_data_when_the_cluster_has_another_host(host):
    assert start(host, "10.0.0.1,10.0.0.2") == ["10.0.0.1,10.0.0.2"]
    (host / "data/0/cassandra/old").touch()
    assert start(host, "10.0.0.1,10.0.0.2") == ["10.0.0.1,10.0.0.2"]
    assert (host / "data/0/cassandra/old").exists()

    assert start(host, "10.0.0.1,10.0.0.9") == ["10.0.0.1,10.0.0.2", "10.0.0.1,10.0.0.9"]

    assert not (host / "data/0/cassandra/old").exists()

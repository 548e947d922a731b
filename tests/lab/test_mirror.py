"""The download mirror, and the Cassandra on it: the server starts on a host, the stress tool writes to it."""

import hashlib
import urllib.error
import urllib.request

import pytest

from tests.lab.hosts import Host, HostOrder
from tests.lab.waiting import wait_for


def read(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.read()


@pytest.fixture
def host(lab_network):
    made = Host(lab_network, HostOrder("m1", str(lab_network.parts()[0][200]), "i-1", "cassandra"))
    yield made
    made.kill()


def test_a_file_is_offered_with_its_checksums(mirror, tmp_path):
    file = tmp_path / "tool.tar.gz"
    file.write_bytes(b"a tarball")

    url = mirror.add("tool/tool.tar.gz", file)

    assert read(url) == b"a tarball"
    assert read(f"{url}.sha256").decode().strip() == hashlib.sha256(b"a tarball").hexdigest()
    assert read(f"{url}.sha512").decode().strip() == hashlib.sha512(b"a tarball").hexdigest()
    assert mirror.downloads["/tool/tool.tar.gz"] == 1
    with pytest.raises(urllib.error.HTTPError, match="404"):
        read(f"{mirror.url}/tool/other.tar.gz")


def test_a_spoilt_file_does_not_fit_its_checksum(mirror, tmp_path):
    file = tmp_path / "tool.tar.gz"
    file.write_bytes(b"a tarball")
    url = mirror.add("tool.tar.gz", file)

    mirror.spoil("tool.tar.gz", b"half a tarb")

    assert hashlib.sha256(read(url)).hexdigest() != read(f"{url}.sha256").decode().strip()
    mirror.spoil("tool.tar.gz", None)
    assert hashlib.sha256(read(url)).hexdigest() == read(f"{url}.sha256").decode().strip()


def test_cassandra_from_the_mirror_starts_and_takes_writes(mirror, host):
    address = host.order.address
    url = mirror.add_cassandra("5.0.9")
    host.run(
        f"cd /opt && curl --fail --silent --show-error --output c.tar.gz {url} && "
        f'echo "$(curl --fail --silent {url}.sha256)  c.tar.gz" | sha256sum --check --quiet && '
        "tar -xzf c.tar.gz && cd apache-cassandra-5.0.9 && "
        f"sed -i 's/_address: localhost/_address: {address}/; s/127.0.0.1:7000/{address}:7000/' conf/cassandra.yaml && "
        "export MAX_HEAP_SIZE=256M HEAP_NEWSIZE=64M JVM_EXTRA_OPTS=-XX:TieredStopAtLevel=1 && "
        "(setsid bin/cassandra -R -f >/var/log/cassandra 2>&1 &)"
    )

    def is_up() -> bool:
        log = host.run("tail -n 500 /var/log/cassandra")
        assert "Exception encountered during startup" not in log
        return "Starting listening for CQL clients" in log

    wait_for(is_up, "Cassandra takes CQL", seconds=600, every=1)
    home = "cd /opt/apache-cassandra-5.0.9 &&"
    assert host.run(f"{home} bin/nodetool version").split() == ["ReleaseVersion:", "5.0.9"]
    log = host.run(f"{home} tools/bin/cassandra-stress write n=2000 cl=ONE no-warmup -rate threads=8 -node {address}")
    assert "Total partitions          :      2,000 [WRITE: 2,000]" in log
    assert "Total errors              :          0 [WRITE: 0]" in log
    assert log.endswith("END\n")

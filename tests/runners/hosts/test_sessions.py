"""Files to and from a host, on a real sshd."""

import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from runners.hosts.hosts import Finished, HostLost
from tests.runners.sshd import DEADLINE, wait_until


def test_files_are_written_whole_and_scripts_can_be_run(hosts, sshd):
    content = bytes(range(256)) * 1000

    hosts.put({"db-0": {"conf/a b.bin": content, "bin/hello.sh": b"#!/bin/sh\necho hello\n"}})

    host = sshd.folder / "host"
    assert (host / "conf/a b.bin").read_bytes() == content
    assert oct((host / "bin/hello.sh").stat().st_mode & 0o777) == "0o755"
    assert hosts.run({"db-0": "bin/hello.sh"}, timeout_seconds=60) == {"db-0": Finished(0, "hello\n")}
    assert [path.name for path in (host / "conf").iterdir()] == ["a b.bin"]


def test_files_that_cannot_be_written_are_an_error_with_the_reason(hosts, sshd):
    hosts.run({"db-0": "touch conf"}, timeout_seconds=60)

    with pytest.raises(HostLost, match=r"files cannot be written: .*conf"):
        hosts.put({"db-0": {"conf/a": b"x"}})
    assert [path.name for path in (sshd.folder / "host").iterdir()] == ["conf"]


def test_putting_a_file_again_replaces_it(hosts, sshd):
    hosts.put({"db-0": {"file": b"one"}})
    hosts.put({"db-0": {"file": b"two"}})

    assert (sshd.folder / "host/file").read_bytes() == b"two"


def test_a_large_file_is_fetched_whole(hosts, sshd, tmp_path):
    hosts.run({"db-0": "head -c 20000000 /dev/urandom >big"}, timeout_seconds=120)

    assert hosts.fetch("db-0", "big", str(tmp_path / "copy")) is True

    assert digest(tmp_path / "copy") == digest(sshd.folder / "host/big")
    assert not (tmp_path / "copy.part").exists()


def test_a_fetch_goes_on_where_the_connection_broke(hosts, sshd, tmp_path):
    hosts.run({"db-0": "head -c 60000000 /dev/urandom >big"}, timeout_seconds=120)
    part = tmp_path / "copy.part"

    with ThreadPoolExecutor(1) as pool:
        copied = pool.submit(hosts.fetch, "db-0", "big", str(tmp_path / "copy"))
        wait_until(lambda: part.exists() and part.stat().st_size)
        sshd.cut_connections()
        kept = part.stat().st_size
        assert copied.result(DEADLINE) is True

    assert 0 < kept < 60_000_000
    assert digest(tmp_path / "copy") == digest(sshd.folder / "host/big")


def test_a_part_that_is_of_another_file_is_thrown_away(hosts, sshd, tmp_path):
    hosts.put({"db-0": {"file": b"the right content"}})
    (tmp_path / "copy.part").write_bytes(b"another")

    assert hosts.fetch("db-0", "file", str(tmp_path / "copy")) is True

    assert (tmp_path / "copy").read_bytes() == b"the right content"


def test_a_file_that_is_not_there_is_no_fault(hosts, tmp_path):
    assert hosts.fetch("db-0", "missing", str(tmp_path / "copy")) is False
    assert list(tmp_path.glob("copy*")) == []


def test_a_full_disk_on_this_side_is_not_a_lost_host(hosts, tmp_path):
    hosts.put({"db-0": {"file": b"content"}})

    with pytest.raises(OSError, match="No such file"):
        hosts.fetch("db-0", "file", str(tmp_path / "no folder" / "copy"))


def digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

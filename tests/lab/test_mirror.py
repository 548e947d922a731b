"""The download mirror; the runs of test_runs.py install Cassandra from it."""

import hashlib
import urllib.error
import urllib.request

import pytest


def read(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.read()


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

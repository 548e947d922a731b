"""Downloads from a server on loopback, and from another host."""

import hashlib
import http.server
import os
import shutil
import signal
import socket
import subprocess
import threading

import pytest

from runners.load_tools.scripts import fetch
from tests.runners.load_tools.scripts.running import FOLDER, SECONDS, run


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

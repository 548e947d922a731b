"""Distributions come under the tools whole and verified, or not at all."""

import hashlib
import http.server
import threading
from functools import partial
from io import BytesIO
from pathlib import Path
from tarfile import TarInfo
from tarfile import open as open_tar

import pytest

from runners.distributions import tools
from runners.distributions.tools import FetchError

WHOLE = {
    "bin/cassandra": b"#!/bin/sh\n",
    "tools/bin/cassandra-stress": b"#!/bin/sh\n",
    "lib/HdrHistogram-2.1.12.jar": b"new",
}


def tarball(path: Path, version: str, files: dict[str, bytes]) -> Path:
    with open_tar(path, "w:gz") as archive:
        for name, content in files.items():
            member = TarInfo(f"apache-cassandra-{version}/{name}")
            member.size, member.mode = len(content), 0o750
            archive.addfile(member, BytesIO(content))
    return path


def under(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def mirror(tmp_path):
    """A folder that is served, and its address."""
    folder = tmp_path / "mirror"
    folder.mkdir()
    handler = type("Quiet", (http.server.SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield folder, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def publish(folder: Path, version: str, *, checksum: str | None = None) -> None:
    place = folder / version
    place.mkdir()
    path = tarball(place / f"apache-cassandra-{version}-bin.tar.gz", version, WHOLE)
    path.with_name(path.name + ".sha512").write_text(checksum or hashlib.sha512(path.read_bytes()).hexdigest())


def test_an_official_tarball_is_fetched_verified_and_unpacked(tmp_path, mirror):
    folder, url = mirror
    publish(folder, "5.0.9")

    home = tools.from_mirror(tmp_path / "tools", f"{url}/", "5.0.9")

    assert home == tmp_path / "tools/apache-cassandra-5.0.9"
    assert under(tmp_path / "tools") == ["apache-cassandra-5.0.9"]
    assert under(home) == ["bin", "lib", "load-tool.version", "tools"]
    assert (home / "load-tool.version").read_text() == "5.0.9\n"
    assert (home / "bin/cassandra").stat().st_mode & 0o777 == 0o755  # for the account of the runs


def test_a_tarball_with_another_checksum_leaves_nothing(tmp_path, mirror):
    folder, url = mirror
    publish(folder, "5.0.9", checksum="0" * 128)

    with pytest.raises(FetchError, match=r"its sha512 is .*, published is 0000"):
        tools.from_mirror(tmp_path / "tools", url, "5.0.9")

    assert under(tmp_path / "tools") == []


@pytest.mark.parametrize("version", ["", "../5.0.9", "5", "latest", "5.0.9;id"])
def test_what_is_no_release_is_asked_of_no_mirror(tmp_path, version):
    with pytest.raises(FetchError, match="is not a release of Cassandra"):
        tools.from_mirror(tmp_path / "tools", "http://127.0.0.1:9", version)


def test_a_tarball_without_the_load_tool_is_refused_and_the_one_before_stays(tmp_path):
    tools.unpack(tmp_path / "tools", tarball(tmp_path / "a", "5.0.9", WHOLE), "5.0.9")

    with pytest.raises(FetchError, match="tools/bin/cassandra-stress is missing"):
        tools.unpack(tmp_path / "tools", tarball(tmp_path / "b", "5.0.9", {"bin/cassandra": b""}), "5.0.9")

    assert tools.versions(tmp_path / "tools") == ["5.0.9"]


def test_a_load_tool_with_a_histogram_library_that_breaks_gets_the_servers(tmp_path):
    files = {**WHOLE, "tools/4.0-alpha2/lib/HdrHistogram-2.1.9.jar": b"old"}

    home = tools.unpack(tmp_path / "tools", tarball(tmp_path / "a", "5.0.9", files), "5.0.9")

    assert under(home / "tools/4.0-alpha2/lib") == ["HdrHistogram-2.1.12.jar"]
    assert (home / "load-tool.version").read_text() == "4.0-alpha2\n"


def test_a_release_whose_load_tool_cannot_work_is_refused(tmp_path):
    files = {name: content for name, content in WHOLE.items() if not name.startswith("lib/")}
    files["lib/HdrHistogram-2.1.9.jar"] = b"old"

    with pytest.raises(FetchError, match=r"use Cassandra 5\.0 or newer"):
        tools.unpack(tmp_path / "tools", tarball(tmp_path / "a", "4.1.4", files), "4.1.4")


def test_versions_are_in_their_order_and_only_whole_ones(tmp_path):
    for version in ("5.0.10", "5.0.9", "4.1.11"):
        tools.unpack(tmp_path / "tools", tarball(tmp_path / "a", version, WHOLE), version)
    (tmp_path / "tools/apache-cassandra-5.1.0").mkdir()

    assert tools.versions(tmp_path / "tools") == ["4.1.11", "5.0.9", "5.0.10"]
    assert tools.versions(tmp_path / "nothing") == []


def java(folder: Path, line: str) -> Path:
    program = folder / "bin/java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho '{line}' >&2\n")
    program.chmod(0o755)
    return folder


@pytest.mark.parametrize(
    ("line", "major"),
    [
        ('openjdk version "17.0.15" 2025-04-15', 17),
        ('java version "1.8.0_292"', 8),
        ('openjdk version "21" 2023-09-19', 21),
        ("no such thing", None),
    ],
)
def test_the_release_of_a_java_is_what_it_says(tmp_path, line, major):
    assert tools.java_major(java(tmp_path, line)) == major


def test_java_17_goes_before_newer_ones_and_those_before_none(tmp_path, monkeypatch):
    old = java(tmp_path / "8", 'java version "1.8.0_292"')
    good = java(tmp_path / "17", 'openjdk version "17.0.15"')
    new = java(tmp_path / "21", 'openjdk version "21"')

    chosen = []
    for homes in ([old, good, new], [old, new], [old], []):
        monkeypatch.setattr(tools, "java_homes", lambda homes=homes: homes)
        chosen.append(tools.best_java())

    assert chosen == [good, new, None, None]

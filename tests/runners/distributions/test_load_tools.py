"""YCSB and latte come under the tools whole and verified, or not at all."""

import hashlib
import http.server
import shutil
import subprocess
import threading
from functools import partial

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from runners.distributions import load_tools, tools
from runners.load_tools.ycsb import ycsb
from runners.load_tools.ycsb.commands import BINDING
from tests.lab import distribution


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


def publish(folder, path, content, *, digest=None):
    place = folder / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content)
    place.with_name(f"{place.name}.sha1").write_text(digest or hashlib.sha1(content).hexdigest())


@pytest.fixture
def repository(mirror):
    """The jars of YCSB as a Maven repository has them."""
    if shutil.which("mvn") is None or tools.best_java() is None:
        pytest.skip("there is no Java, or no mvn to fetch YCSB with")
    folder, url = mirror
    jars = {jar.name: jar for jar in distribution.ycsb().rglob("*.jar")}
    for address in ycsb.addresses(""):
        publish(folder, address.removeprefix("/"), jars[address.rpartition("/")[2]].read_bytes())
    return folder, url


def test_ycsb_is_fetched_from_a_maven_repository_and_its_binding_compiled(repository, tmp_path):
    _, url = repository
    place = tmp_path / "tools"

    home = load_tools.fetch_ycsb(place, url)

    assert [path.name for path in place.iterdir()] == [load_tools.FOLDERS["ycsb"][0]]
    assert load_tools.links(place) == {"ycsb": home}
    assert (load_tools.lacks(place, "ycsb"), load_tools.lacks(place, "cassandra-stress")) == (None, None)
    java, jars = tools.best_java() / "bin/java", f"{home}/lib/*:{home}/classes"
    started = subprocess.run(
        [java, "-cp", jars, "site.ycsb.Client", "-db", BINDING, "-p", "workload=no.such.Workload"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "YCSB Client 0.17.0" in started.stderr


def test_a_jar_that_differs_from_its_checksum_leaves_nothing(repository, tmp_path):
    folder, url = repository
    core = ycsb.addresses("")[0].removeprefix("/")
    publish(folder, core, b"another jar", digest="0" * 40)

    with pytest.raises(tools.FetchError, match=r"its sha1 is .*, published is 0000"):
        load_tools.fetch_ycsb(tmp_path / "tools", url)

    assert list((tmp_path / "tools").iterdir()) == []
    assert load_tools.lacks(tmp_path / "tools", "ycsb") == "this machine has no YCSB: make ycsb"


def test_latte_is_fetched_for_the_processor_of_this_machine(mirror, tmp_path, monkeypatch):
    folder, url = mirror
    monkeypatch.setattr(load_tools.platform, "machine", lambda: "aarch64")
    publish(folder, "latte-0.29.0-aarch64", b"#!/bin/sh\necho the program\n")

    home = load_tools.fetch_latte(tmp_path / "tools", url)

    assert subprocess.run([home / "latte"], capture_output=True, text=True).stdout == "the program\n"
    assert load_tools.links(tmp_path / "tools") == {"latte": home}


def test_without_cargo_the_missing_program_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(tools.FetchError, match="cargo is not installed: install Rust, or set LATTE_MIRROR"):
        load_tools.fetch_latte(tmp_path / "tools", None)

    assert load_tools.lacks(tmp_path / "tools", "latte") == "this machine has no latte: make latte"


@pytest.mark.parametrize(("tool", "setting", "option"), [("ycsb", "MAVEN", "--maven"), ("latte", "LATTE", "--cargo")])
def test_without_a_mirror_the_command_names_its_setting_and_the_other_way(settings, tmp_path, tool, setting, option):
    settings.DATA_DIR, settings.MAVEN_MIRROR, settings.LATTE_MIRROR = tmp_path, "", ""

    with pytest.raises(CommandError, match=f"set {setting}_MIRROR, or use {option}"):
        call_command("fetch_load_tool", tool)


def test_the_command_fetches_into_the_tools_of_the_site(settings, mirror, tmp_path, capsys):
    folder, url = mirror
    settings.DATA_DIR, settings.LATTE_MIRROR = tmp_path, url
    publish(folder, f"latte-0.29.0-{load_tools.platform.machine()}", b"#!/bin/sh\n")

    call_command("fetch_load_tool", "latte")

    assert capsys.readouterr().out == f"latte-0.29.0 is in {tmp_path}/tools\n"

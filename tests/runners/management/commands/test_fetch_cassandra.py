"""The command that makes Cassandra available to runs on this machine."""

import shutil

import pytest
from django.core.management import CommandError, call_command

from runners.distributions import tools
from tests.lab import distribution


def test_what_is_no_release_is_refused_before_anything_is_made(tmp_path, settings):
    settings.DATA_DIR, settings.CASSANDRA_MIRROR = tmp_path, "http://127.0.0.1:9/cassandra"

    with pytest.raises(CommandError, match="is not a release of Cassandra"):
        call_command("fetch_cassandra", "--version", "newest")

    assert not (tmp_path / "tools").exists()


@pytest.mark.lab
def test_maven_gives_the_server_with_the_load_tool_of_another_release(tmp_path, settings, capsys):
    if shutil.which("mvn") is None:
        pytest.skip("there is no mvn")
    settings.DATA_DIR = tmp_path

    call_command("fetch_cassandra", "--maven", "--version", distribution.SERVER)

    home = tmp_path / f"tools/apache-cassandra-{distribution.SERVER}"
    assert capsys.readouterr().out.startswith(f"Cassandra {distribution.SERVER} is in {home}\n")
    assert tools.versions(tmp_path / "tools") == [distribution.SERVER]
    assert (home / "load-tool.version").read_text() == "4.0-alpha2\n"
    assert (home / f"lib/cassandra-all-{distribution.SERVER}.jar").is_file()
    assert [jar.name for jar in (home / "tools/4.0-alpha2/lib").glob("HdrHistogram*")] == ["HdrHistogram-2.1.12.jar"]

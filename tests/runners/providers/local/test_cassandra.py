"""What `local` says of Cassandra follows from what is on the machine."""

import pytest

from runners.distributions import load_tools, tools
from runners.plans.presets import offered_cards
from runners.providers.local.provider import LocalProvider


@pytest.fixture
def provider(tmp_path, monkeypatch):
    monkeypatch.setattr(tools, "best_java", lambda: tmp_path / "java")
    return LocalProvider(tmp_path / "runs")


def fetch(folder, version):
    home = folder / f"tools/apache-cassandra-{version}"
    home.mkdir(parents=True)
    (home / tools.LOAD_TOOL).write_text(version)


def test_cassandra_is_offered_once_a_distribution_is_there(tmp_path, provider):
    before = provider.abilities.services
    fetch(tmp_path, "5.0.9")

    assert (before, provider.abilities.services) == (("postgresql",), ("postgresql", "cassandra"))


def test_what_is_missing_is_said(tmp_path, provider, monkeypatch):
    without_distribution = provider.lacks("cassandra", "5.0.9")
    fetch(tmp_path, "5.0.9")
    fetch(tmp_path, "4.1.11")
    said = [provider.lacks("cassandra", version) for version in ("5.0.9", "5.0.4", None)]
    monkeypatch.setattr(tools, "best_java", lambda: None)

    assert without_distribution == "Cassandra here needs a distribution: make cassandra"
    assert said == [
        None,
        "this machine has Cassandra 4.1.11, 5.0.9; for another release: make cassandra VERSION=5.0.4",
        "name the release of Cassandra: this machine has 4.1.11, 5.0.9",
    ]
    assert provider.lacks("cassandra", "5.0.9") == "Cassandra here needs Java 11 or newer (Java 17 is best)"
    assert provider.lacks("postgresql", None) is None


def test_the_preset_stands_in_the_form_only_where_it_can_run(tmp_path, provider, settings):
    settings.DATA_DIR, settings.RUN_PROVIDERS = tmp_path, ["local"]
    before = [preset.slug for card in offered_cards() for preset in card.presets]
    fetch(tmp_path, "5.0.9")

    assert before == ["pgbench-here"]
    assert [preset.slug for card in offered_cards() for preset in card.presets] == ["pgbench-here", "cassandra-here"]


def test_a_load_tool_of_its_own_is_offered_once_it_is_fetched(tmp_path, provider, settings):
    settings.DATA_DIR, settings.RUN_PROVIDERS = tmp_path, ["local"]
    fetch(tmp_path, "5.0.9")
    before = provider.lacks_tool("ycsb")
    name, last = load_tools.FOLDERS["ycsb"]
    binding = tmp_path / "tools" / name / last
    binding.parent.mkdir(parents=True)
    binding.write_bytes(b"")

    assert before == "this machine has no YCSB: make ycsb"
    assert provider.lacks_tool("ycsb") is None
    assert provider.lacks_tool("latte") == "this machine has no latte: make latte"
    assert "ycsb-here" in [preset.slug for card in offered_cards() for preset in card.presets]

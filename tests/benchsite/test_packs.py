"""PACKS says which of the packs that come with the site are loaded; what it replaced is refused by its name."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from benchsite.packs import configured


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.delenv("PACKS", raising=False)
    for name in ("small", "large"):
        (tmp_path / name).mkdir()
    (tmp_path / "README.md").touch()
    return tmp_path


def test_without_the_setting_all_packs_are_loaded(folder):
    assert configured(folder) == ["large", "small"]


@pytest.mark.parametrize(
    ("text", "packs"), [("", []), ("small", ["small"]), (" small, large ,small", ["small", "large"])]
)
def test_the_setting_chooses_and_an_empty_one_chooses_none(folder, monkeypatch, text, packs):
    monkeypatch.setenv("PACKS", text)

    assert configured(folder) == packs


def test_an_unknown_pack_is_refused_with_those_that_there_are(folder, monkeypatch):
    monkeypatch.setenv("PACKS", "small,huge")

    with pytest.raises(ImproperlyConfigured, match="PACKS is wrong: no pack huge; there are large, small"):
        configured(folder)


@pytest.mark.parametrize("text", ["", "0", "1"])
def test_the_setting_before_it_is_refused_with_what_to_write_instead(folder, monkeypatch, text):
    monkeypatch.setenv("PUBLIC_RUNS", text)

    with pytest.raises(ImproperlyConfigured, match="PUBLIC_RUNS was replaced by PACKS: write PACKS= instead of"):
        configured(folder)

"""The address and the token."""

import pytest

from benchsite_cli.config import Login, address, config_file, current, save
from benchsite_cli.errors import Failure


@pytest.fixture(autouse=True)
def own_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    for name in ("BENCHSITE_URL", "BENCHSITE_TOKEN"):
        monkeypatch.delenv(name, raising=False)


def test_a_kept_token_goes_to_its_own_site_alone(monkeypatch):
    save(Login("https://bench.example.org", "secret"))
    assert current(needs_token=True) == Login("https://bench.example.org", "secret")

    monkeypatch.setenv("BENCHSITE_URL", "https://other.example.org")

    assert current(needs_token=False) == Login("https://other.example.org")
    with pytest.raises(Failure, match="needs a token"):
        current(needs_token=True)
    monkeypatch.setenv("BENCHSITE_TOKEN", "its own")
    assert current(needs_token=True).token == "its own"


def test_a_broken_file_is_named():
    config_file().parent.mkdir()
    config_file().write_text("{")

    with pytest.raises(Failure, match=r"config\.json"):
        current(needs_token=False)


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("bench.example.org", "https://bench.example.org"),
        ("http://127.0.0.1:8000/", "http://127.0.0.1:8000"),
        ("https://bench.example.org/api/v1/", "https://bench.example.org"),
    ],
)
def test_addresses_are_taken_as_people_write_them(text, url):
    assert address(text) == url


def test_another_scheme_is_refused():
    with pytest.raises(Failure):
        address("ftp://bench.example.org")

"""A setting with a bad value stops the start and says what is wrong."""

from decimal import Decimal

import pytest
from django.core.exceptions import ImproperlyConfigured

from benchsite.env import env, flag, is_loopback, label, one_of, rate, url, whole, words


@pytest.mark.parametrize(
    ("text", "convert", "value"),
    [
        ("1", flag, True),
        ("0", flag, False),
        ("8000", whole, 8000),
        (" a, b ,,c ", words, ["a", "b", "c"]),
        ("json", one_of("console", "json"), "json"),
        ("redis://h/0", url("redis", "rediss"), "redis://h/0"),
        ("100/min", rate, "100/min"),
        ("2.50", Decimal, Decimal("2.50")),
        ("bench-eu-1", label, "bench-eu-1"),
    ],
)
def test_a_good_value_is_converted(monkeypatch, text, convert, value):
    monkeypatch.setenv("SETTING", text)

    assert env("SETTING", convert) == value


@pytest.mark.parametrize(
    ("text", "convert", "reason"),
    [
        ("yes", flag, "expected 0 or 1"),
        ("-1", whole, "expected a whole number, 0 or more"),
        ("xml", one_of("console", "json"), "expected one of console, json"),
        ("mysql://h/d", url("postgres", "postgresql"), "expected an address that starts with postgres://"),
        ("redis://", url("redis"), "expected an address that starts with redis://"),
        ("100", rate, "expected a rate such as 100/min"),
        ("100/year", rate, "expected a rate such as 100/min"),
        ("12,5", Decimal, "expected a number"),
        ("Bench", label, "expected 1 to 20 lower-case letters"),
        ("bench-", label, "expected 1 to 20 lower-case letters"),
        ("b" * 21, label, "expected 1 to 20 lower-case letters"),
    ],
)
def test_a_bad_value_is_named_with_its_reason(monkeypatch, text, convert, reason):
    monkeypatch.setenv("SETTING", text)

    with pytest.raises(ImproperlyConfigured, match=f"SETTING is wrong: .*{reason}"):
        env("SETTING", convert, default=None)


@pytest.mark.parametrize(
    ("host", "answer"),
    [
        ("localhost", True),
        ("bench.localhost", True),
        ("127.0.0.9", True),
        ("[::1]", True),
        ("0.0.0.0", False),
        ("::", False),
        ("*", False),
        (".localhost.example.org", False),
        ("127.0.0.1.example.org", False),
    ],
)
def test_a_loopback_name_is_one_that_no_other_machine_can_use(host, answer):
    assert is_loopback(host) is answer


def test_a_secret_is_not_repeated_in_the_error(monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "mysql://user:hunter2@host/db")

    with pytest.raises(ImproperlyConfigured) as raised:
        env("DATABASE_URL", url("postgres"))

    assert "hunter2" not in str(raised.value)


def test_unset_or_empty_takes_the_default_as_it_is(monkeypatch):
    monkeypatch.setenv("SETTING", "  ")

    assert env("SETTING", flag, default=None) is None


def test_a_required_setting_without_value_is_named(monkeypatch):
    monkeypatch.delenv("SETTING", raising=False)

    with pytest.raises(ImproperlyConfigured, match="SETTING must be set"):
        env("SETTING")


def test_a_secret_is_read_from_a_file_without_its_last_newline(monkeypatch, tmp_path):
    monkeypatch.delenv("SETTING", raising=False)
    (tmp_path / "secret").write_text("redis://:pass@h/0\n")
    monkeypatch.setenv("SETTING_FILE", str(tmp_path / "secret"))

    assert env("SETTING", url("redis")) == "redis://:pass@h/0"


def test_a_setting_and_its_file_are_not_both_given(monkeypatch, tmp_path):
    (tmp_path / "secret").write_text("a")
    monkeypatch.setenv("SETTING", "b")
    monkeypatch.setenv("SETTING_FILE", str(tmp_path / "secret"))

    with pytest.raises(ImproperlyConfigured, match="SETTING and SETTING_FILE are both set"):
        env("SETTING")


@pytest.mark.parametrize(
    ("content", "reason"), [(None, "cannot be read: No such file"), (b"\n", "is empty"), (b"\xff", "is not text")]
)
def test_a_file_that_gives_no_value_stops_the_start_even_where_there_is_a_default(
    monkeypatch, tmp_path, content, reason
):
    path = tmp_path / "secret"
    if content is not None:
        path.write_bytes(content)
    monkeypatch.setenv("SETTING", "")  # as compose passes what is not set
    monkeypatch.setenv("SETTING_FILE", str(path))

    with pytest.raises(ImproperlyConfigured, match=f"SETTING_FILE is wrong: {path} {reason}"):
        env("SETTING", default="x")


def test_a_bad_value_of_a_file_is_not_repeated(monkeypatch, tmp_path):
    (tmp_path / "secret").write_text("hunter2")
    monkeypatch.delenv("SETTING", raising=False)
    monkeypatch.setenv("SETTING_FILE", str(tmp_path / "secret"))

    with pytest.raises(ImproperlyConfigured, match="SETTING is wrong: expected 0 or 1") as caught:
        env("SETTING", flag)

    assert "hunter2" not in str(caught.value)

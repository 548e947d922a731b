"""The log: what strangers can write into it."""

import io
import logging

import pytest

from benchsite.ops import logs


@pytest.fixture
def written(monkeypatch):
    """The lines about foreign hosts that the site's own handler writes, and what follows them."""
    for limit in logging.getLogger("django.security.DisallowedHost").filters:  # one for each time of setting it up
        monkeypatch.setattr(limit, "written", 0)
    [handler] = [each for each in logging.getLogger().handlers if type(each) is logging.StreamHandler]
    stream = handler.setStream(io.StringIO())
    yield lambda: [line for line in handler.stream.getvalue().splitlines() if "slow request" not in line]
    handler.setStream(stream)


def foreign(client, host="evil.example"):
    assert client.get("/account/login/", headers={"host": host}).status_code == 400


def test_a_foreign_host_is_a_line_without_a_traceback(client, written):
    foreign(client)

    [line] = written()
    assert "evil.example" in line


def test_a_long_name_makes_no_long_line(client, written):
    foreign(client, "e" * 5000)

    [line] = written()
    assert len(line) <= 500


def test_strangers_write_ten_of_them_in_a_minute(client, written, monkeypatch):
    moment = 6000.0
    monkeypatch.setattr(logs.time, "monotonic", lambda: moment)
    for _ in range(30):
        foreign(client)
    assert len(written()) == 10

    moment += 60
    foreign(client)
    assert len(written()) == 11


def test_other_errors_keep_their_traceback(written):
    try:
        raise ValueError("a bug")
    except ValueError:
        logging.getLogger("django.request").exception("it failed")

    assert "ValueError: a bug" in written()[-1]
    assert len(written()) > 3


def test_no_line_has_the_value_of_a_private_parameter(written):
    log = logging.getLogger("benchsite.test")

    log.error("failed at %s", "/value/?by=jdk&discount=aws%3A25&currency=EUR")
    try:
        raise ValueError("<WSGIRequest: GET '/value/?discount=aws:25'>")
    except ValueError:
        log.exception("failed")

    lines = "\n".join(written())
    assert "discount=...&currency=EUR" in lines
    assert "aws" not in lines

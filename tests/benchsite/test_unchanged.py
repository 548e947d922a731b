"""An ETag is of everything that an answer may depend on."""

import pytest
from django.test import RequestFactory

from benchsite import unchanged
from benchsite.replicas import router

STATE = "a state"


def etag(address="/submissions/", state=STATE, **headers):
    return unchanged.etag_of(RequestFactory().get(address, **headers), state)


@pytest.mark.parametrize(
    "other",
    [
        etag("/submissions/?service=cassandra"),
        etag("/services/"),
        etag(state="another state"),
        etag(HTTP_COOKIE="sessionid=a"),
        etag(HTTP_AUTHORIZATION="Bearer a"),
        etag(HTTP_ACCEPT="text/csv"),
        etag(HTTP_HOST="another.example"),
        etag(HTTP_HX_REQUEST="true"),
        etag(**{"wsgi.url_scheme": "https"}),
    ],
)
def test_it_differs_by(other):
    assert other != etag()
    assert etag() == etag()
    assert etag().startswith('W/"')


def test_it_differs_by_the_code_and_by_the_key_of_the_site(settings, monkeypatch):
    before = etag()
    monkeypatch.setattr(unchanged, "code_version", lambda: "other code")
    by_code = etag()
    settings.SECRET_KEY = "another key, so that nobody else can make one"

    assert len({before, by_code, etag()}) == 3


@pytest.mark.parametrize(
    ("given", "known"),
    [('W/"a"', True), ('"a"', True), ('"b", W/"a"', True), ('W/"b"', False), ("", False), ("*", False)],
)
def test_clients_name_what_they_have(given, known):
    assert unchanged.is_known_to(RequestFactory().get("/", HTTP_IF_NONE_MATCH=given), 'W/"a"') is known


def test_an_address_that_nobody_has_registered_has_no_state():
    assert unchanged.state_of("submissions:account") is None


def test_a_recent_state_is_of_the_database_that_is_read(monkeypatch):
    """A replica that lags has pages of its own: they must not pass for those of the primary."""
    read = {"default": "new", "replica": "old"}
    monkeypatch.setattr(unchanged, "_recent", {})
    monkeypatch.setitem(unchanged._states, "a page", lambda: read[router.reading_from()])
    states = []
    for alias in ("default", "replica", "default"):
        router.read_from(alias)
        states.append(unchanged.recent_state_of("a page"))
    router.read_from("default")

    assert states == ["new", "old", "new"]

"""An ETag is of everything that an answer may depend on."""

import pytest
from django.test import RequestFactory

from benchsite import unchanged

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

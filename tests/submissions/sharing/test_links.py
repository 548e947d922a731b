"""Which addresses may be shared, and that one address has one short link for ever."""

import hashlib
from base64 import b32encode

import pytest
from django.db import IntegrityError, transaction

from submissions.models import ShortLink
from submissions.sharing.links import NotShareableError, known_view, shorten

VALUE = "/value/?workload=0123456789abcdef&by=jdk"


def digits(path):
    return b32encode(hashlib.sha256(path.encode()).digest()).decode().rstrip("=").lower()


@pytest.mark.parametrize(
    "address",
    [
        "",
        "value/",
        "https://evil.example/value/",
        "//evil.example/value/",
        "///evil.example/value/",
        "/\\evil.example/value/",
        "\\\\evil.example",
        "/\t/evil.example/",
        "/value/\nLocation: https://evil.example/",
        " /value/",
        "javascript:alert(1)",
        "http:///value/",
        "/account/",
        "/account/login/",
        "/account/login/?next=https://evil.example/",
        "/admin/",
        "/api/v1/submissions/",
        "/api/docs/",
        "/runs/",
        "/runs/1/",
        "/submissions/new/",
        "/submissions/4/artifacts/1/",
        "/s/abcdefgh/",
        "/embed/value/",
        "/healthz",
        "/nothing-here/",
        "/value/../account/",
        "/%2Fevil.example/",
    ],
)
def test_what_is_no_public_page_of_this_site_is_refused(address):
    with pytest.raises(NotShareableError):
        known_view(address)


@pytest.mark.parametrize(
    ("address", "path", "title"),
    [
        ("/", "/", "Best value of a workload"),
        (VALUE, VALUE, "Operations per dollar"),
        ("/value/?by=jdk#groups", "/value/?by=jdk", "Operations per dollar"),
        ("/compare/?s=4&s=1", "/compare/?s=4&s=1", "Comparison of results"),
        ("/submissions/?q=Köln", "/submissions/?q=K%C3%B6ln", "List of results"),
        ("/submissions/4/", "/submissions/4/", "Result"),
    ],
)
def test_a_public_page_is_known_by_its_path_and_query(address, path, title):
    view = known_view(address)

    assert (view.path, view.title) == (path, title)


def test_an_address_that_no_column_holds_is_refused():
    assert known_view("/value/?x=" + "a" * 1990).path
    with pytest.raises(NotShareableError, match="cannot be shared"):
        known_view("/value/?x=" + "a" * 1991)


@pytest.mark.django_db
def test_the_same_address_has_the_same_key():
    first, again, other = shorten(VALUE), shorten(VALUE + "#front"), shorten("/value/?by=disk")

    assert first.key == digits(VALUE)[:8]
    assert again == first
    assert other.key != first.key
    assert ShortLink.objects.count() == 2


@pytest.mark.django_db
def test_a_key_grows_where_another_address_has_its_first_digits():
    wanted = digits(VALUE)
    ShortLink.objects.create(key=wanted[:8], path="/value/?by=disk")
    ShortLink.objects.create(key=wanted[:9], path="/value/?by=provider")

    link = shorten(VALUE)

    assert (link.key, link.path) == (wanted[:10], VALUE)
    assert shorten(VALUE) == link


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["//evil.example/", "/\\evil.example/", "https://evil.example/", "value/"])
def test_the_database_itself_holds_no_link_to_another_site(path):
    with pytest.raises(IntegrityError), transaction.atomic():
        ShortLink.objects.create(key="abcdefgh", path=path)

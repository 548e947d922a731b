"""What every answer carries, and what a public site insists on."""

import pytest


@pytest.fixture
def page(client, db, settings):
    def get(path="/account/login/", **kwargs):
        return client.get(path, **kwargs)

    return get


def test_no_inline_script_or_style_is_allowed(page):
    policy = dict(
        part.strip().partition(" ")[::2] for part in page().headers["Content-Security-Policy"].split(";") if part
    )

    assert policy["default-src"] == "'self'"
    assert policy["object-src"] == policy["base-uri"] == policy["frame-ancestors"] == "'none'"
    assert "unsafe" not in str(policy)


def test_pages_cannot_be_framed_or_sniffed(page):
    headers = page().headers

    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "strict-origin-when-cross-origin"


def test_a_foreign_host_name_is_refused(client):
    assert client.get("/account/login/", headers={"host": "evil.example"}).status_code == 400


def test_a_form_without_token_is_refused(db):
    from django.test import Client

    response = Client(enforce_csrf_checks=True).post("/account/login/", {"login": "a", "password": "b"})

    assert response.status_code == 403


def test_a_public_site_sends_plain_http_to_https(client, settings):
    settings.SECURE_SSL_REDIRECT = True

    response = client.get("/account/login/")

    assert response.status_code == 301
    assert response.headers["Location"] == "https://testserver/account/login/"


def test_the_probes_answer_plain_http_of_a_public_site(client, settings):
    settings.SECURE_SSL_REDIRECT = True

    assert client.get("/healthz").status_code == 200


def test_a_public_site_asks_for_https_for_a_year(client, settings, db):
    settings.SECURE_HSTS_SECONDS = 365 * 24 * 3600
    settings.SECURE_HSTS_INCLUDE_SUBDOMAINS = settings.SECURE_HSTS_PRELOAD = True

    response = client.get("/account/login/", secure=True)

    assert response.headers["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains; preload"

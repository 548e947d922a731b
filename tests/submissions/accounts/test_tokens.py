"""API tokens: when they were used, when they expire, and what revokes them all."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.utils import timezone
from knox.crypto import hash_token

from submissions.models import ApiToken
from tests.factories import UserFactory, make_token
from tests.pages import faults, text

pytestmark = pytest.mark.django_db
NOW = timezone.now()


@pytest.fixture
def ada(client):
    user = UserFactory(username="ada")
    client.force_login(user)
    return user


def ask(client, token):
    return client.get("/api/v1/submissions/", HTTP_AUTHORIZATION=f"Bearer {token}")


def test_the_account_page_shows_when_a_token_was_used_last(client, ada):
    token = make_token(ada)
    assert ApiToken.objects.get().last_used_at is None

    ask(client, token)
    first = ApiToken.objects.get().last_used_at
    ask(client, token)

    assert first >= NOW
    assert ApiToken.objects.get().last_used_at == first  # not a write for each request
    ApiToken.objects.update(last_used_at=NOW - timedelta(days=400))
    page = client.get("/account/")
    assert f"{NOW - timedelta(days=400):%Y-%m-%d}" in text(page)
    assert faults(page) == []
    ask(client, token)
    assert ApiToken.objects.get().last_used_at >= first


@pytest.mark.parametrize(("chosen", "days"), [("30", 30), ("365", 365), ("", None)])
def test_a_token_expires_when_its_owner_chose(client, ada, chosen, days):
    answer = client.post("/account/tokens/", {"name": "laptop", "scopes": ["submit"], "expires_in_days": chosen})

    token = ApiToken.objects.get()
    assert (token.expiry is None) == (days is None)
    if days is not None:
        assert abs(token.expiry - (timezone.now() + timedelta(days=days))) < timedelta(hours=1)
    text_of_it = answer.context["new_token"]
    assert ask(client, text_of_it).status_code == 200
    ApiToken.objects.update(expiry=timezone.now())
    assert ask(client, text_of_it).status_code == 401


def test_the_api_makes_tokens_that_expire_and_revokes_them_all(client, ada):
    body = {"name": "ci", "scopes": ["submit"], "expires_in_days": 7}
    made = client.post("/api/v1/tokens/", json.dumps(body), content_type="application/json").json()

    assert "expires_in_days" not in made
    assert made["expires_at"] > NOW.isoformat()
    assert made["last_used_at"] is None
    assert ask(client, made["token"]).status_code == 200
    other = make_token(UserFactory())
    assert client.delete("/api/v1/tokens/").status_code == 204
    assert [ask(client, token).status_code for token in (made["token"], other)] == [401, 200]


@pytest.mark.parametrize("days", [0, -1, 100_000, 1.5, "soon"])
def test_an_expiry_that_is_no_number_of_days_is_refused(client, ada, days):
    body = {"name": "ci", "scopes": ["submit"], "expires_in_days": days}

    answer = client.post("/api/v1/tokens/", json.dumps(body), content_type="application/json")

    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, "#/expires_in_days")
    assert not ApiToken.objects.exists()


def test_all_tokens_of_an_account_are_revoked_at_once(client, ada):
    mine, theirs = [make_token(ada), make_token(ada)], make_token(UserFactory())

    page = client.post("/account/tokens/revoke/", follow=True)

    assert "All your tokens are revoked." in text(page)
    assert [ask(client, token).status_code for token in (*mine, theirs)] == [401, 401, 200]


@pytest.mark.django_db(transaction=True)
def test_of_many_requests_at_once_none_makes_a_token_too_many(ada):
    for _ in range(ApiToken.MAX_PER_ACCOUNT - 1):
        make_token(ada)
    body = {"name": "one more", "scopes": ["submit"]}

    def by_form(client):
        return client.post("/account/tokens/", body).status_code

    def by_api(client):
        return client.post("/api/v1/tokens/", json.dumps(body), content_type="application/json").status_code

    def send(way):
        try:
            client = Client()
            client.force_login(ada)
            return way(client)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as senders:
        statuses = sorted(senders.map(send, [by_form, by_api] * 4))

    assert ApiToken.objects.count() == ApiToken.MAX_PER_ACCOUNT
    assert statuses in ([200, *[400] * 7], [201, *[400] * 7])


def by_its_owner(client, user):
    password = "correct-horse-battery"
    form = {"oldpassword": "factory-password", "password1": password, "password2": password}
    assert client.post("/account/password/change/", form).status_code == 302


def by_an_operator(client, user):
    client.force_login(UserFactory(is_staff=True, is_superuser=True))
    form = {"password1": "correct-horse-battery", "password2": "correct-horse-battery", "usable_password": "true"}
    assert client.post(f"/admin/auth/user/{user.pk}/password/", form).status_code == 302


def by_a_command(client, user):
    from unittest.mock import patch

    with patch("getpass.getpass", return_value="correct-horse-battery"):
        call_command("changepassword", user.username, verbosity=0)


@pytest.mark.parametrize("change", [by_its_owner, by_an_operator, by_a_command])
def test_a_new_password_revokes_them_whoever_sets_it(client, ada, change):
    token, other = make_token(ada), make_token(UserFactory())

    change(client, ada)

    assert [ask(client, each).status_code for each in (token, other)] == [401, 200]


def test_the_page_of_a_new_password_says_how_many_tokens_it_has_revoked(client, ada):
    make_token(ada), make_token(ada)
    password = "correct-horse-battery"
    form = {"oldpassword": "factory-password", "password1": password, "password2": password}

    page = client.post("/account/password/change/", form, follow=True)

    assert "The new password has revoked 2 API tokens." in text(page)
    form = {"oldpassword": password, "password1": f"{password}-2", "password2": f"{password}-2"}
    assert "revoked" not in text(client.post("/account/password/change/", form, follow=True)).partition("API tokens")[0]


def test_a_command_says_it_too(ada, caplog):
    make_token(ada)

    with caplog.at_level("INFO"):
        by_a_command(None, ada)

    assert "the new password of ada has revoked 1 API token" in caplog.messages


def test_the_first_password_of_an_account_keeps_the_tokens_that_an_operator_has_made(client, capsys):
    call_command("create_token", "jane")
    token = capsys.readouterr().out.strip()
    jane = type(UserFactory.build()).objects.get(username="jane")

    by_a_command(client, jane)

    assert ask(client, token).status_code == 200
    assert client.login(username="jane", password="correct-horse-battery")
    by_a_command(client, jane)
    assert ask(client, token).status_code == 401


def test_signing_in_revokes_nothing_even_when_the_hash_is_renewed(client, ada, settings):
    token = make_token(ada)
    settings.PASSWORD_HASHERS = [
        "django.contrib.auth.hashers.PBKDF2SHA1PasswordHasher",
        "django.contrib.auth.hashers.MD5PasswordHasher",
    ]

    assert client.login(username="ada", password="factory-password")

    assert ask(client, token).status_code == 200


def test_a_token_is_found_with_its_account(ada):
    made = make_token(ada)

    token = ApiToken.by_digest(hash_token(made))
    assert (token.user.username, token.scopes) == ("ada", ["submit"])
    assert token == ApiToken.objects.get()
    assert ApiToken.by_digest(hash_token("0" * 64)) is None


def test_a_closed_account_and_a_deleted_token_are_refused_at_once(client, ada):
    one, two = make_token(ada), make_token(ada)
    assert [ask(client, token).status_code for token in (one, two)] == [200, 200]

    ApiToken.objects.filter(digest=hash_token(one)).delete()
    assert [ask(client, token).status_code for token in (one, two)] == [401, 200]
    type(ada).objects.filter(pk=ada.pk).update(is_active=False)
    assert ask(client, two).status_code == 401


def test_whoever_uses_a_token_loses_those_that_have_expired(client, ada):
    used, old = make_token(ada), make_token(ada)
    ApiToken.objects.filter(digest=hash_token(old)).update(expiry=timezone.now() - timedelta(days=1))

    assert ask(client, used).status_code == 200

    assert [token.digest for token in ApiToken.objects.all()] == [hash_token(used)]

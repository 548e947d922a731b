"""The first administrator: made once, and never out of an account of somebody."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.db import connection

from benchsite.management.commands.prepare import first_administrator
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def lines():
    return []


def administrators():
    return list(get_user_model().objects.filter(is_superuser=True).values_list("username", flat=True))


def test_the_first_start_makes_one_and_the_second_none(client, lines):
    password = first_administrator(lines.append)

    assert client.login(username="admin", password=password)
    assert (first_administrator(lines.append), administrators(), lines) == ("", ["admin"], [])
    assert get_user_model().objects.get().is_staff


def test_an_account_that_a_token_was_made_for_becomes_it_and_keeps_the_token(client, capsys, lines):
    call_command("create_token", "admin")
    token = capsys.readouterr().out.strip()

    password = first_administrator(lines.append)

    assert client.login(username="admin", password=password)
    assert (administrators(), lines) == (["admin"], [])
    assert client.get("/api/v1/tokens/current/", HTTP_AUTHORIZATION=f"Bearer {token}").status_code == 200


@pytest.mark.parametrize("rights", [{}, {"is_staff": True}])
def test_who_has_the_name_and_a_password_becomes_no_administrator(rights, lines):
    """Somebody who has signed up, or an administrator who is none any more."""
    account = UserFactory(username="admin", **rights)

    assert first_administrator(lines.append) == ""

    assert administrators() == []
    assert account.check_password("factory-password")
    assert [line for line in lines if "createsuperuser" in line]


def test_nor_does_an_account_that_was_signed_in_to_or_is_closed(client, lines):
    account = UserFactory(username="admin")
    client.force_login(account)
    account.set_unusable_password()
    account.save()
    assert first_administrator(lines.append) == ""

    get_user_model().objects.update(is_active=False, last_login=None)
    assert (first_administrator(lines.append), administrators()) == ("", [])


@pytest.mark.django_db(transaction=True)
def test_two_starts_at_once_make_one(lines):
    def start(_):
        try:
            return first_administrator(lines.append)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as starts:
        passwords = list(starts.map(start, range(4)))

    assert (len(list(filter(None, passwords))), administrators()) == (1, ["admin"])

"""The admin has no password form of its own, and lets nobody of the staff in without a second factor."""

import re
import time

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value

from tests.factories import UserFactory
from tests.pages import faults, text

pytestmark = pytest.mark.django_db
PASSWORD = "factory-password"


@pytest.fixture
def root(settings, clear_cache):
    settings.STAFF_NEEDS_SECOND_FACTOR = True
    return UserFactory(username="root", email="", is_staff=True, is_superuser=True)


def sign_in(client, name="root", password=PASSWORD):
    return client.post("/account/login/", {"login": name, "password": password}, follow=True)


def code_of(secret):
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30))


def test_guessing_at_the_admin_is_locked_out(client, root):
    assert client.get("/admin/", follow=True).redirect_chain[-1][0] == "/account/login/?next=/admin/"
    for _ in range(20):
        assert client.post("/admin/login/", {"username": "root", "password": "wrong"}).status_code == 302
        sign_in(client, password="wrong")

    sign_in(client)

    assert "_auth_user_id" not in client.session


def test_an_account_without_rights_gets_no_form_to_try_others(client, root):
    UserFactory(username="ada")
    sign_in(client, "ada")

    assert client.get("/admin/", follow=True).status_code == 403


def test_staff_without_a_second_factor_set_one_up_and_need_it_from_then_on(client, root):
    sign_in(client)
    again = client.get("/admin/", follow=True)  # the password again: this changes how the account is entered
    assert "needs a second factor" in text(again)
    page = client.post(again.redirect_chain[-1][0], {"password": PASSWORD}, follow=True)
    assert page.redirect_chain[-1][0] == "/account/2fa/totp/activate/"
    assert [faults(again), faults(page)] == [[], []]
    assert client.get("/admin/auth/user/").status_code == 302
    assert 'fill="white"' in page.context["totp_svg"]  # readable on a dark page
    secret = page.context["form"].secret

    codes = client.post("/account/2fa/totp/activate/", {"code": code_of(secret)}, follow=True)
    assert "recovery" in text(codes).lower()
    assert faults(codes) == []
    assert client.get("/admin/").status_code == 200
    assert secret not in str(list(Authenticator.objects.values()))

    client.logout()
    answer = sign_in(client)
    assert "_auth_user_id" not in client.session
    assert faults(answer) == []
    stolen = re.findall(r"\b\d{8}\b", codes.content.decode())[0]
    client.post("/account/2fa/authenticate/", {"code": stolen})
    assert client.get("/admin/").status_code == 200


def test_a_local_site_asks_for_no_second_factor(client, root, settings):
    settings.STAFF_NEEDS_SECOND_FACTOR = False
    sign_in(client)

    assert client.get("/admin/").status_code == 200


def test_a_second_factor_of_another_key_opens_nothing(client, root, settings):
    from allauth.mfa.utils import decrypt, encrypt

    sealed = encrypt("JBSWY3DPEHPK3PXP")
    assert decrypt(sealed) == "JBSWY3DPEHPK3PXP"

    settings.SECRET_KEY = "another"

    assert decrypt(sealed) not in ("", "JBSWY3DPEHPK3PXP")
    assert decrypt(sealed) != decrypt(sealed)

"""Who guesses a password is stopped; its owner is not, though somebody else guesses all the time."""

import time

import pytest
from django.test import Client

from tests.factories import UserFactory
from tests.pages import text

pytestmark = pytest.mark.django_db

RIGHT, WRONG = "factory-password", "a-wrong-guess"
OWNER, STRANGER = "192.0.2.1", "198.51.100.7"
COOKIE = "signed_in_{}"


@pytest.fixture(autouse=True)
def _nothing_counted(clear_cache):
    """No attempt of another test counts."""


@pytest.fixture
def ada():
    return UserFactory(username="ada")


def sign_in(client, password, *, name="ada", address=STRANGER, **more):
    """Whether the client is signed in after it."""
    response = client.post("/account/login/", {"login": name, "password": password}, REMOTE_ADDR=address, **more)
    return response, "_auth_user_id" in client.session


def is_let_in(password=RIGHT, *, client=None, **more):
    return sign_in(client or Client(), password, **more)[1]


def guess(times, *, client=None, **more):
    for _ in range(times):
        sign_in(client or Client(), WRONG, **more)


def guess_from_many(times):
    """Each address guesses four times, which locks none of them."""
    for number in range(times):
        guess(1, address=f"203.0.113.{number // 4}")


def signed_in_before(user, password=RIGHT):
    """A browser of the owner's that has signed in, and out."""
    client = Client()
    assert is_let_in(password, client=client, name=user.username, address=OWNER)
    client.post("/account/logout/")
    assert "_auth_user_id" not in client.session
    return client


def test_five_wrong_passwords_lock_the_name_for_their_address_alone(ada):
    guess(5)

    answer, _ = sign_in(Client(), RIGHT)
    assert "Too many failed login attempts" in text(answer)
    assert is_let_in(address=OWNER)


def test_a_name_is_locked_in_each_way_to_write_it(ada):
    for name in ("ada", "ADA", "Ada", "aDa", "adA"):
        guess(1, name=name)

    assert not is_let_in()


def test_somebody_who_guesses_every_minute_keeps_no_owner_out(ada, monkeypatch):
    """Two hours of it, from one address."""
    now = time.time()
    for minute in range(120):
        monkeypatch.setattr(time, "time", lambda minute=minute: now + 60 * minute)
        guess(1)

    assert is_let_in(address=OWNER)


def test_a_hundred_wrong_passwords_from_many_addresses_lock_unknown_browsers(ada):
    guess_from_many(100)

    assert not is_let_in(address=OWNER)
    assert is_let_in(name=UserFactory().username, address=OWNER)


def test_what_one_address_may_not_try_does_not_lock_the_others(ada):
    guess(150)

    assert is_let_in(address=OWNER)


def test_a_browser_that_signed_in_before_is_stopped_by_nobody_else(ada):
    browser = signed_in_before(ada)
    guess_from_many(100)
    guess(20, address=OWNER)

    assert not is_let_in(address=OWNER)
    assert is_let_in(client=browser, address=OWNER)


def test_it_has_a_counter_of_its_own(ada):
    browser = signed_in_before(ada)

    guess(5, client=browser, address=OWNER)

    assert not is_let_in(client=browser, address=OWNER)
    assert is_let_in(address=OWNER)


def test_right_passwords_are_not_counted(ada):
    browser = Client()
    for _ in range(6):
        assert is_let_in(client=browser, address=OWNER)
        browser.post("/account/logout/")


def test_the_cookie_of_a_browser_is_for_its_account_and_for_the_pages_of_accounts(ada, settings):
    settings.SESSION_COOKIE_SECURE = True
    response, _ = sign_in(Client(), RIGHT)

    cookie = response.cookies[COOKIE.format(ada.pk)]

    assert (cookie["path"], cookie["samesite"], cookie["max-age"]) == ("/account/", "Lax", 365 * 24 * 3600)
    assert cookie["httponly"]
    assert cookie["secure"]


def test_a_browser_of_another_account_is_unknown(ada):
    mallory = UserFactory(username="mallory")
    browser = signed_in_before(mallory)
    browser.cookies[COOKIE.format(ada.pk)] = browser.cookies[COOKIE.format(mallory.pk)].value

    guess(5, client=browser)

    assert not is_let_in()  # they counted for the address


def test_a_new_password_forgets_the_browsers(ada):
    browser = signed_in_before(ada)
    ada.set_password("correct-horse-battery")
    ada.save()

    guess(5, client=browser, address=OWNER)

    assert not is_let_in("correct-horse-battery", address=OWNER)  # they counted for the address


def test_an_ipv6_address_is_its_network(ada):
    for number in range(5):
        guess(1, address=f"2001:db8:1:2::{number}")

    assert not is_let_in(address="2001:db8:1:2:ffff::1")
    assert is_let_in(address="2001:db8:1:3::1")


def test_behind_our_proxy_the_address_is_the_one_that_it_saw(ada, settings):
    settings.PROXIES = 1
    for number in range(5):
        guess(1, address="10.0.0.1", headers={"x-forwarded-for": f"10.9.8.{number}, {STRANGER}"})

    assert not is_let_in(address="10.0.0.1", headers={"x-forwarded-for": STRANGER})
    assert is_let_in(address="10.0.0.1", headers={"x-forwarded-for": OWNER})


def test_ten_wrong_passwords_a_minute_stop_an_address_whatever_the_names(ada):
    for number in range(10):
        guess(1, name=f"nobody-{number}")

    assert not is_let_in()
    assert is_let_in(address=OWNER)


def test_whoever_is_signed_in_may_confirm_it_though_others_guess(ada):
    browser = Client()
    assert is_let_in(client=browser, address=OWNER)
    browser.cookies.pop(COOKIE.format(ada.pk))  # as of a session that is older than these cookies
    guess_from_many(100)

    answer = browser.post("/account/reauthenticate/", {"password": RIGHT}, REMOTE_ADDR=OWNER)

    assert answer.status_code == 302


def test_the_admin_has_no_other_way_in(ada):
    answer = Client().post("/admin/login/", {"username": "ada", "password": RIGHT})

    assert (answer.status_code, answer.url.partition("?")[0]) == (302, "/account/login/")

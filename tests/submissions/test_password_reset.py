"""A forgotten password: who gets a mail, and that the page tells nobody whether an address has an account."""

import re

import pytest
from django.core import mail
from django.test import Client

from benchsite.celery import app
from submissions.password_reset import mail_link
from tests.factories import UserFactory, verify

pytestmark = pytest.mark.django_db
PASSWORD = "correct-horse-battery"


@pytest.fixture(autouse=True)
def _can_mail(settings, clear_cache):
    settings.EMAIL_HOST = "mail.example.org"
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"


@pytest.fixture
def ada():
    return verify(UserFactory(username="ada", email="ada@example.org"))


@pytest.fixture
def at_once():
    """Tasks run when they are sent."""
    app.conf.task_always_eager = True
    yield
    app.conf.task_always_eager = False


def ask(email, **more):
    answer = Client().post("/account/password/reset/", {"email": email}, **more)
    assert (answer.status_code, answer.url) == (302, "/account/password/reset/done/")


def test_the_page_mails_nobody_itself_and_asks_a_worker_for_any_address(ada, redis_client, settings):
    queue = f"{settings.REDIS_PREFIX}:{settings.DEFAULT_QUEUE}"
    for number, email in enumerate(("ada@example.org", "nobody@example.org"), start=1):
        ask(email)

        assert redis_client.llen(queue) == number
    assert mail.outbox == []


def test_who_has_an_account_gets_the_link_and_nobody_else_a_mail(ada, at_once):
    ask("nobody@example.org")
    assert mail.outbox == []

    ask("ADA@example.org")
    [letter] = mail.outbox
    assert letter.to == ["ada@example.org"]
    assert "ada" in letter.body


def test_a_closed_account_gets_none(ada, at_once):
    ada.is_active = False
    ada.save()

    ask("ada@example.org")

    assert mail.outbox == []


@pytest.mark.parametrize(("secure", "start"), [(False, "http://testserver/"), (True, "https://testserver/")])
def test_the_link_leads_to_the_site_as_it_was_opened(ada, at_once, secure, start):
    ask("ada@example.org", secure=secure)

    assert f"{start}account/password/reset/key/" in mail.outbox[0].body


def test_a_mail_server_that_does_not_answer_is_an_error_of_the_task_and_not_of_the_page(ada, settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1

    with pytest.raises(ConnectionRefusedError):
        mail_link("ada@example.org", "http://testserver/")


def test_who_follows_the_link_is_signed_in(ada, at_once, client):
    """Also while wrong passwords of strangers lock browsers that the site does not know."""
    ask("ada@example.org")
    form = client.get(re.search(r"http://testserver(/\S+)", mail.outbox[0].body).group(1), follow=True)

    client.post(form.redirect_chain[-1][0], {"password1": PASSWORD, "password2": PASSWORD})

    assert "_auth_user_id" in client.session
    assert f"signed_in_{ada.pk}" in client.cookies

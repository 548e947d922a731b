"""Who may open an account: everybody, who was invited, or nobody; and what a site that can send mail insists on."""

import re
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.hashers import MD5PasswordHasher
from django.core import mail
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from submissions.accounts import invitations
from submissions.models import Invitation
from tests.factories import UserFactory, verify
from tests.pages import faults, text

pytestmark = pytest.mark.django_db
PASSWORD = "correct-horse-battery"


class CountingHasher(MD5PasswordHasher):
    """As the tests' own hasher, and counts what it has hashed."""

    algorithm = "counting"
    hashed = 0

    def encode(self, password, salt):
        type(self).hashed += 1
        return super().encode(password, salt)


def sign_up(client, name="grace", **more):
    form = {"username": name, "password1": PASSWORD, "password2": PASSWORD, **more}
    return client.post("/account/signup/", form, follow=True)


def exists(name):
    return type(UserFactory.build()).objects.filter(username=name).exists()


@pytest.fixture
def by_invitation(settings):
    settings.SIGNUP = "invite"


@pytest.fixture
def can_mail(settings, clear_cache):  # no mail of another test counts
    settings.EMAIL_HOST = "mail.example.org"
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    settings.ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*", "password2*"]


@pytest.mark.parametrize(("mode", "words"), [("closed", "Sign-up is closed"), ("invite", "You need an invitation")])
def test_a_site_that_is_not_open_says_so_and_makes_no_account(client, settings, mode, words):
    settings.SIGNUP, settings.CONTACT_EMAIL = mode, "keeper@example.org"

    page = client.get("/account/signup/")
    assert "signs you out" not in page.content.decode()  # there is nothing yet that a password could end
    sign_up(client)

    assert words in text(page)
    assert "keeper@example.org" in text(page)
    assert faults(page) == []
    assert not exists("grace")


def test_an_invitation_opens_one_account(client, by_invitation):
    link = invitations.invite(Invitation(note="Grace"))
    path = link.removeprefix("http://127.0.0.1:8000")

    form = client.get(path, follow=True)
    assert "Create an account" in text(form)
    assert "Account: grace" in text(sign_up(client))
    assert Invitation.objects.get().used_by.username == "grace"
    again = Client()
    assert again.get(path).status_code == 410
    sign_up(again, "mallory")
    assert not exists("mallory")


def test_of_two_people_with_one_link_one_gets_the_account(by_invitation):
    path = invitations.invite(Invitation()).removeprefix("http://127.0.0.1:8000")
    first, second = Client(), Client()
    for each in (first, second):
        each.get(path)

    sign_up(first, "grace")
    answer = sign_up(second, "mallory")

    assert exists("grace")
    assert not exists("mallory")
    assert "You need an invitation" in text(answer)


def test_an_invitation_expires(client, by_invitation):
    path = invitations.invite(Invitation(), valid_for=timedelta(days=1)).removeprefix("http://127.0.0.1:8000")
    client.get(path)
    Invitation.objects.update(expires_at=timezone.now())

    page = Client().get(path)
    sign_up(client)

    assert page.status_code == 410
    assert faults(page) == []
    assert not exists("grace")


def test_an_operator_invites_by_a_command_and_only_a_digest_is_stored(capsys, can_mail):
    call_command("invite", email="grace@example.org", note="Grace")

    link = capsys.readouterr().out.strip()
    key = link.rstrip("/").rsplit("/", 1)[-1]
    [letter] = mail.outbox
    assert letter.to == ["grace@example.org"]
    assert link in letter.body
    assert key not in str(Invitation.objects.values().get())


def test_an_operator_invites_in_the_admin(client):
    root = UserFactory(username="root", is_staff=True, is_superuser=True)
    client.force_login(root)

    page = client.post("/admin/submissions/invitation/add/", {"note": "Grace", "email": ""}, follow=True)

    assert re.search(r"/account/invitation/[\w-]{40,}/", page.content.decode())
    assert Invitation.objects.get().created_by == root


def test_where_mail_can_be_sent_an_address_is_verified_before_the_first_sign_in(client, can_mail):
    assert "required" in str(sign_up(client).context["form"].errors["email"])
    answer = sign_up(client, email="grace@example.org")

    assert "_auth_user_id" not in client.session
    assert "Verify" in text(answer)
    [letter] = mail.outbox
    path = re.search(r"http://testserver(/account/confirm-email/\S+)", letter.body).group(1)
    client.post(path)
    assert EmailAddress.objects.get().verified
    client.post("/account/login/", {"login": "grace", "password": PASSWORD})
    assert "_auth_user_id" in client.session


def test_an_account_that_an_operator_made_without_an_address_may_sign_in(client, can_mail):
    UserFactory(username="root", email="")

    client.post("/account/login/", {"login": "root", "password": "factory-password"})

    assert "_auth_user_id" in client.session


def test_nobody_takes_the_name_of_a_closed_account(client):
    sign_up(client, "deleted-7")

    assert not exists("deleted-7")


def test_an_address_that_has_an_account_costs_as_many_hashes_as_a_new_one(can_mail, settings):
    """Their time would tell which it is."""
    settings.PASSWORD_HASHERS = [f"{CountingHasher.__module__}.{CountingHasher.__qualname__}"]
    verify(UserFactory(username="ada", email="ada@example.org"))
    hashes, answers = [], []
    for name, email in (("grace", "grace@example.org"), ("mallory", "ada@example.org")):
        before = CountingHasher.hashed
        answers.append(text(sign_up(Client(), name, email=email)).replace(email, "..."))
        hashes.append(CountingHasher.hashed - before)

    assert hashes == [1, 1]
    assert answers[0] == answers[1]
    assert (exists("grace"), exists("mallory")) == (True, False)
    assert [letter.to for letter in mail.outbox] == [["grace@example.org"], ["ada@example.org"]]

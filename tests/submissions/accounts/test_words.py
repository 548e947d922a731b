"""The pages of django-allauth speak as the others do: headings, labels and buttons in sentence case."""

import gettext
import re
from pathlib import Path

import pytest
from django.contrib.auth.tokens import default_token_generator
from django.test import Client
from django.utils.http import int_to_base36
from justhtml import JustHTML

from tests.factories import UserFactory

pytestmark = pytest.mark.django_db

CATALOGUE = Path(__file__).resolve().parents[3] / "benchsite" / "locale" / "en_GB" / "LC_MESSAGES"
PASSWORD = "a long pass phrase 77"
READ = ("title", "h1", "h2", "h3", "button", "label", "legend", "summary", "a")
NAMES = {
    "Benchsite",
    "API",
    "GitHub",
    "Apache-2.0",
    "AWS",
    "QR",
    "TOTP",
    "RSS",
    "Atom",
    "CSV",
    "JSON",
    "BibTeX",
    "ada",
    "I",
}
OPEN = (
    "login",
    "signup",
    "password/reset",
    "password/reset/done",
    "password/reset/key/done",
    "inactive",
    "confirm-email",
)
OWN = (
    *("", "logout", "email", "password/change", "reauthenticate", "2fa", "2fa/totp/activate", "close"),
    "clouds",
)
WITH_SECOND_FACTOR = (
    *("2fa", "2fa/totp/deactivate", "2fa/recovery-codes", "2fa/recovery-codes/generate", "2fa/reauthenticate"),
    *("reauthenticate",),
)


def in_title_case(page: str) -> list[str]:
    """What has a capital letter in the middle without being a name."""
    document = JustHTML(page, sanitize=False)
    said = [" ".join(element.to_text(separator=" ").split()) for name in READ for element in document.query(name)]
    return [
        words
        for words in said
        for sentence in re.split(r"(?:[.:?!·|,]|\S@\S+) ", words)
        if any(re.match(r"[A-Z][a-z]", word) and word not in NAMES for word in re.split(r"[ -]", sentence)[1:])
    ]


def page_of(client, path):
    response = client.get(f"/account/{path}/".replace("//", "/"))
    assert response.status_code == 200, (path, response.status_code, response.get("Location"))
    return response.content.decode()


@pytest.fixture
def ada():
    user = UserFactory(username="ada", email="ada@example.org")
    user.set_password(PASSWORD)
    user.save()
    return user


def signed_in(user) -> Client:
    client = Client()
    client.post("/account/login/", {"login": user.username, "password": PASSWORD})
    client.post("/account/reauthenticate/", {"password": PASSWORD})
    return client


def second_factor(user) -> None:
    from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
    from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret

    TOTP.activate(user, generate_totp_secret())
    RecoveryCodes.activate(user)


@pytest.mark.parametrize("path", OPEN)
def test_a_page_for_everybody_is_in_sentence_case(client, path):
    assert in_title_case(page_of(client, path)) == []


@pytest.mark.parametrize("path", OWN)
def test_a_page_of_an_account_is_in_sentence_case(ada, path):
    assert in_title_case(page_of(signed_in(ada), path)) == []


@pytest.mark.parametrize("path", WITH_SECOND_FACTOR)
def test_a_page_of_an_account_with_a_second_factor_is_in_sentence_case(ada, path):
    client = signed_in(ada)
    second_factor(ada)

    assert in_title_case(page_of(client, path)) == []


def test_the_second_step_of_signing_in_is_in_sentence_case(ada):
    second_factor(ada)

    page = page_of(signed_in(ada), "2fa/authenticate")

    assert "Two-factor authentication" in page
    assert in_title_case(page) == []


def test_links_of_emails_lead_to_pages_in_sentence_case(client, ada):
    key = f"{int_to_base36(ada.pk)}-{default_token_generator.make_token(ada)}"
    for address in (f"/account/password/reset/key/{key}/", "/account/password/reset/key/1-nothing/"):
        page = client.get(address, follow=True).content.decode()
        assert in_title_case(page) == []
    assert in_title_case(page_of(client, "confirm-email/nothing")) == []


def test_the_compiled_catalogue_is_that_of_its_source():
    source = (CATALOGUE / "django.po").read_text(encoding="utf-8")
    pairs = dict(re.findall(r'^msgid "(.+)"\nmsgstr "(.+)"$', source, re.MULTILINE))
    with (CATALOGUE / "django.mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)

    assert pairs
    assert {text: compiled.gettext(text) for text in pairs} == pairs

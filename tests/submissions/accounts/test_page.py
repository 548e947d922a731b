"""The account page: a token is shown once, and only its owner can revoke or retract."""

import json

import pytest
from justhtml import JustHTML

from submissions.models import ApiToken, Submission
from tests.documents import document
from tests.factories import SubmissionFactory, UserFactory, make_token
from tests.pages import HOSTILE, faults, links, text
from tests.queries import queries_of

pytestmark = pytest.mark.django_db

URL = "/account/"


@pytest.fixture
def ada(client):
    user = UserFactory(username="ada")
    client.force_login(user)
    return user


@pytest.mark.parametrize(
    "address", [URL, "/account/tokens/", "/account/tokens/abc/revoke/", "/account/submissions/1/retract/"]
)
def test_who_is_not_signed_in_is_led_to_the_door(client, address):
    response = client.post(address) if "tokens" in address else client.get(address)

    assert response.status_code == 302
    assert response["Location"] == f"/account/login/?next={address}"


def test_a_person_signs_up_and_lands_on_the_account(client):
    response = client.post(
        "/account/signup/",
        {"username": "grace", "password1": "correct-horse-battery", "password2": "correct-horse-battery"},
        follow=True,
    )

    assert response.redirect_chain[-1][0] == URL
    assert "Account: grace" in text(response)
    assert faults(response) == []


@pytest.mark.parametrize("address", ["/account/login/", "/account/signup/", "/account/password/reset/"])
def test_the_doors_stand_in_the_frame_of_the_site(client, address):
    response = client.get(address)

    assert response.status_code == 200
    assert 'aria-label="Main"' in response.content.decode()
    assert faults(response) == []


def test_a_new_token_is_shown_once_and_opens_the_api(client, ada):
    response = client.post("/account/tokens/", {"name": "laptop", "scopes": ["submit"]})

    token = response.context["new_token"]
    assert "no-store" in response["Cache-Control"]
    assert faults(response) == []
    shown = JustHTML(response.content.decode(), sanitize=False)
    fields = {field.attrs["id"]: field.attrs["value"] for field in shown.query("input[readonly]")}
    assert fields.pop("new-token") == token
    assert f"benchsite login http://testserver --token {token}" in fields.values()
    assert f"curl -H 'Authorization: Bearer {token}' http://testserver/api/v1/tokens/current/" in fields.values()
    buttons = {button.attrs["data-copies"] for button in shown.query("button[data-copies]")}
    assert buttons == {"new-token", *fields}
    assert token not in client.get(URL).content.decode()
    client.logout()
    answer = client.post(
        "/api/v1/submissions/",
        json.dumps(document()),
        content_type="application/json",
        HTTP_AUTHORIZATION=f"Bearer {token}",
    )
    assert answer.status_code == 201


@pytest.mark.parametrize(
    "form",
    [
        {"name": "", "scopes": ["submit"]},
        {"name": "x"},
        {"name": "x", "scopes": ["everything"]},
        {"name": "x" * 101, "scopes": ["run"]},
    ],
)
def test_a_token_without_name_or_scope_is_refused(client, ada, form):
    response = client.post("/account/tokens/", form)

    assert response.status_code == 400
    assert not ApiToken.objects.exists()
    assert faults(response) == []


def test_an_account_has_a_limited_number_of_tokens(client, ada):
    for _ in range(ApiToken.MAX_PER_ACCOUNT):
        make_token(ada)

    response = client.post("/account/tokens/", {"name": "one more", "scopes": ["submit"]})

    assert response.status_code == 400
    assert "at most 50 tokens" in text(response)
    assert ApiToken.objects.count() == 50


def test_a_token_is_revoked_by_its_owner_only(client, ada):
    make_token(ada, name="mine")
    make_token(UserFactory(), name="theirs")
    mine, theirs = ApiToken.objects.get(name="mine"), ApiToken.objects.get(name="theirs")

    assert client.post(f"/account/tokens/{theirs.token_key}/revoke/").status_code == 404
    assert client.get(f"/account/tokens/{mine.token_key}/revoke/").status_code == 405
    response = client.post(f"/account/tokens/{mine.token_key}/revoke/", follow=True)

    assert "Token “mine” revoked." in text(response)
    assert list(ApiToken.objects.all()) == [theirs]


def test_own_submissions_are_listed_with_the_retracted(client, ada):
    standing = SubmissionFactory(submitted_by=ada, title=HOSTILE)
    retracted = SubmissionFactory(submitted_by=ada, retracted_at="2020-01-01T00:00:00Z")
    SubmissionFactory()

    response = client.get(URL)

    assert [row.pk for row in response.context["page"].rows] == [retracted.pk, standing.pk]
    assert links(response, "retract") == [f"/account/submissions/{standing.pk}/retract/"]
    assert "<script>alert" not in response.content.decode()
    assert faults(response) == []


def test_an_owner_retracts_with_a_reason(client, ada):
    submission = SubmissionFactory(submitted_by=ada)
    address = f"/account/submissions/{submission.pk}/retract/"

    assert faults(client.get(address)) == []
    assert client.post(address, {"reason": " "}).status_code == 400
    assert Submission.objects.published().count() == 1
    response = client.post(address, {"reason": "The clients were throttled."}, follow=True)

    assert "Retracted on" in text(response)
    assert "The clients were throttled." in text(response)
    assert Submission.objects.published().count() == 0
    assert client.post(address, {"reason": "again"}).status_code == 404


def test_nobody_retracts_what_is_not_theirs(client, ada):
    other = SubmissionFactory()

    assert client.post(f"/account/submissions/{other.pk}/retract/", {"reason": "x"}).status_code == 404
    assert Submission.objects.published().count() == 1


def test_a_form_of_another_site_does_nothing(ada, client):
    from django.test import Client

    outsider = Client(enforce_csrf_checks=True)
    outsider.force_login(ada)

    response = outsider.post("/account/tokens/", {"name": "x", "scopes": ["submit"]})

    assert response.status_code == 403
    assert "Form expired" in text(response)
    assert not ApiToken.objects.exists()


def test_a_bad_cursor_begins_again(client, ada):
    assert client.get(URL, {"cursor": "abc"})["Location"] == URL


def test_the_page_costs_the_same_with_one_row_and_with_thirty(client, ada):
    def queries(rows):
        for _ in range(rows):
            SubmissionFactory(submitted_by=ada)
            make_token(ada)
        return queries_of(lambda: client.get(URL))

    assert queries(1) == queries(30)

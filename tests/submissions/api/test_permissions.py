"""Who may do what: tokens, scopes, sessions, rates."""

import io

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from rest_framework.throttling import SimpleRateThrottle

from submissions.models import ApiToken, Submission
from tests.documents import document
from tests.factories import SubmissionFactory, UserFactory, bearer, make_token
from tests.queries import queries_of
from tests.submissions.caller import BASE, Caller

pytestmark = pytest.mark.django_db

TOKENS = "/api/v1/tokens/"


def test_submitting_without_a_token_is_401(client, faults):
    response = client.post(BASE, document(), content_type="application/json")

    assert faults(response, 401) == {"#": "Authentication credentials were not provided."}
    assert response["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize("token", ["", "x", "0" * 64, "\xff" * 64, "a\x00b", "g" * 64, "é" * 64, "a b"])
def test_a_token_that_is_none_is_401(client, faults, token):
    assert faults(client.get(BASE, HTTP_AUTHORIZATION=f"Bearer {token}"), 401)


def test_the_digest_of_a_token_is_no_token(client, faults):
    make_token()
    digest = ApiToken.objects.get().digest

    assert faults(client.get(BASE, HTTP_AUTHORIZATION=f"Bearer {digest[:64]}"), 401)


def test_a_token_without_the_scope_is_403_but_may_read(client, faults):
    caller = Caller(client, UserFactory(), scopes=["run"])

    assert faults(caller.submit(document()), 403) == {"#": "this token lacks the scope `submit`"}
    assert client.get(BASE, **caller.headers).status_code == 200
    assert not Submission.objects.exists()


def test_a_session_may_submit_with_a_csrf_token_only(faults):
    client = Client(enforce_csrf_checks=True)
    client.force_login(UserFactory(username="ann"))
    refused = client.post(BASE, document(), content_type="application/json")
    client.cookies["csrftoken"] = secret = "a" * 32
    accepted = client.post(BASE, document(), content_type="application/json", HTTP_X_CSRFTOKEN=secret)

    assert "CSRF" in faults(refused, 403)["#"]
    assert accepted.status_code == 201
    assert Submission.objects.get().submitted_by.username == "ann"


def test_the_account_of_an_inactive_user_is_closed(client, faults):
    user = UserFactory()
    headers = bearer(user)
    user.is_active = False
    user.save()

    assert faults(client.get(BASE, **headers), 401)


def test_tokens_are_made_listed_and_revoked_on_a_session(client):
    client.force_login(UserFactory(username="ann"))
    made = client.post(TOKENS, {"name": "laptop", "scopes": ["submit"]}, content_type="application/json")
    body = made.json()
    use = {"HTTP_AUTHORIZATION": f"Bearer {body['token']}"}
    accepted = Client().post(BASE, document(), content_type="application/json", **use)
    listed = client.get(TOKENS).json()["results"]
    revoked = client.delete(f"{TOKENS}{body['id']}/")
    refused = Client().get(BASE, **use)

    assert (made.status_code, accepted.status_code, revoked.status_code, refused.status_code) == (201, 201, 204, 401)
    assert [(row["name"], row["scopes"]) for row in listed] == [("laptop", ["submit"])]
    assert all("token" not in row for row in listed)


def test_a_token_is_stored_as_a_digest_only():
    text = make_token()

    stored = ApiToken.objects.values().get()
    assert text not in str(stored)
    assert stored["token_key"] == text[:15]


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_token_cannot_make_or_list_tokens(client, faults, method):
    assert faults(getattr(client, method)(TOKENS, **bearer()), 403)


def test_tokens_of_another_account_are_out_of_reach(client, faults):
    make_token()
    client.force_login(UserFactory())
    key = ApiToken.objects.get().token_key

    faults(client.delete(f"{TOKENS}{key}/"), 404)
    assert client.get(TOKENS).json()["results"] == []


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "#/scopes"),
        ({"scopes": []}, "#/scopes"),
        ({"scopes": ["admin"]}, "#/scopes"),
        ({"scopes": "submit"}, "#/scopes"),
        ({"scopes": [["submit"]]}, "#/scopes"),
        ({"scopes": ["submit"], "name": "x" * 101}, "#/name"),
        ({"scopes": ["submit"], "name": "a\x00b"}, "#/name"),
        ([], "#"),
    ],
)
def test_a_token_that_cannot_be_is_refused(client, faults, body, pointer):
    client.force_login(UserFactory())

    assert pointer in faults(client.post(TOKENS, body, content_type="application/json"))
    assert not ApiToken.objects.exists()


def test_listing_tokens_costs_the_same_for_few_and_many(client):
    user = UserFactory()
    client.force_login(user)

    def queries(count):
        for _ in range(count):
            make_token(user)
        return queries_of(lambda: client.get(TOKENS))

    assert queries(1) == queries(30)
    assert len(client.get(TOKENS).json()["results"]) == 31


def test_the_command_prints_a_token_alone_and_makes_the_account(client):
    out, err = io.StringIO(), io.StringIO()

    call_command("create_token", "demo", scope=["submit"], stdout=out, stderr=err)

    token = out.getvalue().removesuffix("\n")
    caller = {"HTTP_AUTHORIZATION": f"Bearer {token}"}
    response = client.post(BASE, document(), content_type="application/json", **caller)
    owner = Submission.objects.get().submitted_by
    assert response.status_code == 201
    assert (owner.username, owner.has_usable_password()) == ("demo", False)
    assert "made the account demo" in err.getvalue()


def test_the_command_takes_several_scopes_and_a_name():
    call_command(
        "create_token", UserFactory().username, "--scope=submit", "--scope=run", "--name=ci", stdout=io.StringIO()
    )

    token = ApiToken.objects.get()
    assert (token.name, token.scopes, token.expiry) == ("ci", ["run", "submit"], None)


@pytest.mark.parametrize("arguments", [["de mo"], ["demo", "--scope=admin"], ["demo", "--name="]])
def test_the_command_refuses_what_cannot_be(arguments):
    with pytest.raises(CommandError):
        call_command("create_token", *arguments, stdout=io.StringIO())

    assert not ApiToken.objects.exists()


@pytest.fixture
def rates(monkeypatch, clear_cache):
    def limit(**wanted):
        for scope, rate in wanted.items():
            monkeypatch.setitem(SimpleRateThrottle.THROTTLE_RATES, scope, rate)

    return limit


def test_an_address_has_a_rate_and_learns_when_to_come_back(client, faults, rates):
    rates(anon="2/min")

    answers = [client.get(BASE) for _ in range(3)]

    assert [answer.status_code for answer in answers[:2]] == [200, 200]
    assert "throttled" in faults(answers[2], 429)["#"]
    assert 0 < int(answers[2]["Retry-After"]) <= 60


def test_another_address_has_its_own_rate(client, rates):
    rates(anon="1/min")

    statuses = [client.get(BASE, REMOTE_ADDR=f"192.0.2.{n}").status_code for n in (1, 1, 2)]

    assert statuses == [200, 429, 200]


def test_a_forwarded_address_is_not_believed_without_a_proxy_of_ours(client, rates):
    rates(anon="1/min")

    statuses = [client.get(BASE, HTTP_X_FORWARDED_FOR=f"192.0.2.{n}").status_code for n in (1, 2)]

    assert statuses == [200, 429]


def test_uploads_have_a_rate_of_their_own(client, rates):
    rates(upload="1/min")
    caller = Caller(client, UserFactory())

    first, second = caller.submit(document()), caller.submit(document())

    assert (first.status_code, second.status_code) == (201, 429)
    assert client.get(BASE, **caller.headers).status_code == 200


def test_the_owner_retracts_and_others_may_not(client, faults):
    owner = UserFactory()
    submission = SubmissionFactory(submitted_by=owner)
    path = f"{BASE}{submission.pk}/retract/"

    refused = Caller(client, UserFactory()).post(path, {"reason": "not mine"})
    without_reason = Caller(client, owner).post(path, {"reason": " "})
    retracted = Caller(client, owner).post(path, {"reason": "the disks were throttled"})

    assert faults(refused, 403) == {"#": "only the account that submitted it may retract it"}
    assert list(faults(without_reason)) == ["#/reason"]
    assert (retracted.status_code, retracted.json()["retraction_reason"]) == (200, "the disks were throttled")
    assert client.get(BASE).json()["results"] == []


def test_an_unknown_address_below_the_api_is_a_problem(client, faults):
    faults(client.get("/api/v1/leaderbord/"), 404)

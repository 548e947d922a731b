"""Follows in the API: what is refused and why, what is shown once, and that nobody sees another one's."""

import pytest

from submissions.follows import manage
from submissions.models import Follow
from tests.factories import SubmissionFactory, UserFactory, bearer, verify
from tests.submissions.follows.histories import before

pytestmark = pytest.mark.django_db

URL = "/api/v1/follows/"
HOOK = "https://hooks.example.org/x?token=geheim"


@pytest.fixture
def row():
    return before()[0]


@pytest.fixture
def wish(row):
    return {"workload": row.workload.fingerprint, "feed": True}


def test_a_follow_begins_and_ends_and_its_secrets_are_shown_once(caller, wish, settings):
    settings.SITE_URL = "https://bench.example.org"
    made = caller.post(URL, {**wish, "webhook_url": HOOK, "quiet_after_days": 8, "filters": {"provider": ["aws"]}})

    body = made.json()
    assert made.status_code == 201
    assert len(body["webhook_secret"]) == 64
    assert (body["webhook_host"], body["filters"], body["state"]) == (
        "hooks.example.org", {"provider": ["aws"]}, "active",
    )  # fmt: skip
    listed = caller.client.get(URL, **caller.headers).json()["results"]
    assert [one["id"] for one in listed] == [body["id"]]
    assert "webhook_secret" not in listed[0]
    assert "geheim" not in made.content.decode()
    assert caller.client.delete(f"{URL}{body['id']}/", **caller.headers).status_code == 204
    assert not Follow.objects.exists()


@pytest.mark.parametrize(
    ("change", "pointer", "word"),
    [
        ({"workload": "nope"}, "#/workload", "no such workload"),
        ({"cluster": "ffffffffffff"}, "#/cluster", "no dated result"),
        ({"filters": {"jdk_version": ["17"]}}, "#/filters/jdk_version", "cannot narrow a history"),
        ({"filters": {"network_kind": ["odd"]}}, "#/filters/network_kind", "must be one of"),
        ({"feed": False}, "#", "choose at least one"),
        ({"email": True}, "#/email", "sends no mail"),
        ({"webhook_url": "http://hooks.example.org/"}, "#/webhook_url", "must be an https:// URL"),
        ({"webhook_url": "https://169.254.169.254/"}, "#/webhook_url", "is not a public address"),
        ({"threshold_percent": 0}, "#/threshold_percent", "greater than or equal to 0.1"),
        ({"quiet_after_days": 0}, "#/quiet_after_days", "greater than or equal to 1"),
        ({"quiet_days": 8}, "#/quiet_days", "unknown field"),
        ({"webhook_secret": "x"}, "#/webhook_secret", "unknown field"),
    ],
)
def test_a_bad_wish_names_the_field_and_the_reason(caller, wish, faults, change, pointer, word):
    assert word in faults(caller.post(URL, {**wish, **change}))[pointer]


@pytest.mark.parametrize("body", [[], "x", None, {"workload": {"a": 1}}, {"workload": "\x00", "feed": True}])
def test_an_odd_body_is_refused(caller, row, body):
    assert caller.post(URL, body).status_code == 400


def test_without_an_account_there_is_nothing_to_see_and_a_token_needs_its_scope(client, wish):
    assert client.get(URL).status_code == 401
    assert client.post(URL, wish, content_type="application/json").status_code == 401
    other = bearer(scopes=("run",))
    assert client.post(URL, wish, content_type="application/json", **other).status_code == 403


def test_nobody_sees_or_ends_the_follow_of_another(caller, client, row):
    follow = manage.begin(UserFactory(), manage.Wish(row.workload.fingerprint, has_feed=True))
    address = f"{URL}{follow.pk}/"

    assert caller.client.get(URL, **caller.headers).json()["results"] == []
    assert caller.client.get(address, **caller.headers).status_code == 404
    assert caller.client.delete(address, **caller.headers).status_code == 404
    assert Follow.objects.exists()


def test_the_same_twice_and_more_than_an_account_may_are_refused(caller, wish, faults, row, monkeypatch):
    assert caller.post(URL, wish).status_code == 201
    assert faults(caller.post(URL, wish)) == {"#": "you follow this already"}
    monkeypatch.setattr(Follow, "MOST_PER_ACCOUNT", 1)
    assert "at most 1 histories" in faults(caller.post(URL, {**wish, "filters": {"provider": ["aws"]}}))["#"]


def test_a_workload_of_which_nothing_is_public_cannot_be_followed(caller, faults):
    private = SubmissionFactory(visibility="private")

    answer = caller.post(URL, {"workload": private.workload.fingerprint, "feed": True})

    assert faults(answer)["#/workload"] == "there is no such workload"


def test_mails_need_a_verified_address(caller, wish, faults, settings):
    settings.EMAIL_HOST = "mail.example.org"
    assert "no verified email address" in faults(caller.post(URL, {**wish, "email": True}))["#/email"]
    verify(caller.user)
    assert caller.post(URL, {**wish, "email": True}).status_code == 201


def test_a_closed_account_follows_nothing(row):
    from submissions.accounts.closing import close

    user = UserFactory()
    manage.begin(user, manage.Wish(row.workload.fingerprint, has_feed=True))
    close(user)

    assert not Follow.objects.exists()

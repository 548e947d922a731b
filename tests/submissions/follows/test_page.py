"""The pages of follows: what is followed, where notices go, and what nobody is shown twice."""

from datetime import timedelta

import pytest
from django.utils import timezone

from submissions.follows import manage, notices
from submissions.models import Follow, Submission
from submissions.records.lines import line_of
from tests.factories import SubmissionFactory, UserFactory
from tests.pages import faults, links, text
from tests.queries import queries_of
from tests.submissions.follows.histories import before, begin, look, worse

pytestmark = pytest.mark.django_db

LIST = "/account/follows/"
NEW = "/account/follows/new/"


@pytest.fixture
def row():
    return before()[0]


@pytest.fixture
def member(client):
    user = UserFactory(username="ada")
    client.force_login(user)
    return user


def test_the_history_leads_to_a_form_that_knows_the_cluster(client, member, row):
    [address] = links(client.get("/history/", {"like": row.pk}), "^/account/follows/new/")
    page = client.get(address)

    assert faults(page) == []
    assert page.context["form"]["cluster"].value() == line_of(row).token
    assert "Not available: this site sends no mail" in text(page)
    made = client.post(address, {"cluster": line_of(row).token, "has_feed": "on", "quiet_after_days": "8"})
    assert faults(made) == []
    follow = Follow.objects.get()
    assert (follow.cluster, follow.quiet_after_days, follow.user) == (line_of(row).token, 8, member)


def test_workload_and_result_lead_there_too(client, member, row):
    addresses = [
        *links(client.get(f"/workloads/{row.workload.fingerprint}/"), "^/account/follows/new/"),
        *links(client.get(row.get_absolute_url()), "^/account/follows/new/"),
    ]

    assert len(addresses) == 2
    assert [client.get(address).status_code for address in addresses] == [200, 200]


def test_the_secret_of_a_webhook_is_shown_once_and_its_address_never(client, member, row):
    address = f"{NEW}?workload={row.workload.fingerprint}"
    made = client.post(address, {"webhook_url": "https://hooks.example.org/x?token=geheim"})
    secret = made.context["secret"]
    again = client.get(LIST)

    assert secret in text(made)
    assert "no-store" in made["Cache-Control"]
    assert secret not in text(again)
    assert "webhook at hooks.example.org" in text(again)
    assert "geheim" not in made.content.decode() + again.content.decode()


def test_what_is_wrong_is_at_its_field(client, member, row):
    address = f"{NEW}?workload={row.workload.fingerprint}"
    bad = client.post(address, {"webhook_url": "https://10.0.0.1/"})
    none = client.post(address, {})

    assert (bad.status_code, bad.context["form"].errors) == (400, {"webhook_url": ["Is not a public address."]})
    assert none.context["form"].errors == {"__all__": ["Choose at least one of email, webhook and feed."]}


def test_what_does_not_exist_or_is_private_cannot_be_followed(client, member):
    private = SubmissionFactory(visibility="private")
    for query in (f"?like={private.pk}", f"?workload={private.workload.fingerprint}", "?like=x", "?workload=nope", ""):
        assert client.get(NEW + query).status_code == 404, query


def test_nobody_comes_here_without_signing_in(client, row):
    for address in (LIST, f"{NEW}?like={row.pk}"):
        assert client.get(address)["Location"].startswith("/account/login/")


def test_a_follow_is_paused_resumed_and_ended_by_its_owner_alone(client, member, row):
    follow = manage.begin(member, manage.Wish(row.workload.fingerprint, has_feed=True))
    address = f"{LIST}{follow.pk}/"
    for action, state in (("pause", "paused"), ("resume", "active")):
        client.post(address, {"action": action})
        assert state in text(client.get(LIST))
    assert client.post(address, {"action": "odd"}).status_code == 404

    stranger = UserFactory()
    client.force_login(stranger)
    assert client.post(address, {"action": "end"}).status_code == 404
    client.force_login(member)
    client.post(address, {"action": "end"})
    assert not Follow.objects.exists()


def test_the_list_has_the_last_notice_and_none_of_it_when_its_result_is_private_again(
    client, member, row, sends, django_capture_on_commit_callbacks
):
    follow = begin(row, member, by_email=False, has_feed=True)
    after = worse()
    look(row, django_capture_on_commit_callbacks)

    page = client.get(LIST)
    assert faults(page) == []
    assert "worse since" in text(page)
    assert links(page, "^/history/changes/") == [f"/history/changes/{after[0].pk}/latency_p99_ms/"]
    Submission.objects.filter(pk=after[0].pk).update(visibility="private", published_at=None)
    assert "worse since" not in text(client.get(LIST))
    assert "withdrawn since" in text(client.get(LIST))
    assert "worse since" not in client.get(f"/follows/{follow.feed_key}/feed.atom").content.decode()


def test_the_list_asks_the_database_no_more_often_for_more_follows(client, member, row):
    before(provider="gce")

    def queries(provider):
        wish = manage.Wish(row.workload.fingerprint, filters={"provider": [provider]}, has_feed=True)
        manage.begin(member, wish)
        return queries_of(lambda: client.get(LIST))

    assert queries("aws") == queries("gce")


def test_a_workload_that_is_no_longer_public_is_not_named(client, member):
    only = SubmissionFactory()
    manage.begin(member, manage.Wish(only.workload.fingerprint, has_feed=True, quiet_after_days=1))
    Submission.objects.filter(pk=only.pk).update(visibility="private", published_at=None)
    Follow.objects.update(since=timezone.now() - timedelta(days=9))

    assert only.workload.title not in text(client.get(LIST))
    assert notices.notify_quiet() == 0

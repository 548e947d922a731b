"""The page of one change: its figures, an acknowledgement that is one's own, comments that are everybody's."""

import pytest
from django.contrib.auth.models import Permission

from submissions.follows import detect
from submissions.ingest.changes.retract import retract
from submissions.models import Acknowledgement, ChangeComment, LevelChange
from tests.factories import UserFactory
from tests.pages import HOSTILE, faults, links, text
from tests.submissions.follows.histories import before, worse

pytestmark = pytest.mark.django_db


@pytest.fixture
def after():
    before()
    return worse()


@pytest.fixture
def address(after):
    return f"/history/changes/{after[0].pk}/latency_p99_ms/"


@pytest.fixture
def member(client):
    user = UserFactory(username="ada")
    client.force_login(user)
    return user


def test_the_history_leads_to_its_changes_and_reading_stores_nothing(client, after, address):
    assert links(client.get("/history/", {"like": after[0].pk}), "^/history/changes/") == [address]
    page = client.get(address)

    assert faults(page) == []
    assert "% worse since" in text(page)
    assert not LevelChange.objects.exists()


def test_who_is_not_signed_in_is_led_there_and_writes_nothing(client, address):
    assert "Sign in to comment" in text(client.get(address))
    assert client.post(address, {"action": "comment", "text": "x"})["Location"].startswith("/account/login/")
    assert not LevelChange.objects.exists()


def test_an_acknowledgement_is_ones_own_and_can_be_taken_back(client, member, address):
    client.post(address, {"action": "acknowledge"})
    client.post(address, {"action": "acknowledge"})
    assert "You have acknowledged this change" in text(client.get(address))
    client.force_login(UserFactory())
    assert "You have acknowledged" not in text(client.get(address))
    client.force_login(member)
    client.post(address, {"action": "forget"})
    assert not Acknowledgement.objects.exists()


def test_a_comment_is_public_escaped_and_without_secrets(client, member, address):
    said = f"{HOSTILE} new kernel, -pw user=me password=hunter2-long-enough"
    client.post(address, {"action": "comment", "text": said})
    client.logout()
    page = client.get(address)

    assert faults(page) == []
    assert "new kernel" in text(page)
    assert "hunter2" not in page.content.decode()
    assert "<script>alert(1)" not in page.content.decode()


def test_an_empty_or_endless_comment_and_too_many_are_refused(client, member, address, monkeypatch):
    for words in ("", "x" * 2001):
        assert client.post(address, {"action": "comment", "text": words}).status_code == 400
    monkeypatch.setattr(ChangeComment, "MOST_A_DAY", 1)
    assert client.post(address, {"action": "comment", "text": "one"}).status_code == 302
    assert client.post(address, {"action": "comment", "text": "two"}).status_code == 429


def test_its_author_and_moderators_remove_a_comment_and_nobody_else(client, member, address):
    client.post(address, {"action": "comment", "text": "a new kernel"})
    comment = ChangeComment.objects.get()
    hide = {"action": "hide", "comment": comment.pk}
    client.force_login(UserFactory())
    client.post(address, hide)
    assert "a new kernel" in text(client.get(address))

    moderator = UserFactory()
    moderator.user_permissions.add(Permission.objects.get(codename="change_submission"))
    client.force_login(moderator)
    client.post(address, hide)
    assert "a new kernel" not in text(client.get(address))


def test_comments_of_a_closed_account_are_gone(client, member, address):
    client.post(address, {"action": "comment", "text": "a new kernel"})
    member.is_active = False
    member.save()

    assert "a new kernel" not in text(client.get(address))


def test_where_more_results_move_the_change_its_comments_move_along(client, member, after, address):
    client.post(address, {"action": "comment", "text": "a new kernel"})
    LevelChange.objects.update(after=after[2], at=after[2].measured_at, first_after=after[2].pk)
    detect.check_workload(after[0].workload_id)  # nobody follows it, and still it is known

    change = LevelChange.objects.get()
    assert (change.after, change.first_after) == (after[0], after[2].pk)
    assert "a new kernel" in text(client.get(f"/history/changes/{after[2].pk}/latency_p99_ms/"))


def test_a_result_without_a_change_or_retracted_has_no_such_page(client, after, address):
    assert client.get(f"/history/changes/{after[4].pk}/latency_p99_ms/").status_code == 404
    assert client.get(f"/history/changes/{after[0].pk}/throughput_ops_s/").status_code == 404
    assert client.get(f"/history/changes/{after[0].pk}/odd/").status_code == 404
    for row in after:
        retract(row, reason="a wrong disk")
    assert client.get(address).status_code == 404

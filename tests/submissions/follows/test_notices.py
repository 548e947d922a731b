"""A follower hears of a change once, by each channel that was chosen, and of a silence once."""

import hashlib
import hmac
import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.core import mail
from django.db import connection
from django.utils import timezone

from benchsite.http.refusals import Refusal
from benchsite.notifications.webhook import signature_headers
from submissions.follows import addresses, deliver, detect, manage, notices
from submissions.ingest.changes.retract import retract
from submissions.models import LevelChange, Notice, Submission
from tests.factories import UserFactory, verify
from tests.runners.receivers import receiver
from tests.submissions.follows.histories import before, begin, look, measure, worse

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def mails(sends):
    return sends


@pytest.fixture
def later(monkeypatch):
    """A function: from now on it is so many days later."""
    true_now = timezone.now

    def shift(days):
        monkeypatch.setattr(timezone, "now", lambda: true_now() + timedelta(days=days))

    return shift


def test_a_change_is_one_mail_and_one_signed_call_and_none_the_next_time(django_capture_on_commit_callbacks):
    first = before()[0]
    with receiver() as taker:
        follow = begin(first, webhook_url=taker.url())
        worse()
        assert [look(first, django_capture_on_commit_callbacks) for _ in range(3)] == [1, 0, 0]

    change = LevelChange.objects.get()
    [letter] = mail.outbox
    sentence = letter.body.splitlines()[0]
    assert letter.to == [follow.user.email]
    assert sentence == (
        "p99 service time of nightly on 3× m3.2xlarge · AWS us-east-1, local-ssd, 1 client, native network, 200 threads"
        f" got {change.percent:.0f} % worse since {change.at:%Y-%m-%d} (8.1 ms → 9.1 ms, 10 results each)."
    )
    assert letter.subject == sentence.removesuffix(".")
    assert f"https://bench.example.org/history/?workload={first.workload.fingerprint}" in letter.body
    assert f"#p99-{change.after_id}" in letter.body
    [body] = taker.bodies
    assert body["sentences"] == [sentence]
    assert (body["changes"][0]["verdict"], body["changes"][0]["percent"]) == ("worse", change.percent)


def test_the_signature_of_a_call_proves_who_sent_it():
    headers = signature_headers("secret", b'{"a": 1}', 1700000000)
    expected = hmac.new(b"secret", b'1700000000.{"a": 1}', hashlib.sha256).hexdigest()

    assert headers == {"X-Benchsite-Timestamp": "1700000000", "X-Benchsite-Signature": f"sha256={expected}"}


def test_changes_within_an_hour_come_together_later(django_capture_on_commit_callbacks, later):
    first = before()[0]
    before(provider="gce")
    begin(first)
    worse()
    look(first, django_capture_on_commit_callbacks)
    worse(provider="gce")
    worse(region="eu-west-1")
    assert look(first, django_capture_on_commit_callbacks) == 0

    later(days=0.1)
    assert look(first, django_capture_on_commit_callbacks) == 1
    assert len(mail.outbox) == 2
    assert "Google Cloud" in mail.outbox[1].subject


def test_of_an_import_of_many_results_comes_one_mail(django_capture_on_commit_callbacks):
    first = before()[0]
    for provider in ("gce", "azure"):
        before(provider=provider)
    begin(first)
    for provider in ("aws", "gce", "azure"):
        worse(provider=provider)
    look(first, django_capture_on_commit_callbacks)

    [letter] = mail.outbox
    assert letter.subject.endswith(", and 2 more changes")
    assert letter.body.count("12 % worse") + letter.body.count("11 % worse") == 3


def test_a_change_that_was_withdrawn_before_it_was_sent_is_not_sent(django_capture_on_commit_callbacks):
    first = before()[0]
    begin(first)
    after = worse()
    detect.check_workload(first.workload_id)
    for row in after:
        retract(row, reason="a wrong disk")

    assert look(first, django_capture_on_commit_callbacks) == 0
    assert mail.outbox == []


def test_what_two_workers_send_is_sent_once(django_capture_on_commit_callbacks):
    first = before()[0]
    begin(first)
    worse()
    look(first, django_capture_on_commit_callbacks)
    notice = Notice.objects.get()

    for _ in range(2):
        deliver.mail_notice.apply(args=[notice.pk])

    assert (len(mail.outbox), Notice.objects.get().mail) == (1, "sent")


@pytest.mark.django_db(transaction=True)
def test_of_two_workers_at_once_one_writes_the_notice():
    first = before()[0]
    begin(first)
    worse()
    detect.check_workload(first.workload_id)

    def notify(_):
        try:
            return notices.notify_pending()
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as workers:
        written = list(workers.map(notify, range(2)))

    assert (sorted(written), Notice.objects.count(), len(mail.outbox)) == ([0, 1], 1, 1)


def test_silence_is_notified_once_until_a_result_comes(django_capture_on_commit_callbacks, later):
    row = measure([8.0], first_day=1)[0]
    follow = begin(row, quiet_after_days=8)
    ended = Submission.objects.get(pk=row.pk).published_at

    def check():
        with django_capture_on_commit_callbacks(execute=True):
            return notices.notify_quiet()

    later(days=7.5)
    assert check() == 0
    later(days=8.1)
    assert [check(), check()] == [1, 0]
    [letter] = mail.outbox
    assert letter.subject == (
        f"No new result of {row.workload.title} · all clusters for 9 days: the last one came on {ended:%Y-%m-%d}"
    )
    measure([8.0], first_day=0)
    assert check() == 0
    later(days=20)
    assert check() == 1
    assert follow.notices.count() == 2


def test_a_receiver_that_always_fails_leaves_a_failing_follow(django_capture_on_commit_callbacks):
    first = before()[0]
    with receiver([500]) as taker:
        follow = begin(first, webhook_url=taker.url())
        worse()
        look(first, django_capture_on_commit_callbacks)
        assert len(taker.seen) == 5

    follow.refresh_from_db()
    assert follow.failure == "the webhook was not delivered: the receiver answered with status 500 (5 attempts)"
    assert (follow.failing_since is None, Notice.objects.get().webhook) == (False, "failed")


def test_an_address_of_our_own_network_is_neither_taken_nor_called(sends, django_capture_on_commit_callbacks):
    first = before()[0]
    with receiver() as taker:
        follow = begin(first, webhook_url=taker.url(scheme="https", name="127.0.0.1"))
        sends.WEBHOOK_PRIVATE = False
        worse()
        look(first, django_capture_on_commit_callbacks)
        assert taker.seen == []
        with pytest.raises(Refusal, match="is not a public address"):
            begin(first, verify(UserFactory()), webhook_url=taker.url(scheme="https", name="127.0.0.1"))

    follow.refresh_from_db()
    assert follow.failure == "the webhook was not called: its URL is not a public address"


def test_a_mail_names_the_address_that_ends_the_mails_in_one_click(client, django_capture_on_commit_callbacks):
    first = before()[0]
    follow = begin(first, has_feed=True)
    worse()
    look(first, django_capture_on_commit_callbacks)

    [letter] = mail.outbox
    address = letter.extra_headers["List-Unsubscribe"].strip("<>").removeprefix("https://bench.example.org")
    assert letter.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert client.get(address).status_code == 200  # programs open links
    follow.refresh_from_db()
    assert follow.by_email
    assert client.post(address, {"List-Unsubscribe": "One-Click"}).status_code == 200
    follow.refresh_from_db()
    assert not follow.by_email
    assert client.post(f"{address[:-3]}x/").status_code == 410


def test_who_pauses_hears_nothing_of_what_happens_meanwhile(django_capture_on_commit_callbacks):
    first = before()[0]
    follow = begin(first)
    manage.pause(follow)
    worse(published=timezone.now() - timedelta(minutes=1))
    assert look(first, django_capture_on_commit_callbacks) == 0
    manage.resume(follow)

    assert look(first, django_capture_on_commit_callbacks) == 0
    assert mail.outbox == []


def test_a_closed_account_hears_nothing(django_capture_on_commit_callbacks):
    first = before()[0]
    follow = begin(first)
    worse()
    follow.user.is_active = False
    follow.user.save()

    assert look(first, django_capture_on_commit_callbacks) == 0


def test_the_content_of_a_call_has_no_secret(django_capture_on_commit_callbacks):
    first = before()[0]
    with receiver() as taker:
        follow = begin(first, webhook_url=taker.url("/hook?token=geheim"), has_feed=True)
        worse()
        look(first, django_capture_on_commit_callbacks)

    said = json.dumps(taker.bodies) + mail.outbox[0].body
    assert "geheim" not in said
    assert addresses.webhook_secret(follow) not in said
    assert follow.feed_key not in said

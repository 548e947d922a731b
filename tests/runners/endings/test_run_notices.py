"""The end of a run is told to whoever asked for it, once it is committed, and never matters to the run."""

from datetime import UTC, datetime

import pytest
from django.core import mail
from django.urls import reverse

from runners import lifecycle
from runners.choices import EndReason
from runners.models import Run
from tests.factories import UserFactory, bearer, verify
from tests.lab.waiting import wait_for
from tests.runners.fake_runs import PLAN
from tests.runners.receivers import receiver
from tests.runners.views.test_pages import form_data

pytestmark = pytest.mark.django_db
HOOK = "https://hooks.example.org/benchsite"


@pytest.fixture
def site(make_run, settings):
    settings.RUNS_NEED_PERMISSION = False
    settings.WEBHOOK_PRIVATE = True
    settings.SITE_URL = "https://bench.example.org"
    return make_run


@pytest.fixture
def ended(site):
    """A function: a run that has ended, whose notice is still to be sent."""

    def make(**changes):
        run = site()
        verify(run.owner)
        Run.objects.filter(pk=run.pk).update(**changes)
        run.refresh_from_db()
        lifecycle.end(run, EndReason.NO_CAPACITY, "no m5.xlarge in us-east-1a")
        return run

    return make


def notes(run):
    return list(run.events.filter(kind="note").values_list("message", flat=True))


def test_a_webhook_is_told_what_came_of_the_run(site, drive):
    from runners.endings.run_notices import post_end

    with receiver() as taker:
        run = drive(site())
        Run.objects.filter(pk=run.pk).update(
            notify_url=taker.url(), ended_at=datetime(2026, 11, 20, 8, tzinfo=UTC), receipt={"total_usd": "0.123"}
        )
        post_end.apply(args=[run.pk])

    assert taker.bodies == [
        {
            "run": run.pk,
            "url": f"https://bench.example.org/runs/{run.pk}/",
            "title": "Apache Cassandra on 3× m5.xlarge · fake us-east-1: cassandra-stress write",
            "status": "succeeded",
            "end_reason": "completed",
            "ended_at": "2026-11-20T08:00:00+00:00",
            "submission_url": f"https://bench.example.org{run.submission.get_absolute_url()}",
            "blocked_since": None,
            "total_usd": "0.123",
        }
    ]
    assert notes(run)[-1] == "the webhook was delivered: status 204"


def test_an_unknown_total_is_null_and_a_run_without_machines_costs_nothing(ended):
    from runners.endings.run_notices import content_of

    unknown, never = ended(receipt={"total_usd": None}), ended()

    assert (content_of(unknown)["total_usd"], content_of(never)["total_usd"]) == (None, "0")


def test_the_owner_gets_one_mail(ended):
    from runners.endings.run_notices import mail_end

    run = ended(notify_email=True)
    mail_end.apply(args=[run.pk])

    [letter] = mail.outbox
    assert letter.to == [run.owner.email]
    title = "Apache Cassandra on 3× m5.xlarge · fake us-east-1: cassandra-stress write"
    assert letter.subject == f"Run {run.pk} failed: {title}"
    assert letter.body == (
        f"{title}\n"
        "\n"
        "The run failed (no capacity).\n"
        "no m5.xlarge in us-east-1a\n"
        "Cost of its machines: 0 USD\n"
        f"Run: https://bench.example.org/runs/{run.pk}/\n"
    )
    assert notes(run) == ["an email was sent"]


def test_an_address_that_nobody_confirmed_gets_no_mail(ended):
    from runners.endings.run_notices import mail_end

    run = ended(notify_email=True)
    run.owner.emailaddress_set.update(verified=False)
    mail_end.apply(args=[run.pk])

    assert mail.outbox == []
    assert notes(run) == ["no email was sent: the account no longer has a verified address"]


def test_both_are_sent_after_the_commit_and_not_before(ended, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks() as waiting:
        ended(notify_email=True, notify_url=HOOK)

    assert (len(waiting), mail.outbox) == (2, [])


def test_who_asked_for_nothing_is_told_nothing(ended, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks() as waiting:
        ended()

    assert waiting == []


def test_a_plan_that_was_never_started_ends_in_silence(site, django_capture_on_commit_callbacks):
    run = Run.objects.create(
        owner=UserFactory(), provider="fake", plan=PLAN, max_usd=1, tag="planned", notify_email=True
    )

    with django_capture_on_commit_callbacks() as waiting:
        lifecycle.request_cancel(run)

    assert (run.status, waiting) == ("cancelled", [])


def test_a_receiver_that_fails_at_first_is_asked_again(ended):
    from runners.endings.run_notices import post_end

    with receiver([503, 503, 200]) as taker:
        run = ended(notify_url=taker.url())
        post_end.apply(args=[run.pk])

        assert len(taker.seen) == 3
    assert notes(run) == ["the webhook was delivered: status 200"]


def test_a_receiver_that_always_fails_is_given_up_and_the_run_stays_as_it_ended(ended):
    from runners.endings.run_notices import post_end

    with receiver([500]) as taker:
        run = ended(notify_url=taker.url())
        post_end.apply(args=[run.pk])

        assert len(taker.seen) == 5
    run.refresh_from_db()
    assert (run.status, run.end_reason) == ("failed", "no_capacity")
    assert notes(run) == ["the webhook was not delivered: the receiver answered with status 500 (5 attempts)"]


def test_the_pauses_between_the_attempts_grow(ended):
    from celery.exceptions import Retry

    from runners.endings.run_notices import post_end

    with receiver([500]) as taker:
        run = ended(notify_url=taker.url())
        asked = []
        for retries in range(4):
            post_end.push_request(retries=retries, called_directly=False, is_eager=True, args=[run.pk], kwargs={})
            try:
                with pytest.raises(Retry) as caught:
                    post_end.run(run.pk)
                asked.append(caught.value.when)
            finally:
                post_end.pop_request()

    assert asked == [60, 120, 240, 480]


def test_an_address_of_our_own_network_is_never_called(ended, settings):
    from runners.endings.run_notices import post_end

    settings.WEBHOOK_PRIVATE = False
    with receiver() as taker:
        run = ended(notify_url=taker.url(scheme="https"))
        post_end.apply(args=[run.pk])

        assert taker.seen == []
    assert notes(run) == ["the webhook was not called: its URL is not a public address"]


def test_a_mail_server_that_is_away_is_asked_again_and_given_up(ended, settings):
    from runners.endings.run_notices import mail_end

    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    run = ended(notify_email=True)
    mail_end.apply(args=[run.pk])

    run.refresh_from_db()
    assert run.status == "failed"
    assert notes(run) == ["the email could not be sent: ConnectionRefusedError (5 attempts)"]


@pytest.mark.django_db(transaction=True)
def test_a_worker_sends_it_when_the_run_ends(site, celery_worker, settings):
    with receiver() as taker:
        run = site()
        Run.objects.filter(pk=run.pk).update(notify_url=taker.url())
        run.refresh_from_db()
        lifecycle.end(run, EndReason.CANCELLED_BY_USER)

        wait_for(lambda: notes(run), "the note of the delivery", seconds=20)

    assert [(body["status"], body["end_reason"]) for body in taker.bodies] == [("cancelled", "cancelled_by_user")]
    assert notes(run) == ["the webhook was delivered: status 204"]


@pytest.mark.django_db(transaction=True)
def test_a_broker_that_is_away_does_not_keep_a_run_from_ending(site, monkeypatch):
    from runners.endings.run_notices import post_end

    def away(*_):
        raise ConnectionError("no broker")

    monkeypatch.setattr(post_end, "delay", away)
    run = site()
    Run.objects.filter(pk=run.pk).update(notify_url=HOOK)
    run.refresh_from_db()
    lifecycle.end(run, EndReason.CANCELLED_BY_USER)

    assert Run.objects.get(pk=run.pk).status == "cancelled"


def test_the_form_takes_both_beside_the_plan(site, client):
    client.force_login(verify(UserFactory()))
    client.post(reverse("runners:new"), form_data(notify_email="on", notify_url=HOOK))

    run = Run.objects.get()
    assert (run.notify_email, run.notify_url) == (True, HOOK)
    assert "notify" not in run.plan


def test_the_form_says_at_the_field_what_is_wrong(site, client, settings):
    settings.WEBHOOK_PRIVATE = False
    client.force_login(UserFactory())

    bad_address = client.post(reverse("runners:new"), form_data(notify_url="https://10.0.0.1/"))
    no_mail = client.post(reverse("runners:new"), form_data(notify_email="on"))

    fields = [dict(answer.context["groups"])["Notifications"] for answer in (bad_address, no_mail)]
    assert [[list(field.errors) for field in group] for group in fields] == [
        [[], ["is not a public address"]],
        [["your account has no verified email address"], []],
    ]
    assert not Run.objects.exists()


def test_the_api_takes_notify_beside_the_plan(site, client):
    body = {**PLAN, "notify": {"email": True, "url": HOOK}}
    owner = verify(UserFactory())
    answer = client.post("/api/v1/runs/", body, content_type="application/json", **bearer(owner, scopes=["run"]))

    run = Run.objects.get()
    assert answer.status_code == 201
    assert (run.notify_email, run.notify_url) == (True, HOOK)
    assert "notify" not in run.plan


@pytest.mark.parametrize(
    ("notify", "pointer"),
    [
        ({"url": "https://127.0.0.1/"}, "#/notify/url"),
        ({"url": 7}, "#/notify/url"),
        ({"url": f"https://a.example.org/{'x' * 500}"}, "#/notify/url"),
        ({"email": "jane@example.org"}, "#/notify/email"),
        ({"mail": True}, "#/notify/mail"),
        ("me", "#/notify"),
    ],
)
def test_the_api_says_where_notify_is_wrong(site, client, settings, notify, pointer):
    settings.WEBHOOK_PRIVATE = False
    body = {**PLAN, "notify": notify}
    answer = client.post("/api/v1/runs/", body, content_type="application/json", **bearer(scopes=["run"]))

    assert (answer.status_code, [fault["pointer"] for fault in answer.json()["errors"]]) == (400, [pointer])
    assert not Run.objects.exists()

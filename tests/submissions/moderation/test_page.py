"""The queue is for moderators; the log is for everyone, and names nobody."""

import pytest
from django.contrib.auth.models import Permission

from submissions.choices import Outcome, Visibility
from submissions.models import ModerationDecision, Report, Submission
from submissions.moderation.bans import ban
from submissions.moderation.decisions import decide
from tests.factories import SubmissionFactory, UserFactory
from tests.pages import HOSTILE, faults, text

pytestmark = pytest.mark.django_db


@pytest.fixture
def moderator():
    user = UserFactory(username="grace-the-moderator")
    user.user_permissions.add(Permission.objects.get(codename="change_submission"))
    return user


def queue_addresses(submission):
    account = submission.submitted_by_id
    return (
        "/moderation/queue/",
        f"/moderation/submissions/{submission.pk}/",
        f"/moderation/accounts/{account}/",
    )


def test_the_pages_of_moderators_are_for_moderators(client):
    submission = SubmissionFactory()
    for path in queue_addresses(submission):
        assert client.get(path).url.startswith("/account/login/")
    client.force_login(UserFactory(is_staff=True))  # an operator without the permission
    for path in queue_addresses(submission):
        assert client.get(path).status_code == 403
        assert client.post(path, {"outcome": "hidden", "reason": "x"}).status_code in (403, 405)
    assert not ModerationDecision.objects.exists()


def test_the_queue_has_reported_flagged_and_new_ones(client, moderator):
    fine, retracted = SubmissionFactory(title="fine"), SubmissionFactory(title="retracted", flags=["stated_price_off"])
    Submission.objects.filter(pk=retracted.pk).update(retracted_at=retracted.created_at, retraction_reason="x")
    reported = SubmissionFactory(title=HOSTILE)
    Report.objects.create(submission=reported, reason="spam", text=HOSTILE)
    flagged = SubmissionFactory(title="flagged", flags=["rate_implausible"])
    newcomer = SubmissionFactory(title="newcomer", unranked_until="2999-01-01T00:00:00Z")
    SubmissionFactory(title="secret", unranked_until="2999-01-01T00:00:00Z", visibility=Visibility.PRIVATE)
    client.force_login(moderator)

    page = client.get("/moderation/queue/")

    words = text(page)
    assert faults(page) == []
    assert "3 submissions wait for a decision." in words
    assert "1 report" in words
    assert "implausible rate" in words
    assert "new account" in words
    assert all(f"#{row.pk} " in words for row in (reported, flagged, newcomer))
    assert not any(word in words for word in (f"#{fine.pk} ", f"#{retracted.pk} ", "secret"))
    assert faults(client.get(f"/moderation/submissions/{reported.pk}/")) == []


def test_a_decision_takes_it_out_of_the_queue(client, moderator):
    flagged = SubmissionFactory(flags=["rate_implausible"])
    client.force_login(moderator)

    for outcome in ("dismissed", "unranked"):
        answer = client.post(
            f"/moderation/submissions/{flagged.pk}/", {"outcome": outcome, "reason": "looked at"}, follow=True
        )
        assert "Nothing is waiting for a decision." in text(answer)

    assert ModerationDecision.objects.filter(moderator=moderator).count() == 2


@pytest.mark.parametrize("fields", [{}, {"outcome": "hidden"}, {"outcome": "banned", "reason": "x"}])
def test_a_decision_without_its_reason_is_refused(client, moderator, fields):
    submission = SubmissionFactory()
    client.force_login(moderator)

    assert client.post(f"/moderation/submissions/{submission.pk}/", fields).status_code == 400
    assert not ModerationDecision.objects.exists()


def test_an_account_is_closed_with_all_that_it_submitted(client, moderator):
    spam = SubmissionFactory(submitted_by__username="spammer")
    client.force_login(moderator)
    path = f"/moderation/accounts/{spam.submitted_by_id}/"
    assert faults(client.get(path)) == []

    answer = client.post(path, {"outcome": "hidden", "close": "on", "reason": "Spam."}, follow=True)

    assert "The account was closed." in text(answer)
    spam.refresh_from_db()
    assert spam.hidden_at
    assert not spam.submitted_by.is_active
    assert client.get(path).status_code == 200


def test_the_log_is_public_and_names_nobody(client, moderator):
    shown, private = SubmissionFactory(), SubmissionFactory(visibility=Visibility.PRIVATE)
    hidden = SubmissionFactory(submitted_by=UserFactory(username="the-spammer"))
    decide(shown, Outcome.UNRANKED, reason="Implausible.", by=moderator)
    decide(private, Outcome.DISMISSED, reason="Nothing wrong.", by=moderator)
    ban(hidden.submitted_by, reason="Advertising.", by=moderator, submissions=Outcome.HIDDEN)

    page, answer = client.get("/moderation/"), client.get("/api/v1/moderation/")

    words = text(page)
    assert faults(page) == []
    assert f"Result #{shown.pk} was taken off the leaderboards." in words
    assert "A result was hidden." in words
    assert "An account was closed." in words
    assert [row["submission"] for row in answer.json()["results"]] == [None, None, None, shown.pk]
    assert set(answer.json()["results"][0]) == {"id", "created_at", "outcome", "submission", "reason"}
    for body in (page.content.decode(), answer.content.decode()):
        assert "grace-the-moderator" not in body
        assert "the-spammer" not in body
        assert f"/submissions/{hidden.pk}/" not in body
        assert f"/submissions/{private.pk}/" not in body


def test_an_empty_log_says_so(client):
    page = client.get("/moderation/")

    assert "No decision has been made yet." in text(page)
    assert faults(page) == []


def test_the_page_of_a_result_says_what_moderation_means_for_it(client):
    held = SubmissionFactory(unranked_until="2999-01-01T00:00:00Z")
    unranked = SubmissionFactory()
    decide(unranked, Outcome.UNRANKED, reason="Ten times the best.", by=None)

    assert "The first results of an account join the leaderboards after a review" in text(
        client.get(held.get_absolute_url())
    )
    assert "Reason: Ten times the best." in text(client.get(unranked.get_absolute_url()))


def test_the_admins_actions_use_the_same_log_and_print_no_name(client):
    keeper = UserFactory(username="keeper-of-the-keys", is_staff=True, is_superuser=True)
    submission = SubmissionFactory()
    client.force_login(keeper)

    for action in ("unrank_selected", "hide_selected"):
        client.post("/admin/submissions/submission/", {"action": action, "_selected_action": [submission.pk]})

    assert list(ModerationDecision.objects.values_list("outcome", "moderator")) == [
        ("hidden", keeper.pk),
        ("unranked", keeper.pk),
    ]
    assert b"keeper-of-the-keys" not in client.get("/api/v1/moderation/").content


def test_a_decision_does_not_wait_for_a_cache(client, moderator):
    best = SubmissionFactory(throughput_ops_s=200_000.0, trust="log_verified")
    SubmissionFactory(workload=best.workload, trust="log_verified")
    path = f"/workloads/{best.workload.fingerprint}/"
    before = client.get(path).content

    decide(best, Outcome.HIDDEN, reason="Implausible.", by=moderator)

    assert client.get(path).content != before
    assert f"/submissions/{best.pk}/".encode() not in client.get(path).content

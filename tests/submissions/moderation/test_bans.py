"""Everything of an account at once."""

import pytest
from django.contrib.sessions.models import Session

from benchsite.http.refusals import Refusal
from submissions.choices import Outcome
from submissions.models import ApiToken, ModerationDecision, Submission, Upload
from submissions.moderation.bans import ban, decide_account
from tests.factories import SubmissionFactory, UserFactory, bearer

pytestmark = pytest.mark.django_db


@pytest.fixture
def moderator():
    return UserFactory()


def test_a_ban_ends_every_way_in(client, moderator):
    spammer, other = UserFactory(), UserFactory()
    headers, others = bearer(spammer), bearer(other)
    client.force_login(spammer)
    upload = Upload.objects.create(owner=spammer, status=Upload.Status.QUEUED)

    ban(spammer, reason="Spam.", by=moderator)

    spammer.refresh_from_db()
    assert not spammer.is_active
    assert ApiToken.objects.get().user == other
    assert not Session.objects.exists()
    assert client.get("/account/").status_code == 302
    assert client.post("/api/v1/submissions/", b"{}", content_type="application/json", **headers).status_code == 401
    assert client.post("/api/v1/submissions/", b"{}", content_type="application/json", **others).status_code == 400
    upload.refresh_from_db()
    assert upload.status == Upload.Status.FAILED


def test_a_ban_takes_its_submissions_off_the_boards_and_nobody_elses(moderator):
    spammer = UserFactory()
    SubmissionFactory.create_batch(2, submitted_by=spammer)
    other = SubmissionFactory()

    ban(spammer, reason="Spam.", by=moderator, submissions=Outcome.HIDDEN)

    assert list(Submission.objects.published()) == [other]
    outcomes = list(ModerationDecision.objects.values_list("outcome", flat=True))
    assert outcomes == ["banned", "hidden", "hidden"]


def test_everything_of_an_account_is_approved_at_once(moderator):
    author = UserFactory()
    SubmissionFactory.create_batch(3, submitted_by=author, flags=["rate_implausible"])

    assert decide_account(author, Outcome.APPROVED, reason="Known.", by=moderator) == 3

    assert Submission.objects.rankable().count() == 3


@pytest.mark.parametrize("role", [{"is_staff": True}, {"is_superuser": True}])
def test_a_moderator_or_operator_cannot_be_banned(role, moderator):
    colleague = UserFactory(**role)

    with pytest.raises(Refusal, match="#/account"):
        ban(colleague, reason="x", by=moderator)

    colleague.refresh_from_db()
    assert colleague.is_active


def test_nobody_bans_themselves(moderator):
    with pytest.raises(Refusal, match="your own"):
        ban(moderator, reason="x", by=moderator)


def test_bytes_of_a_whole_account_are_not_removed_by_one_click(moderator):
    with pytest.raises(Refusal, match="#/outcome"):
        decide_account(UserFactory(), Outcome.BYTES_REMOVED, reason="x", by=moderator)


def test_closing_an_account_in_the_admin_revokes_its_tokens_too():
    user = UserFactory()
    bearer(user)

    user.is_active = False
    user.save()

    assert not ApiToken.objects.exists()

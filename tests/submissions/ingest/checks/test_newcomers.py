"""A new account's first submissions are public, and on no board before a moderator or a week has passed."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission
from django.utils import timezone

from benchsite.http.refusals import Refusal
from submissions.choices import Outcome, Trust
from submissions.ingest.checks.newcomers import WAIT
from submissions.ingest.pipeline import prepare_document
from submissions.ingest.store.store import store, store_all
from submissions.models import Submission
from submissions.moderation.decisions import decide
from tests.documents import document
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


def upload(user, title, trust=Trust.UPLOADED):
    prepared = prepare_document(document({"settings": {"name": title}}), trust=trust)
    return store(prepared, submitted_by=user).submission


def is_ranked(submission):
    return Submission.objects.rankable().filter(pk=submission.pk).exists()


def test_the_first_three_are_public_and_wait_a_week():
    user = UserFactory()

    first = [upload(user, title) for title in "abc"]

    assert Submission.objects.published().count() == 3
    assert not any(is_ranked(submission) for submission in first)
    assert all(abs(row.unranked_until - timezone.now() - WAIT) < timedelta(minutes=5) for row in first)


def test_after_a_week_nobody_needs_to_approve_them():
    submission = upload(UserFactory(), "a")
    Submission.objects.update(unranked_until=timezone.now() - timedelta(seconds=1))

    assert is_ranked(submission)


def test_the_fourth_is_ranked_at_once_when_the_first_three_are_approved():
    user = UserFactory()
    for title in "abc":
        decide(upload(user, title), Outcome.APPROVED, reason="Looks right.", by=None)

    assert is_ranked(upload(user, "d"))


def test_three_idle_submissions_do_not_open_the_boards_to_a_fourth():
    user = UserFactory()
    store_all([prepare_document(document({"settings": {"name": name}})) for name in "abcd"], submitted_by=user)

    assert not is_ranked(upload(user, "e"))
    assert not Submission.objects.rankable().exists()


@pytest.mark.parametrize("role", [{"is_staff": True}, {"is_superuser": True}])
def test_those_who_run_the_site_do_not_wait(role):
    assert is_ranked(upload(UserFactory(**role), "a"))


def test_what_this_site_measured_itself_does_not_wait():
    assert is_ranked(upload(UserFactory(), "a", trust=Trust.RUN_BY_US))


def test_a_measurement_in_the_owners_own_cloud_account_waits():
    assert not is_ranked(upload(UserFactory(), "a", trust=Trust.RUN_BY_OWNER))


def test_an_account_that_was_closed_while_a_worker_read_its_log_stores_nothing():
    user = UserFactory()
    type(user).objects.update(is_active=False)

    with pytest.raises(Refusal, match="closed"):
        upload(user, "a")

    assert not Submission.objects.exists()


def test_who_becomes_a_moderator_waits_no_more_and_who_is_none_any_more_waits_again():
    user = UserFactory()
    assert not is_ranked(upload(user, "a"))

    permission = Permission.objects.get(codename="change_submission")
    user.user_permissions.add(permission)
    assert is_ranked(upload(user, "b"))
    user.user_permissions.remove(permission)
    assert not is_ranked(upload(user, "c"))

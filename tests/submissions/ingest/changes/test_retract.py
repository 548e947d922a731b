"""Retracting: out of the lists, never gone."""

import pytest

from benchsite.http.refusals import Refusal
from submissions.ingest.changes.retract import retract
from submissions.models import Submission
from tests.factories import SubmissionFactory

pytestmark = pytest.mark.django_db


def test_a_retracted_submission_leaves_the_lists_and_keeps_its_row():
    submission = SubmissionFactory()

    retract(submission, reason=" wrong instance type ")

    assert submission.retraction_reason == "wrong instance type"
    assert not Submission.objects.published().exists()
    assert Submission.objects.filter(pk=submission.pk).exists()


def test_the_first_reason_stays():
    submission = SubmissionFactory()
    retract(submission, reason="first")
    retracted_at = submission.retracted_at

    retract(submission, reason="second")

    assert (submission.retraction_reason, submission.retracted_at) == ("first", retracted_at)


@pytest.mark.parametrize("reason", ["", "  ", "x" * 501])
def test_a_reason_is_needed(reason):
    submission = SubmissionFactory()

    with pytest.raises(Refusal, match="#/reason"):
        retract(submission, reason=reason)

    submission.refresh_from_db()
    assert submission.retracted_at is None


def test_credentials_in_the_reason_are_masked():
    submission = SubmissionFactory()

    retract(submission, reason="The log has our password=hunter2")

    assert submission.retraction_reason == "The log has our password=*masked*"
    assert Submission.objects.get().retraction_reason == submission.retraction_reason

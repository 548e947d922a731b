"""A moderator's word brings a flagged submission back to the boards."""

import pytest

from submissions.choices import Flag
from submissions.ingest.review import clear_flags
from submissions.models import Submission
from tests.factories import SubmissionFactory

pytestmark = pytest.mark.django_db


def test_a_cleared_submission_is_ranked_again():
    held = SubmissionFactory(flags=[Flag.SHORT, Flag.RATE_IMPLAUSIBLE, Flag.STATED_PRICE_OFF])
    assert not Submission.objects.rankable().exists()

    assert clear_flags(held, [Flag.RATE_IMPLAUSIBLE]) == [Flag.RATE_IMPLAUSIBLE]
    assert held.flags == [Flag.SHORT, Flag.STATED_PRICE_OFF]
    assert Submission.objects.rankable().exists()
    assert not Submission.objects.rankable().priced().exists()

    clear_flags(held)
    assert Submission.objects.rankable().priced().get().flags == [Flag.SHORT]


def test_what_the_log_shows_cannot_be_cleared():
    truncated = SubmissionFactory(flags=[Flag.TRUNCATED])

    assert clear_flags(truncated, [Flag.TRUNCATED]) == []
    assert truncated.flags == [Flag.TRUNCATED]

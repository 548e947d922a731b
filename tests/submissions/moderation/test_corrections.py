"""“Corrected” is decided where its owner has corrected the result, and nowhere else: the log is public."""

import pytest
from django.contrib.auth.models import Permission

from benchsite.http.refusals import Refusal
from submissions.choices import Outcome, Visibility
from submissions.models import Change, ModerationDecision, Report
from submissions.moderation.decisions import decide
from tests.factories import SubmissionFactory, UserFactory
from tests.pages import text

pytestmark = pytest.mark.django_db


@pytest.fixture
def reported():
    submission = SubmissionFactory()
    Change.objects.create(submission=submission, values={"#/region": [None, "x"]}, document={})  # before the report
    Report.objects.create(submission=submission, reason="wrong_facts", address_hash="a" * 64)
    return submission


def add_fact(submission):
    Change.objects.create(submission=submission, values={"#/jdk": [None, "17"]}, document=submission.document)


def correct(submission):
    return decide(submission, Outcome.CORRECTED, reason="The JDK was added.", by=None)


def test_a_result_that_its_owner_left_as_it_was_is_not_corrected(reported):
    Change.objects.create(submission=reported, values={"visibility": ["unlisted", "public"]})  # corrects nothing
    SubmissionFactory(supersedes=reported, submitted_by=reported.submitted_by, visibility=Visibility.PRIVATE)

    with pytest.raises(Refusal, match="#/outcome: needs a correction"):
        correct(reported)

    assert not ModerationDecision.objects.exists()
    assert Report.objects.get().resolved_at is None


@pytest.mark.parametrize(
    "correction",
    [add_fact, lambda old: SubmissionFactory(supersedes=old, submitted_by=old.submitted_by)],
    ids=["a fact", "a better result"],
)
def test_a_correction_closes_the_report_and_leaves_the_result(reported, correction):
    correction(reported)
    before = (reported.flags, reported.unranked_at, reported.hidden_at)

    line = correct(reported)

    reported.refresh_from_db()
    assert Report.objects.get().decision == line
    assert (reported.flags, reported.unranked_at, reported.hidden_at) == before


def test_the_moderator_is_offered_it_only_then(client, reported):
    moderator = UserFactory()
    moderator.user_permissions.add(Permission.objects.get(codename="change_submission"))
    client.force_login(moderator)
    address = f"/moderation/submissions/{reported.pk}/"
    offered = "Corrected: its owner has corrected or superseded it; say how"

    assert offered not in text(client.get(address))
    assert client.post(address, {"outcome": "corrected", "reason": "It was."}).status_code == 400
    add_fact(reported)
    assert offered in text(client.get(address))
    assert client.post(address, {"outcome": "corrected", "reason": "The JDK was added."}).status_code == 302
    assert "was corrected by its owner" in text(client.get("/moderation/"))

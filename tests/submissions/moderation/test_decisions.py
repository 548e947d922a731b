"""Decisions: each has its effect and its line in a log that nobody can change."""

import pytest
from django.db import ProgrammingError, connection, transaction

from benchsite.http.refusals import Refusal
from submissions.choices import Flag, Outcome
from submissions.models import Change, ModerationDecision, Report, Submission
from submissions.moderation.decisions import EFFECTS, decide
from tests.factories import SubmissionFactory, UserFactory

pytestmark = pytest.mark.django_db
CREDENTIALS = "mongodb://user:hunter2@db.example.org/"


@pytest.fixture
def moderator():
    return UserFactory(username="ada-the-moderator")


def decided(submission, outcome, by=None):
    decide(submission, outcome, reason=" far off ", by=by)
    submission.refresh_from_db()
    return submission


def test_who_when_and_why_are_written_down(moderator):
    submission = SubmissionFactory()

    decided(submission, Outcome.UNRANKED, by=moderator)

    line = ModerationDecision.objects.get()
    assert (line.moderator, line.submission, line.outcome, line.reason) == (
        moderator,
        submission,
        "unranked",
        "far off",
    )
    assert line.created_at


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE submissions_moderationdecision SET reason = 'another'",
        "UPDATE submissions_moderationdecision SET moderator_id = NULL",
        "DELETE FROM submissions_moderationdecision",
    ],
)
def test_the_database_itself_refuses_to_change_the_log(moderator, statement):
    decided(SubmissionFactory(), Outcome.HIDDEN, by=moderator)

    with (
        pytest.raises(ProgrammingError, match="Cannot update or delete"),
        transaction.atomic(),
        connection.cursor() as sql,
    ):
        sql.execute(statement)

    assert ModerationDecision.objects.get().reason == "far off"


def test_an_unranked_one_is_listed_and_on_no_board():
    submission = decided(SubmissionFactory(), Outcome.UNRANKED)

    assert submission in Submission.objects.published()
    assert submission not in Submission.objects.rankable()


def test_a_hidden_one_is_seen_by_its_owner_and_by_nobody_else():
    owner, stranger = UserFactory(), UserFactory()
    submission = decided(SubmissionFactory(submitted_by=owner), Outcome.HIDDEN)

    assert submission not in Submission.objects.published()
    assert submission in Submission.objects.by_link(owner)
    assert submission not in Submission.objects.by_link(stranger)


def test_restoring_undoes_hiding_and_unranking():
    submission = SubmissionFactory()
    decided(submission, Outcome.UNRANKED)
    decided(submission, Outcome.HIDDEN)

    decided(submission, Outcome.RESTORED)

    assert submission in Submission.objects.rankable()
    assert ModerationDecision.objects.count() == 3


def test_approving_clears_the_flags_that_hold_it_back_and_no_other():
    submission = SubmissionFactory(flags=[Flag.RATE_IMPLAUSIBLE, Flag.STATED_PRICE_OFF, Flag.SHORT])

    decided(submission, Outcome.APPROVED)

    assert submission.flags == [Flag.SHORT]
    assert submission in Submission.objects.rankable()


def test_a_dismissal_leaves_it_as_it_is():
    submission = SubmissionFactory(flags=[Flag.RATE_IMPLAUSIBLE])

    decided(submission, Outcome.DISMISSED)

    assert submission.flags == [Flag.RATE_IMPLAUSIBLE]
    assert submission in Submission.objects.published()


@pytest.mark.parametrize("outcome", EFFECTS)
def test_every_decision_closes_the_reports(outcome):
    submission = SubmissionFactory()
    Report.objects.create(submission=submission, reason="spam", address_hash="a" * 64)
    Change.objects.create(submission=submission, values={"#/region": [None, "x"]}, document={})

    decided(submission, outcome)

    report = Report.objects.get()
    assert report.resolved_at
    assert report.decision.outcome == outcome
    assert report.address_hash == ""


@pytest.mark.parametrize("reason", ["", "  ", "x" * 501])
def test_no_decision_without_a_reason(reason):
    submission = SubmissionFactory()

    with pytest.raises(Refusal, match="#/reason"):
        decide(submission, Outcome.HIDDEN, reason=reason, by=None)

    submission.refresh_from_db()
    assert submission.hidden_at is None
    assert not ModerationDecision.objects.exists()


def test_credentials_in_a_reason_are_never_published(client):
    submission = SubmissionFactory()

    decide(submission, Outcome.HIDDEN, reason=f"The log holds {CREDENTIALS}", by=None)

    assert ModerationDecision.objects.get().reason == "The log holds mongodb://user:*masked*@db.example.org/"
    assert "hunter2" not in client.get("/moderation/").content.decode()

"""Decisions in words."""

import pytest

from submissions.choices import Flag, Outcome
from submissions.moderation.decisions import EFFECTS
from submissions.moderation.sentences import OUTCOME_CHOICES, log_line, queue_finding, why_waiting


@pytest.mark.parametrize("outcome", Outcome)
def test_every_outcome_has_a_line_in_the_log(outcome):
    line = log_line(outcome, None)

    assert line.startswith(("A result", "An account"))
    assert line.endswith(".")


def test_every_decision_about_a_submission_can_be_chosen():
    assert set(OUTCOME_CHOICES) == set(EFFECTS)


def test_why_something_waits():
    assert why_waiting(2, [Flag.RATE_IMPLAUSIBLE], is_newcomer=True) == "2 reports, implausible rate and new account"
    assert why_waiting(1, [], is_newcomer=False) == "1 report"


def test_how_much_waits():
    assert queue_finding(0) == "Nothing is waiting for a decision."
    assert queue_finding(1) == "1 submission waits for a decision."
    assert queue_finding(2) == "2 submissions wait for a decision."

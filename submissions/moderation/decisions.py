"""A moderator's decision: its effect and its line in the log, both or neither."""

from collections.abc import Callable, Sequence

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from benchsite.http.refusals import Refusal
from submissions.choices import HELD_FLAGS, Outcome
from submissions.ingest.checks.reproduced_trust import fall_back, hold, look_for_reproductions
from submissions.ingest.secrets.mask import mask_text
from submissions.models import ModerationDecision, Report, Submission
from submissions.moderation.corrections import NOT_CORRECTED, is_corrected
from submissions.moderation.removal import remove_bytes

MAX_REASON = 500


def decide(submission: Submission, outcome: Outcome, *, reason: str, by: User | None) -> ModerationDecision:
    """Carry out the decision, write it down, and close the submission's reports. Raises Refusal without a reason.

    `by` is None for an operator's command. Safe to repeat: each time is a line of the log.
    """
    return decide_all([submission], outcome, reason=reason, by=by)[0]


def decide_all(
    submissions: Sequence[Submission], outcome: Outcome, *, reason: str, by: User | None
) -> list[ModerationDecision]:
    """The same decision about each of them, in one transaction. Raises Refusal."""
    reason = checked_reason(reason)
    if outcome not in EFFECTS:
        raise Refusal.at("#/outcome", "is not a decision about a submission")
    with transaction.atomic():
        hold({submission.workload_id for submission in submissions})
        return [_decide(submission, outcome, reason, by) for submission in submissions]


def checked_reason(reason: str) -> str:
    """The reason without surrounding white space, its secrets masked: it is public. Raises Refusal."""
    reason = reason.strip()
    if not reason:
        raise Refusal.at("#/reason", "is required")
    if len(reason) > MAX_REASON:
        raise Refusal.at("#/reason", f"must not have more than {MAX_REASON} characters")
    return mask_text(reason)[:MAX_REASON]


def _decide(submission: Submission, outcome: Outcome, reason: str, by: User | None) -> ModerationDecision:
    EFFECTS[outcome](submission)
    decision = ModerationDecision.objects.create(
        moderator=by, submission=submission, outcome=outcome.value, reason=reason
    )
    Report.objects.filter(submission=submission, resolved_at=None).update(
        resolved_at=decision.created_at, decision=decision, address_hash=""
    )
    return decision


def _approve(submission: Submission) -> None:
    flags = [flag for flag in submission.flags if flag not in HELD_FLAGS]
    _change(submission, unranked_until=None, flags=flags)
    look_for_reproductions([submission])


def _unrank(submission: Submission) -> None:
    if submission.unranked_at is None:
        _change(submission, unranked_at=timezone.now())
    fall_back(submission)


def _hide(submission: Submission) -> None:
    if submission.hidden_at is None:
        _change(submission, hidden_at=timezone.now())
    fall_back(submission)


def _restore(submission: Submission) -> None:
    _change(submission, hidden_at=None, unranked_at=None)
    look_for_reproductions([submission])


def _remove_bytes(submission: Submission) -> None:
    """Without its raw files nobody can check it any more: it leaves the boards as well."""
    _unrank(submission)
    remove_bytes(submission)


def _corrected(submission: Submission) -> None:
    """The result stays as its owner left it. Refusal where its owner has corrected nothing."""
    if not is_corrected(submission):
        raise Refusal.at("#/outcome", NOT_CORRECTED)


def _nothing(submission: Submission) -> None:
    """The decision alone: reports are closed, and what was measured stays as it is."""


EFFECTS: dict[Outcome, Callable[[Submission], None]] = {
    Outcome.APPROVED: _approve,
    Outcome.DISMISSED: _nothing,
    Outcome.CORRECTED: _corrected,
    Outcome.UNRANKED: _unrank,
    Outcome.HIDDEN: _hide,
    Outcome.BYTES_REMOVED: _remove_bytes,
    Outcome.RESTORED: _restore,
}


def _change(submission: Submission, **columns: object) -> None:
    Submission.objects.filter(pk=submission.pk).update(**columns)
    for name, value in columns.items():
        setattr(submission, name, value)

"""Decisions in words: for moderators who choose, and for readers of the log."""

from collections.abc import Sequence

from submissions.choices import Flag, Outcome
from submissions.formatting.text import join_and, plural

OUTCOME_CHOICES = {
    Outcome.APPROVED: "Approve: rank it now, and clear the flags that hold it back",
    Outcome.DISMISSED: "Dismiss: nothing is wrong with it",
    Outcome.CORRECTED: "Corrected: its owner has corrected or superseded it; say how",
    Outcome.UNRANKED: "Unrank: listed, but on no leaderboard",
    Outcome.HIDDEN: "Hide: only its owner and moderators see it",
    Outcome.BYTES_REMOVED: "Remove raw files and free text, and unrank; cannot be undone",
    Outcome.RESTORED: "Restore: undo hiding and unranking",
}
_ABOUT_A_RESULT = {
    Outcome.APPROVED: "was approved",
    Outcome.DISMISSED: "was reviewed; nothing was changed",
    Outcome.CORRECTED: "was corrected by its owner",
    Outcome.UNRANKED: "was taken off the leaderboards",
    Outcome.HIDDEN: "was hidden",
    Outcome.BYTES_REMOVED: "lost its raw files and free text, and was taken off the leaderboards",
    Outcome.RESTORED: "was restored",
}


def about_result(outcome: Outcome) -> str:
    """The predicate of a sentence about a result: "was hidden"."""
    return _ABOUT_A_RESULT[outcome]


def log_line(outcome: Outcome, submission: int | None) -> str:
    """A line of the public log, without names; the number is None where the page is not public."""
    if outcome == Outcome.BANNED:
        return "An account was closed."
    return f"{f'Result #{submission}' if submission else 'A result'} {about_result(outcome)}."


def why_waiting(reports: int, flags: Sequence[Flag], *, is_newcomer: bool) -> str:
    """Why a submission is in the queue: "2 reports and implausible rate"."""
    parts = [plural(reports, "report")] if reports else []
    parts += [flag.label for flag in flags]
    if is_newcomer:
        parts.append("new account")
    return join_and(parts)


def queue_finding(total: int) -> str:
    if not total:
        return "Nothing is waiting for a decision."
    return f"{plural(total, 'submission')} {'waits' if total == 1 else 'wait'} for a decision."

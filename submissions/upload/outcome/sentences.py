"""What the page after publishing says in words."""

from collections.abc import Sequence

from submissions.choices import EXCLUDING_FLAGS, Flag, Visibility
from submissions.formatting.text import in_sentence, join_and, moment, plural
from submissions.models import Submission
from submissions.upload.outcome.query import PublishedResult

FIRST = "First result of its workload"


def finding(results: Sequence[PublishedResult], files: int, skipped: int) -> str:
    """The page's first sentence. `files`: of these results; `skipped`: files of which nothing was published."""
    known = sum(result.was_known for result in results)
    hidden = sum(not result.submission.is_open for result in results)
    done = "Saved" if hidden == len(results) else "Published"
    sentences = [f"{done} {plural(len(results), 'result')} from {plural(files, 'file')}."]
    if known:
        before = "It was" if len(results) == 1 else f"{known} of them {'was' if known == 1 else 'were'}"
        sentences.append(f"{before} uploaded before: the first upload counts.")
    if skipped:
        sentences.append(f"{plural(skipped, 'file was', 'files were')} skipped: the reasons are below.")
    return " ".join(sentences)


def waiting(results: Sequence[PublishedResult]) -> str:
    """ "" where none of them waits for a review."""
    dates = sorted(
        result.submission.unranked_until
        for result in results
        if result.submission.is_waiting and result.submission.unranked_until is not None
    )
    if not dates:
        return ""
    subject = "This result joins" if len(results) == 1 else f"{_some(len(dates), len(results))} join"
    return (
        f"The first results of a new account are reviewed. {subject} the leaderboards on {dates[-1]:%Y-%m-%d},"
        " or earlier once reviewed."
    )


def _some(part: int, total: int) -> str:
    return f"These {total} results" if part == total else f"{part} of these results"


def rank(result: PublishedResult) -> str:
    """ "Rank 2-3 of 7 results", or why it has none; the first of its workload says so."""
    row = result.submission
    if not row.is_open:
        return _not_public(row)
    reason = _reason(row)
    if not result.others:
        return f"{FIRST}. {reason}".removesuffix(". ") if reason else FIRST
    if reason:
        return reason
    place = _place(result)
    return f"After review: {in_sentence(place)}" if row.is_waiting and result.best else place


def _place(result: PublishedResult) -> str:
    board = result.board
    if board is None:
        return ""
    if not board.groups:
        return "No result of its workload is ranked yet"
    if result.group is not None:
        return f"Rank {result.group.entry.rank} of {plural(board.groups_count, 'result')}"
    if not result.place:
        return f"Below the first {len(board.groups)}"
    return f"Number {result.place} of {board.groups_count + 1:,} by throughput"  # which does not have it yet


def _reason(row: Submission) -> str:
    """Why it is on no leaderboard of throughput, whoever submitted it."""
    flags = [Flag(flag).label for flag in row.flags if flag in EXCLUDING_FLAGS]
    if flags:
        return f"On no leaderboard: {join_and(flags)}"
    if row.throughput_ops_s is None:
        return "On no leaderboard: a relative figure"
    return "On no leaderboard: limited to this rate by the test" if row.is_throttled else ""


def _not_public(row: Submission) -> str:
    if row.hidden_at is not None:
        return "Hidden by a moderator"
    if row.embargo_until is not None:
        return f"Public on {moment(row.embargo_until)}"
    if row.visibility == Visibility.UNLISTED:
        return "Unlisted: only those with its secret link can see it"
    return "Private: only you can see it"

"""What became of an upload: its results, where each ranks, and the best that others have of its workload."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Count

from submissions.models import Submission, Upload
from submissions.questions.boards.grouping import GroupBy
from submissions.questions.leaderboard.query import Leaderboard, RankedGroup, leaderboard

MOST_BOARDS = 12  # workloads that are ranked on one page


@dataclass(frozen=True, slots=True)
class PublishedResult:
    submission: Submission
    files: tuple[str, ...]
    was_known: bool  # the same content was published before
    others: int  # results of its workload that are not of this upload
    board: Leaderboard | None  # by result; None where its workload is not ranked here
    best: Submission | None  # of the workload, less what is of this upload

    @property
    def group(self) -> RankedGroup | None:
        """Its place on the leaderboard."""
        groups = self.board.groups if self.board else ()
        return next((group for group in groups if group.best.pk == self.submission.pk), None)

    @property
    def place(self) -> int:
        """By throughput among ranked results, with it or not; 0 where it is below those that a board has."""
        if self.board is None or self.submission.throughput_ops_s is None:
            return 0
        better = sum(group.figure > self.submission.throughput_ops_s for group in self.board.groups)
        return 0 if better == len(self.board.groups) < self.board.groups_count else better + 1


def published_results(uploads: Iterable[Upload], reader: User) -> list[PublishedResult]:
    """Each once, in the order of its first file. Of each workload up to MOST_BOARDS the queries of a leaderboard."""
    files: dict[int, list[str]] = {}
    rows: dict[int, Submission] = {}
    known: set[int] = set()
    for upload in uploads:
        visible = upload.submissions.visible_to(reader).select_related("workload").defer("document", "notes")
        for submission in visible.order_by("pk"):
            rows.setdefault(submission.pk, submission)
            files.setdefault(submission.pk, []).extend(entry["name"] for entry in upload.files)
            if any(entry.get("was_known") for entry in upload.files):
                known.add(submission.pk)
    boards = _boards(rows.values())
    others = _others(rows)
    return [
        PublishedResult(
            submission=row,
            files=tuple(dict.fromkeys(files[pk])),
            was_known=pk in known,
            others=others.get(row.workload_id, 0),
            board=boards.get(row.workload_id),
            best=_best(boards.get(row.workload_id), rows),
        )
        for pk, row in rows.items()
    ]


def _boards(rows: Iterable[Submission]) -> dict[int, Leaderboard]:
    workloads = list(dict.fromkeys(row.workload_id for row in rows))
    return {workload: leaderboard(workload, GroupBy.SUBMISSION) for workload in workloads[:MOST_BOARDS]}


def _others(rows: Mapping[int, Submission]) -> dict[int, int]:
    """Results of each workload that everyone can find. One query."""
    found = Submission.objects.published().exclude(pk__in=rows).order_by()
    of_workloads = found.filter(workload__in={row.workload_id for row in rows.values()})
    return dict(of_workloads.values("workload").annotate(n=Count("pk")).values_list("workload", "n"))


def _best(board: Leaderboard | None, rows: Mapping[int, Submission]) -> Submission | None:
    groups: Sequence[RankedGroup] = board.groups if board else ()
    return next((group.best for group in groups if group.best.pk not in rows), None)

"""Who may change a series, and which of its runs somebody may see."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser, User

from runners.models import Run, Series, SeriesCell
from submissions.models import Submission

MAY_NOT_CHANGE = "Only its owner and the site operators may change a series."
NOTHING_MISSING = "the series is still open, or every cell has a result"


@dataclass(frozen=True, slots=True)
class VisibleCell:
    """A cell as somebody may see it: without a run, or without its result, where those are not for this reader."""

    cell: SeriesCell
    run: Run | None

    @property
    def submission(self) -> Submission | None:
        result = self.run.submission if self.run else None
        return result if result is not None and result.retracted_at is None else None


def may_change(series: Series, user: User | AnonymousUser) -> bool:
    """Whether the user may cancel the series or run its missing cells again, as with its runs."""
    return user.is_authenticated and (series.owner_id == user.pk or user.has_perm("runners.change_run"))


def visible_cells(series: Series, user: User | AnonymousUser) -> Sequence[VisibleCell]:
    """All attempts, in the order of their starts. Two queries."""
    visible = set(Run.objects.visible_to(user).filter(series_cell__series=series).values_list("pk", flat=True))
    cells = series.cells.select_related("run__submission__workload").order_by("place")
    return [VisibleCell(cell, cell.run if cell.run_id in visible else None) for cell in cells]

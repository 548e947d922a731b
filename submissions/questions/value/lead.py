"""Which machine gives the most for the money within a workload, and whether noise allows to say so."""

from dataclasses import dataclass
from decimal import Decimal

from submissions.analysis.compare import Verdict
from submissions.metrics import OPS_PER_USD
from submissions.models import Submission
from submissions.questions.leaderboard.query import leaderboard
from submissions.questions.workload.grouping import GroupBy
from submissions.questions.workload.leader import MOST_NAMED
from submissions.records.cache import cached


@dataclass(frozen=True, slots=True)
class ValueLead:
    """`best` has the most operations per dollar; the others run on other machines, each the best of its kind."""

    best: Submission
    tied: tuple[Submission, ...]  # within noise of the best, by value; a few of them
    tied_more: int  # how many more there are
    next_best: Submission | None
    is_unsure: bool  # too few trials to tell the best from the next best

    @property
    def ratio(self) -> Decimal | None:
        """Operations per dollar of the best over those of the next best."""
        ours, next_ones = self.best.ops_per_usd, self.next_best and self.next_best.ops_per_usd
        return ours / next_ones if ours and next_ones else None


def value_lead(workload_id: int) -> ValueLead | None:
    """None when nothing of the workload is priced. Two queries while the ranking is kept, else eight."""
    ids, tied, is_unsure = cached(("value lead", workload_id), lambda: _lead(workload_id))
    if not ids:
        return None
    shown = tied[: MOST_NAMED - 1]
    rows = Submission.objects.listed().in_bulk([*ids, *shown])
    return ValueLead(
        best=rows[ids[0]],
        tied=tuple(rows[pk] for pk in shown),
        tied_more=len(tied) - len(shown),
        next_best=rows[ids[1]] if len(ids) > 1 else None,
        is_unsure=is_unsure,
    )


def _lead(workload_id: int) -> tuple[list[int], list[int], bool]:
    """(the best and the next best, those within noise of the best, whether nothing tells the first two apart)."""
    places = leaderboard(workload_id, GroupBy.INSTANCE_TYPE, OPS_PER_USD).places
    tied = [
        place.best.pk for place in places if place.standing.leads and place.standing.verdict == Verdict.WITHIN_NOISE
    ]
    is_unsure = len(places) > 1 and places[1].standing.verdict == Verdict.TOO_FEW_TRIALS
    return [place.best.pk for place in places[:2]], tied, is_unsure

"""A leaderboard as dots and ranges, best on top: the trials of each group's best result, and their interval."""

from statistics import median

from submissions.formatting.figures import Figure
from submissions.formatting.text import plural
from submissions.questions.boards.ranking_chart import Row, ranking_figure
from submissions.questions.leaderboard.query import Leaderboard, RankedGroup

MOST_ROWS = 20


def leaderboard_figure(board: Leaderboard) -> Figure:
    """The best groups."""
    return ranking_figure([_row(group) for group in board.groups[:MOST_ROWS]], board.metric, of="trials")


def _row(group: RankedGroup) -> Row:
    """The label in two lines: a third would reach into the next row's label."""
    first, *others = group.by.lines_of(group.best)
    trials = group.entry.entry.side.trials
    return Row(
        name="\n".join([f"{group.entry.rank}. {first}", ", ".join([*others, plural(group.trials, "trial")])]),
        provider=group.best.provider,
        best=group.figure,
        spread=(min(trials), max(trials)) if len(trials) > 1 else None,
        median=median(trials) if len(trials) > 1 else None,
        interval=group.interval,
    )

"""The tallies of all questions: counted in the background, checked and counted again by a command."""

from collections.abc import Iterator

from benchsite import parallel
from submissions.questions.grid.parameters import DEFAULT_LAYOUTS, TRIED
from submissions.questions.grid.tally import GridTally
from submissions.questions.history.query import HISTORY
from submissions.questions.recommend.tally import RECOMMEND
from submissions.questions.scaling.query import SCALING
from submissions.questions.sizing.target import SIZING
from submissions.tallies.growth import TallyKind, count_all, forget_read, grow, is_counted, unlike_rows, wanted


def all_tallies() -> list[TallyKind]:
    """Those that every site has: the first pages of the questions read them."""
    return [SCALING, HISTORY, SIZING, RECOMMEND, *(GridTally(DEFAULT_LAYOUTS[key]) for key in TRIED)]


def keep_current() -> None:
    """Count what was never counted, and let the others grow, so that readers have little to count."""
    kinds = all_tallies()
    counted = [kind for kind in kinds if is_counted(kind)]
    for kind in kinds:
        if kind not in counted:
            count_all(kind)
    for kind in counted:
        grow(kind)  # alone: readers of the others do not wait meanwhile, and its parts need not stay in memory
    for name in wanted():
        if layout := GridTally.of_name(name):
            count_all(layout)
    forget_read()


def count_again() -> None:
    """All of them, by all processors."""
    parallel.each(_count_one, range(len(all_tallies())))
    forget_read()


def _count_one(number: int) -> None:
    count_all(all_tallies()[number])


def differences() -> Iterator[str]:
    """Each part that is not what its rows say, in words; nothing where all are right."""
    for kind in all_tallies():
        if is_counted(kind):
            yield from unlike_rows(kind)

"""The kinds of figures that questions read."""

from submissions.questions.grid.aggregate import GRID
from submissions.questions.history.aggregate import HISTORY
from submissions.questions.recommend.aggregate import RECOMMEND
from submissions.questions.scaling.aggregate import SCALING
from submissions.questions.sizing.aggregate import SIZING
from submissions.questions.workload.sorts import SORTS

KINDS = (SORTS, SCALING, HISTORY, SIZING, RECOMMEND, GRID)

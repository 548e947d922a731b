"""The kinds of figures that every site counts: the one list of them."""

from submissions.aggregates.boards import BOARDS
from submissions.aggregates.groups import GROUPS
from submissions.aggregates.kinds import Kind
from submissions.aggregates.noise import NOISE
from submissions.questions.coverage.aggregate import COVERAGE
from submissions.questions.grid.aggregate import GRID
from submissions.questions.history.aggregate import HISTORY
from submissions.questions.recommend.aggregate import RECOMMEND
from submissions.questions.scaling.aggregate import SCALING
from submissions.questions.sizing.aggregate import SIZING
from submissions.questions.value.aggregate import CLUSTERS
from submissions.records.aggregate import FACETS

KINDS: tuple[Kind, ...] = (BOARDS, GROUPS, NOISE, FACETS, CLUSTERS, SCALING, HISTORY, SIZING, RECOMMEND, GRID, COVERAGE)

"""Which workloads can share a grid, and which two values of what is varied fill the most of its cells."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

from submissions.aggregates.profile import ExclusionProfile
from submissions.choices import Trust
from submissions.formatting.names import service_name, tool_name
from submissions.ingest.document.fingerprint import fingerprint_of, workload_title
from submissions.questions.boards.counts import Counted, Counts, counts_of
from submissions.questions.boards.reasons import board_reasons
from submissions.questions.grid.parameters import FactValue, Layout
from submissions.questions.grid.rows import CellKey, GridGroup, GridWorkload

MOST_VALUES = 25  # of what is varied, in one cell

# In every canonical form of ingest/document/fingerprint.py; a title is made of all of them.
_CANONICAL_FACTS = (
    "service", "tool", "operations", "command", "consistency_level", "replication_factor", "columns",
    "value_bytes", "key_distribution", "key_count", "load_mode", "duration",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Pair:
    """Two values of what is varied."""

    baseline: FactValue
    variant: FactValue


@dataclass(frozen=True, slots=True)
class FamilyChoice:
    """What a selector shows of a family."""

    fingerprint: str
    title: str
    most_cells: int
    submissions: int


class WorkloadProfiles(NamedTuple):
    """Of the results of a workload, those that no board takes too: by what is varied, of each profile how many."""

    profiles: Sequence[tuple[FactValue, ExclusionProfile, int]]
    has_proven: bool  # ranked results with a raw log


class Member(NamedTuple):
    """Of one workload what a family has: each cell is of one workload, since the others differ in rows or columns.

    A tuple, since thousands of them come from the cache.
    """

    workload: int
    fingerprint: str
    family: str  # equal in all workloads that are the same apart from the rows and columns
    title: str  # of the family
    submissions_by_value: Mapping[FactValue, int]
    cells_by_pair: Mapping[frozenset[FactValue], int]
    submissions: int
    unplaced: int


@dataclass(frozen=True, slots=True)
class Family:
    """Workloads that are the same apart from the rows and columns of a grid."""

    fingerprint: str  # of its most frequent workload
    title: str
    workload_ids: frozenset[int]
    fingerprints: frozenset[str]
    submissions_by_value: Mapping[FactValue, int]  # of what is varied
    cells_by_pair: Mapping[frozenset[FactValue], int]  # cells that have both values
    submissions: int
    unplaced: int  # of them: a fact that the grid is about is unknown

    @property
    def choice(self) -> FamilyChoice:
        return FamilyChoice(self.fingerprint, self.title, self.most_cells, self.submissions)

    @property
    def most_cells(self) -> int:
        return max(self.cells_by_pair.values(), default=0)

    def best_pair(self, baseline: FactValue | None = None, variant: FactValue | None = None) -> Pair | None:
        """The pair that fills the most cells, with what is given; the more frequent value is the baseline."""
        pairs = [
            (-cells, -self.submissions_by_value[a], _as_text(a), _as_text(b), Pair(a, b))
            for values, cells in self.cells_by_pair.items()
            for a, b in _both_orders(values)
            if baseline in (None, a) and variant in (None, b)
        ]
        return min(pairs, key=lambda ranked: ranked[:-1])[-1] if pairs else None


def family_of(members: Sequence[Member]) -> Family:
    by_value: dict[FactValue, int] = {}
    cells: dict[frozenset[FactValue], int] = {}
    for member in members:
        for value, n in member.submissions_by_value.items():
            by_value[value] = by_value.get(value, 0) + n
        for pair, n in member.cells_by_pair.items():
            cells[pair] = cells.get(pair, 0) + n
    return Family(
        fingerprint=min(members, key=lambda member: (-member.submissions, member.fingerprint)).fingerprint,
        title=members[0].title,
        workload_ids=frozenset(member.workload for member in members),
        fingerprints=frozenset(member.fingerprint for member in members),
        submissions_by_value=by_value,
        cells_by_pair=cells,
        submissions=sum(member.submissions for member in members),
        unplaced=sum(member.unplaced for member in members),
    )


def member_of(layout: Layout, workload: GridWorkload, groups: Iterable[GridGroup]) -> Member:
    by_value: Counter[FactValue] = Counter()
    submissions = unplaced = 0
    values: dict[tuple[CellKey, tuple[Any, ...]], set[FactValue]] = {}
    for group in groups:
        submissions += group.count
        if group.cell is None or group.varied is None:
            unplaced += group.count
            continue
        by_value[group.varied] += group.count
        values.setdefault((group.cell, group.required), set()).add(group.varied)
    shared = shared_facts(layout, workload)
    form = {**dict.fromkeys(_CANONICAL_FACTS), **shared}
    return Member(
        workload=workload.pk,
        fingerprint=workload.fingerprint,
        family=fingerprint_of(shared),
        title=workload_title(form, service_name(form["service"] or ""), tool_name(form["tool"] or "")),
        submissions_by_value=dict(by_value),
        cells_by_pair=_cells_by_pair(values, by_value),
        submissions=submissions,
        unplaced=unplaced,
    )


def counts_of_values(
    workloads: Iterable[WorkloadProfiles], trust: Trust | None, values: Collection[FactValue]
) -> Counts:
    """Of the results with one of these values, of all these workloads."""
    counted = (
        Counted(profile, n, has_proven=workload.has_proven)
        for workload in workloads
        for value, profile, n in workload.profiles
        if value in values
    )
    return counts_of(counted, board_reasons(trust), trust)


def shared_facts(layout: Layout, workload: GridWorkload) -> dict[str, Any]:
    """The canonical form without the facts that the grid is about."""
    about = {parameter.key for parameter in layout.parameters if parameter.is_of_workload}
    return {name: fact for name, fact in workload.canonical.items() if name not in about}


def _cells_by_pair(
    values: Mapping[tuple[CellKey, tuple[Any, ...]], set[FactValue]], by_value: Mapping[FactValue, int]
) -> dict[frozenset[FactValue], int]:
    """In how many cells two values meet under the same required facts, whatever these are."""
    cells: dict[frozenset[FactValue], set[CellKey]] = {}
    for (cell, _), present in values.items():
        if len(present) == 1:  # most cells
            continue
        frequent = sorted(present, key=lambda value: (-by_value[value], _as_text(value)))[:MOST_VALUES]
        for pair in combinations(frequent, 2):
            cells.setdefault(frozenset(pair), set()).add(cell)
    return {pair: len(of_pair) for pair, of_pair in cells.items()}


def _both_orders(pair: frozenset[FactValue]) -> tuple[tuple[FactValue, FactValue], ...]:
    a, b = pair
    return (a, b), (b, a)


def _as_text(value: FactValue) -> str:
    return " ".join(map(str, value))

"""The results by what decides their place in the grids of a layout, counted once: what can be compared."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.db.models import Case, QuerySet, Value, When

from submissions.aggregates.profile import ExclusionProfile, exclusion_profile, profile_of_key
from submissions.choices import PROVEN, Trust
from submissions.ingest.document.fingerprint import fingerprint_of
from submissions.models import IS_UNRANKED, CompiledQuery, Submission, SubmissionQuerySet, Workload, given_ids
from submissions.questions.grid.families import Family, FamilySorts, family_of, shared_facts
from submissions.questions.grid.parameters import AXES, VARIED, FactValue, Layout
from submissions.questions.grid.rows import GridGroup, GridWorkload, cell_key, columns_of, grid_submissions, required_of
from submissions.tallies.growth import TallyKind
from submissions.tallies.parts import TallyState
from submissions.tallies.shelf import SHELVES, Number, is_rankable, trusts_of

_WORKLOADS = CompiledQuery(
    lambda ids: Workload.objects.filter(pk__in=given_ids(ids)).values_list("pk", "fingerprint", "canonical"), ids="ids"
)


class GridTally(TallyKind):
    """`groups`: by workload, trust and the columns that the layout reads how many; `proven`: by workload; `sorts`: by
    workload, sort and what is varied, those that no board takes too.

    A scope is a family: the workloads that are the same apart from the rows and columns of the layout.
    """

    code = "3"

    def __init__(self, layout: Layout, known: dict[int, GridWorkload] | None = None) -> None:
        """`known` are workloads that were read already; others are added to them."""
        self.layout = layout
        self.name = f"grid {layout.key}"
        self._columns = columns_of(layout)
        self._canonical = {} if known is None else known

    @classmethod
    def of_name(cls, name: str) -> "GridTally | None":
        """None where it is no name of such a tally."""
        kind, *keys = name.split(" ")
        if kind != "grid" or len(keys) < 3 or keys[0] not in VARIED or not AXES.keys() >= set(keys[1:]):
            return None
        return cls(Layout(VARIED[keys[0]], tuple(AXES[key] for key in keys[1:-1]), AXES[keys[-1]]))

    def scopes(self, workloads: Sequence[int]) -> Mapping[int, str]:
        """One query."""
        self._read(workloads)
        return {pk: fingerprint_of(shared_facts(self.layout, self._canonical[pk])) for pk in workloads}

    def rows(self, submissions: SubmissionQuerySet) -> QuerySet[Submission, tuple[Any, ...]]:
        rows = grid_submissions() & submissions
        return (
            rows.using(submissions.db)
            .order_by()
            .annotate(is_unranked=Case(When(IS_UNRANKED, then=Value(True)), default=Value(False)))
            .values_list(
                "workload_id",
                "trust",
                "flags",
                "is_unranked",
                "throughput_ops_s",
                *self._columns,
            )
        )

    def add(self, state: TallyState, row: tuple[Any, ...]) -> None:
        workload, trust, flags, is_unranked, rate, *values = row
        sort = exclusion_profile(flags=flags, is_unranked=is_unranked, has_rate=rate is not None, trust=trust)
        varied = [values[self._columns.index(column)] for column in self.layout.varied.columns]
        sorts, key = state.setdefault("sorts", {}), json.dumps([workload, sort.key, varied])
        sorts[key] = sorts.get(key, 0) + 1
        if not is_rankable(flags, is_unranked=is_unranked):
            return
        if rate is not None and trust in PROVEN:
            proven = state.setdefault("proven", {})
            proven[str(workload)] = proven.get(str(workload), 0) + 1
        key = json.dumps([workload, trust, *values])
        groups = state.setdefault("groups", {})
        groups[key] = groups.get(key, 0) + 1

    def numbers(self, state: TallyState) -> list[Number]:
        """Cells, then results."""
        return self.summary(state)[0]

    def summary(self, state: TallyState) -> tuple[list[Number], list[Any]]:
        families = self._families(state)
        numbers = [(family.most_cells, family.submissions) if family else (0, 0) for family in families]
        return numbers, [(family.fingerprint, family.title) if family else ("", "") for family in families]

    def family(self, state: TallyState, shelf: Trust | None) -> Family | None:
        """None where the shelf has none of its results. One query where it has not read the workloads before."""
        family = self._families(state, (shelf,))[0]
        return family and replace(family, sorts=self._sorts(state, family.workload_ids))

    def _sorts(self, state: TallyState, workloads: Collection[int]) -> FamilySorts:
        by_workload: dict[int, list[tuple[FactValue, ExclusionProfile, int]]] = {}
        for key, n in state.get("sorts", {}).items():
            workload, sort, varied = json.loads(key)
            if workload in workloads:
                by_workload.setdefault(workload, []).append((tuple(varied), profile_of_key(sort), n))
        return FamilySorts(by_workload, frozenset(map(int, state.get("proven", {}))))

    def _families(self, state: TallyState, shelves: Sequence[Trust | None] = SHELVES) -> list[Family | None]:
        groups = [(json.loads(key), n) for key, n in state.get("groups", {}).items()]
        self._read({key[0] for key, _ in groups})
        present = {(key[0], key[1]) for key, _ in groups}
        made: dict[frozenset[tuple[int, str]], Family | None] = {}
        known: dict[tuple[Any, ...], GridGroup] = {}  # what shelves have in common
        families = []
        for shelf in shelves:
            taken = frozenset(
                (workload, trust)
                for workload, trust in present
                if trust in trusts_of(shelf, has_proven=str(workload) in state.get("proven", {}))
            )
            if taken not in made:
                own = Counter[tuple[Any, ...]]()
                for (workload, trust, *values), n in groups:
                    if (workload, trust) in taken:
                        own[workload, *values] += n
                made[taken] = (
                    family_of(self.layout, [self._group(key, n, known) for key, n in own.items()]) if own else None
                )
            families.append(made[taken])
        return families

    def _group(self, key: tuple[Any, ...], n: int, known: dict[tuple[Any, ...], GridGroup]) -> GridGroup:
        group = known.get(key)
        if group is None:
            group = known[key] = self._new_group(key, n)
        if group.count == n:
            return group
        # many, and `replace` is slow
        return GridGroup(group.workload, n, group.varied, group.cell, group.required)

    def _new_group(self, key: tuple[Any, ...], n: int) -> GridGroup:
        workload = self._canonical[key[0]]
        row = dict(zip(self._columns, key[1:], strict=True))
        return GridGroup(
            workload=workload,
            count=n,
            varied=self.layout.varied.value_in(row, {}),
            cell=cell_key(self.layout, row, workload.canonical),
            required=required_of(self.layout, row),
        )

    def _read(self, workloads: Iterable[int]) -> None:
        if missing := set(workloads) - self._canonical.keys():
            known = _WORKLOADS.rows(ids=sorted(missing))
            self._canonical |= {pk: GridWorkload(pk, fingerprint, form) for pk, fingerprint, form in known}

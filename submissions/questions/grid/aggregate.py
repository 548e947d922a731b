"""How many results of each workload have the same facts: what grids of any layout are made of."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any

from django.db.models import Case, QuerySet, Value, When

from submissions.aggregates.kinds import Kind, State
from submissions.aggregates.trust_filter import levels_of
from submissions.choices import PROVEN, Trust
from submissions.models import IS_UNRANKED, Submission, SubmissionQuerySet
from submissions.questions.grid.families import Member, WorkloadSorts, member_of
from submissions.questions.grid.parameters import VARIED, FactValue, Layout
from submissions.questions.grid.rows import (
    BASE,
    REQUIRED,
    GridGroup,
    GridWorkload,
    cell_key,
    columns_of,
    grid_submissions,
    required_of,
)
from submissions.questions.workload.sorts import Sort

_COLUMNS = sorted({column for parameter in VARIED.values() for column in parameter.columns}.union(REQUIRED, BASE))
_PLACE = {column: place for place, column in enumerate(_COLUMNS, 1)}  # 0: the sort


class GridKind(Kind):
    """`values`: the sorts, and of each of _COLUMNS the values; `results`: by their places in these how many."""

    name = "grid"
    code = "3"

    def rows(self, submissions: SubmissionQuerySet) -> QuerySet[Submission, tuple[Any, ...]]:
        rows = grid_submissions() & submissions
        return (
            rows.using(submissions.db)
            .order_by()
            .annotate(is_unranked=Case(When(IS_UNRANKED, then=Value(True)), default=Value(False)))
            .values_list(
                *("trust", "flags", "is_unranked", "throughput_ops_s", "latency_kind", "latency_p99_at_most_ms"),
                *_COLUMNS,
            )
        )

    def add(self, state: State, row: tuple[Any, ...]) -> None:
        trust, flags, is_unranked, rate, kind, p99, *values = row
        sort = Sort.of(rate, flags, is_unranked=is_unranked, trust=trust, latency_kind=kind, p99=p99)
        known = state.setdefault("values", [[] for _ in range(len(_COLUMNS) + 1)])
        key = ",".join(map(_place_in, known, (sort.key, *values)))
        results = state.setdefault("results", {})
        results[key] = results.get(key, 0) + 1

    def plain(self, state: State) -> State:
        """Places depend on the order of the rows."""
        return {
            repr([values[int(place)] for values, place in zip(state["values"], key.split(","), strict=True)]): n
            for key, n in state.get("results", {}).items()
        }


GRID = GridKind()


def member(layout: Layout, workload: GridWorkload, state: State, trust_filter: Trust | None) -> Member | None:
    """Of a workload what a family of the layout has; None where the filter takes none of its results."""
    values = state.get("values", [[]])
    taken = _taken(values[0], trust_filter)
    columns = columns_of(layout)
    places = itemgetter(0, *(_PLACE[column] for column in columns))  # three columns or more
    counted: Counter[tuple[str, ...]] = Counter()
    for key, n in state.get("results", {}).items():
        sort, *of_columns = places(key.split(","))
        if sort in taken:
            counted[tuple(of_columns)] += n
    if not counted:
        return None
    return member_of(layout, workload, _groups(layout, workload, columns, values, counted.items()))


def workload_sorts(layout: Layout, state: State) -> WorkloadSorts:
    """Of its results, those that no board takes too, by what is varied."""
    values = state.get("values", [[]])
    columns = layout.varied.columns
    counted: Counter[tuple[FactValue, Sort]] = Counter()
    for key, n in state.get("results", {}).items():
        places = key.split(",")
        value = tuple(values[_PLACE[column]][int(places[_PLACE[column]])] for column in columns)
        counted[value, _sort_of(values[0][int(places[0])])] += n
    return WorkloadSorts(
        tuple((value, sort, n) for (value, sort), n in counted.items()),
        has_proven=any(map(_is_proven, map(_sort_of, values[0]))),
    )


def _place_in(known: list[Any], value: Any) -> str:
    try:
        return str(known.index(value))
    except ValueError:
        known.append(value)
        return str(len(known) - 1)


_sort_of = lru_cache(10_000)(Sort.of_key)


def _is_rankable(sort: Sort) -> bool:
    """Relative rates are too: a cell compares them with their own kind."""
    return not (sort.is_unreliable or sort.is_throttled or sort.is_unranked)


def _is_proven(sort: Sort) -> bool:
    return sort.is_rankable and sort.trust in PROVEN


def _taken(keys: Sequence[str], trust_filter: Trust | None) -> frozenset[str]:
    """The places of the sorts that the filter takes."""
    sorts = [_sort_of(key) for key in keys]
    levels = levels_of(trust_filter, has_proven=any(map(_is_proven, sorts)))
    return frozenset(str(place) for place, sort in enumerate(sorts) if _is_rankable(sort) and sort.trust in levels)


def _groups(
    layout: Layout,
    workload: GridWorkload,
    columns: Sequence[str],
    values: Sequence[Sequence[Any]],
    counted: Iterable[tuple[tuple[str, ...], int]],
) -> Iterable[GridGroup]:
    of_columns = [values[_PLACE[column]] for column in columns]
    for places, n in counted:
        row: Mapping[str, Any] = {
            column: known[int(place)] for column, known, place in zip(columns, of_columns, places, strict=True)
        }
        yield GridGroup(
            count=n,
            varied=layout.varied.value_in(row, {}),
            cell=cell_key(layout, row, workload.canonical),
            required=required_of(layout, row),
        )

"""How many results of each workload have the same facts: what grids of any layout are made of."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any

from django.db.models import QuerySet

from submissions.aggregates.kinds import Kind, State
from submissions.aggregates.profile import IS_UNRANKED_COLUMN, ExclusionProfile, exclusion_profile, profile_of_key
from submissions.aggregates.trust_filter import levels_of
from submissions.choices import Trust
from submissions.models import Submission, SubmissionQuerySet
from submissions.questions.grid.families import Member, WorkloadProfiles, member_of
from submissions.questions.grid.parameters import AXES, FactValue, Layout
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

_COLUMNS = sorted({column for parameter in AXES.values() for column in parameter.columns}.union(REQUIRED, BASE))
_PLACE = {column: place for place, column in enumerate(_COLUMNS, 1)}  # 0: the exclusion profile


class GridKind(Kind):
    """`values`: the exclusion profiles, and the values of each of _COLUMNS; `results`: how many, by places in these."""

    name = "grid"
    code = "4"

    def rows(self, submissions: SubmissionQuerySet) -> QuerySet[Submission, tuple[Any, ...]]:
        rows = grid_submissions() & submissions
        return (
            rows.using(submissions.db)
            .order_by()
            .annotate(is_unranked=IS_UNRANKED_COLUMN)
            .values_list(
                *("trust", "flags", "is_unranked", "throughput_ops_s", "latency_kind", "latency_p99_at_most_ms"),
                *_COLUMNS,
            )
        )

    def add(self, state: State, row: tuple[Any, ...]) -> None:
        trust, flags, is_unranked, rate, kind, p99, *values = row
        profile = exclusion_profile(
            flags=flags,
            is_unranked=is_unranked,
            has_rate=rate is not None,
            trust=trust,
            latency_kind=kind,
            has_p99=p99 is not None,
        )
        known = state.setdefault("values", [[] for _ in range(len(_COLUMNS) + 1)])
        key = ",".join(map(_place_in, known, (profile.key, *values)))
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
        profile, *of_columns = places(key.split(","))
        if profile in taken:
            counted[tuple(of_columns)] += n
    if not counted:
        return None
    return member_of(layout, workload, _groups(layout, workload, columns, values, counted.items()))


def workload_profiles(layout: Layout, state: State) -> WorkloadProfiles:
    """Of its results, those that no board takes too, by what is varied."""
    values = state.get("values", [[]])
    columns = layout.varied.columns
    counted: Counter[tuple[FactValue, ExclusionProfile]] = Counter()
    for key, n in state.get("results", {}).items():
        places = key.split(",")
        value = tuple(values[_PLACE[column]][int(places[_PLACE[column]])] for column in columns)
        counted[value, profile_of_key(values[0][int(places[0])])] += n
    return WorkloadProfiles(
        tuple((value, profile, n) for (value, profile), n in counted.items()),
        has_proven=any(profile_of_key(key).is_proven for key in values[0]),
    )


def _place_in(known: list[Any], value: Any) -> str:
    try:
        return str(known.index(value))
    except ValueError:
        known.append(value)
        return str(len(known) - 1)


def _is_rankable(profile: ExclusionProfile) -> bool:
    """Relative rates are too: a cell compares them with their own kind."""
    return not (profile.is_unreliable or profile.is_throttled or profile.is_unranked)


def _taken(keys: Sequence[str], trust_filter: Trust | None) -> frozenset[str]:
    """The places of the profiles that the filter takes."""
    profiles = [profile_of_key(key) for key in keys]
    levels = levels_of(trust_filter, has_proven=any(profile.is_proven for profile in profiles))
    return frozenset(
        str(place) for place, profile in enumerate(profiles) if _is_rankable(profile) and profile.trust in levels
    )


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

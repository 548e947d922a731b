"""The families that a grid offers, and the layout that it begins with."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from benchsite.processes.code_version import code_version
from benchsite.redis.cache import evictable_cache
from submissions.aggregates.read import states_by_workload
from submissions.aggregates.store import refresh
from submissions.choices import Trust
from submissions.models import Workload, WorkloadFigures
from submissions.questions.boards.offered import newest_first
from submissions.questions.grid.aggregate import GRID, member
from submissions.questions.grid.families import Family, FamilyChoice, Member, family_of
from submissions.questions.grid.parameters import DEFAULT_LAYOUTS, TRIED, Layout
from submissions.questions.grid.rows import GridWorkload
from submissions.records.cache import CACHED_SECONDS, cached
from submissions.records.list.counts import cached_for_many

MOST_FAMILIES = 200


@dataclass(frozen=True, slots=True)
class OfferedFamily:
    choice: FamilyChoice
    fingerprints: frozenset[str]  # of its workloads
    workload_ids: frozenset[int]


@dataclass(frozen=True, slots=True)
class Offered:
    """`families`: the one that a page opens on, then those with the most cells."""

    layout: Layout
    trust: Trust | None
    families: Sequence[OfferedFamily]

    @property
    def choices(self) -> list[FamilyChoice]:
        return [family.choice for family in self.families[:MOST_FAMILIES]]

    def members(self, fingerprint: str) -> Collection[int]:
        """The workloads of the family with this workload; "": of the first family."""
        families = (own for own in self.families if not fingerprint or fingerprint in own.fingerprints)
        return next((family.workload_ids for family in families), frozenset())

    def find(self, fingerprint: str) -> Family | None:
        """The family with this workload; "": the first one. Three queries where nothing has changed."""
        if not (workloads := self.members(fingerprint)):
            return None
        members = _read([self.layout], self.trust, workloads)[self.layout.key]
        return family_of([own for own in members.values() if own]) if any(members.values()) else None


def default_layout(trust: Trust | None) -> Layout:
    """Of the layouts in TRIED the one of the newest family with a raw log, else the one with the most filled cells.

    Two queries while it is cached. Of many results it may be that of some seconds ago: no figure depends on it.
    """
    refresh()
    return DEFAULT_LAYOUTS[cached_for_many(("grid default layout", trust), lambda: _default_key(trust)).value]


def families(layout: Layout, trust: Trust | None) -> Offered:
    """Two queries while they are cached."""
    refresh()
    found = cached(("grid families", layout.key, trust), lambda: _opening_first(_families([layout], trust)[layout.key]))
    return Offered(layout, trust, found)


def _default_key(trust: Trust | None) -> str:
    tried = _families([DEFAULT_LAYOUTS[key] for key in TRIED], trust)
    found = {key: tried[DEFAULT_LAYOUTS[key].key] for key in TRIED}
    first = {key: [own for own in found[key][:MOST_FAMILIES] if own.choice.most_cells] for key in TRIED}
    newest = newest_first({pk for families in first.values() for own in families for pk in own.workload_ids})
    for workload in newest[:1]:
        return max(TRIED, key=lambda key: _most_cells(first[key], workload))
    return max(TRIED, key=lambda key: max((own.choice.most_cells for own in first[key]), default=0))


def _most_cells(found: Sequence[OfferedFamily], workload: int) -> int:
    """Of the family with this workload."""
    return next((own.choice.most_cells for own in found if workload in own.workload_ids), 0)


def _opening_first(found: Sequence[OfferedFamily]) -> list[OfferedFamily]:
    """The newest with a raw log, among those with the most cells, comes first."""
    opening = _opening([own for own in found[:MOST_FAMILIES] if own.choice.most_cells])
    return [*([opening] if opening else ()), *(own for own in found if own is not opening)]


def _opening(found: Sequence[OfferedFamily]) -> OfferedFamily | None:
    for workload in newest_first({pk for own in found for pk in own.workload_ids})[:1]:
        return next(own for own in found if workload in own.workload_ids)
    return None


def _families(layouts: Sequence[Layout], trust: Trust | None) -> dict[str, list[OfferedFamily]]:
    """Of each layout, by its key, those with the most cells first."""
    return {key: _ranked(members) for key, members in _members(layouts, trust).items()}


def _ranked(members: Iterable[Member]) -> list[OfferedFamily]:
    by_family: dict[str, list[Member]] = {}
    for own in members:
        by_family.setdefault(own.family, []).append(own)
    found = [family_of(of_family) for of_family in by_family.values()]
    found.sort(key=lambda family: (-family.most_cells, -family.submissions, family.title, family.fingerprint))
    return [OfferedFamily(family.choice, family.fingerprints, family.workload_ids) for family in found]


_Known = dict[int, tuple[UUID, Member | None]]  # by workload, with the version of its figures


def _members(layouts: Sequence[Layout], trust: Trust | None) -> dict[str, list[Member]]:
    """Of all workloads. Those whose figures have not changed come from the cache.

    Four queries, one where none has changed.
    """
    versions = dict(WorkloadFigures.objects.values_list("pk", "version"))
    keys = {layout.key: _cache_key(layout, trust) for layout in layouts}
    stored = evictable_cache.get_many(keys.values())
    known: dict[str, _Known] = {
        key: {pk: own for pk, own in stored.get(cache_key, {}).items() if versions.get(pk) == own[0]}
        for key, cache_key in keys.items()
    }
    if changed := {pk for of_layout in known.values() for pk in versions.keys() - of_layout.keys()}:
        read = _read(layouts, trust, changed)
        for key, cache_key in keys.items():
            known[key] |= {pk: (versions[pk], own) for pk, own in read[key].items()}
            evictable_cache.set(cache_key, known[key], CACHED_SECONDS)
    return {key: [own for _, own in of_layout.values() if own] for key, of_layout in known.items()}


def _cache_key(layout: Layout, trust: Trust | None) -> str:
    return f"grid_members:{code_version()}:{'-'.join(parameter.key for parameter in layout.parameters)}:{trust}"


def _read(
    layouts: Sequence[Layout], trust: Trust | None, workloads: Collection[int]
) -> dict[str, dict[int, Member | None]]:
    """By the key of the layout and the workload. Three queries where nothing has changed."""
    states = states_by_workload(GRID, workloads)
    rows = Workload.objects.filter(pk__in=workloads).values_list("pk", "fingerprint", "canonical")
    read = [GridWorkload(*row) for row in rows]
    return {
        layout.key: {own.pk: member(layout, own, states.get(own.pk, {}), trust) for own in read} for layout in layouts
    }

"""The families that a grid offers, and the layout that it begins with: from tallies, else from the rows."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db import connections, router

from submissions.aggregates.workloads import Recency, recencies
from submissions.choices import Trust
from submissions.ingest.document.fingerprint import fingerprint_of
from submissions.models import CompiledQuery, TallyPart, Workload
from submissions.questions.grid.families import Family, FamilyChoice, family_of, shared_facts
from submissions.questions.grid.parameters import DEFAULT_LAYOUTS, TRIED, Layout
from submissions.questions.grid.rows import GridGroup, GridWorkload, grid_groups
from submissions.questions.grid.tally import GridTally
from submissions.records.cache import cached
from submissions.tallies.growth import are_current, state_of, want
from submissions.tallies.shelf import SHELVES

MOST_FAMILIES = 200

# With those that are equal to the last one: their titles decide
_MOST_CELLS = """
SELECT numbers[{place}], orders[{place}], labels -> {label} ->> 0, labels -> {label} ->> 1, scope
FROM submissions_tallypart
WHERE tally_id = (SELECT id FROM submissions_tally WHERE name = %s) AND orders[{place}] > 0
ORDER BY numbers[{place}] DESC, orders[{place}] DESC
FETCH FIRST {most} ROWS WITH TIES
"""
_OF_EACH = """
SELECT name, (
    SELECT numbers[{place}] FROM submissions_tallypart AS part
    WHERE part.tally_id = tally.id AND numbers[{place}] > 0 ORDER BY numbers[{place}] DESC LIMIT 1
) FROM submissions_tally AS tally WHERE name = ANY(%s::text[])
"""
# Of each tally the newest family with a raw log among those with the most cells
_OPENINGS = """
SELECT name, opening.* FROM submissions_tally AS tally, LATERAL (
    SELECT scope, cells, newest.* FROM (
        SELECT scope, numbers[{place}] AS cells, workloads FROM submissions_tallypart AS part
        WHERE part.tally_id = tally.id AND numbers[{place}] > 0 AND orders[{place}] > 0
        ORDER BY numbers[{place}] DESC, orders[{place}] DESC
        LIMIT {most}
    ) AS families, LATERAL (
        SELECT machine_types > 1 AS has_several, newest, workload_id FROM submissions_workloadfigures
        WHERE workload_id = ANY(families.workloads) AND proven > 0
        ORDER BY (machine_types > 1) DESC, newest DESC NULLS LAST, workload_id DESC
        LIMIT 1
    ) AS newest
    ORDER BY has_several DESC, newest.newest DESC NULLS LAST, workload_id DESC
    LIMIT 1
) AS opening
WHERE name = ANY(%s::text[])
"""
_MEMBERS = CompiledQuery(
    lambda name, scope: TallyPart.objects.filter(tally__name=name, scope=scope).values_list("workloads"),
    name="name",
    scope="scope",
)


@dataclass(frozen=True, slots=True)
class Offered:
    """`choices`: the family that a page opens on, then those with the most cells; `find` takes the fingerprint of any
    workload, "" for the first family.

    `members` are the workloads of what it finds, as far as they are known without reading the family.
    """

    choices: Sequence[FamilyChoice]
    find: Callable[[str], Family | None]
    members: Callable[[str], Collection[int]] = lambda fingerprint: ()


def default_layout(trust: Trust | None) -> Layout:
    """Of the layouts in TRIED the one of the newest family with a raw log, else the one with the most filled cells.

    Four queries, or 16 without tallies.
    """
    known: dict[int, GridWorkload] = {}
    tallies = {key: GridTally(DEFAULT_LAYOUTS[key], known) for key in TRIED}
    if not are_current(*tallies.values()):
        return _default_layout_by_rows(trust)
    openings = _openings([tally.name for tally in tallies.values()], trust)
    if openings:
        opened = [tally for tally in tallies.values() if tally.name in openings]
        return max(opened, key=lambda tally: (openings[tally.name].recency, openings[tally.name].cells)).layout
    connection: Any = connections[router.db_for_read(TallyPart)]  # benchsite/postgresql
    with connection.prepared_cursor() as cursor:
        cursor.execute(_OF_EACH.format(place=SHELVES.index(trust) + 1), [[tally.name for tally in tallies.values()]])
        most = dict(cursor.fetchall())
    return DEFAULT_LAYOUTS[max(TRIED, key=lambda key: most.get(tallies[key].name) or 0)]


def families(layout: Layout, trust: Trust | None) -> Offered:
    """Three queries and those of `find`; without tallies one, or six when they are not cached."""
    tally = GridTally(layout)
    if are_current(tally):
        return _of_tally(tally, trust)
    want(tally)
    return of_rows(families_by_rows(layout, trust))


def of_rows(found: Sequence[Family]) -> Offered:
    def find(fingerprint: str) -> Family | None:
        return next((family for family in found if not fingerprint or fingerprint in family.fingerprints), None)

    return Offered([family.choice for family in found[:MOST_FAMILIES]], find)


def families_by_rows(layout: Layout, trust: Trust | None) -> list[Family]:
    """The newest with a raw log first, then those with the most cells."""
    return cached(("grid families", layout.key, trust), lambda: _opening_first(_families(layout, trust)))


def _opening_first(found: Sequence[Family]) -> list[Family]:
    opening = _newest(found)
    return list(found) if opening is None else [opening[1], *(family for family in found if family is not opening[1])]


def _newest(found: Sequence[Family]) -> tuple[Recency, Family] | None:
    """Of those with a raw log among the families with the most cells. Three queries."""
    families = [family for family in found[:MOST_FAMILIES] if family.most_cells]
    known = recencies({pk for family in families for pk in family.workload_ids})
    newest = [
        (max(known[pk] for pk in family.workload_ids & known.keys()), family)
        for family in families
        if family.workload_ids & known.keys()
    ]
    return max(newest, key=lambda one: one[0], default=None)


def _of_tally(tally: GridTally, trust: Trust | None) -> Offered:
    ranked = _most_cells(tally, trust)
    if opening := _openings([tally.name], trust).get(tally.name):
        ranked.sort(key=lambda row: row.scope != opening.scope)

    def scope_of(fingerprint: str) -> str | None:
        return _scope_of(tally.layout, fingerprint) if fingerprint else ranked[0].scope if ranked else None

    def find(fingerprint: str) -> Family | None:
        scope = scope_of(fingerprint)
        family = tally.family(state_of(tally, scope), trust) if scope else None
        return family if family and fingerprint in ("", *family.fingerprints) else None

    def members(fingerprint: str) -> Collection[int]:
        if (scope := scope_of(fingerprint)) is None:
            return ()
        return next((workloads for (workloads,) in _MEMBERS.rows(name=tally.name, scope=scope)), ())

    return Offered([FamilyChoice(*row.label, row.cells, row.submissions) for row in ranked], find, members)


class _Opening(NamedTuple):
    scope: str
    cells: int
    recency: Recency


def _openings(names: Sequence[str], trust: Trust | None) -> Mapping[str, _Opening]:
    """By the name of a tally the scope that a page opens on; without those that have no family with a raw log.

    Two queries, one while it is cached.
    """

    def read() -> dict[str, _Opening]:
        connection: Any = connections[router.db_for_read(TallyPart)]  # benchsite/postgresql
        with connection.prepared_cursor() as cursor:
            cursor.execute(_OPENINGS.format(place=SHELVES.index(trust) + 1, most=MOST_FAMILIES), [list(names)])
            rows = cursor.fetchall()
        return {
            name: _Opening(scope, cells, Recency.of(has_several=has_several, newest=newest, workload_id=workload))
            for name, scope, cells, has_several, newest, workload in rows
        }

    return cached(("grid openings", *names, trust), read)


class _Ranked(NamedTuple):
    cells: int
    submissions: int
    label: tuple[str, str]  # fingerprint and title
    scope: str


def _most_cells(tally: GridTally, trust: Trust | None) -> list[_Ranked]:
    """One query."""
    place = SHELVES.index(trust)
    connection: Any = connections[router.db_for_read(TallyPart)]  # benchsite/postgresql
    with connection.prepared_cursor() as cursor:
        cursor.execute(_MOST_CELLS.format(place=place + 1, label=place, most=MOST_FAMILIES), [tally.name])
        rows = [_Ranked(cells, n, (fingerprint, title), scope) for cells, n, fingerprint, title, scope in cursor]
    rows.sort(key=lambda row: (-row.cells, -row.submissions, row.label[1], row.label[0]))
    return rows[:MOST_FAMILIES]


def _scope_of(layout: Layout, fingerprint: str) -> str | None:
    row = Workload.objects.filter(fingerprint=fingerprint).values_list("pk", "fingerprint", "canonical").first()
    return fingerprint_of(shared_facts(layout, GridWorkload(*row))) if row else None


def _default_layout_by_rows(trust: Trust | None) -> Layout:
    return DEFAULT_LAYOUTS[cached(("grid default layout", trust), lambda: _key_by_rows(trust))]


def _key_by_rows(trust: Trust | None) -> str:
    found = {key: _families(DEFAULT_LAYOUTS[key], trust) for key in TRIED}
    newest = {key: opening for key, families in found.items() if (opening := _newest(families))}
    if newest:
        return max(newest, key=lambda key: (newest[key][0], newest[key][1].most_cells))
    return max(TRIED, key=lambda key: max((family.most_cells for family in found[key]), default=0))


def _families(layout: Layout, trust: Trust | None) -> list[Family]:
    by_family: dict[str, list[GridGroup]] = {}
    for group in grid_groups(layout, trust):
        by_family.setdefault(fingerprint_of(shared_facts(layout, group.workload)), []).append(group)
    found = [family_of(layout, groups) for groups in by_family.values()]
    return sorted(found, key=lambda family: (-family.most_cells, -family.submissions, family.title, family.fingerprint))

"""The families that a grid offers, and the layout that it begins with: from tallies, else from the rows."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db import connections, router

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
_MEMBERS = CompiledQuery(
    lambda name, scope: TallyPart.objects.filter(tally__name=name, scope=scope).values_list("workloads"),
    name="name",
    scope="scope",
)


@dataclass(frozen=True, slots=True)
class Offered:
    """`choices` have the most cells first; `find` takes the fingerprint of any workload, "" for the first family.

    `members` are the workloads of what it finds, as far as they are known without reading the family.
    """

    choices: Sequence[FamilyChoice]
    find: Callable[[str], Family | None]
    members: Callable[[str], Collection[int]] = lambda fingerprint: ()


def default_layout(trust: Trust | None) -> Layout:
    """Of the default layouts in TRIED, the one with the most filled cells; two queries, or 11 without tallies."""
    known: dict[int, GridWorkload] = {}
    tallies = {key: GridTally(DEFAULT_LAYOUTS[key], known) for key in TRIED}
    if not are_current(*tallies.values()):
        return _default_layout_by_rows(trust)
    connection: Any = connections[router.db_for_read(TallyPart)]  # benchsite/postgresql
    with connection.prepared_cursor() as cursor:
        cursor.execute(_OF_EACH.format(place=SHELVES.index(trust) + 1), [[tally.name for tally in tallies.values()]])
        most = dict(cursor.fetchall())
    return DEFAULT_LAYOUTS[max(TRIED, key=lambda key: most.get(tallies[key].name) or 0)]


def families(layout: Layout, trust: Trust | None) -> Offered:
    """Two queries and those of `find`; without tallies one, or three when they are not cached."""
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
    """Those with the most cells first."""
    return cached(("grid families", layout.key, trust), lambda: _families(layout, trust))


def _of_tally(tally: GridTally, trust: Trust | None) -> Offered:
    ranked = _most_cells(tally, trust)

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
    def most_cells(key: str) -> int:
        return max((family.most_cells for family in _families(DEFAULT_LAYOUTS[key], trust)), default=0)

    return DEFAULT_LAYOUTS[cached(("grid default layout", trust), lambda: max(TRIED, key=most_cells))]


def _families(layout: Layout, trust: Trust | None) -> list[Family]:
    by_family: dict[str, list[GridGroup]] = {}
    for group in grid_groups(layout, trust):
        by_family.setdefault(fingerprint_of(shared_facts(layout, group.workload)), []).append(group)
    found = [family_of(layout, groups) for groups in by_family.values()]
    return sorted(found, key=lambda family: (-family.most_cells, -family.submissions, family.title, family.fingerprint))

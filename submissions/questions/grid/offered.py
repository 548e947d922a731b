"""The families that a grid offers, and the layout that it begins with: from tallies, else from the rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.db.models import F, Max

from submissions.choices import Trust
from submissions.ingest.document.fingerprint import fingerprint_of
from submissions.models import TallyPart, Workload
from submissions.questions.grid.families import Family, FamilyChoice, family_of, shared_facts
from submissions.questions.grid.parameters import DEFAULT_LAYOUTS, TRIED, Layout
from submissions.questions.grid.rows import GridGroup, GridWorkload, grid_groups
from submissions.questions.grid.tally import GridTally
from submissions.records.cache import cached
from submissions.tallies.growth import are_current, state_of, want
from submissions.tallies.shelf import SHELVES

MOST_FAMILIES = 200


@dataclass(frozen=True, slots=True)
class Offered:
    """`choices` have the most cells first; `find` takes the fingerprint of any workload, "" for the first family."""

    choices: Sequence[FamilyChoice]
    find: Callable[[str], Family | None]


def default_layout(trust: Trust | None) -> Layout:
    """Of the default layouts in TRIED, the one with the most filled cells; two queries, or 11 without tallies."""
    tallies = {key: GridTally(DEFAULT_LAYOUTS[key]) for key in TRIED}
    if not are_current(*tallies.values()):
        return _default_layout_by_rows(trust)
    parts = TallyPart.objects.filter(tally__name__in=[tally.name for tally in tallies.values()])
    most = dict(parts.values_list("tally__name").annotate(cells=Max(F(f"numbers__{SHELVES.index(trust)}"))))
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
    place = SHELVES.index(trust)
    parts = TallyPart.objects.filter(tally__name=tally.name, **{f"orders__{place}__gt": 0})
    figures = sorted(
        parts.values_list(f"numbers__{place}", f"orders__{place}", "scope"), key=lambda row: (-row[0], -row[1])
    )
    # those that are equal to the last one too: their titles decide
    most = [row for row in figures if row[:2] >= figures[:MOST_FAMILIES][-1][:2]]
    labels = dict(parts.filter(scope__in=[row[2] for row in most]).values_list("scope", f"labels__{place}"))
    ranked = sorted(most, key=lambda row: (-row[0], -row[1], labels[row[2]][1], labels[row[2]][0]))[:MOST_FAMILIES]

    def find(fingerprint: str) -> Family | None:
        scope = _scope_of(tally.layout, fingerprint) if fingerprint else ranked[0][2] if ranked else None
        family = tally.family(state_of(tally, scope), trust) if scope else None
        return family if family and fingerprint in ("", *family.fingerprints) else None

    choices = [
        FamilyChoice(labels[scope][0], labels[scope][1], cells, submissions) for cells, submissions, scope in ranked
    ]
    return Offered(choices, find)


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

"""The submissions behind a grid of differences: which may share one, and both sides of each cell."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from json import dumps
from typing import Any

from django.db.models import Case, CharField, Count, F, IntegerField, Q, QuerySet, When
from django.db.models import Value as Literal
from django.db.models.functions import Coalesce

from submissions.analysis.grid import Grid, Measurement, grid
from submissions.choices import Trust
from submissions.ingest.document.fingerprint import fingerprint_of, workload_title
from submissions.models import IS_EXCLUDED, Submission, Trial, Workload
from submissions.questions.grid.parameters import TRIED, USUAL, VARIED, Layout, Parameter, Value
from submissions.records.cache import cached

MOST_GROUPS = 20_000  # combinations of facts that are counted, the most frequent first
MOST_VALUES = 25  # of what is varied, in one cell
MOST_ROWS = 1_000  # submissions behind a grid, the newest first

# In every canonical form of ingest/fingerprint.py; a title is made of all of them.
_FORM_KEYS = (
    "service", "tool", "operations", "command", "consistency_level", "replication_factor", "columns",
    "value_bytes", "key_distribution", "key_count", "load_mode", "duration",
)  # fmt: skip
# Facts that have to be the same on both sides of a cell, unless the grid is about them.
_MUST = ("node_count", "cache_node_count")
_BASE = ("base", "base_source", "base_submitter")  # what a relative figure is relative to
# Facts that may differ, and are told then; the rest of VARIED is among them.
_ALSO_TOLD = (Parameter("tool_version", "load tool's version", ("tool_version",)),)
_SETTINGS = "settings"

RowKey = tuple[Value, ...]
Place = tuple[RowKey, Value]


@dataclass(frozen=True, slots=True)
class Family:
    """Workloads that are the same but for the rows and columns of a grid.

    `pairs` counts the cells that two values of what is varied would fill, smaller value first.
    """

    fingerprint: str  # of its most frequent workload
    title: str
    workload_ids: frozenset[int]
    fingerprints: frozenset[str]
    values: dict[Value, int]  # of what is varied: submissions
    pairs: dict[tuple[Value, Value], int]
    submissions: int
    unplaced: int  # of them: a fact that the grid is about is unknown

    def cells(self, a: Value, b: Value) -> int:
        return max(self.pairs.get((a, b), 0), self.pairs.get((b, a), 0))

    @property
    def most_cells(self) -> int:
        return max(self.pairs.values(), default=0)

    def best_pair(self, baseline: Value | None = None, variant: Value | None = None) -> tuple[Value, Value] | None:
        """(baseline, variant) that fill the most cells, with what is given; the more frequent is the baseline."""
        fitting = [
            (cells, a, b)
            for pair, cells in self.pairs.items()
            for a, b in (pair, pair[::-1])
            if baseline in (None, a) and variant in (None, b)
        ]
        if not fitting:
            return None
        return min(fitting, key=lambda one: (-one[0], -self.values[one[1]], _text(one[1]), _text(one[2])))[1:]


@dataclass(frozen=True, slots=True)
class Choice:
    """What is set against what. `unknown` are values that were asked for and are not here."""

    layout: Layout
    family: Family
    baseline: Value
    variant: Value
    unknown: tuple[str, ...] = ()

    @property
    def sides_words(self) -> str:
        return f"{self.layout.varied.words(self.variant)} against {self.layout.varied.words(self.baseline)}"


@dataclass(frozen=True, slots=True)
class Sides:
    """A grid with what stands behind it."""

    grid: Grid[RowKey, Value]
    fact_labels: tuple[str, ...]  # of the places in a cell's `differs` and `unsure`
    relative_bases: int  # different ones, of the submissions in cells
    historical: int  # submissions in cells that come from articles
    used: int  # submissions in cells
    found: int  # with the baseline or the variant
    doubtful: int  # not counted: a flag puts their rate in doubt
    is_cut: bool


def usual_layout() -> Layout:
    """Of the usual grids the one with the most filled cells; one query, 11 when the answer is not kept."""
    key = cached(("grid usual",), lambda: max(TRIED, key=lambda key: _fullest(USUAL[key])))
    return USUAL[key]


def families(layout: Layout) -> list[Family]:
    """Those with the most cells first; one query, three when the answer is not kept."""
    return cached(("grid families", layout.key), lambda: _families(layout))


def sides(layout: Layout, family: Family, baseline: Value, variant: Value) -> Sides:
    """The grid of a family; three queries."""
    chosen = _with(layout.varied, baseline) | _with(layout.varied, variant)
    of_family = _figures().filter(chosen, workload__in=family.workload_ids)
    facts = _facts(layout)
    columns = {column for one in (*layout.parameters, *facts) for column in one.columns}
    rows = list(
        of_family.exclude(IS_EXCLUDED)
        .order_by("-pk")
        .annotate(settings=F("document__settings"), form=F("workload__canonical"))
        .values("pk", "trust", "form", "settings", "trials_count", "throughput_ops_s", "relative_throughput",
                *_must(layout), *_BASE, *sorted(columns - set(_must(layout))))[: MOST_ROWS + 1]
    )  # fmt: skip
    is_cut, rows = len(rows) > MOST_ROWS, rows[:MOST_ROWS]
    trials = _trial_figures(row["pk"] for row in rows if row["trials_count"] > 1)
    cells: dict[Place, tuple[list[Measurement], list[Measurement]]] = {}
    for row in rows:
        if (place := _place(layout, row)) is not None:
            side = cells.setdefault(place, ([], []))[layout.varied.read(row, {}) == variant]
            side.append(_measurement(layout, facts, row, trials.get(row["pk"], ())))
    made = grid(cells)
    used = {key for cell in made.cells.values() for key in (*cell.baseline, *cell.variant)}
    behind = [row for row in rows if row["pk"] in used]
    return Sides(
        grid=made,
        fact_labels=(*(one.label for one in facts), _SETTINGS),
        relative_bases=len({row["base"] for row in behind if row["base"]}),
        historical=sum(row["trust"] == Trust.HISTORICAL for row in behind),
        used=len(behind),
        found=len(rows),
        doubtful=of_family.filter(IS_EXCLUDED).count(),
        is_cut=is_cut,
    )


def _fullest(layout: Layout) -> int:
    return max((family.most_cells for family in _families(layout)), default=0)


def _families(layout: Layout) -> list[Family]:
    columns = {column for one in layout.parameters for column in one.columns}
    names = ("workload", *_must(layout), *_BASE, *sorted(columns - set(_must(layout))))
    groups = list(
        _figures().exclude(IS_EXCLUDED)
        .order_by().values(*names).annotate(n=Count("pk")).order_by("-n", *names)[:MOST_GROUPS]
    )  # fmt: skip
    workloads = {
        pk: (fingerprint, form)
        for pk, fingerprint, form in Workload.objects.filter(pk__in={group["workload"] for group in groups})
        .values_list("pk", "fingerprint", "canonical")
    }  # fmt: skip
    by_rest: dict[str, list[dict[str, Any]]] = {}
    rests = {pk: _rest(layout, form) for pk, (_, form) in workloads.items()}
    for group in groups:
        _, group["form"] = workloads[group["workload"]]
        by_rest.setdefault(fingerprint_of(rests[group["workload"]]), []).append(group)
    found = [_family(layout, of_family, workloads, rests) for of_family in by_rest.values()]
    return sorted(found, key=lambda one: (-one.most_cells, -one.submissions, one.title, one.fingerprint))


def _family(
    layout: Layout,
    groups: list[dict[str, Any]],
    workloads: Mapping[int, tuple[str, Any]],
    rests: Mapping[int, dict[str, Any]],
) -> Family:
    values: Counter[Value] = Counter()
    sizes: Counter[int] = Counter()
    unplaced = 0
    cells: dict[tuple[Any, ...], set[Value]] = {}
    for group in groups:
        sizes[group["workload"]] += group["n"]
        place, value = _place(layout, group), layout.varied.read(group, {})
        if place is None or value is None:
            unplaced += group["n"]
            continue
        values[value] += group["n"]
        must = tuple(group[name] for name in (*_must(layout), *_BASE))
        cells.setdefault((place, must), set()).add(value)
    largest = min(sizes, key=lambda pk: (-sizes[pk], workloads[pk][0]))
    form = {**dict.fromkeys(_FORM_KEYS), **rests[largest]}
    return Family(
        fingerprint=workloads[largest][0],
        title=workload_title(form),
        workload_ids=frozenset(sizes),
        fingerprints=frozenset(workloads[pk][0] for pk in sizes),
        values=dict(values),
        pairs=_pairs(cells, values),
        submissions=sizes.total(),
        unplaced=unplaced,
    )


def _pairs(cells: Mapping[tuple[Any, ...], set[Value]], values: Counter[Value]) -> dict[tuple[Value, Value], int]:
    """In how many places two values meet, whatever else they have in common there."""
    places: dict[tuple[Value, Value], set[Place]] = {}
    for (place, _), found in cells.items():
        frequent = sorted(found, key=lambda value: (-values[value], _text(value)))[:MOST_VALUES]
        for pair in combinations(sorted(frequent, key=_text), 2):
            places.setdefault(pair, set()).add(place)
    return {pair: len(found) for pair, found in places.items()}


def _figures() -> QuerySet[Submission]:
    """Published, with a positive figure, and with what it is relative to."""
    is_relative = Q(throughput_ops_s=None)
    return (
        Submission.objects.published()
        .filter(Q(throughput_ops_s__gt=0) | Q(throughput_ops_s=None, relative_throughput__gt=0))
        .annotate(
            base=Case(When(is_relative, then=F("relative_base")), default=Literal(""), output_field=CharField()),
            base_source=Case(When(is_relative, then=F("source_url")), default=Literal(""), output_field=CharField()),
            # two submitters may mean two things by the same words
            base_submitter=Case(
                When(is_relative, then=Coalesce(F("submitted_by"), 0)), default=Literal(0), output_field=IntegerField()
            ),
        )
    )


def _with(parameter: Parameter, value: Value) -> Q:
    return Q(**dict(zip(parameter.columns, value, strict=True)))


def _must(layout: Layout) -> tuple[str, ...]:
    about = {column for one in layout.parameters for column in one.columns}
    return tuple(name for name in _MUST if name not in about)


def _facts(layout: Layout) -> tuple[Parameter, ...]:
    about = {*(one.key for one in layout.parameters), *_MUST}
    return tuple(one for one in (*VARIED.values(), *_ALSO_TOLD) if one.key not in about)


def _rest(layout: Layout, form: Mapping[str, Any]) -> dict[str, Any]:
    about = {one.key for one in layout.parameters if one.is_of_workload}
    return {name: fact for name, fact in form.items() if name not in about}


def _place(layout: Layout, row: Mapping[str, Any]) -> Place | None:
    """None where a fact of the rows or columns is unknown."""
    *over, column = (parameter.read(row, row["form"]) for parameter in (*layout.rows, layout.columns))
    return None if column is None or None in over else (tuple(over), column)


def _trial_figures(ids: Iterable[int]) -> dict[int, list[tuple[float | None, float | None]]]:
    """(ops/s, relative) of each trial of several; one query."""
    found: dict[int, list[tuple[float | None, float | None]]] = {}
    for pk, absolute, relative in Trial.objects.filter(submission__in=list(ids)).values_list(
        "submission", "throughput_ops_s", "relative_throughput"
    ):
        found.setdefault(pk, []).append((absolute, relative))
    return found


def _measurement(
    layout: Layout,
    facts: Iterable[Parameter],
    row: Mapping[str, Any],
    trials: Iterable[tuple[float | None, float | None]],
) -> Measurement:
    is_relative = row["throughput_ops_s"] is None
    headline = row["relative_throughput"] if is_relative else row["throughput_ops_s"]
    figures = tuple(figure for trial in trials if (figure := trial[is_relative]) is not None and figure > 0)
    settings = dumps(row["settings"], sort_keys=True) if row["settings"] else None
    return Measurement(
        key=row["pk"],
        figures=figures or (headline,),
        must=tuple(row[name] for name in (*_must(layout), *_BASE)),
        facts=(*(fact.read(row, {}) for fact in facts), settings),
    )


def _text(value: Value) -> str:
    return " ".join(map(str, value))

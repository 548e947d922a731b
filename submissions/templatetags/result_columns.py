"""Results as columns, for browsers that filter and order a list by themselves.

Rows and cells have the markup of `results.py`. A column is a list of its values, each once, and for each row the place
of its value there; what follows from other columns (a cluster from its nodes and their type) is sent once for each
combination of them. Figures are decimal texts, exact as they are stored, which the browser rounds as
`formatting/numbers.py` does; an empty one is unknown. So that 2,000 rows are 40 kB: rows on equal machines are
neighbors, and columns that go together have their places in common.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from datetime import date
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

from django import template
from django.utils.safestring import SafeString

from benchsite.pagination import PAGE_SIZE
from submissions.age.marks import Age
from submissions.choices import DOUBTFUL_FLAGS, LatencyKind
from submissions.formatting import numbers
from submissions.formatting.p99 import mean_instead_ms, p99_label
from submissions.formatting.text import AVERAGED
from submissions.models import Submission
from submissions.pricing.cost import SECONDS_PER_HOUR
from submissions.records.list import facet_html
from submissions.records.list.columns import ListColumns
from submissions.records.list.facet_counts import FACET_COLUMNS, FIRST
from submissions.records.list.facets import MOST_VALUES, SHOWN_VALUES, facet_label, has_own_order, in_order, value_label
from submissions.templatetags import figures, results

DERIVED = "="  # of `ops_per_usd`: the rate of an hour by the cost of an hour
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
_EPOCH = date(1970, 1, 1)
_STORED_DIGITS = Decimal("0.0001")  # of `ops_per_usd`
_SHORT_CHARACTERS = 10  # of a figure that is not written as a quotient
_MOST_TRIALS, _MOST_DECIMALS = 20, 3

register = template.Library()

# slot of a row -> the columns that decide it, and its markup
_SLOTS: Mapping[str, tuple[Sequence[str], Callable[[Submission], str]]] = {
    "badges": (("trust", "flag"), lambda row: results.badges(row.trust, tuple(row.flags))),
    "cluster": (
        ("node_count", "instance_type", "caches"),
        lambda row: results.cluster(row.node_count, row.instance_type, row.cache_node_count),
    ),
    "place": (
        ("provider", "region", "disk_kind"),
        lambda row: results.place(row.provider, row.region, row.disk_kind),
    ),
    "software": (
        ("service", "version", "jdk_vendor", "jdk_version"),
        lambda row: results.software(row.service, row.service_version, row.jdk_vendor, row.jdk_version),
    ),
    "workload": (
        ("operation", "consistency_level", "replication_factor"),
        lambda row: results.workload(row.operation, row.consistency_level, row.replication_factor),
    ),
    "kind": (("latency_kind",), lambda row: results.kind(row.latency_kind)),
}
_COLUMNS: Mapping[str, Callable[[Submission], Hashable]] = {
    "caches": lambda row: row.cache_node_count,
    "version": lambda row: row.service_version,
    "title": results.short_title,
    "searched": lambda row: row.title if len(row.title) > results.TITLE_CHARACTERS else "",
    "load": results.load,
    "held": results.held_mark,
    "mark": lambda row: results.distorted(row),
    "latency": p99_label,
    "bound": results.p99_bound,
    "n": lambda row: row.averaged_over or row.trials_count,
    "averaged": lambda row: AVERAGED if row.averaged_over else "",
    "cost": results.cost_parts,
    "slo": results.at_slo,
    "attribution": lambda row: row.attribution,
}
# Columns with one place for all of them
_GROUPS = (
    ("provider", "region", "instance_type", "cpu_model", "disk_kind"),
    ("service", "version", "jdk_vendor", "jdk_version"),
    ("workload", "operation", "consistency_level", "replication_factor", "tool"),
    ("load", "held"),
    ("trust", "flag", "mark"),
    ("n", "averaged"),
    ("license", "pack", "attribution"),
)
_NUMBERS: Mapping[str, Callable[[Submission], str]] = {
    "throughput_ops_s": lambda row: _quotient(row.throughput_ops_s),
    "latency_p99_ms": lambda row: _quotient(row.latency_p99_at_most_ms),
    "mean_instead_ms": lambda row: _quotient(mean_instead_ms(row)),
    "hourly_usd": lambda row: _text(row.hourly_usd),
    "ops_per_usd": lambda row: _value(row),
    "spread": lambda row: _spread(row),
}


@register.simple_tag
def result_columns(columns: ListColumns | None, best_first: Mapping[str, str]) -> SafeString:
    """JSON, which `static/js/list_columns.js` reads; without rows where these are too many.

    `best_first`: the order of the first click on a column's head, by column.
    """
    return SafeString(json.dumps(_answer(columns, best_first), separators=(",", ":"), ensure_ascii=False))


def _answer(columns: ListColumns | None, best_first: Mapping[str, str]) -> dict[str, Any]:
    if columns is None:
        return {"ids": None}
    rows = columns.rows
    facets = {name: _facet(name, columns) for name in FACET_COLUMNS}
    others = {name: _column(map(value, rows)) for name, value in _COLUMNS.items()}
    others["marks"] = _column(_marks(row, columns.ages.get(row.pk)) for row in rows)
    at = {name: places for name, (_, places) in (facets | others).items()}
    return {
        "markup": _markup(),
        "unknown": figures.UNKNOWN,
        "alphabet": ALPHABET,
        "ids": _ids([row.pk for row in rows]),
        "facets": {name: facet for name, (facet, _) in facets.items()},
        "columns": {name: values for name, (values, _) in others.items()},
        "groups": [_group(names, at) for names in _groups(at)],
        "slots": {name: _slot(rows, of, at, markup) for name, (of, markup) in _SLOTS.items()},
        "numbers": {name: " ".join(map(text, rows)) for name, text in _NUMBERS.items()},
        "measured": _days(rows),
        "latency_kinds": [[kind.value, kind.label, figures.latency_short(kind)] for kind in LatencyKind],
        "best_first": best_first,
        "doubtful": DOUBTFUL_FLAGS,
        "first_facets": FIRST,
        "shown": SHOWN_VALUES,
        "most": MOST_VALUES,
        "page": PAGE_SIZE,
    }


def _groups(at: Iterable[str]) -> list[Sequence[str]]:
    grouped = {name for names in _GROUPS for name in names}
    return [*_GROUPS, *((name,) for name in at if name not in grouped)]


def _group(names: Sequence[str], at: Mapping[str, Sequence[int]]) -> dict[str, Any]:
    """`values`: of each combination of several columns, their places; `places`: each row's combination."""
    group: dict[str, Any] = {"of": names}
    if len(names) == 1:
        places = at[names[0]]
    else:
        values, places = _column(zip(*(at[name] for name in names), strict=True))
        group["values"] = [list(column) for column in zip(*values, strict=True)]
    is_small = max(places, default=0) < len(ALPHABET)
    return group | ({"places": _packed(places)} if is_small else {"steps": _steps(places)})


def _ids(ids: Sequence[int]) -> dict[str, Any]:
    """`steps`: the ids in their order, each as its distance to the one before; `ranks`: each row's place in it."""
    ranks = {pk: rank for rank, pk in enumerate(sorted(ids))}
    return {"steps": _steps(sorted(ids)), "ranks": _packed([ranks[pk] for pk in ids])}


def _packed(numbers: Sequence[int]) -> dict[str, Any]:
    """Whole numbers from zero on, in digits of the alphabet, as many for each."""
    base, width = len(ALPHABET), 1
    while base**width <= max(numbers, default=0):
        width += 1
    text = "".join(ALPHABET[number // base**place % base] for number in numbers for place in reversed(range(width)))
    return {"width": width, "text": text}


def _markup() -> dict[str, str]:
    """What the page is made of, with {slots}."""
    return {
        "row": _row_template(),
        "field_set": facet_html.FIELD_SET,
        "box": facet_html.BOX,
        "more": facet_html.MORE,
        "hidden": facet_html.HIDDEN,
    }


def _row_template() -> str:
    """The row with {id} and a place for every slot, the cells in it included."""
    names = [part.partition("}")[0] for part in results.ROW.split("{")[1:]]
    slots = {name: f"{{{name}}}" for name in names}
    # a published result: its address needs no key
    address = Submission(pk=0).get_absolute_url().replace("0", "{id}")
    return results.ROW.format(**slots | {"box": results.BOX, "throughput": results.RATE, "address": address})


def _facet(name: str, columns: ListColumns) -> tuple[dict[str, Any], list[int]]:
    """`values`: pairs of the value in an address and its label, in the order of the page where it is not by count."""
    known = columns.values_of(name)
    labels = {workload.fingerprint: workload.title for workload in columns.workloads} if name == "workload" else {}
    values = list(labels) or in_order(name, {value for row in known for value in row})
    places = {value: place for place, value in enumerate(values)}
    facet = {
        "label": facet_label(name),
        "own": has_own_order(name),
        "values": [[value, labels.get(value) or value_label(name, value)] for value in values],
    }
    if name in ("flag", "age"):
        sets, at = _column(tuple(places[value] for value in row) for row in known)
        return facet | {"sets": sets}, at
    return facet, [places[value] for (value,) in known]


def _column(values: Iterable[Hashable]) -> tuple[list[Hashable], list[int]]:
    """The values, each once, and the place of each row's value."""
    places: dict[Hashable, int] = {}
    at = [places.setdefault(value, len(places)) for value in values]
    return list(places), at


def _slot(
    rows: Sequence[Submission], of: Sequence[str], at: Mapping[str, Sequence[int]], markup: Callable[[Submission], str]
) -> dict[str, Any]:
    html: dict[str, str] = {}
    for row, key in zip(rows, zip(*(at[name] for name in of), strict=True), strict=True):
        text = " ".join(map(str, key))
        if text not in html:
            html[text] = markup(row)
    return {"of": of, "html": html}


def _steps(places: Iterable[int]) -> list[int]:
    before, steps = 0, []
    for place in places:
        steps.append(place - before)
        before = place
    return steps


def _text(value: float | Decimal | None) -> str:
    return "" if value is None else numbers.exact(value).replace(",", "")


def _quotient(value: float | None) -> str:
    """A mean of few trials as "101485.9/3", where that is shorter and exactly the same number."""
    text = _text(value)
    if value is None or len(text) <= _SHORT_CHARACTERS:
        return text
    for count in range(2, _MOST_TRIALS):
        total = round(value * count, _MOST_DECIMALS)
        if total / count == value:
            return f"{_text(total)}/{count}"
    return text


def _value(row: Submission) -> str:
    if row.ops_per_usd is None or row.hourly_usd is None or row.throughput_ops_s is None:
        return _text(row.ops_per_usd)
    derived = Decimal(repr(row.throughput_ops_s)) * SECONDS_PER_HOUR / row.hourly_usd
    return DERIVED if derived.quantize(_STORED_DIGITS, ROUND_HALF_EVEN) == row.ops_per_usd else _text(row.ops_per_usd)


def _spread(row: Submission) -> str:
    """In percent, as it is shown."""
    return "" if row.throughput_cv is None else numbers.percent(row.throughput_cv).removesuffix(" %")


def _marks(row: Submission, known: Age | None) -> str:
    """The badge of the age marks, with {day} for that of the measurement."""
    badge = results.age_mark(known)
    return badge.replace(str(row.measured_at.date()), "{day}") if row.measured_at else badge


def _days(rows: Sequence[Submission]) -> dict[str, Any]:
    """`first` in days since 1970; how much later each is, plus one, zero for unknown; and which of its day it is."""
    moments = {row.measured_at for row in rows if row.measured_at is not None}
    on_day = defaultdict(list)
    for moment in sorted(moments):
        on_day[(moment.date() - _EPOCH).days].append(moment)
    first = min(on_day, default=0)
    place = {moment: (day - first + 1, number) for day, same in on_day.items() for number, moment in enumerate(same)}
    places = [(0, 0) if row.measured_at is None else place[row.measured_at] for row in rows]
    days, numbers = [day for day, _ in places], [number for _, number in places]
    return {"first": first, "days": _packed(days), "places": _packed(numbers)}

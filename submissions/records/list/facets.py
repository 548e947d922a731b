"""Counts beside the values of a filter, in words and in the order of the page."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import Any

from submissions.api.facet_field import NONE, UNKNOWN
from submissions.choices import AgeMark, ConsistencyLevel, DataFit, Trust
from submissions.facts import FACTS
from submissions.formatting.names import pack_name, provider_name, service_name, tool_name
from submissions.ingest.document.titles import distinct_titles
from submissions.licenses import license_name
from submissions.models import Workload, is_whole
from submissions.records.list.facet_counts import FacetCounts, in_address
from submissions.records.list.facet_order import FACET_COLUMNS, FIRST
from submissions.records.list.filters import SubmissionFilter

SHOWN_VALUES = 8  # the others of a facet are behind "more"
MOST_VALUES = 60

_IN_ORDER: dict[str, Sequence[str]] = {
    "trust": list(Trust),
    "age": list(AgeMark),
    "consistency_level": list(ConsistencyLevel),
    "data_fit": list(DataFit),
}
_NUMERIC = [fact.key for fact in FACTS.values() if fact.is_counted and fact.columns and is_whole(fact)]
_DISPLAY_NAMES = {
    "provider": provider_name,
    "service": service_name,
    "tool": tool_name,
    "license": license_name,
    "pack": pack_name,
}
_EMPTY = {"license": "Not stated", "pack": "Uploaded or run here"}  # what an empty text means


@dataclass(frozen=True, slots=True)
class FacetValue:
    value: str  # as in the address
    label: str
    count: int
    is_selected: bool


@dataclass(frozen=True, slots=True)
class Facet:
    name: str  # the parameter in the address
    label: str
    values: tuple[FacetValue, ...]
    hidden_count: int  # values beyond MOST_VALUES

    @property
    def shown(self) -> tuple[FacetValue, ...]:
        """The selected values and the most frequent ones."""
        return tuple(value for place, value in enumerate(self.values) if value.is_selected or place < SHOWN_VALUES)

    @property
    def more(self) -> tuple[FacetValue, ...]:
        return tuple(value for value in self.values[SHOWN_VALUES:] if not value.is_selected)

    @property
    def selected(self) -> tuple[FacetValue, ...]:
        return tuple(value for value in self.values if value.is_selected)

    @property
    def is_useful(self) -> bool:
        """Whether choosing in it can change anything: more than one value, or a choice made."""
        return len(self.values) > 1 or bool(self.selected)


@dataclass(frozen=True, slots=True)
class Facets:
    total: int  # rows under all choices
    workloads: int  # how many workloads these rows are of
    facets: tuple[Facet, ...]
    counted_seconds: float | None = None  # how long ago, where rows have changed since

    @property
    def first(self) -> tuple[Facet, ...]:
        """Those above the limits of the form."""
        return tuple(facet for facet in self.facets if facet.name in FIRST)

    @property
    def others(self) -> tuple[Facet, ...]:
        return tuple(facet for facet in self.facets if facet.name not in FIRST)

    def of(self, name: str) -> Facet:
        return next(facet for facet in self.facets if facet.name == name)


def facets_of(counted: FacetCounts, filterset: SubmissionFilter) -> Facets:
    """The counts with their words, under the choices of `filterset`. One query for the titles of the workloads."""
    chosen = {name: _as_texts(filterset.form.cleaned_data[name]) for name in FACET_COLUMNS}
    by_id = counted.by_facet["workload"]
    by_fingerprint, titles = _with_fingerprints(by_id, chosen["workload"])
    workloads = sum(1 for value in chosen["workload"] if by_fingerprint[value]) if chosen["workload"] else len(by_id)
    counts = {**counted.by_facet, "workload": by_fingerprint}
    facets = tuple(_facet(name, counts[name], chosen[name], titles) for name in FACET_COLUMNS)
    return Facets(counted.total, workloads, facets)


def _with_fingerprints(by_id: Counter[str], chosen: Sequence[str]) -> tuple[Counter[str], dict[str, str]]:
    """Counts of the most frequent workloads by fingerprint, and the titles of these."""
    ids = _most_frequent(by_id)
    columns = ("pk", "fingerprint", "title")
    rows = list(Workload.objects.filter(pk__in=ids).order_by().values_list(*columns))
    if chosen:
        wanted = Workload.objects.open().filter(fingerprint__in=chosen).exclude(pk__in=ids)
        rows += wanted.values_list(*columns)
    counts = Counter({fingerprint: by_id[str(pk)] for pk, fingerprint, _ in rows})
    return counts, distinct_titles({fingerprint: title for _, fingerprint, title in rows})


def _most_frequent(by_id: Counter[str]) -> list[int]:
    """At most MOST_VALUES, most first. There may be thousands: only those with enough rows are put in order."""
    least = nlargest(MOST_VALUES, by_id.values())[-1:]
    ids = [int(pk) for pk, count in by_id.items() if count >= least[0]]
    return sorted(ids, key=lambda pk: (-by_id[str(pk)], pk))[:MOST_VALUES]


def _facet(name: str, counts: Counter[str], chosen: Sequence[str], titles: dict[str, str]) -> Facet:
    ranked = sorted({*counts, *chosen}, key=lambda value: _rank(name, value, counts))
    values = [value for place, value in enumerate(ranked) if place < MOST_VALUES or value in chosen]
    labels = titles if name == "workload" else {}
    return Facet(
        name=name,
        label=facet_label(name),
        values=tuple(
            FacetValue(value, labels.get(value) or value_label(name, value), counts[value], value in chosen)
            for value in values
        ),
        hidden_count=len(ranked) - len(values),
    )


def facet_label(name: str) -> str:
    """The words for a parameter of the filter; readers choose a workload by its title, the API by its fingerprint."""
    return FACTS[name].label if name in FACTS else str(SubmissionFilter.base_filters[name].label)


def value_label(name: str, value: str) -> str:
    """The words for a parameter's value."""
    if name in _EMPTY and value == NONE:
        return _EMPTY[name]
    if name in _DISPLAY_NAMES:
        return _DISPLAY_NAMES[name](value)
    closed_list = FACTS[name].choices if name in FACTS else None
    if closed_list and value in list(closed_list):
        return closed_list(value).label
    return value


def _rank(name: str, value: str, counts: Counter[str]) -> tuple[Any, ...]:
    """Numbers and closed lists in their own order, the others by count; unknown last."""
    if value == UNKNOWN:
        return (1, 0, value)
    if name in _NUMERIC:
        return (0, int(value), value)
    if name in _IN_ORDER:
        return (0, list(_IN_ORDER[name]).index(value), value)
    return (0, -counts[value], value)


def _as_texts(values: Iterable[Any]) -> list[str]:
    """As in the address; the filter turns `unknown` into None and `none` into an empty text."""
    return list(dict.fromkeys(map(in_address, values)))

"""The state of a list is in its address: choices as removable chips, orders as links, exports."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from django.http import QueryDict
from django.utils.http import urlencode

from benchsite.http.pagination import SortLink
from submissions.metrics import METRICS
from submissions.records.list.facet_order import FACET_COLUMNS
from submissions.records.list.facets import facet_label, value_label
from submissions.records.list.filters import DEFAULT_ORDERING, SubmissionFilter

# What a first look at a column wants to see on top: the best, or the newest.
BEST_FIRST = {
    **{key: f"-{key}" if metric.higher_is_better else key for key, metric in METRICS.items()},
    "node_count": "node_count",
    "measured_at": "-measured_at",
}
LIMITS = ("max_p99_ms", "max_hourly_usd", "min_throughput")  # the number fields of the form
FORM_FIELDS = (*FACET_COLUMNS, *LIMITS, "q")
PAGING = ("cursor", "page_size")


@dataclass(frozen=True, slots=True)
class Chip:
    """A choice that is in force, with the address of the list without it."""

    label: str
    value: str
    address: str


@dataclass(frozen=True, slots=True)
class Limit:
    name: str  # the parameter
    label: str
    value: str  # as in the address; empty where there is no limit


class ListState:
    """The query string of a list of submissions; every address starts at page one."""

    def __init__(self, parameters: QueryDict, path: str):
        self._path = path
        self._pairs = [
            (name, value)
            for name, values in parameters.lists()
            for value in dict.fromkeys(values)
            if value != "" and name not in PAGING
        ]
        self.ordering = parameters.get("ordering") or DEFAULT_ORDERING

    def query(self, *, but: Iterable[str] = ()) -> str:
        """The query string without the parameters named in `but`."""
        omitted = set(but)
        return urlencode([pair for pair in self._pairs if pair[0] not in omitted])

    def address(self, **changes: str) -> str:
        """The list with some parameters set to one value each."""
        pairs = [pair for pair in self._pairs if pair[0] not in changes]
        return self._at([*pairs, *changes.items()])

    def export(self, api_path: str, file_format: str) -> str:
        """The same rows in the same order from the API, which refuses parameters that it does not know."""
        known = {*SubmissionFilter.base_filters, "ordering"}
        pairs = [pair for pair in self._pairs if pair[0] in known]
        return f"{api_path}?{urlencode([*pairs, ('format', file_format)])}"

    def feed(self, of_filters: str, of_all: str) -> str:
        """New rows of the same filters as a feed, whose order is its own; `of_all` without filters."""
        query = urlencode([pair for pair in self._pairs if pair[0] in SubmissionFilter.base_filters])
        return f"{of_filters}?{query}" if query else of_all

    def chips(self, titles: Mapping[str, str]) -> list[Chip]:
        """One for each choice; `titles` are the workloads' by fingerprint."""
        return [
            Chip(
                label=facet_label(name),
                value=titles.get(value, value) if name == "workload" else value_label(name, value),
                address=self._at([pair for pair in self._pairs if pair != (name, value)]),
            )
            for name, value in self._pairs
            if name in SubmissionFilter.base_filters
        ]

    def sort_links(self) -> dict[str, SortLink]:
        """By column: a click sorts it best first, a second one reverses the order."""
        others = urlencode([pair for pair in self._pairs if pair[0] != "ordering"])
        start = f"{self._path}?{others}&" if others else f"{self._path}?"
        return {column: self._sort_link(column, best, start) for column, best in BEST_FIRST.items()}

    @property
    def q(self) -> str:
        return dict(self._pairs).get("q", "")

    def limits(self) -> list[Limit]:
        """The number fields of the filter form."""
        values = dict(self._pairs)
        return [Limit(name, facet_label(name), values.get(name, "")) for name in LIMITS]

    def hidden_fields(self) -> Iterator[tuple[str, str]]:
        """What the filter form has no visible field for."""
        for name, value in self._pairs:
            if name not in FORM_FIELDS:
                yield name, value

    def _sort_link(self, column: str, best_first: str, start: str) -> SortLink:
        if self.ordering.lstrip("-") != column:
            return SortLink(f"{start}ordering={best_first}", "")
        is_descending = self.ordering.startswith("-")
        reverse = column if is_descending else f"-{column}"
        state = "descending" if is_descending else "ascending"
        return SortLink(f"{start}ordering={reverse}", state)

    def _at(self, pairs: Iterable[tuple[str, str]]) -> str:
        query = urlencode(list(pairs))
        return f"{self._path}?{query}" if query else self._path

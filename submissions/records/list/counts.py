"""What the list of results says about all its rows: counts in words, and the facets as kept HTML."""

from dataclasses import dataclass

from django.utils.safestring import SafeString

from submissions.records.cache import cached
from submissions.records.list.facet_html import facets_html
from submissions.records.list.facets import Facet, Facets, FacetValue, count_facets
from submissions.records.list.filters import SubmissionFilter


@dataclass(frozen=True, slots=True)
class ListCounts:
    total: int  # rows under all choices
    workloads: int  # how many workloads these rows are of
    latency_kinds: Facet
    chosen_workloads: tuple[FacetValue, ...]
    facets_html: SafeString


def list_counts(filterset: SubmissionFilter) -> ListCounts:
    """Three queries, one while they are cached. `filterset` is valid."""
    choices = sorted((name, str(value)) for name, value in filterset.form.cleaned_data.items())
    return cached(("list", *choices), lambda: _list_counts(count_facets(filterset)))


def _list_counts(facets: Facets) -> ListCounts:
    return ListCounts(
        total=facets.total,
        workloads=facets.workloads,
        latency_kinds=facets.of("latency_kind"),
        chosen_workloads=facets.of("workload").selected,
        facets_html=facets_html(facets.facets),
    )
